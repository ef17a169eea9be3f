import { appendAudit } from '../../business/audit-log/log.ts'
import type { Database } from '../../db/database.ts'
import type { Job } from '../../jobs/jobs.ts'
import { addMs } from '../../lib/clock.ts'
import {
  type DueErasure,
  selectDueErasures,
  updateDueAt,
  updateErased,
  updateRefused,
} from './queries.ts'
import { ErasureRefused, eraseCustomer } from './service.ts'

export const ERASURE_JOB = 'erasures'

/** Few, because each reads all records of a business. */
const ROWS_MAX = 5
const RETRY_MS = 60 * 60_000
/** How long it is tried, because the cause of a failure can pass. */
const TRIED_MS = 5 * RETRY_MS

/** What members read about a failure; the log has the error. */
const FAILED =
  'Something went wrong on the server. Ask its operator to look at the log, then try again.'

/** Erases what members have asked for. `owner` can delete events, unlike the server's role. */
export const erasureJob = (owner: Database): Job => ({
  name: ERASURE_JOB,
  everyMs: 60_000,
  async run(db, now, only) {
    if (only !== undefined) return 0
    const due = await selectDueErasures(db, now, ROWS_MAX)
    for (const erasure of due) {
      const taken = await updateDueAt(db, erasure, now, addMs(now, RETRY_MS))
      if (taken > 0) await erase(db, owner, erasure, now)
    }
    return due.length
  },
})

async function erase(db: Database, owner: Database, erasure: DueErasure, now: Date): Promise<void> {
  const { business_id: businessId, email } = erasure
  const actor = {
    personId: erasure.person_id,
    name: erasure.person_name,
    ip: erasure.ip,
    requestId: erasure.request_id,
  }
  const refuse = (why: string, detail: string) =>
    db.transaction(async (tx) => {
      await updateRefused(tx, erasure, why)
      await appendAudit(tx, actor, { businessId, action: 'customer.erase', detail, at: now })
    })
  try {
    const erased = await eraseCustomer(owner, businessId, email, { now, actor })
    if (!erased) await owner.transaction((tx) => updateErased(tx, businessId, email))
  } catch (error) {
    if (error instanceof ErasureRefused) {
      return refuse(
        error.forMembers,
        'Could not erase a customer who is on legal hold or has unfinished records',
      )
    }
    if (addMs(erasure.asked_at, TRIED_MS) <= now) {
      await refuse(FAILED, 'Could not erase a customer because of an error')
    }
    throw error
  }
}
