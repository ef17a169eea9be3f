import { useMe } from './hooks.ts'
import { businessId, type Role } from './session.ts'

/**
 * Returns a function that tells whether the role allows something. This only hides what the server
 * would refuse. The server always decides, even if someone opens the URL directly.
 */
export function usePermission(): (scope: string | undefined) => boolean {
  const { data: me } = useMe()
  const scopes = new Set(me?.scopes)
  return (scope) => {
    if (scope === undefined) return true
    if (scopes.has(scope)) return true
    const [collection, verb] = scope.split(':')
    return verb === 'read' && scopes.has(`${collection}:write`)
  }
}

/** Returns the user's role in the current business. */
export function useOwnRole(): Role | undefined {
  const { data: me } = useMe()
  return me?.businesses.find(({ id }) => String(id) === businessId())?.role
}
