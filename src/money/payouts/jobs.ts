import {
  lockPayoutTerms,
  nextPayoutAt,
  postponePayout,
  selectDuePayouts,
} from '../../business/account/payout-schedule.ts'
import type { Database, Tx } from '../../db/database.ts'
import { forEachConcurrent, JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { paysOutByItself } from '../../providers/connections.ts'
import { payoutsStopOf } from '../../providers/pauses.ts'
import { isNoConnection } from '../../providers/providers.ts'
import { isPaused, mostPayable, type PayoutDeps, payOut } from './create.ts'

/** How long after a failure to try again. */
const AGAIN_MS = 60_000

/** The same while nothing can be paid out, because payouts are stopped or no provider can pay. */
const WAIT_MS = 10 * 60_000

/** Each payout is a transaction. More at once would take connections away from requests. */
const AT_ONCE = 2

type JobDeps = PayoutDeps & { db: Database }

/** Makes the payouts of businesses that have a schedule. */
export function payoutJob(deps: JobDeps): Job {
  return {
    name: 'payouts',
    everyMs: 30_000,
    followsTestClock: true,
    async run(db, now, only) {
      const due = await selectDuePayouts(db, now, only ?? null, JOB_ROWS_MAX)
      await forEachConcurrent(due, AT_ONCE, ({ business_id: businessId, live }) =>
        payDue(deps, { businessId, live }, now),
      )
      return due.length
    },
  }
}

/** A business that cannot be paid moves to the back of the queue, so that it blocks no others. */
async function payDue({ db, ...deps }: JobDeps, tenant: Tenant, now: Date): Promise<void> {
  try {
    await db.transaction((tx) => payScheduled(tx, deps, tenant, now))
  } catch (error) {
    const againMs = isNoConnection(error) ? WAIT_MS : AGAIN_MS
    await postponePayout(db, tenant, { now, to: addMs(now, againMs) })
    if (!isNoConnection(error)) throw error
  }
}

/** Moves the schedule forward in the same transaction, so a date makes at most one payout. */
async function payScheduled(tx: Tx, deps: PayoutDeps, tenant: Tenant, now: Date): Promise<void> {
  const terms = await lockPayoutTerms(tx, deps.keyring, tenant)
  const postpone = async (to: Date) => void (await postponePayout(tx, tenant, { now, to }))
  // Another process may have been faster.
  if (terms.at === null || terms.at > now) return
  if (isPaused(terms, now)) return postpone(terms.pausedUntil!)
  if (await payoutsStopOf(tx, tenant)) return postpone(addMs(now, WAIT_MS))
  await postpone(nextPayoutAt(terms.schedule, terms.timeZone, now)!)
  const { account, currency } = terms
  if (!account || (await paysOutByItself(tx, tenant))) return
  const { amount_minor } = await mostPayable(tx, tenant, currency)
  if (amount_minor === 0n) return
  await payOut(tx, deps, { ...tenant, now }, { amount_minor, currency, account, actor: null })
}
