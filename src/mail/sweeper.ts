import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Database, Tx } from '../db/database.ts'
import { addMs, type Clock } from '../lib/clock.ts'
import { isEmail } from '../lib/email.ts'
import { SWEEP_ROWS_MAX, type Sweeper } from '../sweepers/sweepers.ts'
import type { Mailings } from './letter.ts'
import { type MailCounts, measureMails, noMails } from './metrics.ts'
import {
  type ClaimedRow,
  captureDue,
  claimDue,
  type Fate,
  type MailRow,
  type MailStatus,
  updateFate,
} from './queries.ts'
import { MAIL_SWEEPER } from './queue.ts'
import { type Outcome, SMTP_CONNECTIONS_MAX, type Smtp } from './smtp.ts'

export interface MailDeps {
  clock: Clock
  log: Logger
  mailings: Mailings
  /** Undefined keeps mails in the mailbox of this machine instead of sending them. */
  smtp: Smtp | undefined
}

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

/** While the server itself is in trouble, this few mails try it, and not every one in the queue. */
const REST_MS = 30 * SECOND

export interface MailSweeper extends Sweeper {
  measure(registry: Registry): void
}

/** Sends what is due, or keeps it for the mailbox where no SMTP server is set. */
export function mailSweeper(options: MailDeps): MailSweeper {
  const deps = { ...options, counts: noMails() }
  const { smtp, clock } = deps
  const common = {
    name: MAIL_SWEEPER,
    everyMs: 5 * SECOND,
    followsTestClock: true as const,
    measure: (registry: Registry) => measureMails(registry, deps.counts),
  }
  if (!smtp) {
    const sweep: Sweeper['sweep'] = (db, now, only) => capture(db, deps, now, only ?? null)
    return { ...common, restFactor: 49, sweep }
  }
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

type Counting = MailDeps & { counts: MailCounts }

/**
 * Nothing leaves this machine, so nothing goes wrong half-way: many in one transaction. Nobody
 * waits for thousands in a mailbox, so it takes a fiftieth of a busy machine.
 */
async function capture(db: Database, deps: Counting, now: Date, only: number | null) {
  const wanted = { now, serverNow: deps.clock.now(), only, limit: SWEEP_ROWS_MAX }
  const captured = await db.transaction(async (tx) => {
    const mails = await captureDue(tx, wanted)
    await tellSlices(tx, deps.mailings, mails)
    return mails.length
  })
  deps.counts.captured += captured
  return captured
}

async function tellSlices(tx: Tx, mailings: Mailings, mails: MailRow[]): Promise<void> {
  for (const [kind, same] of Map.groupBy(mails, (mail) => mail.kind)) {
    await mailings[kind]?.noted?.(tx, same)
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
  let outcome: Outcome | undefined
  let fate: Omit<Fate, 'messageId'>
  try {
    outcome = await attempt(db, deps, smtp, mail, messageId, now)
    fate = outcome ? fateOf(mail, outcome, now) : { status: 'Dropped' }
  } catch (err) {
    deps.log.error({ err, ...named(mail) }, 'a mail could not be made')
    const failed = { kind: 'postponed', reason: 'It could not be made; see the log.' } as const
    fate = fateOf(mail, { ...failed, isServer: false }, now)
  }
  await note(db, deps, mail, { ...fate, messageId })
  return outcome
}

/** Undefined when there is no reason to send it any more. Throws when its letter cannot be made. */
async function attempt(
  db: Database,
  { mailings }: MailDeps,
  smtp: Smtp,
  mail: ClaimedRow,
  messageId: string,
  now: Date,
): Promise<Outcome | undefined> {
  if (!isEmail(mail.to_address)) return { kind: 'refused', reason: 'This is no e-mail address.' }
  // Each attempt before this one ended the process that made it.
  if (mail.attempts > RETRY_AFTER_MS.length + 1) {
    return { kind: 'refused', reason: 'No attempt at it came to an end.' }
  }
  const letter = await mailings[mail.kind]?.compose(db, mail, now)
  return letter && smtp.send(letter, { to: mail.to_address, messageId })
}

function fateOf(mail: MailRow, outcome: Outcome, now: Date): Omit<Fate, 'messageId'> {
  if (outcome.kind === 'sent') return { status: 'Sent', sentAt: now }
  const retryAfterMs = RETRY_AFTER_MS[mail.attempts - 1]
  if (outcome.kind === 'refused' || retryAfterMs === undefined) {
    return { status: 'Failed', error: outcome.reason }
  }
  return { status: 'Queued', dueAt: addMs(now, retryAfterMs), error: outcome.reason }
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
 * database was away for a moment, so this tries for a while, within the lease.
 */
async function note(db: Database, deps: Counting, mail: MailRow, fate: Fate): Promise<void> {
  for (const againMs of [...NOTE_AGAIN_MS, undefined]) {
    try {
      const isOurs = await db.transaction(async (tx) => {
        if ((await updateFate(tx, mail, fate)) === 0) return false
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

function logFate(log: Logger, mail: MailRow, { status, error }: Fate, isOurs: boolean): void {
  // Servers repeat the customer's address, which is not for the log.
  const reason = error?.replace(/\S+@\S+/g, '(address)')
  const fields = { ...named(mail), status, ...(reason && { reason }) }
  if (!isOurs) log.warn(fields, 'a mail was taken over by another process')
  else if (error) log.warn(fields, status === 'Failed' ? 'mail failed' : 'mail is tried again')
  else log.info(fields, 'mail')
}

/** The same at each attempt, whichever process makes it; no other mail has it, on no server. */
function messageIdOf({ business_id, live, id, created_at }: MailRow, domain: string): string {
  const mode = live ? 'l' : 't'
  const at = created_at.getTime().toString(36)
  return `<${business_id.toString(36)}${mode}.${id.toString(36)}.${at}@${domain}>`
}
