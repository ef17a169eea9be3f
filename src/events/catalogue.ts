import { invalid } from '../lib/problem.ts'
import type { EventKind } from './kind.ts'

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
