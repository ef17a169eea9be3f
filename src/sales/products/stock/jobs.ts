import { JOB_ROWS_MAX, type Job } from '../../../jobs/jobs.ts'
import { releaseExpired } from './queries.ts'

export const stockExpiryJob: Job = {
  name: 'stock-expiry',
  everyMs: 5_000,
  followsTestClock: true,
  run: (db, now, only) =>
    db.transaction((tx) => releaseExpired(tx, db, now, only ?? null, JOB_ROWS_MAX)),
}
