import { invalid } from '../../lib/problem.ts'
import { COLLECTIONS } from '../../lib/scopes.ts'

export type Scope = `${(typeof COLLECTIONS)[number]}:${'read' | 'write'}`

/** `:write` includes `:read` for the same collection. */
export const SCOPES: readonly Scope[] = COLLECTIONS.flatMap((collection): Scope[] => [
  `${collection}:read`,
  `${collection}:write`,
])

const known: ReadonlySet<string> = new Set(SCOPES)

/**
 * Returns the scopes of a restricted key, without duplicates. Null, which means full access, stays
 * null. Throws 400 naming `scopes` for an unknown scope, and for an empty list.
 */
export function readScopes(wanted: readonly string[] | null): Scope[] | null {
  if (wanted === null) return null
  const unknown = wanted.filter((scope) => !known.has(scope))
  if (unknown.length > 0) {
    const [first] = unknown
    throw invalid({
      scopes: [
        `has the unknown scope ${JSON.stringify(first)}; an example of a valid scope is invoices:read`,
      ],
    })
  }
  if (wanted.length === 0) throw invalid({ scopes: ['must have at least 1 entry'] })
  return SCOPES.filter((scope) => wanted.includes(scope))
}
