import { invalid } from '../lib/problem.ts'
import type { EventKind } from './kind.ts'

/** The types of events that a server knows; the app hands the one list to those who need it. */
export interface EventCatalogue {
  kinds: readonly EventKind[]
  types: readonly string[]
  isType(type: string): boolean
  /** Throws 400 on `type` for one that there is not. */
  requireType(type: string): void
  /** `invoice.*`: every type that begins with that word, now and later. */
  isWildcard(text: string): boolean
  /** What `data` of such an event looks like; a copy. Throws for a type that there is not. */
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
