import { SWEEP_ROWS_MAX, type Sweeper } from '../../jobs/jobs.ts'
import { deleteExpired } from './queries.ts'

/** Deletes enquiries that are no longer needed. */
export const enquirySweeper: Sweeper = {
  name: 'utility-enquiries',
  everyMs: 60_000,
  sweep: (db, now, only) => deleteExpired(db, now, only ?? null, SWEEP_ROWS_MAX),
}
