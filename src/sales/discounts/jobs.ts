import { JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import { releaseExpiredUses } from './queries.ts'

export const discountExpiryJob: Job = {
  name: 'discount-expiry',
  everyMs: 5_000,
  followsTestClock: true,
  run: (db, now, only) =>
    db.transaction((tx) => releaseExpiredUses(tx, db, now, only ?? null, JOB_ROWS_MAX)),
}
