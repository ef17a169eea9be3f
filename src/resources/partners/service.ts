import type { Db, Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import { addMs } from '../../lib/clock.ts'
import { invalid, notFound } from '../../lib/problem.ts'
import { hashOf } from '../keys/format.ts'
import { graceMs, isLabel, LABEL_LENGTH_MAX } from '../keys/service.ts'
import { newClientId, newClientSecret } from './format.ts'
import {
  insertPartner,
  insertSecret,
  lockPartner,
  type PartnerRow,
  selectPartner,
  selectPartners,
  updatePartnerRevoked,
  updateSecretsEnding,
} from './queries.ts'
import { type PartnerRecord, partnerRecord } from './record.ts'
import { readPartnerScopes } from './scopes.ts'

/** What an operator does with partners. */

export interface PartnerRequest {
  name: string
  live: boolean
  /** The most that any business can let it do; null for everything that a partner may. */
  scopes: readonly string[] | null
}

/** The secret is in here once, and nowhere afterwards. */
export interface IssuedSecret {
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
