import type { TSchema } from 'typebox'

/** One type of event: what `data` it tells, and when. Each slice lists those of its objects. */
export interface EventKind {
  type: string
  /** When it is raised, in a sentence. */
  summary: string
  /** The object that it names; `business or subaccount` where it may be either. */
  object: string
  /** Of `data`. */
  schema: TSchema
  /** A `data` of that schema. */
  example: object
}

interface Told {
  object: string
  schema: TSchema
  /** What the examples have in common. */
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
