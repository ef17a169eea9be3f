import type { Db, Tx } from '../db/database.ts'
import type { EncryptedColumn } from '../encryption/columns.ts'
import { type MailRow, selectLinks, updateLink } from './queries.ts'
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

// Control and format characters, line separators and lone surrogates. Headers don't need them, and
// some of them reverse the text (U+202E) or hide part of it. The two joiners are allowed because
// some scripts need them.
const UNPRINTABLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** Reduces a string to one line for use in a header, such as a subject or a name. */
export const headerText = (text: string, charactersMax = 200): string =>
  cut(text.replace(UNPRINTABLE, ' ').replace(/\s+/g, ' ').trim(), charactersMax)

/**
 * Like `headerText`, but also removes characters that make a name look like an address or end a
 * quoted name.
 */
export const displayName = (text: string): string =>
  headerText(text.replace(/[<>"@\\,;:]/g, ' '), 100)

function cut(text: string, charactersMax: number): string {
  const characters = [...text]
  if (characters.length <= charactersMax) return text
  return `${characters
    .slice(0, charactersMax - 1)
    .join('')
    .trimEnd()}…`
}

/** A link's token belongs to the recipient. */
export const aboutLink = (address: string): string => `mails.link ${address}`

export const emailLinks: EncryptedColumn = {
  name: 'mails.link_encrypted',
  select: async (db, wanted) =>
    (await selectLinks(db, wanted)).map(({ to_address, ...row }) => ({
      ...row,
      about: aboutLink(to_address),
    })),
  update: updateLink,
}
