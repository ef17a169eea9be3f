import { SWEEP_ROWS_MAX, type Sweeper } from '../../jobs/jobs.ts'
import { releaseExpiredUses } from './queries.ts'

/** Releases discount uses that were not paid for in time. */
export const discountExpirySweeper: Sweeper = {
  name: 'discount-expiry',
  everyMs: 5_000,
  followsTestClock: true,
  sweep: (db, now, only) =>
    db.transaction((tx) => releaseExpiredUses(tx, now, only ?? null, SWEEP_ROWS_MAX)),
}
