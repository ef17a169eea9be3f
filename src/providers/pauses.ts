import type { Db, Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import type { Tenant } from '../lib/caller.ts'
import { Problem } from '../lib/problem.ts'
import { cachedBriefly } from './brief-cache.ts'
import {
  deletePause,
  deleteRefundsStop,
  deleteStop,
  insertPause,
  insertStop,
  type NewStop,
  type PauseRow,
  type Stops,
  selectPauses,
  selectStop,
  updateRefundsStopped,
} from './queries.ts'

export {
  type PauseRow,
  selectPauses as listPauses,
  selectStops as listStops,
  selectStopsOf as listStopsOf,
} from './queries.ts'

/** `business`: its API and its payer pages. `writes`: all changes, for the whole server. */
export const PAUSED = ['business', 'BANK_TRANSFER', 'USSD', 'CARD', 'writes'] as const
export type Paused = (typeof PAUSED)[number]

/** What is paused, and for whom. Null is every business, or both modes. */
export interface PauseKey {
  what: Paused
  businessId: number | null
  live: boolean | null
}

/** What the operator has paused, as known a second ago at the latest. */
export interface Pauses {
  /** Returns what is paused for a business in one mode. */
  of(tenant: Tenant, tx?: Db): Promise<PauseRow[]>
  /** Throws 503 `business_paused` if the business is paused. */
  requireOpen(tenant: Tenant): Promise<void>
  /** Returns whether the server changes nothing at the moment. */
  isReadOnly(): Promise<boolean>
  /** Throws 503 `read_only` if the server changes nothing at the moment. */
  requireWritable(): Promise<void>
}

/** Reads all pauses together, because there are only a few, and uses them for a second. */
export function openPauses(db: Db): Pauses {
  const known = cachedBriefly((_: undefined, tx) => selectPauses(tx ?? db))
  const all = (tx?: Db) => known.get('', undefined, tx)
  const of = async ({ businessId, live }: Tenant, tx?: Db) =>
    (await all(tx)).filter(
      (one) =>
        (one.business_id === null || one.business_id === businessId) &&
        (one.live === null || one.live === live),
    )
  const isReadOnly = async () => (await all()).some(({ what }) => what === 'writes')
  return {
    of,
    async requireOpen(tenant) {
      const found = (await of(tenant)).find(({ what }) => what === 'business')
      if (found) throw paused('business_paused', 'This business is not open at the moment')
    },
    isReadOnly,
    async requireWritable() {
      if (!(await isReadOnly())) return
      throw paused('read_only', 'The server only reads at the moment')
    },
  }
}

const RETRY_SECONDS = { read_only: 30, business_paused: 3600, channel_paused: 3600 }

function paused(code: keyof typeof RETRY_SECONDS, says: string): Problem {
  const details = { retryAfterSeconds: RETRY_SECONDS[code] }
  return new Problem('unavailable', code, `${says}: nothing was done. Try again later.`, details)
}

export const channelPaused = (): Problem =>
  paused('channel_paused', 'This payment method is paused')

/** Pauses something. Returns false if it is paused already: the first pause stays. */
export async function pause(
  tx: Tx,
  ids: Ids,
  key: PauseKey,
  { by, reason, now }: { by: string; reason: string; now: Date },
): Promise<boolean> {
  const row = { id: await ids.next(tx), ...key, by, reason, now }
  return (await insertPause(tx, row)) !== undefined
}

/** Ends a pause. Returns false if there was none. */
export const resume = async (tx: Tx, key: PauseKey): Promise<boolean> =>
  (await deletePause(tx, key)) !== undefined

export type { NewStop, Stops } from './queries.ts'

/* A business can stop its payouts, for example if someone has stolen a key. Transfers and
 * settlements then wait, and bills are refused. Lookups and refunds continue, except that refunds
 * wait, too, after a backup was restored. */

interface PayoutsStop {
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
 * the operator can take over one of the business or of a restore.
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
 * stopped, by those whose stops this ends. Refunds that wait after a restore also go out if another
 * stop stays.
 */
export async function resumePayouts(
  tx: Tx,
  tenant: Tenant,
  stops: Stops,
  now: Date,
): Promise<boolean> {
  if ((await deleteStop(tx, tenant, stops, now)) !== undefined) return true
  if (stops === 'of the operator' || stops === 'of a restore') {
    await deleteRefundsStop(tx, tenant, now)
  }
  return false
}

/** Throws 503 if payouts are stopped. */
export async function requirePayouts(db: Db, tenant: Tenant): Promise<void> {
  const stop = await selectStop(db, tenant)
  if (stop) {
    const resumer = stop.is_operators ? 'The operator' : 'An owner of the business'
    throw new Problem(
      'unavailable',
      'payouts_stopped',
      `Payouts are stopped: nothing was done. ${resumer} has to resume them.`,
      { retryAfterSeconds: 3600 },
    )
  }
}
