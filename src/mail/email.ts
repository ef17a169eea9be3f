import type { Db, Tx } from '../db/database.ts'
import type { MailRow } from './queries.ts'
import type { MailKind } from './queue.ts'

export type { MailRow } from './queries.ts'
export { selectNewestOfInvoices } from './queries.ts'

/** An email as its recipient reads it. */
export interface EmailContent {
  /** The displayed sender. The sender address is the server's own. */
  fromName: string
  /** Where replies go. */
  replyTo: string | undefined
  subject: string
  html: string
  text: string
  /** The version to store, if the email contains something that only its recipient may have. */
  kept?: EmailContent
}

/** Defines how a slice composes its emails. */
export interface EmailComposer {
  /**
   * Composes the email from the current state of its subject. `now` is the time by the business's
   * clock. Returns undefined if there is no longer a reason to send it.
   */
  compose(db: Db, mail: MailRow, now: Date): Promise<EmailContent | undefined>
  /** Runs in the transaction that records the results of such emails. */
  noted?(tx: Tx, mails: readonly MailRow[]): Promise<void>
}

/**
 * The composers by kind. `mail/` doesn't depend on the slices: `src/app/shared.ts` collects their
 * composers.
 */
export type EmailComposers = Readonly<Partial<Record<MailKind, EmailComposer>>>
