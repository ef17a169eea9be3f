import type { Db, Tx } from '../../db/database.ts'
import { findFairly, isOneOf, keyCondition, type RowKey } from '../../db/leases.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { EncryptedRow, EncryptedValue, ValuesQuery } from '../../encryption/columns.ts'
import { isEncryptedWith } from '../../encryption/keyring.ts'
import { isNotHeld } from '../../jobs/retention.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import type { Cursor } from '../../lib/paging.ts'
import type { Notice } from '../connector/http-connector.ts'
import type { Connection, ProviderName } from '../connector/types.ts'

type NoticeStatus = 'Received' | 'Applied' | 'Unchanged' | 'Unmatched' | 'Unreadable' | 'Failed'

export interface AccountRow {
  connection_id: number
  provider: ProviderName
  business_id: number | null
  live: boolean
  status: Connection['status']
}

/** Finds a connection by its token, or by the one before, which still counts for a while. */
export const selectAccount = (db: Db, token: string, now: Date) =>
  db.maybe<AccountRow>`
    select id as connection_id, provider, business_id, live, status
    from provider_connections
    where notice_token = ${token}
      or (former_notice_token = ${token} and former_token_until > ${now})`

export interface NewNotice extends Tenant, Omit<Notice, 'providerId' | 'accountNumber'> {
  id: number
  connectionId: number
  providerId: string | null
  accountNumber: string | null
  /** Encrypted. */
  body: Buffer
  deliveries: number
  status: 'Received' | 'Unreadable'
  result: string | null
  receivedAt: Date
}

/** Another delivery of an event that is stored already only counts. */
export const insertNotices = (tx: Tx, notices: readonly NewNotice[]) => tx.run`
  insert into provider_notices
    (business_id, live, id, connection_id, key, type, about, reference, provider_id,
     account_number, body_encrypted, deliveries, status, result, next_at, received_at,
     last_received_at, done_at)
  select n.business_id, n.live, n.id, n.connection_id, n.key, n.type, n.about, n.reference,
    n.provider_id, n.account_number, n.body, n.deliveries, n.status, n.result,
    case when n.status = 'Received' then n.received_at end, n.received_at, n.received_at,
    case when n.status <> 'Received' then n.received_at end
  from json_to_recordset(${JSON.stringify(notices.map(jsonOf))}::json) as n (business_id bigint,
    live boolean, id bigint, connection_id bigint, key text, type text, about text,
    reference text, provider_id text, account_number text, body bytea, deliveries integer,
    status text, result text, received_at timestamptz)
  on conflict (business_id, live, connection_id, key) do update
  set deliveries = provider_notices.deliveries + excluded.deliveries,
    last_received_at = greatest(provider_notices.last_received_at, excluded.received_at)`

const jsonOf = (notice: NewNotice) => ({
  business_id: notice.businessId,
  live: notice.live,
  id: notice.id,
  connection_id: notice.connectionId,
  key: notice.key,
  type: notice.type,
  about: notice.about,
  reference: notice.reference,
  provider_id: notice.providerId,
  account_number: notice.accountNumber,
  body: `\\x${notice.body.toString('hex')}`,
  deliveries: notice.deliveries,
  status: notice.status,
  result: notice.result,
  received_at: notice.receivedAt,
})

/** How precisely a connection remembers when it was last notified, to write its row less often. */
const SEEN_MS = 60_000

export const updateNotified = (tx: Tx, connectionIds: readonly number[], now: Date) => tx.run`
  update provider_connections
  set first_notice_at = coalesce(first_notice_at, ${now}), last_notice_at = ${now}
  where id = any(${connectionIds}::bigint[])
    and (last_notice_at is null or last_notice_at < ${addMs(now, -SEEN_MS)})`

export interface Refusal extends Tenant {
  connectionId: number
  minute: Date
  reason: 'forged' | 'unsigned' | 'too_large'
  count: number
  lastAddress: string
  lastDigest: Buffer | null
}

