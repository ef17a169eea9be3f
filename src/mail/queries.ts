import type { Db, Tx } from '../db/database.ts'
import { isFree } from '../db/leases.ts'
import { sql } from '../db/sql.ts'
import type { Tenant } from '../lib/tenant.ts'
import type { MailKind } from './queue.ts'

export type MailStatus = 'Queued' | 'Sent' | 'Failed' | 'Captured' | 'Dropped'

export interface MailRow {
  business_id: number
  live: boolean
  id: number
  kind: MailKind
  subject_type: string
  subject_id: number
  to_address: string
  data: string | null
  status: MailStatus
  attempts: number
  due_at: Date
  sent_at: Date | null
  /** When its sending ended, by the server's clock; null while it is Queued, and in older rows. */
  settled_at: Date | null
  message_id: string | null
  last_error: string | null
  created_at: Date
}

export const COLUMNS = sql`m.business_id, m.live, m.id, m.kind, m.subject_type, m.subject_id,
  m.to_address, m.data, m.status, m.attempts, m.due_at, m.sent_at, m.settled_at, m.message_id,
  m.last_error, m.created_at`

interface Due {
  now: Date
  /** The server's clock, by which leases end; `now` may be that of a test clock. */
  serverNow: Date
  only: number | null
  limit: number
}

const due = ({ now, serverNow, only, limit }: Due) => sql`
  select business_id, live, id from mails
  where status = 'Queued' and due_at <= ${now}
    and ${isFree(sql`leased_until`, serverNow)}
    and (${only}::bigint is null or (business_id = ${only} and not live))
  order by due_at limit ${limit} for update skip locked`

/** A mail that this process has until its lease ends, and how far its business's clock is ahead. */
export type ClaimedRow = MailRow & { ahead_ms: number }

/** Takes due mails, the longest waiting first. Of several processes one gets each. */
export function claimDue(db: Db, wanted: Due & { leasedUntil: Date }) {
  return db.many<ClaimedRow>`
    with due as materialized (${due(wanted)})
    update mails m set attempts = attempts + 1, leased_until = ${wanted.leasedUntil}
    from due, businesses b
    where m.business_id = due.business_id and m.live = due.live and m.id = due.id
      and b.id = due.business_id
    returning ${COLUMNS},
      case when m.live then 0 else b.test_clock_offset_ms end as ahead_ms`
}

/** Notes how mails of the mailbox ended, but for what another process has taken since. */
export function updateCaptured(
  tx: Tx,
  mails: readonly { mail: MailRow; status: 'Captured' | 'Dropped' }[],
  at: Date,
) {
  const rows = mails.map(({ mail }) => mail)
  return tx.many<MailRow>`
    update mails m
    set status = ended.ended_as, settled_at = ${at}, leased_until = null
    from unnest(
      ${rows.map((row) => row.business_id)}::bigint[],
      ${rows.map((row) => row.live)}::boolean[],
      ${rows.map((row) => row.id)}::bigint[],
      ${rows.map((row) => row.attempts)}::integer[],
      ${mails.map(({ status }) => status)}::text[]
    ) as ended (of_business, of_live, of_id, attempt, ended_as)
    where m.business_id = of_business and m.live = of_live and m.id = of_id
      and m.status = 'Queued' and m.attempts = attempt
    returning ${COLUMNS}`
}

export interface Fate {
  status: MailStatus
  /** When to try again, for what stays Queued. */
  dueAt?: Date
  sentAt?: Date
  messageId: string | null
  error?: string
  /** By the server's clock. */
  at: Date
}

/** Notes how an attempt ended. Touches nothing when another process has taken the mail since. */
export function updateFate(tx: Tx, mail: MailRow, { status, dueAt, ...fate }: Fate) {
  const settledAt = status === 'Queued' ? null : fate.at
  return tx.run`
    update mails
    set status = ${status}, due_at = coalesce(${dueAt ?? null}::timestamptz, due_at),
      leased_until = null, settled_at = ${settledAt}, sent_at = ${fate.sentAt ?? null},
      message_id = ${fate.messageId},
      last_error = ${fate.error ?? null}
    where business_id = ${mail.business_id} and live = ${mail.live} and id = ${mail.id}
      and status = 'Queued' and attempts = ${mail.attempts}`
}

export interface Standing extends Tenant {
  subjectId: number
  status: MailStatus | null
}

/**
 * How the newest mail about the invoice of each of these mails stands, or null where all were
 * dropped. The mail of an invoice's creation is in no index but the primary key; it is the newest
 * where no later one is found, and then mostly the very mail at hand.
 */
export async function newestOfInvoices(tx: Tx, mails: readonly MailRow[]): Promise<Standing[]> {
  const later = new Map((await selectLater(tx, mails)).map((row) => [row.subject_id, row.status]))
  const standings: Standing[] = []
  for (const mail of mails) {
    const { business_id, live, subject_id } = mail
    const creation = mail.kind === 'invoice' ? mail.status : undefined
    const status = later.get(subject_id) ?? creation ?? (await selectCreation(tx, mail))
    standings.push({
      businessId: business_id,
      live,
      subjectId: subject_id,
      status: status === undefined || status === 'Dropped' ? null : status,
    })
  }
  return standings
}

/** The newest of the later mails of each invoice, where there is one that was not dropped. */
function selectLater(tx: Tx, mails: readonly MailRow[]) {
  return tx.many<{ subject_id: number; status: MailStatus }>`
    select subject_id, later.status
    from unnest(
      ${mails.map((mail) => mail.business_id)}::bigint[],
      ${mails.map((mail) => mail.live)}::boolean[],
      ${mails.map((mail) => mail.subject_id)}::bigint[]
    ) as keys (business_id, live, subject_id),
    lateral (
      select status from mails m
      where m.business_id = keys.business_id and m.live = keys.live
        and m.subject_type = 'invoice' and m.subject_id = keys.subject_id
        and m.kind <> 'invoice' and m.status <> 'Dropped'
      order by m.created_at desc, m.id desc limit 1) later`
}

/** Ids that may have been taken between that of an invoice and that of its first mail. */
export const IDS_BETWEEN_MAX = 5_000

/** The mail of the creation: its id was taken right after that of the invoice. */
async function selectCreation(tx: Tx, { business_id, live, subject_id }: MailRow) {
  const row = await tx.maybe<{ status: MailStatus }>`
    select status from mails
    where business_id = ${business_id} and live = ${live}
      and id between ${subject_id} and ${subject_id + IDS_BETWEEN_MAX}
      and kind = 'invoice' and subject_type = 'invoice' and subject_id = ${subject_id}`
  return row?.status
}
