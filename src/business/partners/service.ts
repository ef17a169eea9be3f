import type { Db, Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import { JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { invalid, notFound, Problem } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import { forgetKeysOf } from '../keys/authenticate.ts'
import { hashOf } from '../keys/format.ts'
import { graceMs, isLabel, LABEL_LENGTH_MAX } from '../keys/service.ts'
import {
  deleteExpiredTokens,
  insertPartner,
  insertSecret,
  lockPartner,
  type PartnerRow,
  selectGrant,
  selectGrants,
  selectPartner,
  selectPartners,
  updateGrantRevoked,
  updatePartnerRevoked,
  updateSecretsEnding,
  upsertGrant,
} from './queries.ts'
import { grantRecord, type PartnerRecord, partnerRecord } from './record.ts'
import { newClientId, newClientSecret, readPartnerScopes, scopesToGrant } from './scopes.ts'

interface PartnerRequest {
  name: string
  live: boolean
  /**
   * The scopes that businesses can grant the partner; null for every scope that a partner can have.
   */
  scopes: readonly string[] | null
}

/** The secret is only available here: the database stores its hash. */
interface IssuedSecret {
  clientSecret: string
  record: PartnerRecord
}

/** Creates a partner, without access to any business yet. Throws 400 naming the invalid fields. */
export async function createPartner(
  tx: Tx,
  ids: Ids,
  { name, live, scopes }: PartnerRequest,
  now: Date,
): Promise<IssuedSecret> {
  if (!isLabel(name)) {
    throw invalid({ name: [`must be a single line of 1 to ${LABEL_LENGTH_MAX} characters`] })
  }
  const row: PartnerRow = {
    id: await ids.next(tx),
    client_id: newClientId(live),
    name,
    live,
    scopes: readPartnerScopes(scopes),
    revoked_at: null,
    created_at: now,
  }
  await insertPartner(tx, row)
  return { clientSecret: await issueSecret(tx, ids, row, now), record: partnerRecord(row) }
}

/**
 * Lists every partner on the server, newest first, with the number of businesses that have granted
 * it access.
 */
export async function listPartners(db: Db): Promise<PartnerRecord[]> {
  return (await selectPartners(db)).map(partnerRecord)
}

/**
 * Creates a new secret for a partner. Previous secrets work for another `graceHours` (0..168), and
 * their tokens keep their lifetime. With 0, which is for a leaked secret, both stop working at
 * once. Throws 404 for a partner that does not exist or has been revoked.
 */
export async function rotatePartner(
  tx: Tx,
  ids: Ids,
  clientId: string,
  graceHours: number,
  now: Date,
): Promise<IssuedSecret> {
  const endsAt = addMs(now, graceMs(graceHours))
  const row = await lockPartner(tx, clientId)
  if (!row || row.revoked_at) throw notFound('partner')
  await updateSecretsEnding(tx, row.id, endsAt, now)
  return { clientSecret: await issueSecret(tx, ids, row, now), record: partnerRecord(row) }
}

/**
 * Permanently revokes a partner with its secrets and tokens, which every running server refuses
 * within a second. Revoking it again changes nothing. Throws 404 for an unknown partner.
 */
export async function revokePartner(tx: Tx, clientId: string, now: Date): Promise<PartnerRecord> {
  const row = (await updatePartnerRevoked(tx, clientId, now)) ?? (await selectPartner(tx, clientId))
  if (!row) throw notFound('partner')
  return partnerRecord(row)
}

async function issueSecret(tx: Tx, ids: Ids, { id, live }: PartnerRow, now: Date) {
  const clientSecret = newClientSecret(live)
  const hash = hashOf(clientSecret)
  await insertSecret(tx, { id: await ids.next(tx), partnerId: id, hash, now })
  return clientSecret
}

interface GrantRequest {
  clientId: string
  /** Null grants every scope that both the partner and the caller have. */
  scopes: readonly string[] | null
}

/**
 * Grants a partner access to the business, or changes its scopes. Throws 404 for a client id that
 * is unknown in this mode, and 400 naming `scopes`. The caller must have each of the scopes.
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

/** Lists all of a business's grants in one mode, newest first, including revoked ones. */
export async function listGrants(db: Db, tenant: Tenant) {
  return (await selectGrants(db, tenant)).map(grantRecord)
}

/**
 * Revokes a partner's access to this business: at once in this process, and within a second in
 * others. Has no effect on revoked access. Throws 404 if access was never granted.
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

/**
 * No partner has the scope that these routes require, but granting access deserves a second check.
 */
function refusePartner({ partner }: Caller): void {
  if (partner === undefined) return
  const message = 'A partner cannot grant or revoke access to a business.'
  throw new Problem('forbidden', 'insufficient_scope', message)
}

/** Tokens don't belong to a business, so test clocks don't affect this job. */
export const partnerTokenJob: Job = {
  name: 'partner-tokens',
  everyMs: 60_000,
  run: async (db, now, only) =>
    only === undefined ? deleteExpiredTokens(db, now, JOB_ROWS_MAX) : 0,
}
