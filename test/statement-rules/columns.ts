import type { Schema } from './tables.ts'

/**
 * A column that may hold the id of a business. Two questions are asked about it.
 *
 * Is it the same business as another column's? Columns that a statement sets equal anywhere are
 * one: `equals` merges them.
 *
 * Which rows can it have? `limitedBy` has a direction: `where not exists (select from payments p
 * where p.business_id = i.business_id and p.business_id = $1)` limits payments to the row of `i`
 * outside, but does not limit `i`.
 */
export class Column {
  #parent: Column | undefined
  #bound: 'business' | 'list' | undefined
  #parameters: number[]
  readonly #isGiven: boolean
  readonly #limits: Column[] = []
  #choices: readonly Column[] = []

  /** `bound` says that its value comes with the statement: one business, or a list of rows. */
  constructor(bound?: 'business' | 'list', parameters: number[] = []) {
    this.#bound = bound
    this.#parameters = parameters
    this.#isGiven = bound !== undefined
  }

  /** Returns the column of a `union`, or of several rows of values. */
  static oneOf(choices: readonly (Column | undefined)[]): Column | undefined {
    const known = choices.filter((column) => column !== undefined)
    if (known.length < choices.length) return undefined
    if (known.length === 1) return known[0]
    const one = new Column()
    one.#choices = known
    if (known.every(({ bound }) => bound)) one.#bound = 'list'
    else for (const column of known) if (!column.bound) one.equals(column)
    return one
  }

  get root(): Column {
    return this.#parent?.root ?? this
  }

  get bound() {
    return this.root.#bound
  }

  /** The parameters that name the business. */
  get parameters(): readonly number[] {
    return this.root.#parameters
  }

  equals(other: Column): void {
    const [one, two] = [this.root, other.root]
    if (one === two) return
    two.#parent = one
    one.#parameters = [...one.#parameters, ...two.#parameters]
    // A list that is limited to one business is bound to that business.
    if (one.#bound !== 'business') one.#bound = two.#bound ?? one.#bound
  }

  /** The statement can reach only rows whose value is one that the other column has. */
  limitedBy(other: Column): void {
    this.#limits.push(other)
  }

  /** Whether the statement can reach only rows of businesses that come with it. */
  get isLimited(): boolean {
    return this.#isLimitedBut(new Set())
  }

  #isLimitedBut(seen: Set<Column>): boolean {
    if (this.#isGiven) return true
    if (seen.has(this)) return false
    seen.add(this)
    const isLimited = (column: Column) => column.#isLimitedBut(new Set(seen))
    return (
      this.#limits.some(isLimited) || (this.#choices.length > 0 && this.#choices.every(isLimited))
    )
  }
}

/** A table, subquery or function in a `from`, with its columns; most hold no business. */
export interface Source {
  name: string
  /** The table of a tenant, whose business must be known. */
  table?: string
  columns: Map<string, Column | undefined>
  /** The column with the table's business. */
  key?: Column
  use: 'read' | 'lock' | 'write'
  /** The sources of a subquery, and its columns with those that stand for them outside. */
  inside?: { sources: readonly Source[]; columns: readonly [inner: Column, outer: Column][] }
}

export interface Output {
  name: string
  column: Column | undefined
}

/** What can be named at one place of a statement. */
export interface Scope {
  sources: Source[]
  outer: Scope | undefined
  ctes: Map<string, Output[]>
  block: Block
  whole: Whole
  /** The columns whose rows a condition limits at this place. */
  limited: Set<Column>
  /** For a subquery whose condition also limits the columns outside: `limited` of the outside. */
  limitedOutside?: Set<Column> | undefined
}

/** What is known about the whole statement. */
export interface Whole {
  schema: Schema
  blocks: Block[]
  /** The columns of each subquery that has been read. */
  subqueries: Map<object, Output[]>
  /** Breaches of "one business" that are found while reading. */
  breaches: string[]
}

/** The sources that a part of a statement combines with each other and with those around it. */
export interface Block {
  sources: Source[]
  outer: Block | undefined
}

/** Finds a column by its name, from the inside out. */
export function find(scope: Scope | undefined, name: string, of?: string): Column | undefined {
  for (let at = scope; at; at = at.outer) {
    const source = at.sources.find((one) => (of ? one.name === of : one.columns.has(name)))
    if (source) return source.columns.get(name)
  }
  return undefined
}
