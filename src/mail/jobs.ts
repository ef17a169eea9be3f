import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import { Counter, type Registry } from 'prom-client'
import type { Database, Tx } from '../db/database.ts'
import { groupsFor } from '../db/distributed/rewrite.ts'
import type { Job, JobRun } from '../jobs/jobs.ts'
import type { Tenant } from '../lib/caller.ts'
import { addMs, type Clock } from '../lib/clock.ts'
import { isEmail } from '../lib/schemas.ts'
import { inSpan } from '../tracing/tracing.ts'
import type { EmailComposers, EmailContent } from './email.ts'
import {
  type ClaimedRow,
  claimDue,
  type MailResult,
  type MailRow,
  type MailStatus,
  type SentMailRow,
  updateCaptured,
  updateDropped,
  updateQueuedAgain,
  updateResult,
} from './queries.ts'
import { MAIL_JOB } from './queue.ts'
import { packMail, storeSentMails } from './sent-mails.ts'
import { type Outcome, SMTP_CONNECTIONS_MAX, type Smtp } from './smtp.ts'

/**
 * How long sending pauses if the mail server has a problem, so that only a few emails are tried
 * instead of the whole queue.
 */
const REST_MS = 30_000

interface MailJob extends Job {
  measure(registry: Registry): void
}

