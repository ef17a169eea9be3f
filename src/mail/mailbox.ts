import type { Db } from '../db/database.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Clock } from '../lib/clock.ts'
import type { Cursor } from '../lib/paging.ts'
import type { EmailComposers, EmailContent } from './email.ts'
import type { MailRow } from './queries.ts'
import {
  type ListedRow,
  selectAbout,
  selectMail,
  selectMailsOfBusiness,
  selectNewest,
} from './queries.ts'
import type { MailKind } from './queue.ts'
import { findSentMail } from './sent-mails.ts'

export interface MailboxDeps {
  db: Db
  clock: Clock
  emailComposers: EmailComposers
}

/** An email in a list. */
export interface MailSummary {
  mail: MailRow
  /** The email's name in a URL. */
  name: string
  subject: string | undefined
  /** When delivery ended, by the server's clock; for a Queued email, when it was created. */
  at: Date
}

/**
 * An email as it was sent. If it is Queued, or was sent before emails were stored, it is composed
 * from the current state of its subject. It has no content if it was never needed, or if its
 * content has expired.
 */
export interface MailWithContent extends MailSummary {
  content: EmailContent | undefined
}

const NEWEST_MAX = 50

/** Returns the newest emails on the whole server. */
export async function listNewestMails(deps: MailboxDeps): Promise<MailSummary[]> {
  const mails = await selectNewest(deps.db, NEWEST_MAX)
  return Promise.all(mails.map((mail) => listedOf(deps, mail)))
}

/**
 * Returns a business's emails of these kinds, newest first. Going back from a cursor, it returns
 * newer ones.
 */
export async function listMailsOfBusiness(
  deps: MailboxDeps,
  tenant: Tenant,
  wanted: { kinds: readonly MailKind[]; cursor: Cursor | undefined; take: number },
): Promise<MailSummary[]> {
  const mails = await selectMailsOfBusiness(deps.db, tenant, wanted)
  return Promise.all(mails.map((mail) => listedOf(deps, mail)))
}

/** Returns the emails about one object and its payments, oldest first. */
export const listMailsAbout = (
  { db }: Pick<MailboxDeps, 'db'>,
  tenant: Tenant,
  about: Parameters<typeof selectAbout>[2],
): Promise<MailRow[]> => selectAbout(db, tenant, about)

/** Returns one of the business's emails, or undefined if none has this id. */
export async function findMailOfBusiness(
  deps: MailboxDeps,
  tenant: Tenant,
  id: number,
): Promise<MailWithContent | undefined> {
  const mail = await selectMail(deps.db, tenant, id)
  return mail && keptOf(deps, mail)
}

/**
 * Returns the mailbox email with this name. If the link in the email was not stored, the email is
 * composed again while the link still works. That is safe, because it was not sent to anyone.
 */
export async function findMailByName(
  deps: MailboxDeps,
  name: string,
): Promise<MailWithContent | undefined> {
  const parsed = parseName(name)
  const mail = parsed && (await selectMail(deps.db, parsed, parsed.id))
  if (!mail) return undefined
  const kept = await keptOf(deps, mail)
  const whole = mail.kind === 'person_notice' ? await composed(deps, mail) : undefined
  return { ...kept, content: whole ?? kept.content }
}

async function listedOf(deps: MailboxDeps, row: ListedRow): Promise<MailSummary> {
  const { subject, listed_at: at, ...mail } = row
  const shown = subject ?? (isComposed(mail) ? (await composed(deps, mail))?.subject : undefined)
  return { mail, name: printName(mail), subject: shown, at }
}

async function keptOf(deps: MailboxDeps, mail: MailRow): Promise<MailWithContent> {
  const { business_id: businessId, live, id } = mail
  const letter = isComposed(mail)
    ? await composed(deps, mail)
    : await findSentMail(deps.db, { businessId, live }, id)
  const at = mail.settled_at ?? mail.created_at
  return { mail, name: printName(mail), subject: letter?.subject, at, content: letter }
}

/**
 * Returns whether nothing is stored: the email is Queued, or was sent before emails were stored.
 */
const isComposed = ({ settled_at }: MailRow): boolean => settled_at === null

async function composed({ db, clock, emailComposers }: MailboxDeps, mail: MailRow) {
  // The due time or, for a Queued email, the current time, because the wording of a reminder
  // depends on the day.
  const now = mail.status === 'Queued' ? clock.now() : mail.due_at
  return emailComposers[mail.kind]?.compose(db, mail, now)
}

const printName = ({ business_id, live, id }: MailRow): string =>
  `${business_id.toString(36)}${live ? 'l' : 't'}-${id.toString(36)}`

function parseName(name: string): (Tenant & { id: number }) | undefined {
  const [, business = '', mode, id = ''] =
    /^([0-9a-z]{1,10})([lt])-([0-9a-z]{1,10})$/.exec(name) ?? []
  if (!mode) return undefined
  const businessId = Number.parseInt(business, 36)
  const number = Number.parseInt(id, 36)
  return { businessId, live: mode === 'l', id: number }
}
