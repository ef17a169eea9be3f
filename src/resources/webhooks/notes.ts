import { setTimeout as sleep } from 'node:timers/promises'
import { openBatch } from '../../db/batch.ts'
import type { Database } from '../../db/database.ts'
import type { Log } from '../../db/log.ts'
import { openWriter } from '../../db/writer.ts'
import { type End, noteAll } from './ends.ts'
import type { ClaimedRow } from './queries-deliver.ts'

const NOTE_AGAIN_MS = [100, 500, 2_000, 5_000, 15_000]

/**
 * Stores how attempts ended, many at a time. What was delivered must not be sent again only because
 * the database was away for a moment, so this tries for a while, within the lease.
 */
export function openNotes({ db, log }: { db: Database; log: Log }) {
  const writer = openWriter(db)
  const hurry = new AbortController()
  const batch = openBatch(
    (ends: readonly End[]) => noteAll((statement) => writer.query(statement), ends),
    ({ attempt }) => 500 + (attempt?.response?.length ?? 0),
  )

  /** Undefined when it could not be done; whoever finds the lease run out sends it again. */
  async function surely<T>(claim: ClaimedRow, work: (isRepeated: boolean) => Promise<T>) {
    let isRepeated = false
    for (const againMs of [...NOTE_AGAIN_MS, undefined]) {
      try {
        return await work(isRepeated)
      } catch (err) {
        if (againMs === undefined || hurry.signal.aborted) {
          log.error({ err, ...named(claim) }, 'the end of an attempt could not be noted')
          return undefined
        }
        isRepeated = true
        await sleep(againMs, undefined, { signal: hurry.signal }).catch(() => {})
      }
    }
    return undefined
  }

  const end = (one: Omit<End, 'isRepeated'>) =>
    surely(one.claim, (isRepeated) => batch.add({ ...one, isRepeated }))
  /** From now on what cannot be noted at once is left to whoever finds its lease run out. */
  return { surely, end, hurry: () => hurry.abort() }
}

/** For the log: no address and nothing of what is told. */
export const named = ({ business_id, live, webhook_id, event_id }: ClaimedRow) => ({
  businessId: business_id,
  live,
  webhookId: webhook_id,
  eventId: event_id,
})
