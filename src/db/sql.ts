import { createHash } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import pg from 'pg'
import { textsOf } from './pg-arrays.ts'

/** The diagnostics channel that reports each new statement, so that tests can check all of them. */
export const STATEMENTS = 'tradepost:statement'
const statements = channel(STATEMENTS)

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
  compile(): { text: string; name: string; values: unknown[] } {
    const values: unknown[] = []
    const form = formOf(this, START, values)
    if (form.text === undefined) {
      form.text = textOf(this, { values: 0 })
      statements.publish({ text: form.text, values })
    }
    form.name ??= `q_${createHash('sha1').update(form.text).digest('hex').slice(0, 24)}`
    return { text: form.text, name: form.name, values }
  }
}

/**
 * The form of a statement: its literal texts, their order, and the positions of its values.
 * Statements of the same form have the same text, so the text is built only once.
 */
interface Form {
  text?: string
  /** The name under which it is prepared, so that it is parsed and planned once per connection. */
  name?: string
  value?: Form
  further: WeakMap<readonly string[], Form>
}

const newForm = (): Form => ({ further: new WeakMap() })
const START = newForm()

/**
 * Finds the form of a statement, starting from the form of the text before it, and collects its
 * values.
 */
function formOf({ strings, args }: Sql, before: Form, values: unknown[]): Form {
  let form = before.further.get(strings) ?? newForm()
  before.further.set(strings, form)
  for (const arg of args) {
    if (arg instanceof Sql) form = formOf(arg, form, values)
    else {
      values.push(arg)
      form.value ??= newForm()
      form = form.value
    }
  }
  return form
}

function textOf({ strings, args }: Sql, count: { values: number }): string {
  return args.reduce<string>(
    (text, arg, i) =>
      text + (arg instanceof Sql ? textOf(arg, count) : `$${++count.values}`) + strings[i + 1],
    strings[0]!,
  )
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

/**
 * The last Unicode character. Every string with a given prefix sorts before the prefix plus this
 * character.
 */
const LAST = '\u{10ffff}'

/** Returns the condition for a column that starts with a text, for a `text_pattern_ops` index. */
export const startsWith = (column: Sql, text: string): Sql =>
  sql`(${column} ~>=~ ${text} and ${column} ~<~ ${text + LAST})`

/** Ignores case. The index is on the column's lower case. */
export const startsWithAnyCase = (column: Sql, text: string): Sql =>
  sql`(lower(${column}) ~>=~ lower(${text}) and lower(${column}) ~<~ lower(${text + LAST}))`

/** Returns `%text%` for `like`, with any wildcards in the text escaped. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/**
 * Makes PostgreSQL plan each prepared statement once per connection. By default, it plans many of
 * our statements at every execution, because the plan for known values looks a little cheaper.
 * Planning then costs 3 to 10 times as much as execution (docs/design/plans.md). JIT is off,
 * because compiling a statement takes longer than running it.
 */
export const ONE_PLAN = '-c plan_cache_mode=force_generic_plan -c jit=off'

/**
 * For a distributed database, which can only send a statement to the right machine once it knows
 * the values. The machines also get the limits that a transaction sets.
 */
export const DISTRIBUTED =
  '-c plan_cache_mode=force_custom_plan -c jit=off -c citus.propagate_set_commands=local'

export function inline(text: string, values: readonly unknown[]): string {
  return text.replace(/\$(\d+)/g, (_, place: string) => literal(values[Number(place) - 1]))
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString())
  if (Buffer.isBuffer(value)) {
    const texts = textsOf(value)
    return texts ? literal(texts) : `'\\x${value.toString('hex')}'`
  }
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map(quoted).join()}}`)
  if (typeof value === 'object') return pg.escapeLiteral(JSON.stringify(value))
  return pg.escapeLiteral(String(value))
}

/** Quotes an item of an array literal. */
function quoted(item: unknown): string {
  if (item === null || item === undefined) return 'null'
  if (item instanceof Date) return quoted(item.toISOString())
  if (Buffer.isBuffer(item)) return quoted(`\\x${item.toString('hex')}`)
  if (Array.isArray(item)) return `{${item.map(quoted).join()}}`
  return `"${String(item).replace(/["\\]/g, '\\$&')}"`
}
