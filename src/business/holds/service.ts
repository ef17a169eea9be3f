import type { Db, Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import { appendAudit, OPERATOR } from '../audit-log/log.ts'
import { deleteHold, type HoldRow, insertHold, lockHolds, selectHolds } from './queries.ts'

export { lockHolds } from './queries.ts'

export interface Hold {
  holdId: number
  businessId: number
  /** An email address in lower case; null for the whole business. */
  customer: string | null
  reason: string
  since: Date
}

/** Whose records a hold is about. */
interface Held {
  businessId: number
  /** Null for the whole business. */
  customer: string | null
}

/** Returns undefined if these records are already on hold; the reason then stays as it is. */
export async function addHold(
  tx: Tx,
  ids: Ids,
  { businessId, customer }: Held,
  reason: string,
  now: Date,
): Promise<Hold | undefined> {
  const id = await ids.next(tx)
  await lockHolds(tx, businessId)
  const row = { business_id: businessId, id, customer, reason, created_at: now }
  return logged(tx, await insertHold(tx, row), 'hold.add', now)
}

/** Returns undefined if these records were not on hold. */
export async function removeHold(
  tx: Tx,
  { businessId, customer }: Held,
  now: Date,
): Promise<Hold | undefined> {
  return logged(tx, await deleteHold(tx, businessId, customer), 'hold.remove', now)
}

/** Lists the holds of one business, or of all, oldest first. */
export const listHolds = async (db: Db, businessId?: number): Promise<Hold[]> =>
  (await selectHolds(db, businessId)).map(holdOf)

async function logged(tx: Tx, row: HoldRow | undefined, action: string, at: Date) {
  if (!row) return undefined
  const whose = row.customer === null ? 'the business' : 'a customer'
  const detail =
    action === 'hold.add'
      ? `Put the records of ${whose} on legal hold`
      : `Ended the legal hold on the records of ${whose}`
  // Entries are never deleted, so this one does not contain the email address.
  const entry = { businessId: row.business_id, action, object: String(row.id), detail, at }
  await appendAudit(tx, OPERATOR, entry)
  return holdOf(row)
}

const holdOf = (row: HoldRow): Hold => ({
  holdId: row.id,
  businessId: row.business_id,
  customer: row.customer,
  reason: row.reason,
  since: row.created_at,
})
