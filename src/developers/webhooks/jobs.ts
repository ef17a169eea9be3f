import { type Archive, archiveLine } from '../../jobs/archive.ts'
import { JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import { DAY_MS, deleteOld } from '../../jobs/retention.ts'
import { addMs } from '../../lib/clock.ts'
import type { Deliverer } from './deliver.ts'
import {
  deleteOldDeliveries,
  lockOldDeliveries,
  selectOldDeliveries,
  type WholeDelivery,
} from './queries-deliver.ts'
import { attemptRecord, deliveryRecord } from './record.ts'

/**
 * The job to nudge when a delivery has been queued: `tx.after(() => nudge(WEBHOOK_JOB))`.
 */
export const WEBHOOK_JOB = 'webhooks'

/**
 * One job claims due deliveries, and starts sending them without waiting for receivers. The other
 * deletes deliveries and their attempts after `days` days.
 */
export const webhookJobs = (
  { run }: Deliverer,
  days: number,
  archive: Archive | undefined,
): Job[] => [
  { name: WEBHOOK_JOB, everyMs: 500, followsTestClock: true, restFactor: 0, run },
  {
    name: 'webhook-prune',
    everyMs: 600_000,
    run: (db, now, only) =>
      deleteOld(db, archive, addMs(now, -days * DAY_MS), {
        kind: 'deliveries',
        limit: archive ? WHOLE_MAX : JOB_ROWS_MAX,
        find: (db, search) => selectOldDeliveries(db, search, only),
        read: lockOldDeliveries,
        linesOf: (rows) => rows.map(lineOf),
        remove: deleteOldDeliveries,
      }),
  },
]

/** Deliveries with all attempts can be large: each has up to 16 KiB of a response. */
const WHOLE_MAX = 20

const lineOf = (row: WholeDelivery) =>
  archiveLine(row, {
    webhook: row.webhook_reference,
    ...deliveryRecord(row),
    attemptLog: row.attempts.map(attemptRecord),
  })

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The delay after each failed attempt. The last attempt has none. */
export const RETRY_AFTER_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/** Prevents deliveries that failed together from being retried together. */
const JITTER = 0.2

const RETRY_AFTER_MS_MAX = 24 * HOUR

/**
 * Returns the time of the next attempt. `attempt` is the number of the last one, counted from 1
 * since the delivery was last queued. `askedMs` is what the receiver requested with `Retry-After`,
 * and can only make the next attempt later. `random` is from 0 to 1. Returns undefined after the
 * last attempt.
 */
export function nextAttemptAt(
  attempt: number,
  now: Date,
  askedMs: number | undefined,
  random: number,
): Date | undefined {
  const plainMs = RETRY_AFTER_MS[attempt - 1]
  if (plainMs === undefined) return undefined
  const ms = plainMs * (1 - JITTER + 2 * JITTER * random)
  return notBefore(addMs(now, Math.round(ms)), now, askedMs)
}

/** Returns `planned`, or a later time that the receiver has asked for with `Retry-After`. */
export function notBefore(planned: Date, now: Date, askedMs: number | undefined): Date {
  const asked = addMs(now, Math.min(askedMs ?? 0, RETRY_AFTER_MS_MAX))
  return asked > planned ? asked : planned
}