export const addRefusals = (db: Db, refusals: readonly Refusal[]) => db.run`
  insert into provider_notice_refusals
    (business_id, live, connection_id, minute, reason, count, last_address, last_digest)
  select r.* from json_to_recordset(${JSON.stringify(refusals.map(refusalJson))}::json) as r
    (business_id bigint, live boolean, connection_id bigint, minute timestamptz, reason text,
     count integer, last_address text, last_digest bytea)
  on conflict (business_id, live, connection_id, minute, reason) do update
  set count = provider_notice_refusals.count + excluded.count,
    last_address = excluded.last_address,
    last_digest = coalesce(excluded.last_digest, provider_notice_refusals.last_digest)`

const refusalJson = (refusal: Refusal) => ({
  business_id: refusal.businessId,
  live: refusal.live,
  connection_id: refusal.connectionId,
  minute: refusal.minute,
  reason: refusal.reason,
  count: refusal.count,
  last_address: refusal.lastAddress,
  last_digest: refusal.lastDigest && `\\x${refusal.lastDigest.toString('hex')}`,
})

export interface DueNotice extends RowKey {
  connection_id: number
  type: string
  about: Notice['about']
  reference: string | null
  provider_id: string | null
  account_number: string | null
  tries: number
}

export function selectDue(db: Db, now: Date, only: number | null, limit: number) {
  const find = (isOther: Sql) => db.many<RowKey>`
    select business_id, live, id from provider_notices
    where next_at <= ${now} and ${isOther}
      and (${only}::bigint is null or (business_id = ${only} and not live))
    order by next_at limit ${limit}`
  return findFairly(db, 'notices', limit, find)
}

/** Leases the notices that are still due to this process. */
export const claim = (db: Db, keys: readonly RowKey[], now: Date, leasedUntil: Date) =>
  db.many<DueNotice>`
    with due as (
      select business_id, live, id from provider_notices
      where ${isOneOf(keys)} and next_at <= ${now}
      for update skip locked
    )
    update provider_notices n set tries = tries + 1, next_at = ${leasedUntil}
    from due where (n.business_id, n.live, n.id) = (due.business_id, due.live, due.id)
    returning n.business_id, n.live, n.id, connection_id, type, about, reference, provider_id,
      account_number, tries`

export interface NoticeResult extends RowKey {
  tries: number
  status: Exclude<NoticeStatus, 'Received' | 'Unreadable'>
  result: string | null
  next_at: Date | null
}

/** Does nothing to a notice that another process has claimed since, or a person has replayed. */
export const updateResults = (db: Db, results: readonly NoticeResult[], now: Date) => db.run`
  update provider_notices n
  set status = r.status, result = r.result, next_at = r.next_at,
    done_at = case when r.next_at is null then ${now}::timestamptz end
  from json_to_recordset(${JSON.stringify(results)}::json) as r (business_id bigint, live boolean,
    id bigint, tries integer, status text, result text, next_at timestamptz)
  where n.business_id = r.business_id and n.live = r.live and n.id = r.id and n.tries = r.tries`

export interface NoticeRow {
  id: number
  connection_id: number
  type: string
  about: Notice['about']
  reference: string | null
  provider_id: string | null
  account_number: string | null
  deliveries: number
  status: NoticeStatus
  result: string | null
  tries: number
  next_at: Date | null
  received_at: Date
  last_received_at: Date
  done_at: Date | null
}

const SHOWN = sql`id, connection_id, type, about, reference, provider_id, account_number,
  deliveries, status, result, tries, next_at, received_at, last_received_at, done_at`

interface ListedNotices {
  connectionId: number
  status: NoticeStatus | undefined
  type: string | undefined
  cursor: Cursor | undefined
  take: number
}

