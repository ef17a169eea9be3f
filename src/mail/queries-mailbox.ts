import type { Db } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Cursor } from '../lib/cursor.ts'
import type { Tenant } from '../lib/tenant.ts'
import { COLUMNS, IDS_BETWEEN_MAX, type MailRow } from './queries.ts'
import type { MailKind } from './queue.ts'

/** A mail with the subject that was kept of it. */
export type ListedRow = MailRow & { subject: string | null; listed_at: Date }

/** The moment by which mails are listed: a test clock moves it only while the mail is Queued. */
const LISTED_AT = sql`coalesce(settled_at, created_at)`

/** Whose mails, and which of them. */
interface Wanted {
  /** About `mails`. */
  only: Sql
  take: number
  back?: boolean
}

/**
 * The newest, or from a cursor back to what is newer. What is still Queued is in no index in this
 * order; there is little of it.
 */
function newest({ only, take, back = false }: Wanted): Sql {
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

/** The newest mails of every business, for the mailbox of a machine in development. */
export function selectNewest(db: Db, limit: number) {
  const only = sql`business_id = b.id and live = mode.live`
  return db.many<ListedRow>`
    select ${listed} from businesses b, unnest('{false,true}'::boolean[]) as mode (live),
      lateral ${newest({ only, take: limit })}
    order by listed_at desc, m.id desc limit ${limit}`
}

export function selectOwn(
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
 * The mails about one object and about its payments, oldest first. The mail of its creation is in
 * no index but that of ids: its id was taken right after that of the object.
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
