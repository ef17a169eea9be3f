import type { Db, Tx } from '../db/database.ts'
import type { Tenant } from '../lib/caller.ts'
import { Problem } from '../lib/problem.ts'
import {
  deleteRefundsStop,
  deleteStop,
  insertStop,
  type NewStop,
  type Stops,
  selectStop,
  updateRefundsStopped,
} from './queries-routes.ts'

export type { NewStop, Stops } from './queries-routes.ts'

/* A business can stop its payouts, for example if someone has stolen a key. Transfers and
 * settlements then wait, and bills are refused. Lookups and refunds continue, except that refunds
 * wait, too, after a backup was restored. */

export interface PayoutsStop {
  stoppedAt: Date
  by: string
  reason: string
  /** Who can resume payouts: what the operator has stopped, only the operator can. */
  resumedBy: 'owner' | 'operator'
}

/** Returns undefined if payouts are not stopped. */
export async function payoutsStopOf(db: Db, tenant: Tenant): Promise<PayoutsStop | undefined> {
  const row = await selectStop(db, tenant)
  return (
    row && {
      stoppedAt: row.payouts_stopped_at,
      by: row.payouts_stopped_by,
      reason: row.payouts_stop_reason,
      resumedBy: row.is_operators ? 'operator' : 'owner',
    }
  )
}

/**
 * Stops payouts. Nothing new is sent after the commit, but orders that are being sent at that
 * moment still are. Returns whether this call has stopped them: the first stop stays, except that
 * the operator can take over one of the business.
 */
export async function stopPayouts(tx: Tx, tenant: Tenant, stop: NewStop): Promise<boolean> {
  return (await insertStop(tx, tenant, stop)) !== undefined
}

/**
 * Lets refunds wait until payouts are resumed, because a restored backup does not contain the
 * refunds that were sent since.
 */
export const holdRefunds = (tx: Tx, tenant: Tenant, now: Date): Promise<number> =>
  updateRefundsStopped(tx, tenant, now)

/**
 * Lets payouts go out again. The caller wakes the jobs that send them. Returns whether payouts were
 * stopped, by those whose stops this ends. What waits after a restore also goes out if the business
 * keeps its own stop.
 */
export async function resumePayouts(
  tx: Tx,
  tenant: Tenant,
  stops: Stops,
  now: Date,
): Promise<boolean> {
  if ((await deleteStop(tx, tenant, stops, now)) !== undefined) return true
  if (stops === 'of the operator') await deleteRefundsStop(tx, tenant, now)
  return false
}

/** Throws 503 if payouts are stopped. */
export async function requirePayouts(db: Db, tenant: Tenant): Promise<void> {
  if (await selectStop(db, tenant)) {
    throw new Problem(
      'unavailable',
      'payouts_stopped',
      'Payouts are stopped: nothing was done. Someone in the business has to resume them.',
      { retryAfterSeconds: 3600 },
    )
  }
}
