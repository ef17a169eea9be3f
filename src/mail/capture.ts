import { performance } from 'node:perf_hooks'
import type { Database } from '../db/database.ts'
import { addMs } from '../lib/clock.ts'
import type { Sweep } from '../sweepers/sweepers.ts'
import { keepLetters, packed } from './kept.ts'
import { type Counting, couldNotBeMade, LEASE_MS, note, tellSlices } from './note.ts'
import { type ClaimedRow, claimDue, updateCaptured } from './queries.ts'
import type { LetterRow } from './queries-letters.ts'

/** Mails in one sweep: of a machine with time to spare, and of a busy one. */
const IDLE_MAX = 50
const BUSY_MAX = 5
/** The share of its time for which the event loop worked. */
const BUSY_FROM = 0.5

/**
 * Keeps due mails in the mailbox of this machine, with their letters as they are now. Nobody waits
 * for thousands in a mailbox, so a busy machine gives it a fiftieth of its time.
 */
export function captureSweep(deps: Counting): Sweep {
  let before = performance.eventLoopUtilization()

  return async (db, now, only) => {
    const { utilization } = performance.eventLoopUtilization(before)
    const serverNow = deps.clock.now()
    const mails = await claimDue(db, {
      now,
      serverNow,
      only: only ?? null,
      limit: utilization > BUSY_FROM ? BUSY_MAX : IDLE_MAX,
      leasedUntil: addMs(serverNow, LEASE_MS),
    })
    const composed = await Promise.all(mails.map((mail) => compose(db, deps, mail)))
    await capture(
      db,
      deps,
      composed.filter((one) => one !== undefined),
    )
    before = performance.eventLoopUtilization()
    return mails.length
  }
}

interface Composed {
  mail: ClaimedRow
  /** Undefined when there was no reason to send it any more. */
  letter: LetterRow | undefined
}

/** Undefined when its letter could not be made, which is tried again later. */
async function compose(
  db: Database,
  deps: Counting,
  mail: ClaimedRow,
): Promise<Composed | undefined> {
  const { clock, log, mailings } = deps
  const now = addMs(clock.now(), mail.ahead_ms)
  try {
    const letter = await mailings[mail.kind]?.compose(db, mail, now)
    return { mail, letter: letter && (await packed(mail, letter, clock.now())) }
  } catch (error) {
    const { message_id: messageId } = mail
    await note(db, deps, mail, { ...couldNotBeMade(log, mail, error, now), messageId })
    return undefined
  }
}

/** All of them in one transaction. */
async function capture(db: Database, deps: Counting, composed: Composed[]): Promise<void> {
  if (composed.length === 0) return
  const statuses = composed.map(({ mail, letter }) => ({
    mail,
    status: letter ? ('Captured' as const) : ('Dropped' as const),
  }))
  const ended = await db.transaction(async (tx) => {
    const rows = await updateCaptured(tx, statuses, deps.clock.now())
    const ids = new Set(rows.map(({ id }) => id))
    const letters = composed.flatMap(({ mail, letter }) =>
      letter && ids.has(mail.id) ? [letter] : [],
    )
    await keepLetters(tx, letters)
    await tellSlices(tx, deps.mailings, rows)
    return { captured: letters.length, dropped: rows.length - letters.length }
  })
  deps.counts.captured += ended.captured
  deps.counts.dropped += ended.dropped
}
