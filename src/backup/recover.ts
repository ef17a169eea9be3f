import { skipNumbers } from '../business/account/invoice-series.ts'
import { listBusinesses } from '../business/account/service.ts'
import { OPERATOR } from '../business/audit-log/log.ts'
import { stop } from '../business/providers/payouts.ts'
import type { Tx } from '../db/database.ts'
import type { Tenant } from '../lib/caller.ts'
import { assumeSent } from '../provider-orders/attempts.ts'
import { holdRefunds } from '../providers/pauses.ts'
import { insertRestore } from './queries.ts'

/* What a backup does not contain has happened all the same: ids and numbers were given out, and
 * money was sent. */

export interface Recovered {
  /** How many ids and, at most, invoice numbers are left out. */
  ids: number
  numbers: number
  /** Orders that may have been sent since the backup. */
  orders: number
}

const IDS_MIN = 1_000_000
const IDS_MAX = 10_000_000_000

/**
 * Prepares a database that was restored: ids and invoice numbers that may have been given out since
 * are left out, and no money leaves until an operator says so.
 */
export async function recover(tx: Tx, madeAt: Date, now: Date): Promise<Recovered> {
  const reason = `Restored from a backup of ${madeAt.toISOString()}`
  const done: Recovered = { ids: await skipIds(tx, madeAt, now), numbers: 0, orders: 0 }
  for (const { businessId } of await listBusinesses(tx)) {
    for (const live of [false, true]) {
      const tenant = { businessId, live }
      done.orders += await assumeSent(tx, tenant, madeAt)
      await stop(tx, { ...tenant, actor: OPERATOR, now }, reason)
      await holdRefunds(tx, tenant, now)
      const numbers = await marginOf(tx, tenant, madeAt, now)
      await skipNumbers(tx, tenant, numbers)
      done.numbers = Math.max(done.numbers, numbers)
    }
  }
  return done
}

/**
 * Leaves out as many ids as were ever given out. It is not known how many were given out since the
 * backup, but a database rarely doubles in that time. Each event has an id, so the sequence numbers
 * of an object's events move ahead by the same number.
 */
async function skipIds(tx: Tx, madeAt: Date, now: Date): Promise<number> {
  const { last } = await tx.one<{ last: number }>`
    select coalesce(last_value, start_value) as last from pg_sequences
    where schemaname = current_schema() and sequencename = 'ids'`
  // A second restore of the same backup leaves out more than what the first one was followed by.
  const since = Math.max(0, now.getTime() - madeAt.getTime())
  const wanted = Math.min(IDS_MAX, Math.max(IDS_MIN, last)) + since
  const count = wanted - (wanted % 100)
  await tx.one`select setval('ids', ${last + count}::bigint)`
  // The last block of ids that was given out begins at `last`, and events of the backup have some.
  await insertRestore(tx, { firstId: last + count, count, madeAt, now })
  return count
}

const NUMBERS_MIN = 1_000
const FACTOR = 4

/** Four times as many as the business used in an equally long time before the backup. */
async function marginOf(
  tx: Tx,
  { businessId, live }: Tenant,
  madeAt: Date,
  now: Date,
): Promise<number> {
  const since = new Date(2 * madeAt.getTime() - now.getTime())
  const { count } = await tx.one<{ count: number }>`
    select count(*) as count from invoices
    where business_id = ${businessId} and live = ${live} and created_at > ${since}`
  return NUMBERS_MIN + FACTOR * count
}
