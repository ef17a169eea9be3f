import type { Database } from '../db/database.ts'
import { forEachConcurrent, JOB_ROWS_MAX, type Job } from '../jobs/jobs.ts'
import { addDays } from '../lib/dates.ts'
import { lastDay, ZONE } from './days.ts'
import { planDays, selectDue, selectUnplanned } from './queries.ts'
import { type ReconcileDeps, reconcileDay } from './run.ts'

export const RECONCILIATION_JOB = 'reconciliation'

/** How many connections are read at once. */
const AT_ONCE = 2

/** How far back days are read that were missed, such as while no server was running. */
const MISSED_DAYS = 30

/**
 * Reads the day before of every account with a real provider each morning, days that did not agree
 * then, and days that people ask for.
 */
export function reconciliationJob(deps: ReconcileDeps): Job {
  let isStopped = false
  return {
    name: RECONCILIATION_JOB,
    everyMs: 5 * 60_000,
    restFactor: 0,
    async run(db, now, only) {
      // A business with a test clock has no accounts with real providers.
      if (only === undefined) await plan(db, now)
      const due = await selectDue(db, now, only ?? null, JOB_ROWS_MAX)
      const byConnection = Map.groupBy(due, (row) =>
        JSON.stringify([row.business_id, row.live, row.connection_id]),
      )
      let read = 0
      await forEachConcurrent([...byConnection.values()], AT_ONCE, async (days) => {
        for (const { business_id: businessId, live, connection_id: connectionId, day } of days) {
          if (isStopped) return
          const key = { tenant: { businessId, live }, connectionId, day }
          if (await reconcileDay(deps, key, { now, isStopped: () => isStopped, ifDue: true }))
            read++
        }
      })
      return isStopped ? 0 : read
    },
    stop() {
      isStopped = true
    },
  }
}

async function plan(db: Database, now: Date): Promise<void> {
  const last = lastDay(now)
  const range = { first: addDays(last, -MISSED_DAYS), last }
  const days = await selectUnplanned(db, ZONE, range, JOB_ROWS_MAX)
  if (days.length > 0) await planDays(db, days, now)
}
