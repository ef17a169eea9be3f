import type { Db, Tx } from '../db/database.ts'
import type { MailRow } from './queries.ts'
import type { MailKind } from './queue.ts'

export type { MailRow } from './queries.ts'
export { newestOfInvoices } from './queries.ts'

/** A mail as it is read, whoever carries it. */
export interface Letter {
  /** Shown as its sender; the address is the server's own. */
  fromName: string
  /** Where an answer goes. */
  replyTo: string | undefined
  subject: string
  html: string
  text: string
  /** What is kept of it, where the letter holds what only its recipient may have. */
  kept?: Letter
}

/** What the slice that a mail is about does for it. */
export interface Mailing {
  /**
   * Makes the letter from the subject as it is at `now`, the moment by the clock of its business.
   * Undefined when there is no reason to send it any more.
   */
  compose(db: Db, mail: MailRow, now: Date): Promise<Letter | undefined>
  /** Runs in the transaction that notes how mails of this kind fared. */
  noted?(tx: Tx, mails: readonly MailRow[]): Promise<void>
}

/** By kind. `mail/` knows no resource: `src/app/shared.ts` puts together what the slices bring. */
export type Mailings = Readonly<Partial<Record<MailKind, Mailing>>>
