import type { TSchema } from 'typebox'
import { invalid } from '../lib/problem.ts'

/**
 * The event types that a server supports. The app passes one catalogue to all code that needs it.
 */
export interface EventCatalogue {
  kinds: readonly EventKind[]
  types: readonly string[]
  isType(type: string): boolean
  requireType(type: string): void
  /**
   * Returns whether the text is a wildcard: `invoice.*` matches every type that starts with that
   * word, in this version and in later ones.
   */
  isWildcard(text: string): boolean
  /** Returns a copy of the example `data` for an event type. Throws for an unknown type. */
  exampleOf(type: string): object
}

export function eventCatalogue(kinds: readonly EventKind[]): EventCatalogue {
  const types = kinds.map(({ type }) => type)
  const byType = new Map(kinds.map((kind) => [kind.type, kind]))
  const wildcards = new Set(types.map((type) => `${type.split('.')[0]}.*`))
  return {
    kinds,
    types,
    isType: (type) => byType.has(type),
    requireType(type) {
      if (byType.has(type)) return
      throw invalid({
        type: ['must be an event type; GET event-types and docs/EVENTS.md list them all'],
      })
    },
    isWildcard: (text) => wildcards.has(text),
    exampleOf(type) {
      const kind = byType.get(type)
      if (!kind) throw new Error(`No event has the type ${type}`)
      return structuredClone(kind.example)
    },
  }
}

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