export function selectNotices(
  db: Db,
  { businessId, live }: Tenant,
  { connectionId, status, type, cursor, take }: ListedNotices,
) {
  const back = cursor?.back === true
  const place = cursor && sql`(${cursor.created_at}::timestamptz, ${cursor.id}::bigint)`
  const beyond = place
    ? back
      ? sql`and (received_at, id) > ${place}`
      : sql`and (received_at, id) < ${place}`
    : sql``
  return db.many<NoticeRow>`
    select ${SHOWN} from provider_notices
    where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
      and (${status ?? null}::text is null or status = ${status ?? null})
      and (${type ?? null}::text is null or type = ${type ?? null}) ${beyond}
    order by ${back ? sql`received_at, id` : sql`received_at desc, id desc`} limit ${take}`
}

interface NoticeKey {
  connectionId: number
  noticeId: number
}

export const selectNotice = (
  db: Db,
  { businessId, live }: Tenant,
  { connectionId, noticeId }: NoticeKey,
) =>
  db.maybe<NoticeRow & { body_encrypted: Buffer }>`
    select ${SHOWN}, body_encrypted from provider_notices
    where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
      and id = ${noticeId}`

/** Makes a notice due again, unless it cannot be read. */
export const updateReplayed = (
  tx: Tx,
  { businessId, live }: Tenant,
  { connectionId, noticeId }: NoticeKey,
  now: Date,
) =>
  tx.maybe<NoticeRow>`
    update provider_notices
    set status = 'Received', result = null, tries = 0, next_at = ${now}, done_at = null
    where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
      and id = ${noticeId} and status <> 'Unreadable'
    returning ${SHOWN}`

/** Closes a notice that failed, so that nothing more is looked up for it. */
export const updateClosed = (
  tx: Tx,
  { businessId, live }: Tenant,
  { connectionId, noticeId }: NoticeKey,
  result: string,
  now: Date,
) =>
  tx.maybe<NoticeRow>`
    update provider_notices
    set status = 'Unchanged', result = ${result}, next_at = null, done_at = ${now}
    where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
      and id = ${noticeId} and status = 'Failed'
    returning ${SHOWN}`

/** Returns whether the business has this connection. */
export const hasConnection = async (db: Db, { businessId, live }: Tenant, id: number) =>
  (await db.maybe`
    select from provider_connections
    where id = ${id} and business_id = ${businessId} and live = ${live}`) !== undefined

export const selectExpired = (db: Db, before: Date, limit: number) =>
  db.many<RowKey>`
    select business_id, live, id from provider_notices
    where received_at < ${before} and ${isNotHeld(sql`provider_notices.business_id`)}
    order by received_at limit ${limit}`

export const deleteNotices = (db: Db, keys: readonly RowKey[]) =>
  db.run`delete from provider_notices where ${isOneOf(keys)}`

interface RefusalKey extends Omit<RowKey, 'id'> {
  connection_id: number
  minute: Date
  reason: string
}

const isRefusal = keyCondition<RefusalKey>({
  connection_id: 'bigint',
  minute: 'timestamptz',
  reason: 'text',
})

export const selectExpiredRefusals = (db: Db, before: Date, limit: number) =>
  db.many<RefusalKey>`
    select business_id, live, connection_id, minute, reason from provider_notice_refusals
    where minute < ${before} limit ${limit}`

export const deleteRefusals = (db: Db, keys: readonly RefusalKey[]) =>
  db.run`delete from provider_notice_refusals where ${isRefusal(keys)}`

export const selectBodies = (db: Db, { keyId, after, limit }: ValuesQuery) =>
  db.many<EncryptedRow & { value: Buffer }>`
    select business_id as "businessId", live, id, body_encrypted as value from provider_notices
    where (business_id, live, id) > (${after.businessId}, ${after.live}, ${after.id})
      and ${isEncryptedWith(sql`body_encrypted`, keyId)}
    order by business_id, live, id limit ${limit}`

export const updateBody = (tx: Tx, row: EncryptedValue, value: Buffer) =>
  tx.run`
    update provider_notices set body_encrypted = ${value}
    where business_id = ${row.businessId} and live = ${row.live} and id = ${row.id}
      and body_encrypted = ${row.value}`
