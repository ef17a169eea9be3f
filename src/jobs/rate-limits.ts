import { deleteFullBuckets } from '../db/shared-limits.ts'
import type { Job } from './jobs.ts'

/** Deletes the rows of rate limits that the servers share and that nobody uses any more. */
export const sharedLimitJob: Job = {
  name: 'rate-limits',
  everyMs: 60_000,
  async run(db, now, only) {
    if (only === undefined) await deleteFullBuckets(db, now)
    return 0
  },
}
