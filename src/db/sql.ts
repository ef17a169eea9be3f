/**
 * A query whose values are kept separate from its text. Only `sql` and the tags of `Db` create one.
 */
export class Sql {
  readonly strings: readonly string[]
  readonly args: readonly unknown[]

  constructor(strings: readonly string[], args: readonly unknown[]) {
    this.strings = strings
    this.args = args
  }

  /** Returns the text with $1, $2… and the values in that order; fragments are inlined. */
  compile(values: unknown[] = []): { text: string; values: unknown[] } {
    let text = this.strings[0]!
    for (const [i, arg] of this.args.entries()) {
      text += arg instanceof Sql ? arg.compile(values).text : `$${values.push(arg)}`
      text += this.strings[i + 1]
    }
    return { text, values }
  }
}

/** Builds a statement, or a fragment of one. */
export function sql(strings: TemplateStringsArray, ...args: unknown[]): Sql {
  return new Sql(strings, args)
}

/**
 * Begins a statement that is planned for its values each time it runs. Every other statement has
 * one plan per connection (`ONE_PLAN`), which is slow if the best plan depends on the values.
 */
export const PLAN_EACH_TIME = sql`/* planned each time */`

/** `all([a, b])` is "a and b"; `all([])` is "true". Undefined parts are left out. */
export function all(parts: (Sql | undefined)[]): Sql {
  return parts
    .filter((part) => part !== undefined)
    .reduce((left, right) => sql`${left} and ${right}`, sql`true`)
}

/** Returns `%text%` for `like`, with any wildcards in the text escaped. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`
