import { invalid } from '../../lib/problem.ts'
import { COLLECTIONS } from '../../lib/scopes.ts'

export type Scope = `${(typeof COLLECTIONS)[number]}:${'read' | 'write'}`

/** Every scope there is. `:write` contains `:read` of the same collection. */
export const SCOPES: readonly Scope[] = COLLECTIONS.flatMap((collection): Scope[] => [
  `${collection}:read`,
  `${collection}:write`,
])

const known: ReadonlySet<string> = new Set(SCOPES)

/**
 * The scopes of a restricted key, each once; null, for a key that may do everything, stays null.
 * Throws 400 naming `scopes` for one that does not exist, and for a key that could do nothing.
 */
export function readScopes(wanted: readonly string[] | null): Scope[] | null {
  if (wanted === null) return null
  const unknown = wanted.filter((scope) => !known.has(scope))
  if (unknown.length > 0) {
    const [first] = unknown
    throw invalid({ scopes: [`has no ${JSON.stringify(first)}: a scope is like invoices:read`] })
  }
  if (wanted.length === 0) throw invalid({ scopes: ['must have at least 1 entry'] })
  return SCOPES.filter((scope) => wanted.includes(scope))
}
