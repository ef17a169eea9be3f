import { indexQueued, type Searchable } from '../db/text-search.ts'
import type { Job } from './jobs.ts'

/** Indexing 500 rows takes about 50 ms. */
const ROWS_MAX = 500

/**
 * Indexes new and changed text in these kinds of records. This is not done in requests, because it
 * would double the cost of creating an invoice. It does not depend on the time.
 */
export const textJob = (kinds: readonly Searchable[]): Job => ({
  name: 'search-texts',
  everyMs: 1_000,
  restFactor: 9,
  async run(db, _now, only) {
    let count = 0
    if (only !== undefined) return count
    for (const kind of kinds) {
      count += await db.transaction((tx) => indexQueued(tx, kind, ROWS_MAX))
    }
    return count
  },
})
