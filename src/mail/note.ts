import type { Logger } from 'pino'
import type { Database, Tx } from '../db/database.ts'
import { addMs, type Clock } from '../lib/clock.ts'
import { keepLetters, packed } from './kept.ts'
import type { Letter, Mailings } from './letter.ts'
import type { MailCounts } from './metrics.ts'
import { type Fate, type MailRow, type MailStatus, updateFate } from './queries.ts'
import type { Outcome, Smtp } from './smtp.ts'

export interface MailDeps {
  clock: Clock
  log: Logger
  mailings: Mailings
  /** Undefined keeps mails in the mailbox of this machine instead of sending them. */
  smtp: Smtp | undefined
}

export type Counting = MailDeps & { counts: MailCounts }

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How long after each failed attempt the next is made; after the last of them, none. */
export const RETRY_AFTER_MS: readonly number[] = [
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  HOUR,
  6 * HOUR,
  24 * HOUR,
  24 * HOUR,
  24 * HOUR,
]

/**
 * How long a mail stays with the process that took it. Longer than an attempt and its noting can
 * last, since whoever takes it afterwards sends it again.
 */
export const LEASE_MS = 5 * MINUTE

/** How an attempt ended, less what the server calls it. */
export type EndOf = Omit<Fate, 'messageId' | 'at'>

export function fateOf(mail: MailRow, outcome: Outcome, now: Date): EndOf {
  if (outcome.kind === 'sent') return { status: 'Sent', sentAt: now }
  const retryAfterMs = RETRY_AFTER_MS[mail.attempts - 1]
  if (outcome.kind === 'refused' || retryAfterMs === undefined) {
    return { status: 'Failed', error: outcome.reason }
  }
  return { status: 'Queued', dueAt: addMs(now, retryAfterMs), error: outcome.reason }
}

/** Logs why the letter could not be composed, and has it tried again. */
export function couldNotBeMade(log: Logger, mail: MailRow, err: unknown, now: Date): EndOf {
  log.error({ err, ...named(mail) }, 'a mail could not be made')
  const reason = 'It could not be made; see the log.'
  return fateOf(mail, { kind: 'postponed', reason, isServer: false }, now)
}

export async function tellSlices(tx: Tx, mailings: Mailings, mails: MailRow[]): Promise<void> {
  for (const [kind, same] of Map.groupBy(mails, (mail) => mail.kind)) {
    await mailings[kind]?.noted?.(tx, same)
  }
}

const named = ({ business_id, live, id, kind, attempts }: MailRow) => ({
  businessId: business_id,
  live,
  mailId: id,
  kind,
  attempts,
})

const OUTCOMES = {
  Sent: 'sent',
  Captured: 'captured',
  Queued: 'postponed',
  Failed: 'failed',
  Dropped: 'dropped',
} as const satisfies Record<MailStatus, keyof MailCounts>

export const NOTE_AGAIN_MS: readonly number[] = [200, SECOND, 3 * SECOND, 10 * SECOND, 30 * SECOND]

/**
 * Stores how an attempt ended. What the server took must not be sent again only because the
 * database was away for a moment, so this tries for a while, within the lease. The letter is kept
 * as it was sent.
 */
export async function note(
  db: Database,
  deps: Counting,
  mail: MailRow,
  end: EndOf & { messageId: string | null },
  letter?: Letter,
): Promise<void> {
  const fate = { ...end, at: deps.clock.now() }
  // What is tried again is composed again.
  const isKept = letter && (fate.status === 'Sent' || fate.status === 'Failed')
  const letters = isKept ? [await packed(mail, letter, fate.at)] : []
  for (const againMs of [...NOTE_AGAIN_MS, undefined]) {
    try {
      const isOurs = await db.transaction(async (tx) => {
        if ((await updateFate(tx, mail, fate)) === 0) return false
        await keepLetters(tx, letters)
        await tellSlices(tx, deps.mailings, [{ ...mail, status: fate.status }])
        return true
      })
      if (isOurs) deps.counts[OUTCOMES[fate.status]] += 1
      logFate(deps.log, mail, fate, isOurs)
      return
    } catch (error) {
      if (againMs === undefined) throw error
      await new Promise((done) => setTimeout(done, againMs))
    }
  }
}

function logFate(log: Logger, mail: MailRow, { status, error }: EndOf, isOurs: boolean): void {
  // Servers repeat the customer's address, which is not for the log.
  const reason = error?.replace(/\S+@\S+/g, '(address)')
  const fields = { ...named(mail), status, ...(reason && { reason }) }
  if (!isOurs) log.warn(fields, 'a mail was taken over by another process')
  else if (error) log.warn(fields, status === 'Failed' ? 'mail failed' : 'mail is tried again')
  else log.info(fields, 'mail')
}
