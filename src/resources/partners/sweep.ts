import { SWEEP_ROWS_MAX, type Sweeper } from '../../sweepers/sweepers.ts'
import { deleteExpiredTokens } from './queries.ts'

/** Forgets tokens whose time is over. They are of no business, so no test clock moves it. */
export const partnerTokenSweeper: Sweeper = {
  name: 'partner-tokens',
  everyMs: 60_000,
  sweep: async (db, now, only) =>
    only === undefined ? deleteExpiredTokens(db, now, SWEEP_ROWS_MAX) : 0,
}
