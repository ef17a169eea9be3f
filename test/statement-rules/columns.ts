import type { Schema } from './tables.ts'

/**
 * A column that may hold the id of a business. Columns that a statement sets equal are one:
 * `equals` merges them.
 */
export class Column {
  #parent: Column | undefined
  #bound: 'business' | 'list' | undefined
  #parameters: number[]

  /** `bound` says that its value comes with the statement: one business, or a list of rows. */
  constructor(bound?: 'business' | 'list', parameters: number[] = []) {
    this.#bound = bound
    this.#parameters = parameters
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
}

/** What is known about the whole statement. */
export interface Whole {
  schema: Schema
  blocks: Block[]
  /** The columns of each subquery that has been read. */
  subqueries: Map<object, Output[]>
  /** Tables that are locked as a whole. */
  locked: string[]
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
