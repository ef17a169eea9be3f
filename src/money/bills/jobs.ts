import { SWEEP_ROWS_MAX, type Sweeper } from '../../jobs/jobs.ts'
import { deleteExpired } from './queries.ts'

/** Forgets enquiries that are of no more use. */
export const enquirySweeper: Sweeper = {
  name: 'utility-enquiries',
  everyMs: 60_000,
  sweep: (db, now, only) => deleteExpired(db, now, only ?? null, SWEEP_ROWS_MAX),
}
