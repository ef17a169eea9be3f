import { forEachConcurrent, JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import { addMs } from '../../lib/clock.ts'
import { addDays, dayIn, startOfDay } from '../../lib/dates.ts'
import { isNoConnection } from '../../providers/providers.ts'
import { type SettleDeps, settleClaimed } from './create.ts'
import { claimDue, type DueRow, postpone, selectDue } from './queries.ts'

/** How long after a failure to retry a settlement run. */
const AGAIN_MS = 60_000

/** The same if no connection to a provider can pay it, for example because one is paused. */
const NO_CONNECTION_AGAIN_MS = 10 * 60_000

/** Each settlement is a transaction. More at once would take connections away from requests. */
const AT_ONCE = 2

/**
 * Settles subaccounts daily at midnight in the business's time zone, including everything that is
 * open by then. The due time only moves forward and is never removed, so an amount that is added
 * during a run is part of the next one.
 */
export function settlementJob(deps: SettleDeps): Job {
  return {
    name: 'settlements',
    everyMs: 30_000,
    followsTestClock: true,
    async run(db, now, only) {
      const due = await selectDue(db, now, only ?? null, JOB_ROWS_MAX)
      await forEachConcurrent(due, AT_ONCE, (row) => settleDue(deps, row, now))
      return due.length
    },
  }
}

/**
 * A subaccount that cannot be settled moves to the back of the queue, so that it does not block the
 * others.
 */
async function settleDue(
  deps: SettleDeps,
  { business_id: businessId, live, id, time_zone }: DueRow,
  now: Date,
): Promise<void> {
  const tenant = { businessId, live }
  const today = dayIn(time_zone, now)
  const before = startOfDay(today, time_zone)
  const next = startOfDay(addDays(today, 1), time_zone)
  try {
    const claim = (tx: Parameters<typeof claimDue>[0]) => claimDue(tx, tenant, id, { now, next })
    await settleClaimed(deps, tenant, claim, { before, now })
  } catch (error) {
    const againMs = isNoConnection(error) ? NO_CONNECTION_AGAIN_MS : AGAIN_MS
    await postpone(deps.db, tenant, id, now, addMs(now, againMs))
    if (!isNoConnection(error)) throw error
  }
}
