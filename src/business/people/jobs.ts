import { JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import { addMs } from '../../lib/clock.ts'
import { logInterruptedRequests } from '../audit-log/log.ts'
import { deleteExpired } from './queries.ts'

const DAY_MS = 24 * 3_600_000

/**
 * Deletes expired sessions, links and challenges, and failed attempts from the previous day. Logs
 * the requests of members that never got a response. People belong to neither mode, so test clocks
 * don't affect this job.
 */
export const peopleJob: Job = {
  name: 'people',
  everyMs: 60_000,
  run: async (db, now, only) => {
    if (only !== undefined) return 0
    const noted = await logInterruptedRequests(db, now)
    return Math.max(noted, await deleteExpired(db, now, addMs(now, -DAY_MS), JOB_ROWS_MAX))
  },
}
