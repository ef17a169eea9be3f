import type { Db, Tx } from '../db/database.ts'
import { findFairly, isLeaseFree, isOneOf, type RowKey, takeDue } from '../db/leases.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { EncryptedRow, EncryptedValue, ValuesQuery } from '../encryption/columns.ts'
import { isEncryptedWith } from '../encryption/keyring.ts'
import { canDelete, isNotHeld, type Search, tenantsToDelete } from '../jobs/retention.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Cursor } from '../lib/paging.ts'
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
  /** The token of the email's link. */
  link_encrypted: Buffer | null
  status: MailStatus
  attempts: number
  due_at: Date
  sent_at: Date | null
  /**
   * When delivery ended, by the server's clock. Null while the email is Queued, and in older rows.
   */
  settled_at: Date | null
  message_id: string | null
  last_error: string | null
  created_at: Date
}

const COLUMNS = sql`m.business_id, m.live, m.id, m.kind, m.subject_type, m.subject_id,
  m.to_address, m.data, m.link_encrypted, m.status, m.attempts, m.due_at, m.sent_at, m.settled_at,
  m.message_id, m.last_error, m.created_at`

interface Due {
  now: Date
  /** The server's clock, which leases use. `now` can be the time of a test clock. */
  serverNow: Date
  only: number | null
  limit: number
}

const isDue = ({ now, serverNow }: Due) => sql`
  status = 'Queued' and due_at <= ${now} and ${isLeaseFree(sql`leased_until`, serverNow)}`

const selectDue = (db: Db, wanted: Due) => {
  const find = (isOther: Sql) => db.many<RowKey>`
    select business_id, live, id from mails
    where ${isDue(wanted)} and ${isOther}
      and (${wanted.only}::bigint is null or (business_id = ${wanted.only} and not live))
    order by due_at limit ${wanted.limit}`
  return findFairly(db, 'mails', wanted.limit, find)
}

/**
 * An email that this process holds until its lease ends, with how far its business's clock is
 * ahead.
 */
export type ClaimedRow = MailRow & { ahead_ms: number }

/** Claims due emails, oldest first. No email is claimed by more than one process. */
export function claimDue(db: Db, wanted: Due & { leasedUntil: Date }) {
  const claim = (keys: RowKey[]) => db.many<ClaimedRow>`
    with due as materialized (
      select business_id, live, id from mails
      where ${isOneOf(keys)} and ${isDue(wanted)} for update skip locked
    )
    update mails m set attempts = attempts + 1, leased_until = ${wanted.leasedUntil}
    from due, businesses b
    where m.business_id = due.business_id and m.live = due.live and m.id = due.id
      and b.id = due.business_id
    returning ${COLUMNS},
      case when m.live then 0 else b.test_clock_offset_ms end as ahead_ms`
  return takeDue(db, () => selectDue(db, wanted), claim)
}

/** Records the results for mailbox emails, except those that another process has claimed since. */
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

export interface MailResult {
  status: MailStatus
  /** When to retry the email if it stays Queued. */
  dueAt?: Date
  sentAt?: Date
  messageId: string | null
  error?: string
  /** By the server's clock. */
  at: Date
}

/**
 * Records the result of an attempt. Changes nothing if another process has claimed the email since.
 */
export function updateResult(tx: Tx, mail: MailRow, { status, dueAt, ...result }: MailResult) {
  const settledAt = status === 'Queued' ? null : result.at
  return tx.run`
    update mails
    set status = ${status}, due_at = coalesce(${dueAt ?? null}::timestamptz, due_at),
      leased_until = null, settled_at = ${settledAt}, sent_at = ${result.sentAt ?? null},
      message_id = ${result.messageId},
      last_error = ${result.error ?? null}
    where business_id = ${mail.business_id} and live = ${mail.live} and id = ${mail.id}
      and status = 'Queued' and attempts = ${mail.attempts}`
}

/**
 * Queues an email that failed or waits to be retried, as if it were new. Returns undefined if a
 * process is sending it, or if it has already been sent.
 */
export async function updateQueuedAgain(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { now, serverNow }: { now: Date; serverNow: Date },
) {
  const row = await tx.maybe<MailRow>`
    update mails m
    set status = 'Queued', attempts = 0, due_at = ${now}, leased_until = null, settled_at = null
    where m.business_id = ${businessId} and m.live = ${live} and m.id = ${id}
      and m.status in ('Queued', 'Failed') and ${isLeaseFree(sql`m.leased_until`, serverNow)}
    returning ${COLUMNS}`
  // The content that was stored when it failed is stored again at the end.
  if (row) {
    await tx.run`
      delete from letters where business_id = ${businessId} and live = ${live} and id = ${id}`
  }
  return row
}

