import type { TSchema } from 'typebox'

/** One event type: its `data`, and when it is raised. Each feature lists those of its objects. */
export interface EventKind {
  type: string
  /** When it is raised, in a sentence. */
  summary: string
  /** The object that it names; `business or subaccount` if it can be either. */
  object: string
  /** The schema of `data`. */
  schema: TSchema
  /** An example of `data`. */
  example: object
}

interface Told {
  object: string
  schema: TSchema
  /** The common part of the examples. */
  example: object
}

/**
 * The kinds of one object, by type: when each occurs, and the fields that are specific to its
 * example.
 */
export const kindsOf = (
  { object, schema, example }: Told,
  kinds: Record<string, [summary: string, own?: object]>,
): EventKind[] =>
  Object.entries(kinds).map(([type, [summary, own = {}]]) => ({
    type,
    summary,
    object,
    schema,
    example: { ...example, ...own },
  }))
