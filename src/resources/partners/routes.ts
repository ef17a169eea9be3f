import { requireScope, secondFactorNeeded } from '../../http/auth.ts'
import { success } from '../../http/envelopes.ts'
import { type Route, route } from '../../http/route.ts'
import { wholeOrPage } from '../../lib/paging.ts'
import { Problem } from '../../lib/problem.ts'
import type { Caller } from '../../lib/tenant.ts'
import type { Deps } from '../deps.ts'
import { grantPartner, listGrants, revokeGrant } from './grants.ts'
import { GrantList, GrantPath, GrantQuery, NewGrant, OneGrant } from './schemas.ts'
import { readPartnerScopes } from './scopes.ts'

const slice = { service: 'user-service', family: 'both', errors: 'fields' } as const

export const partnerRoutes = ({ db, ids }: Pick<Deps, 'db' | 'ids'>): Route[] => [
  route({
    ...slice,
    operation: 'grant_partner',
    summary: 'Let a partner act for the business',
    method: 'POST',
    path: '/partners',
    scope: 'keys:write',
    proven: true,
    status: 201,
    body: NewGrant,
    answer: OneGrant,
    handle: ({ caller, body: { clientId, scopes = null }, once }) => {
      requireRightToGrant(caller)
      for (const scope of readPartnerScopes(scopes) ?? []) requireScope(caller, scope)
      return once(async (tx) => {
        const grant = await grantPartner(tx, ids, caller, { clientId, scopes })
        return success('Partner granted access.', grant)
      })
    },
  }),
  route({
    ...slice,
    operation: 'list_partners',
    summary: 'List the partners of the business',
    method: 'GET',
    path: '/partners',
    scope: 'keys:read',
    query: GrantQuery,
    answer: GrantList,
    handle: async ({ caller, query }) => {
      const { rows, meta } = wholeOrPage(await listGrants(db, caller), query)
      return success('Partners.', rows, meta)
    },
  }),
  route({
    ...slice,
    operation: 'revoke_partner',
    summary: 'End what a partner may do for the business',
    method: 'POST',
    path: '/partners/:clientId/revoke',
    scope: 'keys:write',
    proven: true,
    params: GrantPath,
    answer: OneGrant,
    handle: ({ caller, params, once }) =>
      once(async (tx) => {
        const grant = await revokeGrant(tx, caller, params.clientId)
        return success('Partner access revoked.', grant)
      }),
  }),
]

/**
 * A restricted key could hand on more than it has, and a live grant outlives the session of the
 * person who gives it, as a live key does. Throws `insufficient_scope` and `second_factor_needed`
 * (403).
 */
function requireRightToGrant({ live, person, scopes }: Caller): void {
  if (!person && scopes !== null) {
    throw new Problem('forbidden', 'insufficient_scope', 'A restricted key cannot grant access.')
  }
  if (!live || person?.hasSecondFactor) return
  throw secondFactorNeeded(
    'In live mode, only people signed in with a second factor can give a partner access.',
  )
}
