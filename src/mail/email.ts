import type { Db, Tx } from '../db/database.ts'
import type { MailRow } from './queries.ts'
import type { MailKind } from './queue.ts'

export type { MailRow } from './queries.ts'
export { selectNewestOfInvoices } from './queries.ts'

export interface EmailContent {
  /** The displayed name of the sender. The email address is the server's own. */
  fromName: string
  replyTo: string | undefined
  subject: string
  html: string
  text: string
  /** The version to store, if parts of the email are only for the recipient. */
  kept?: EmailContent
}

export interface EmailComposer {
  /**
   * Composes the email from the current state of its subject. `now` is the time by the business's
   * clock. Returns undefined if there is no longer a reason to send it.
   */
  compose(db: Db, mail: MailRow, now: Date): Promise<EmailContent | undefined>
  /** Runs in the transaction that records the results of these emails. */
  noted?(tx: Tx, mails: readonly MailRow[]): Promise<void>
}

/**
 * The composers by kind. `src/app/shared.ts` collects them from the slices, because `mail/` does
 * not depend on slices.
 */
export type EmailComposers = Readonly<Partial<Record<MailKind, EmailComposer>>>
