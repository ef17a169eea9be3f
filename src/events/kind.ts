import type { TSchema } from 'typebox'

/** An event type: its `data`, and when it is raised. */
export interface EventKind {
  type: string
  /** A sentence saying when it is raised. */
  summary: string
  /** The type of its object; `business or subaccount` if both are possible. */
  object: string
  /** The schema of `data`. */
  schema: TSchema
  example: object
}

interface Told {
  object: string
  schema: TSchema
  /** The fields that all the examples have in common. */
  example: object
}

/**
 * Returns the event types of one object. For each type, `kinds` has its summary and the fields
 * specific to its example.
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
