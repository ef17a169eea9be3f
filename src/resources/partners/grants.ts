import type { Db, Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import { notFound, Problem } from '../../lib/problem.ts'
import { newReference } from '../../lib/random.ts'
import type { Caller, Tenant } from '../../lib/tenant.ts'
import { forgetKeysOf } from '../keys/known.ts'
import { selectGrant, selectGrants, updateGrantRevoked, upsertGrant } from './queries-grants.ts'
import { grantRecord } from './record.ts'
import { readPartnerScopes, scopesToGrant } from './scopes.ts'

/** What a business lets partners do. */

export interface GrantRequest {
  clientId: string
  /** Null for everything that the partner may, as far as the caller may. */
  scopes: readonly string[] | null
}

/**
 * Lets a partner act for the business; again, with other scopes. Throws 404 for a client id that
 * no partner of this mode has, 400 naming `scopes`. The caller must have each scope that is named.
 */
export async function grantPartner(
  tx: Tx,
  ids: Ids,
  caller: Caller,
  { clientId, scopes: wanted }: GrantRequest,
) {
  refusePartner(caller)
  const scopes = wanted === null ? scopesToGrant(caller.scopes) : readPartnerScopes(wanted)
  const id = await ids.next(tx)
  const reference = newReference('GRT')
  const row = await upsertGrant(tx, caller, { id, reference, clientId, scopes, now: caller.now })
  if (!row) throw notFound('partner')
  tx.after(() => forgetKeysOf(caller.businessId))
  return grantRecord(row)
}

/** Every grant of a business in a mode, newest first, the revoked ones too. */
export async function listGrants(db: Db, tenant: Tenant) {
  return (await selectGrants(db, tenant)).map(grantRecord)
}

/**
 * Ends what a partner may do here, in this process at once and in others within a second. Ending it
 * again changes nothing. Throws 404 for a partner that was never let in.
 */
export async function revokeGrant(tx: Tx, caller: Caller, clientId: string) {
  refusePartner(caller)
  const row =
    (await updateGrantRevoked(tx, caller, clientId, caller.now)) ??
    (await selectGrant(tx, caller, clientId))
  if (!row) throw notFound('partner')
  tx.after(() => forgetKeysOf(caller.businessId))
  return grantRecord(row)
}

/** The scopes of partners forbid it already; what lets others in is worth two locks. */
function refusePartner({ partner }: Caller): void {
  if (partner === undefined) return
  const message = 'A partner cannot say who may act for a business.'
  throw new Problem('forbidden', 'insufficient_scope', message)
}
