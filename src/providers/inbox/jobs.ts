import type { Database } from '../../db/database.ts'
import { takeDue } from '../../db/leases.ts'
import type { Log } from '../../db/log.ts'
import { forEachConcurrent, JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs, timeSince } from '../../lib/clock.ts'
import { Problem } from '../../lib/problem.ts'
import type { Notice } from '../connector/http-connector.ts'
import { NOTICE_JOB } from './inbox.ts'
import {
  claim,
  type DueNotice,
  deleteNotices,
  deleteRefusals,
  type NoticeResult,
  selectDue,
  selectExpired,
  selectExpiredRefusals,
  updateResults,
} from './queries.ts'

/** What some notifications of one connection are about. */
export interface NoticeSubject extends Omit<Notice, 'key'> {
  tenant: Tenant
  connectionId: number
  /** No later lookup will be made for them. */
  isLast: boolean
}

export interface Finding {
  status: 'Applied' | 'Unchanged' | 'Unmatched'
  result?: string
  /** Whether to look it up again a few times, because the provider may be late. */
  isEarly?: boolean
}

/** Looks up what a notification is about. Throws if the provider did not respond. */
export type LookUpSubject = (subject: NoticeSubject, now: Date) => Promise<Finding>

const LOOKUPS_AT_ONCE = 16
/** Longer than all lookups of a run can take, at the longest deadline of a lookup. */
const LEASE_MS = 5 * 60_000

const MINUTE_MS = 60_000
const PAUSES_MS = [1, 5, 15, 60, 180, 360].map((minutes) => minutes * MINUTE_MS)
/** After three days. */
const TRIES_MAX = 17
/**
 * An order that the provider names by its own number may not be stored yet, and the provider's own
 * lookup may not show a payment yet.
 */
const EARLY_TRIES_MAX = 4

/** Looks up what due notifications are about: once for all that are about the same. */
export function noticeJob({ log }: { log: Log }, lookUp: LookUpSubject): Job {
  async function findingOf(rows: DueNotice[], now: Date): Promise<NoticeResult[]> {
    const [row] = rows as [DueNotice]
    const isLast = rows.every(({ tries }) => tries >= EARLY_TRIES_MAX)
    try {
      const { status, result = null, isEarly } = await lookUp(subjectOf(row, isLast), now)
      return rows.map((one) => {
        const isOver = !isEarly || one.tries >= EARLY_TRIES_MAX
        return { ...keyOf(one), status, result, next_at: isOver ? null : nextTry(one, now) }
      })
    } catch (error) {
      const { business_id: businessId, live, connection_id: connection, type } = row
      log.warn({ err: error, businessId, live, connection, type }, 'a notification failed')
      const result = error instanceof Problem || error instanceof Error ? error.message : 'failed'
      return rows.map((one) => {
        const next_at = one.tries >= TRIES_MAX ? null : nextTry(one, now)
        return { ...keyOf(one), status: 'Failed' as const, result: result.slice(0, 300), next_at }
      })
    }
  }
  return {
    name: NOTICE_JOB,
    everyMs: 10_000,
    restFactor: 0,
    async run(db, now, only) {
      const rows = await takeDue(
        db,
        () => selectDue(db, now, only ?? null, JOB_ROWS_MAX),
        (keys) => claim(db, keys, now, addMs(now, LEASE_MS)),
      )
      const groups = [...Map.groupBy(rows, sameSubject).values()]
      const time = timeSince(now)
      await forEachConcurrent(groups, LOOKUPS_AT_ONCE, async (group) => {
        // Clients that follow events do not read older ones later.
        const at = time()
        await updateResults(db, await findingOf(group, at), at)
      })
      return rows.length
    },
  }
}

const sameSubject = (row: DueNotice): string =>
  JSON.stringify([
    row.business_id,
    row.live,
    row.connection_id,
    row.about,
    row.reference,
    row.provider_id,
    row.account_number,
  ])

const subjectOf = (row: DueNotice, isLast: boolean): NoticeSubject => ({
  tenant: { businessId: row.business_id, live: row.live },
  connectionId: row.connection_id,
  type: row.type,
  about: row.about,
  reference: row.reference,
  providerId: row.provider_id,
  accountNumber: row.account_number,
  isLast,
})

const keyOf = ({ business_id, live, id, tries }: DueNotice) => ({ business_id, live, id, tries })

const nextTry = ({ tries }: DueNotice, now: Date): Date =>
  addMs(now, PAUSES_MS[Math.min(tries, PAUSES_MS.length) - 1]!)

const KEPT_MS = 90 * 24 * 3_600_000

/** Deletes notifications and counts of refusals that are older than 90 days. */
export const noticeExpiryJob: Job = {
  name: 'provider-notice-expiry',
  everyMs: 3_600_000,
  async run(db, now, only) {
    // A test clock does not shorten how long they are kept.
    if (only !== undefined) return 0
    return (await deleteOld(db, now)) + (await deleteOldRefusals(db, now))
  },
}

async function deleteOld(db: Database, now: Date): Promise<number> {
  const keys = await selectExpired(db, addMs(now, -KEPT_MS), JOB_ROWS_MAX)
  if (keys.length > 0) await deleteNotices(db, keys)
  return keys.length
}

async function deleteOldRefusals(db: Database, now: Date): Promise<number> {
  const keys = await selectExpiredRefusals(db, addMs(now, -KEPT_MS), JOB_ROWS_MAX)
  if (keys.length > 0) await deleteRefusals(db, keys)
  return keys.length
}
