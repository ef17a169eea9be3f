import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Database, Tx } from '../db/database.ts'
import type { Sweep, Sweeper } from '../jobs/jobs.ts'
import { addMs, type Clock } from '../lib/clock.ts'
import { isEmail } from '../lib/schemas.ts'
import { keepLetters, packed } from './kept.ts'
import type { Letter, Mailings } from './letter.ts'
import { type MailCounts, measureMails, noMails } from './metrics.ts'
import {
  type ClaimedRow,
  claimDue,
  type LetterRow,
  type MailResult,
  type MailRow,
  type MailStatus,
  updateCaptured,
  updateResult,
} from './queries.ts'
import { MAIL_SWEEPER } from './queue.ts'
import { type Outcome, SMTP_CONNECTIONS_MAX, type Smtp } from './smtp.ts'

/** While the server itself is in trouble, this few mails try it, and not every one in the queue. */
const REST_MS = 30_000

interface MailSweeper extends Sweeper {
  measure(registry: Registry): void
}

/** Sends what is due, or keeps it for the mailbox where no SMTP server is set. */
export function mailSweeper(options: MailDeps): MailSweeper {
  const deps = { ...options, counts: noMails() }
  const { smtp, clock } = deps
  const common = {
    name: MAIL_SWEEPER,
    everyMs: 5_000,
    followsTestClock: true as const,
    measure: (registry: Registry) => measureMails(registry, deps.counts),
  }
  if (!smtp) return { ...common, restFactor: 49, sweep: captureSweep(deps) }
  let restsUntil = new Date(0)

  return {
    ...common,
    restFactor: 0,
    async sweep(db, now, only) {
      const serverNow = clock.now()
      if (serverNow < restsUntil) return 0
      const mails = await claimDue(db, {
        now,
        serverNow,
        only: only ?? null,
        limit: SMTP_CONNECTIONS_MAX,
        leasedUntil: addMs(serverNow, LEASE_MS),
      })
      const outcomes = await Promise.all(mails.map((mail) => deliver(db, deps, smtp, mail)))
      const isInTrouble = outcomes.some((one) => one?.kind === 'postponed' && one.isServer)
      if (isInTrouble) restsUntil = addMs(clock.now(), REST_MS)
      return mails.length
    },
    stop: () => smtp.close(),
  }
}

/** One attempt at one mail, noted. Answers what the server said, if it was asked. */
async function deliver(
  db: Database,
  deps: Counting,
  smtp: Smtp,
  mail: ClaimedRow,
): Promise<Outcome | undefined> {
  const messageId = mail.message_id ?? messageIdOf(mail, smtp.domain)
  const now = addMs(deps.clock.now(), mail.ahead_ms)
  let attempted: Attempted = {}
  let result: Result
  try {
    attempted = await attempt(db, deps, smtp, mail, messageId, now)
    const { outcome } = attempted
    result = outcome ? resultOf(mail, outcome, now) : { status: 'Dropped' }
  } catch (err) {
    result = couldNotBeMade(deps.log, mail, err, now)
  }
  await note(db, deps, mail, { ...result, messageId }, attempted.letter)
  return attempted.outcome
}

/** Without an outcome there was no reason to send it any more. */
interface Attempted {
  outcome?: Outcome
  letter?: Letter
}

/** Throws when its letter cannot be made. */
async function attempt(
  db: Database,
  { mailings }: MailDeps,
  smtp: Smtp,
  mail: ClaimedRow,
  messageId: string,
  now: Date,
): Promise<Attempted> {
  if (!isEmail(mail.to_address)) return refused('This is not an email address.')
  // Each attempt before this one ended the process that made it.
  if (mail.attempts > RETRY_AFTER_MS.length + 1) return refused('No attempt at it came to an end.')
  const letter = await mailings[mail.kind]?.compose(db, mail, now)
  if (!letter) return {}
  return { letter, outcome: await smtp.send(letter, { to: mail.to_address, messageId }) }
}

const refused = (reason: string): Attempted => ({ outcome: { kind: 'refused', reason } })

/** The same at each attempt, whichever process makes it; no other mail has it, on no server. */
function messageIdOf({ business_id, live, id, created_at }: MailRow, domain: string): string {
  const mode = live ? 'l' : 't'
  const at = created_at.getTime().toString(36)
  return `<${business_id.toString(36)}${mode}.${id.toString(36)}.${at}@${domain}>`
}

interface MailDeps {
  clock: Clock
  log: Logger
  mailings: Mailings
  /** Undefined keeps mails in the mailbox of this machine instead of sending them. */
  smtp: Smtp | undefined
}

type Counting = MailDeps & { counts: MailCounts }

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
type Result = Omit<MailResult, 'messageId' | 'at'>

function resultOf(mail: MailRow, outcome: Outcome, now: Date): Result {
  if (outcome.kind === 'sent') return { status: 'Sent', sentAt: now }
  const retryAfterMs = RETRY_AFTER_MS[mail.attempts - 1]
  if (outcome.kind === 'refused' || retryAfterMs === undefined) {
    return { status: 'Failed', error: outcome.reason }
  }
  return { status: 'Queued', dueAt: addMs(now, retryAfterMs), error: outcome.reason }
}

/** Logs why the letter could not be composed, and has it tried again. */
function couldNotBeMade(log: Logger, mail: MailRow, err: unknown, now: Date): Result {
  log.error({ err, ...named(mail) }, 'a mail could not be made')
  const reason = 'It could not be made; see the log.'
  return resultOf(mail, { kind: 'postponed', reason, isServer: false }, now)
}

async function tellSlices(tx: Tx, mailings: Mailings, mails: MailRow[]): Promise<void> {
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
async function note(
  db: Database,
  deps: Counting,
  mail: MailRow,
  ended: Result & { messageId: string | null },
  letter?: Letter,
): Promise<void> {
  const result = { ...ended, at: deps.clock.now() }
  // What is tried again is composed again.
  const isKept = letter && (result.status === 'Sent' || result.status === 'Failed')
  const letters = isKept ? [await packed(mail, letter, result.at)] : []
  for (const againMs of [...NOTE_AGAIN_MS, undefined]) {
    try {
      const isOurs = await db.transaction(async (tx) => {
        if ((await updateResult(tx, mail, result)) === 0) return false
        await keepLetters(tx, letters)
        await tellSlices(tx, deps.mailings, [{ ...mail, status: result.status }])
        return true
      })
      if (isOurs) deps.counts[OUTCOMES[result.status]] += 1
      logResult(deps.log, mail, result, isOurs)
      return
    } catch (error) {
      if (againMs === undefined) throw error
      await new Promise((done) => setTimeout(done, againMs))
    }
  }
}

function logResult(log: Logger, mail: MailRow, { status, error }: Result, isOurs: boolean): void {
  // Servers repeat the customer's address, which is not for the log.
  const reason = error?.replace(/\S+@\S+/g, '(address)')
  const fields = { ...named(mail), status, ...(reason && { reason }) }
  if (!isOurs) log.warn(fields, 'a mail was taken over by another process')
  else if (error) log.warn(fields, status === 'Failed' ? 'mail failed' : 'mail is tried again')
  else log.info(fields, 'mail')
}

/** Mails in one sweep: of a machine with time to spare, and of a busy one. */
const IDLE_MAX = 50
const BUSY_MAX = 5
/** The share of its time for which the event loop worked. */
const BUSY_FROM = 0.5

/**
 * Keeps due mails in the mailbox of this machine, with their letters as they are now. Nobody waits
 * for thousands in a mailbox, so a busy machine gives it a fiftieth of its time.
 */
function captureSweep(deps: Counting): Sweep {
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
