import type { Registry } from 'prom-client'
import type { Database } from '../db/database.ts'
import { addMs } from '../lib/clock.ts'
import { isEmail } from '../lib/email.ts'
import type { Sweeper } from '../sweepers/sweepers.ts'
import { captureSweep } from './capture.ts'
import type { Letter } from './letter.ts'
import { measureMails, noMails } from './metrics.ts'
import {
  type Counting,
  couldNotBeMade,
  type EndOf,
  fateOf,
  LEASE_MS,
  type MailDeps,
  note,
  RETRY_AFTER_MS,
} from './note.ts'
import { type ClaimedRow, claimDue, type MailRow } from './queries.ts'
import { MAIL_SWEEPER } from './queue.ts'
import { type Outcome, SMTP_CONNECTIONS_MAX, type Smtp } from './smtp.ts'

/** While the server itself is in trouble, this few mails try it, and not every one in the queue. */
const REST_MS = 30_000

export interface MailSweeper extends Sweeper {
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
  let fate: EndOf
  try {
    attempted = await attempt(db, deps, smtp, mail, messageId, now)
    const { outcome } = attempted
    fate = outcome ? fateOf(mail, outcome, now) : { status: 'Dropped' }
  } catch (err) {
    fate = couldNotBeMade(deps.log, mail, err, now)
  }
  await note(db, deps, mail, { ...fate, messageId }, attempted.letter)
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