/** Drops an email that failed or waits to be retried. */
export const updateDropped = (
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { reason, serverNow }: { reason: string; serverNow: Date },
) =>
  tx.maybe<MailRow>`
    update mails m
    set status = 'Dropped', last_error = ${reason}, leased_until = null,
      settled_at = ${serverNow}
    where m.business_id = ${businessId} and m.live = ${live} and m.id = ${id}
      and m.status in ('Queued', 'Failed') and ${isLeaseFree(sql`m.leased_until`, serverNow)}
    returning ${COLUMNS}`

interface Standing extends Tenant {
  subjectId: number
  status: MailStatus | null
}

/**
 * Returns, for each of these emails, the status of the newest email about its invoice, or null if
 * all were dropped. The only index that covers the email sent when an invoice was created is the
 * primary key. If no later email is found, that one is the newest, and is usually the email in
 * question.
 */
export async function selectNewestOfInvoices(
  tx: Tx,
  mails: readonly MailRow[],
): Promise<Standing[]> {
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

/** Selects each invoice's newest later email that was not dropped, if any. */
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

/** The maximum number of ids between an invoice's id and the id of its first email. */
const IDS_BETWEEN_MAX = 5_000

async function selectCreation(tx: Tx, { business_id, live, subject_id }: MailRow) {
  const row = await tx.maybe<{ status: MailStatus }>`
    select status from mails
    where business_id = ${business_id} and live = ${live}
      and id between ${subject_id} and ${subject_id + IDS_BETWEEN_MAX}
      and kind = 'invoice' and subject_type = 'invoice' and subject_id = ${subject_id}`
  return row?.status
}

export interface SentMailRow {
  business_id: number
  live: boolean
  id: number
  subject: string
  from_name: string
  reply_to: string | null
  body: Buffer
  kept_at: Date
}

export async function insertSentMails(tx: Tx, rows: readonly SentMailRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx.run`
    insert into letters
      (business_id, live, id, subject, from_name, reply_to, body, kept_at)
    select * from unnest(
      ${rows.map((row) => row.business_id)}::bigint[],
      ${rows.map((row) => row.live)}::boolean[],
      ${rows.map((row) => row.id)}::bigint[],
      ${rows.map((row) => row.subject)}::text[],
      ${rows.map((row) => row.from_name)}::text[],
      ${rows.map((row) => row.reply_to)}::text[],
      ${rows.map((row) => row.body)}::bytea[],
      ${rows.map((row) => row.kept_at)}::timestamptz[])`
}

export function selectSentMail(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<SentMailRow>`
    select business_id, live, id, subject, from_name, reply_to, body, kept_at from letters
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

const CONTENT = sql`l.subject, l.from_name, l.reply_to, l.body`

/** An email, with its content if it is stored. */
export type WholeMailRow = MailRow &
  (Pick<SentMailRow, 'subject' | 'from_name' | 'reply_to' | 'body'> | { body: null })

const isOldContent = (before: Date) =>
  sql`l.kept_at <= ${before} and ${isNotHeld(sql`l.business_id`)}`

export const selectOldContent = (db: Db, search: Search) =>
  db.many<RowKey>`
    select business_id, live, id from letters l
    where l.kept_at <= ${search.before} and ${canDelete(sql`l.business_id`, search)}
    limit ${search.limit}`

/** Locks content that was stored before this time, and returns it with its emails. */
export const lockOldContent = (tx: Tx, keys: readonly RowKey[], before: Date) =>
  tx.many<WholeMailRow>`
    select ${COLUMNS}, ${CONTENT} from (
      select * from letters l
      where ${isOneOf(keys)} and ${isOldContent(before)} for update skip locked
    ) l
    join mails m using (business_id, live, id)`

export const deleteOldContent = (db: Db, keys: readonly RowKey[], before: Date) =>
  db.many`
    delete from letters where (business_id, live, id) in (
      select business_id, live, id from letters l
      where ${isOneOf(keys)} and ${isOldContent(before)} for update skip locked)
    returning id`

/** Whether the email's delivery ended before this time. */
const isOldMail = (before: Date) => sql`m.status <> 'Queued' and ${LISTED_AT} < ${before}`

export const selectOldMails = (db: Db, { before, limit, except }: Search) =>
  db.many<RowKey>`
    select old.* from ${tenantsToDelete({ except })}
    cross join lateral (
      select business_id, live, id from mails m
      where m.business_id = of.business_id and m.live = of.live and ${isOldMail(before)}
      order by ${LISTED_AT}, id limit ${limit}
    ) as old
    limit ${limit}`

/** Locks emails whose delivery ended before this time. */
export const lockOldMails = (tx: Tx, keys: readonly RowKey[], before: Date) =>
  tx.many<WholeMailRow>`
    select ${COLUMNS}, ${CONTENT} from (
      select * from mails m
      where ${isOneOf(keys)} and ${isOldMail(before)} and ${isNotHeld(sql`m.business_id`)}
      for update skip locked
    ) m
    left join letters l using (business_id, live, id)`

/** Deletes emails with their content. */
export const deleteOldMails = (db: Db, keys: readonly RowKey[], before: Date) =>
  db.many`
    with old as materialized (
      select business_id, live, id from mails m
      where ${isOneOf(keys)} and ${isOldMail(before)} and ${isNotHeld(sql`m.business_id`)}
      for update skip locked
    ), content as (
      delete from letters l using old
      where l.business_id = old.business_id and l.live = old.live and l.id = old.id
    )
    delete from mails m using old
    where m.business_id = old.business_id and m.live = old.live and m.id = old.id
    returning m.id`

/** An email with its stored subject. */
export type ListedRow = MailRow & { subject: string | null; listed_at: Date }

/** The time that lists are sorted by. A test clock affects it only while the email is Queued. */
const LISTED_AT = sql`coalesce(settled_at, created_at)`

interface NewestQuery {
  /** A condition on `mails`. */
  only: Sql
  take: number
  back?: boolean
}

/**
 * Selects the newest emails. Going back from a cursor, it selects newer ones. No index covers
 * Queued emails in this order, but there are only a few.
 */
function newest({ only, take, back = false }: NewestQuery): Sql {
  const order = back ? sql`${LISTED_AT}, id` : sql`${LISTED_AT} desc, id desc`
  const part = (of: Sql) => sql`
    (select * from mails where ${only} and ${of} order by ${order} limit ${take})`
  return sql`
    (select * from (
      ${part(sql`status <> 'Queued'`)} union all ${part(sql`status = 'Queued'`)}
    ) mails order by ${order} limit ${take}) m`
}

const listed = sql`${COLUMNS}, coalesce(m.settled_at, m.created_at) as listed_at, (
  select subject from letters l
  where l.business_id = m.business_id and l.live = m.live and l.id = m.id) as subject`

/** Selects the newest emails of all businesses, for the development mailbox. */
export function selectNewest(db: Db, limit: number) {
  const only = sql`business_id = b.id and live = mode.live`
  return db.many<ListedRow>`
    select ${listed} from businesses b, unnest('{false,true}'::boolean[]) as mode (live),
      lateral ${newest({ only, take: limit })}
    order by listed_at desc, m.id desc limit ${limit}`
}

export function selectMailsOfBusiness(
  db: Db,
  { businessId, live }: Tenant,
  wanted: { kinds: readonly MailKind[]; cursor: Cursor | undefined; take: number },
) {
  const { kinds, cursor, take } = wanted
  const back = cursor?.back === true
  const place = cursor && sql`(${cursor.created_at}::timestamptz, ${cursor.id}::bigint)`
  const beyond = place
    ? back
      ? sql`and (${LISTED_AT}, id) > ${place}`
      : sql`and (${LISTED_AT}, id) < ${place}`
    : sql``
  const only = sql`business_id = ${businessId} and live = ${live}
    and kind = any(${kinds}) ${beyond}`
  return db.many<ListedRow>`
    select ${listed} from ${newest({ only, take, back })}
    order by ${back ? sql`listed_at, m.id` : sql`listed_at desc, m.id desc`}`
}

/**
 * Selects the emails about one object and its payments, oldest first. The only index that covers
 * the email sent on the object's creation is the primary key; that email got its id right after the
 * object.
 */
export function selectAbout(
  db: Db,
  { businessId, live }: Tenant,
  { type, id, paidBy }: { type: string; id: number; paidBy: readonly number[] },
) {
  return db.many<MailRow>`
    select ${COLUMNS} from (
      select * from mails
      where business_id = ${businessId} and live = ${live} and kind = 'invoice'
        and id between ${id} and ${id + IDS_BETWEEN_MAX}
        and subject_type = ${type} and subject_id = ${id}
      union all
      select * from mails
      where business_id = ${businessId} and live = ${live} and kind <> 'invoice'
        and subject_type = ${type} and subject_id = ${id}
      union all
      select * from mails
      where business_id = ${businessId} and live = ${live} and kind <> 'invoice'
        and subject_type = 'transaction' and subject_id = any(${paidBy})
    ) m order by m.created_at, m.id limit ${ABOUT_MAX}`
}

const ABOUT_MAX = 200

export function selectMail(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<MailRow>`
    select ${COLUMNS} from mails m
    where m.business_id = ${businessId} and m.live = ${live} and m.id = ${id}`
}

/** The index `mails_links` covers these emails. */
export const selectLinks = (db: Db, { keyId, after, limit }: ValuesQuery) =>
  db.many<EncryptedRow & { to_address: string; value: Buffer }>`
    select business_id as "businessId", live, id, to_address, link_encrypted as value from mails
    where link_encrypted is not null
      and (business_id, live, id) > (${after.businessId}, ${after.live}, ${after.id})
      and ${isEncryptedWith(sql`link_encrypted`, keyId)}
    order by business_id, live, id limit ${limit}`

export const updateLink = (tx: Tx, row: EncryptedValue, value: Buffer) =>
  tx.run`
    update mails set link_encrypted = ${value}
    where business_id = ${row.businessId} and live = ${row.live} and id = ${row.id}
      and link_encrypted = ${row.value}`
