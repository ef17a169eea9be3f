import { addMs } from '../../lib/clock.ts'
import type { Sweeper } from '../../sweepers/sweepers.ts'
import { deleteEntries } from './queries.ts'

const DAY_MS = 86_400_000

/** Nobody waits for a lock on these rows, so a sweep may take more of them than others do. */
const ROWS_MAX = 500

/** Forgets calls after so many days of the server's clock; with 0, all of them. */
export const requestLogSweeper = (days: number): Sweeper => ({
  name: 'request-log',
  everyMs: 60_000,
  sweep: async (db, now, only) =>
    only === undefined ? deleteEntries(db, addMs(now, -days * DAY_MS), ROWS_MAX) : 0,
})
