import { addMs } from '../lib/clock.ts'
import { SWEEP_ROWS_MAX, type Sweeper } from '../sweepers/sweepers.ts'
import { deletePast } from './queries-sweep.ts'

const DAY_MS = 24 * 3_600_000

/**
 * Forgets sessions, links and questions whose time is over, and wrong tries of yesterday. They are
 * of no business, so no test clock moves it.
 */
export const peopleSweeper: Sweeper = {
  name: 'people',
  everyMs: 60_000,
  sweep: async (db, now, only) =>
    only === undefined ? deletePast(db, now, addMs(now, -DAY_MS), SWEEP_ROWS_MAX) : 0,
}