/** Sends due emails, or keeps them in the mailbox if no SMTP server is configured. */
export function mailJob(options: MailDeps): MailJob {
  const deps = { ...options, counts: noMails() }
  const { smtp, clock } = deps
  const common = {
    name: MAIL_JOB,
    everyMs: 5_000,
    followsTestClock: true as const,
    measure: (registry: Registry) => measureMails(registry, deps.counts),
  }
  if (!smtp) return { ...common, restFactor: 49, run: captureRun(deps) }
  let restsUntil = new Date(0)

  return {
    ...common,
    restFactor: 0,
    async run(db, now, only) {
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

/** Tries once to send an email and records the result. Returns the server's response, if any. */
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

/** The outcome is absent if there was no longer a reason to send the email. */
interface Attempted {
  outcome?: Outcome
  letter?: EmailContent
}

/** Throws if the email cannot be composed. */
async function attempt(
  db: Database,
  { emailComposers }: MailDeps,
  smtp: Smtp,
  mail: ClaimedRow,
  messageId: string,
  now: Date,
): Promise<Attempted> {
  if (!isEmail(mail.to_address)) return refused('This is not a valid email address.')
  // The process crashed during every previous attempt.
  if (mail.attempts > RETRY_AFTER_MS.length + 1) return refused('No attempt was completed.')
  const letter = await emailComposers[mail.kind]?.compose(db, mail, now)
  if (!letter) return {}
  const outcome = await inSpan('email', { 'tradepost.email': mail.kind }, async (span) => {
    const sent = await smtp.send(letter, { to: mail.to_address, messageId })
    span?.set({ 'tradepost.outcome': sent.kind })
    return sent
  })
  return { letter, outcome }
}

const refused = (reason: string): Attempted => ({ outcome: { kind: 'refused', reason } })

/**
 * The Message-ID is globally unique to this email, and the same for every attempt in every process.
 */
function messageIdOf({ business_id, live, id, created_at }: MailRow, domain: string): string {
  const mode = live ? 'l' : 't'
  const at = created_at.getTime().toString(36)
  return `<${business_id.toString(36)}${mode}.${id.toString(36)}.${at}@${domain}>`
}

interface MailDeps {
  clock: Clock
  log: Logger
  emailComposers: EmailComposers
  /** If undefined, emails are kept in the mailbox instead of being sent. */
  smtp: Smtp | undefined
}

type Counting = MailDeps & { counts: MailCounts }

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The delays before the retries. After the last retry has failed, the email is abandoned. */
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
 * How long a process can hold an email. This is longer than the longest attempt plus the time to
 * record it. Otherwise, another process could take the email and send it again.
 */
export const LEASE_MS = 5 * MINUTE

type Result = Omit<MailResult, 'messageId' | 'at'>

function resultOf(mail: MailRow, outcome: Outcome, now: Date): Result {
  if (outcome.kind === 'sent') return { status: 'Sent', sentAt: now }
  const retryAfterMs = RETRY_AFTER_MS[mail.attempts - 1]
  if (outcome.kind === 'refused' || retryAfterMs === undefined) {
    return { status: 'Failed', error: outcome.reason }
  }
  return { status: 'Queued', dueAt: addMs(now, retryAfterMs), error: outcome.reason }
}

/** Logs why the email could not be composed, and schedules a retry. */
function couldNotBeMade(log: Logger, mail: MailRow, err: unknown, now: Date): Result {
  log.error({ err, ...named(mail) }, 'an email could not be generated')
  const reason = 'It could not be generated; see the log.'
  return resultOf(mail, { kind: 'postponed', reason, isServer: false }, now)
}

async function tellSlices(tx: Tx, emailComposers: EmailComposers, mails: MailRow[]): Promise<void> {
  for (const [kind, same] of Map.groupBy(mails, (mail) => mail.kind)) {
    for (const group of groupsFor(tx, same, (mail) => mail.business_id)) {
      await emailComposers[kind]?.noted?.(tx, group)
    }
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
 * Stores the result of an attempt, and the email exactly as it was sent. Retries for a while,
 * within the lease, because an email that the server has accepted must not be sent again just
 * because the database is briefly unavailable.
 */
async function note(
  db: Database,
  deps: Counting,
  mail: MailRow,
  ended: Result & { messageId: string | null },
  letter?: EmailContent,
): Promise<void> {
  const result = { ...ended, at: deps.clock.now() }
  // An email that will be retried isn't stored, because the retry composes it again.
  const isKept = letter && (result.status === 'Sent' || result.status === 'Failed')
  const letters = isKept ? [await packMail(mail, letter, result.at)] : []
  for (const againMs of [...NOTE_AGAIN_MS, undefined]) {
    try {
      const isOurs = await db.transaction(async (tx) => {
        if ((await updateResult(tx, mail, result)) === 0) return false
        await storeSentMails(tx, letters)
        await tellSlices(tx, deps.emailComposers, [{ ...mail, status: result.status }])
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
  // Servers quote the customer's email address in their responses, but the address must not be
  // logged.
  const reason = error?.replace(/\S+@\S+/g, '(address)')
  const fields = { ...named(mail), status, ...(reason && { reason }) }
  if (!isOurs) log.warn(fields, 'an email was taken over by another process')
  else if (error) log.warn(fields, status === 'Failed' ? 'email failed' : 'email will be retried')
  else log.info(fields, 'email sent')
}

/** The number of emails per run, on an idle machine and on a busy one. */
const IDLE_MAX = 50
const BUSY_MAX = 5
/**
 * The fraction of time that the event loop must have been busy for the machine to count as busy.
 */
const BUSY_FROM = 0.5

/**
 * Stores due emails in the mailbox, with their current content. Nobody is waiting for thousands of
 * emails in a mailbox, so a busy machine spends only a fiftieth of its time on this.
 */
function captureRun(deps: Counting): JobRun {
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
  /** Undefined if there is no longer a reason to send the email. */
  letter: SentMailRow | undefined
}

/** Returns undefined if the email could not be composed. In that case, it will be retried. */
async function compose(
  db: Database,
  deps: Counting,
  mail: ClaimedRow,
): Promise<Composed | undefined> {
  const { clock, log, emailComposers } = deps
  const now = addMs(clock.now(), mail.ahead_ms)
  try {
    const letter = await emailComposers[mail.kind]?.compose(db, mail, now)
    return { mail, letter: letter && (await packMail(mail, letter, clock.now())) }
  } catch (error) {
    const { message_id: messageId } = mail
    await note(db, deps, mail, { ...couldNotBeMade(log, mail, error, now), messageId })
    return undefined
  }
}

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
    await storeSentMails(tx, letters)
    await tellSlices(tx, deps.emailComposers, rows)
    return { captured: letters.length, dropped: rows.length - letters.length }
  })
  deps.counts.captured += ended.captured
  deps.counts.dropped += ended.dropped
}

interface Change {
  id: number
  /** By the business's clock, which decides when an email is due. */
  now: Date
  serverNow: Date
}

/**
 * Sends an email again that failed or waits to be retried, with all its retries. Returns
 * false if it has been sent, or is being sent.
 */
export async function sendMailAgain(
  tx: Tx,
  emailComposers: EmailComposers,
  tenant: Tenant,
  { id, ...at }: Change,
): Promise<boolean> {
  return noted(tx, emailComposers, await updateQueuedAgain(tx, tenant, id, at))
}

/** Gives an email up that failed or waits to be retried. Returns like `sendMailAgain`. */
export async function dropMail(
  tx: Tx,
  emailComposers: EmailComposers,
  tenant: Tenant,
  { id, reason, serverNow }: Change & { reason: string },
): Promise<boolean> {
  return noted(tx, emailComposers, await updateDropped(tx, tenant, id, { reason, serverNow }))
}

async function noted(
  tx: Tx,
  emailComposers: EmailComposers,
  mail: MailRow | undefined,
): Promise<boolean> {
  if (mail) await emailComposers[mail.kind]?.noted?.(tx, [mail])
  return mail !== undefined
}

/** The results of email attempts in this process. */
interface MailCounts {
  sent: number
  /** Emails kept in the mailbox. */
  captured: number
  /** Attempts that will be repeated. */
  postponed: number
  /** Emails that will not be tried again. */
  failed: number
  /** Emails that were no longer needed. */
  dropped: number
}

const noMails = (): MailCounts => ({
  sent: 0,
  captured: 0,
  postponed: 0,
  failed: 0,
  dropped: 0,
})

function measureMails(registry: Registry, counts: Readonly<MailCounts>): void {
  new Counter({
    name: 'tradepost_mails_total',
    help: 'Email attempts by result.',
    labelNames: ['outcome'] as const,
    registers: [registry],
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(counts)) this.inc({ outcome }, count)
    },
  })
}
