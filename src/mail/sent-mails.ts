import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import type { Db, Tx } from '../db/database.ts'
import { idsOf, idsWhere, type PersonalData } from '../db/personal-data.ts'
import { sql } from '../db/sql.ts'
import { type Archive, archiveLine } from '../jobs/archive.ts'
import { JOB_ROWS_MAX, type Job } from '../jobs/jobs.ts'
import { retentionJob } from '../jobs/retention.ts'
import type { Tenant } from '../lib/caller.ts'
import type { EmailContent, MailRow } from './email.ts'
import {
  deleteOldContent,
  deleteOldMails,
  insertSentMails,
  lockOldContent,
  lockOldMails,
  type SentMailRow,
  selectOldContent,
  selectOldMails,
  selectSentMail,
  type WholeMailRow,
} from './queries.ts'

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)

/**
 * At this level, an email of 10 KB takes 2 KB. A higher level would take ten times as long and save
 * only a tenth.
 */
const QUALITY = 4

/** Returns the stored form of an email, without the parts that only its recipient may have. */
export async function packMail(
  mail: MailRow,
  letter: EmailContent,
  keptAt: Date,
): Promise<SentMailRow> {
  const { fromName, replyTo, subject, text, html } = letter.kept ?? letter
  const body = await compress(JSON.stringify([text, html]), {
    params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY },
  })
  return {
    business_id: mail.business_id,
    live: mail.live,
    id: mail.id,
    subject,
    from_name: fromName,
    reply_to: replyTo ?? null,
    body,
    kept_at: keptAt,
  }
}

export const storeSentMails = (tx: Tx, letters: readonly SentMailRow[]) =>
  insertSentMails(tx, letters)

/** Returns undefined if nothing was stored or it has expired. */
export async function findSentMail(
  db: Db,
  tenant: Tenant,
  id: number,
): Promise<EmailContent | undefined> {
  const row = await selectSentMail(db, tenant, id)
  if (!row) return undefined
  return contentOf(row)
}

type Content = Pick<SentMailRow, 'subject' | 'from_name' | 'reply_to' | 'body'>

async function contentOf(row: Content): Promise<EmailContent> {
  const [text, html] = JSON.parse((await decompress(row.body)).toString()) as [string, string]
  const { subject, from_name: fromName, reply_to: replyTo } = row
  return { subject, fromName, replyTo: replyTo ?? undefined, text, html }
}

/** Returns the job that removes stored emails after this many days, by the server's clock. */
export const sentMailJob = (days: number, archive: Archive | undefined): Job =>
  retentionJob(
    'letters',
    { days, archive },
    {
      kind: 'emails',
      limit: JOB_ROWS_MAX,
      find: selectOldContent,
      read: lockOldContent,
      linesOf,
      remove: deleteOldContent,
    },
  )

/**
 * Returns the job that removes the emails themselves from the lists after this many days, by the
 * server's clock; never if undefined.
 */
export const mailExpiryJob = (days: number | undefined, archive: Archive | undefined): Job =>
  retentionJob(
    'mail-expiry',
    { days, archive },
    {
      kind: 'emails',
      limit: JOB_ROWS_MAX,
      find: selectOldMails,
      read: lockOldMails,
      linesOf,
      remove: deleteOldMails,
    },
  )

const linesOf = (rows: readonly WholeMailRow[]) => Promise.all(rows.map(lineOf))

/** An email can have two lines: when its content is deleted, and when it leaves the lists. */
const lineOf = async (row: WholeMailRow) =>
  archiveLine(row, {
    id: row.id,
    kind: row.kind,
    subjectType: row.subject_type,
    subjectId: row.subject_id,
    to: row.to_address,
    status: row.status,
    attempts: row.attempts,
    createdAt: row.created_at,
    sentAt: row.sent_at,
    endedAt: row.settled_at,
    messageId: row.message_id,
    lastError: row.last_error,
    data: row.data === null ? null : JSON.parse(row.data),
    content: row.body && (await contentOf(row)),
  })

/** Emails to the customer, and emails to others about the customer's records. */
export const mailPersonalData: PersonalData = {
  name: 'emails',
  find: (db, customer, found) =>
    idsWhere(db, customer, {
      table: sql`mails`,
      match: sql`(lower(to_address) = ${customer.email}
        or subject_id = any(${idsOf(found)}::bigint[]))`,
    }),
  open: {
    table: sql`mails`,
    condition: sql`status = 'Queued'`,
    words: 'emails that have not been sent yet',
  },
  async erase(tx, { businessId, live, email }, ids, pseudonym) {
    await tx.run`
      delete from letters
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`
    return tx.run`
      update mails set data = null, last_error = null,
        to_address = case when lower(to_address) = ${email} then ${pseudonym}
          else to_address end
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`
  },
}
