import type { Database } from '../../db/database.ts'
import { takeDue } from '../../db/leases.ts'
import type { Log } from '../../db/log.ts'
import { forEachConcurrent, JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs, timeSince } from '../../lib/clock.ts'
import {
  applyDisputeReport,
  type DisputeReportDeps,
  LOOKUP_MS,
  lookUpAgain,
} from './apply-report.ts'
import {
  selectByProviderId,
  selectDue,
  selectPayment,
  selectReminders,
  selectUnlisted,
  takeDueDisputes,
  takeListing,
  takeReminder,
  updateListed,
} from './queries.ts'
import { emailDispute } from './record.ts'

type JobDeps = DisputeReportDeps & { log: Log }

const LOOKUPS_AT_ONCE = 8

export const disputeJobs = (deps: JobDeps): Job[] => [
  lookupJob(deps),
  listJob(deps),
  reminderJob(deps),
]

/** Looks up open disputes: every few hours, and when the response was due. */
const lookupJob = (deps: JobDeps): Job => ({
  name: 'dispute-lookups',
  everyMs: 60_000,
  followsTestClock: true,
  async run(db, now, only) {
    const next = {
      beforeDue: addMs(now, LOOKUP_MS.beforeDue),
      afterDue: addMs(now, LOOKUP_MS.afterDue),
    }
    const rows = await takeDue(
      db,
      () => selectDue(db, now, only ?? null, JOB_ROWS_MAX),
      (keys) => takeDueDisputes(db, keys, now, next),
    )
    const time = timeSince(now)
    await forEachConcurrent(rows, LOOKUPS_AT_ONCE, async (row) => {
      const { business_id: businessId, live, reference, connection_id: connection } = row
      const about = { businessId, live, connection, reference }
      try {
        await lookUpAgain(deps, row, time())
      } catch (err) {
        deps.log.warn({ ...about, err }, 'a dispute was not looked up')
      }
      if (row.status === 'Open' && row.due_at && row.due_at <= now) {
        deps.log.warn(about, 'a dispute was still open when its response was due')
      }
    })
    return rows.length
  },
})

const HOUR_MS = 3_600_000
const LISTED_EVERY_MS = 6 * HOUR_MS
/** How far back a list goes, in case the provider's clock or an earlier list was late. */
const OVERLAP_MS = 48 * HOUR_MS
/** How far back the first list of a connection goes. */
const FIRST_MS = 30 * 24 * HOUR_MS
const PAGES_MAX = 50

/** Lists the disputes of each connection, because a notification can be lost. */
const listJob = (deps: JobDeps): Job => ({
  name: 'dispute-lists',
  everyMs: 10 * 60_000,
  async run(db, now, only) {
    const due = await selectUnlisted(db, addMs(now, -LISTED_EVERY_MS), only ?? null, JOB_ROWS_MAX)
    let listed = 0
    await forEachConcurrent(due, LOOKUPS_AT_ONCE, async (row) => {
      if (!(await takeListing(db, row, now))) return
      listed++
      const { business_id: businessId, live, connection_id: connection, listed_until } = row
      const from = addMs(listed_until ?? now, listed_until ? -OVERLAP_MS : -FIRST_MS)
      try {
        await list(deps, { businessId, live }, connection, { from, until: now })
      } catch (err) {
        deps.log.warn({ businessId, live, connection, err }, 'disputes were not listed')
      }
    })
    return listed
  },
})

async function list(
  deps: JobDeps,
  tenant: Tenant,
  connectionId: number,
  range: { from: Date; until: Date },
): Promise<void> {
  const { db, log } = deps
  const time = timeSince(range.until)
  const provider = await deps.providers.holder(connectionId)
  if (!provider.listDisputes) return
  let cursor: string | null = null
  for (let page = 0; page < PAGES_MAX; page++) {
    const outcome = await provider.listDisputes({ tenant, now: time() }, range, cursor)
    if (outcome.kind !== 'done') {
      const about = { ...tenant, connection: connectionId, outcome: outcome.kind }
      log.warn(about, 'disputes were not listed')
      return
    }
    for (const { providerId, ...state } of outcome.value.disputes) {
      // The list can be older than a notification, so only new disputes are taken from it.
      try {
        const known = await selectByProviderId(db, tenant, { connectionId, providerId })
        if (!known)
          await applyDisputeReport(
            deps,
            { tenant, connectionId, providerId, state, now: time() },
            undefined,
          )
      } catch (err) {
        const about = { ...tenant, connection: connectionId, dispute: providerId }
        log.warn({ ...about, err }, 'a dispute that was listed was not stored')
      }
    }
    cursor = outcome.value.next
    if (cursor === null) return void (await updateListed(db, tenant, connectionId, range.until))
  }
  log.warn({ ...tenant, connection: connectionId }, 'not all disputes were listed')
}

/** Reminds people of responses that are due soon. */
const reminderJob = (deps: Pick<JobDeps, 'people'>): Job => ({
  name: 'dispute-reminders',
  everyMs: 60_000,
  followsTestClock: true,
  async run(db, now, only) {
    const due = await selectReminders(db, now, only ?? null, JOB_ROWS_MAX)
    let reminded = 0
    for (const key of due) {
      if (await remind(db, deps, key, now)) reminded++
    }
    return reminded
  },
})

const remind = (
  db: Database,
  deps: Pick<JobDeps, 'people'>,
  key: { business_id: number; live: boolean; id: number },
  now: Date,
): Promise<boolean> =>
  db.transaction(async (tx) => {
    const dispute = await takeReminder(tx, key, now)
    if (!dispute) return false
    const tenant = { businessId: dispute.business_id, live: dispute.live }
    const isDue = dispute.status === 'Open' && dispute.due_at !== null && dispute.due_at > now
    if (isDue) {
      const payment = await selectPayment(tx, tenant, dispute.transaction_id)
      await emailDispute(tx, deps, dispute, payment, 'due')
    }
    return true
  })
