import { SWEEP_ROWS_MAX, type Sweeper } from '../../../jobs/jobs.ts'
import { releaseExpired } from './queries.ts'

/** Releases reservations that have not been paid for in time. */
export const stockExpirySweeper: Sweeper = {
  name: 'stock-expiry',
  everyMs: 5_000,
  followsTestClock: true,
  sweep: (db, now, only) =>
    db.transaction((tx) => releaseExpired(tx, now, only ?? null, SWEEP_ROWS_MAX)),
}
