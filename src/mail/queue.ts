import type { Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import type { Tenant } from '../lib/caller.ts'

/** The job to nudge after the commit: `tx.after(() => nudge(MAIL_JOB))`. */
export const MAIL_JOB = 'mail'

/**
 * `invoice` is the single email sent when an invoice is created. `invoice_again` is every later
 * email with the invoice, including the one sent when a Draft becomes Sent. The index `mails_later`
 * leaves out `invoice`, so that creating invoices does not have to maintain it
 * (migrations/0005_mails.sql).
 */
export type MailKind =
  | 'invoice'
  | 'invoice_again'
  | 'invoice_reminder'
  | 'receipt'
  | 'order_receipt'
  | 'refund'
  | 'owner_notice'
  | 'webhook_disabled'
  | 'person_notice'
  | 'person_news'

/** An email about an object. Its content is composed only when it is sent. */
export interface NewMail extends Tenant {
  kind: MailKind
  /** The type of the object: `invoice`, `transaction`, `api_key`. */
  subjectType: string
  subjectId: number
  /** A single email address. If it is invalid, no attempt is made, and the email ends as Failed. */
  to: string
  /** Data that the subject doesn't contain. */
  data?: object
  /** The encrypted token of the email's link (`aboutLink`). */
  link?: Buffer
  /** The caller's current time, which is also when the email is due. */
  at: Date
}

/** Inserts emails in one statement, in the same transaction as the change that causes them. */
export async function queueMails(tx: Tx, ids: Ids, mails: readonly NewMail[]): Promise<void> {
  if (mails.length === 0) return
  const rows: (NewMail & { id: number })[] = []
  for (const mail of mails) rows.push({ ...mail, id: await ids.next(tx) })
  await tx.run`
    insert into mails
      (business_id, live, id, kind, subject_type, subject_id, to_address, data,
        link_encrypted, due_at, created_at)
    select *, due_at from unnest(
      ${rows.map((row) => row.businessId)}::bigint[],
      ${rows.map((row) => row.live)}::boolean[],
      ${rows.map((row) => row.id)}::bigint[],
      ${rows.map((row) => row.kind)}::text[],
      ${rows.map((row) => row.subjectType)}::text[],
      ${rows.map((row) => row.subjectId)}::bigint[],
      ${rows.map((row) => row.to)}::text[],
      ${rows.map((row) => (row.data === undefined ? null : JSON.stringify(row.data)))}::text[],
      ${rows.map((row) => row.link ?? null)}::bytea[],
      ${rows.map((row) => row.at)}::timestamptz[]
    ) as new (business_id, live, id, kind, subject_type, subject_id, to_address, data,
      link_encrypted, due_at)`
}
