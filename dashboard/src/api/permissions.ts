import { useMe } from './hooks.ts'
import { businessId, type Role } from './session.ts'

/**
 * Returns a function that reports whether the user's role allows something. Only used to hide what
 * the server would refuse: the server checks every request, including those from a screen that the
 * user opened by its URL.
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

export function useOwnRole(): Role | undefined {
  const { data: me } = useMe()
  return me?.businesses.find(({ id }) => String(id) === businessId())?.role
}
