import type { Db, Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import { SWEEP_ROWS_MAX, type Sweeper } from '../../jobs/jobs.ts'
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

/** What an operator does with partners. */
interface PartnerRequest {
  name: string
  live: boolean
  /** The most that any business can let it do; null for everything that a partner may. */
  scopes: readonly string[] | null
}

/** The secret is in here once, and nowhere afterwards. */
interface IssuedSecret {
  clientSecret: string
  record: PartnerRecord
}

/** Makes a partner, which no business knows yet. Throws 400 naming what is wrong. */
export async function createPartner(
  tx: Tx,
  ids: Ids,
  { name, live, scopes }: PartnerRequest,
  now: Date,
): Promise<IssuedSecret> {
  if (!isLabel(name)) {
    throw invalid({ name: [`must have 1 to ${LABEL_LENGTH_MAX} characters, on one line`] })
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

/** Every partner of the server, newest first, with the number of businesses that let it in. */
export async function listPartners(db: Db): Promise<PartnerRecord[]> {
  return (await selectPartners(db)).map(partnerRecord)
}

/**
 * Gives a partner another secret; those before it are exchanged for `graceHours` (0..168) more, and
 * the tokens that they got live on as they would. With 0 both end at once: a secret leaked. Throws
 * 404 for a partner that there is not, or that was revoked.
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
 * Ends a partner for good, with its secrets and tokens; running servers refuse them within a
 * second. Ending it again changes nothing. Throws 404 for a partner that there is not.
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

/** What a business lets partners do. */
interface GrantRequest {
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

/** Forgets tokens whose time is over. They are of no business, so no test clock moves it. */
export const partnerTokenSweeper: Sweeper = {
  name: 'partner-tokens',
  everyMs: 60_000,
  sweep: async (db, now, only) =>
    only === undefined ? deleteExpiredTokens(db, now, SWEEP_ROWS_MAX) : 0,
}
