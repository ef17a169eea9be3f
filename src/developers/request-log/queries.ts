import type { Db, Tx } from '../../db/database.ts'
import { all, containing, PLAN_EACH_TIME, type Sql, sql } from '../../db/sql.ts'
import { isNotHeld, type Search, tenantsToDelete } from '../../jobs/retention.ts'
import type { Tenant } from '../../lib/caller.ts'
import { type Cursor, type Place, type Range, SCANNED_MAX } from '../../lib/paging.ts'
import type { Entry } from './record.ts'

const COLUMNS = sql`business_id, live, at, id, key_id, request_id, method, operation, url,
  duration_ms, request_bytes, response_bytes, status, replayed, truncated, bodies_dropped, ip,
  partner, user_agent, idempotency_key, error_code, request_body, response_body`

/**
 * Writes many lines in one statement, which is its own transaction and does not wait for the disk.
 * Skips lines that are already stored. Passing the lines as one JSON string costs PostgreSQL a
 * quarter less than one array per column.
 */
export async function insertEntries(db: Db, entries: readonly Entry[]): Promise<void> {
  await db.run`
    insert into request_log (${COLUMNS})
    select ${COLUMNS}
    from (select set_config('synchronous_commit', 'off', true)) as hurried,
      json_populate_recordset(null::request_log, ${JSON.stringify(entries)}::json)
    on conflict do nothing`
}

/** Where a line is in the table. */
interface StoredLine {
  business_id: number
  ctid: string
}

/** Finds lines older than `before`, starting with each tenant's oldest. */
export const selectOldEntries = (db: Db, { before, limit, except }: Search) =>
  db.many<StoredLine>`
    select of.business_id, old.ctid
    from ${tenantsToDelete({ except })}
      cross join lateral (
        select r.ctid from request_log r
        where r.business_id = of.business_id and r.live = of.live and r.at < ${before}
        order by r.at, r.id limit ${limit}
      ) old
    limit ${limit}`

function isOldEntry(lines: readonly StoredLine[], before: Date): Sql {
  const businesses = [...new Set(lines.map(({ business_id }) => business_id))]
  return sql`r.business_id = any(${businesses}::bigint[])
    and r.ctid = any(${lines.map(({ ctid }) => ctid)}::tid[]) and r.at < ${before}
    and ${isNotHeld(sql`r.business_id`)}`
}

/** Locks lines older than `before`. */
export const lockOldEntries = (tx: Tx, lines: readonly StoredLine[], before: Date) =>
  tx.many<StoredLine & RequestRow>`
    select r.ctid, ${LINE}, ${BODIES} from (
      select ctid, * from request_log r where ${isOldEntry(lines, before)}
      for update skip locked
    ) r ${KEY}
    order by r.at, r.id`

export const deleteOldEntries = (db: Db, lines: readonly StoredLine[], before: Date) =>
  db.many`delete from request_log r where ${isOldEntry(lines, before)} returning r.id`

type Bodies = 'request_body' | 'response_body' | 'truncated' | 'bodies_dropped'

/** A line without its bodies. */
export interface LineRow extends Place, Omit<Entry, Bodies | 'id' | 'at' | 'key_id'> {
  /** Null for partners, which have no key. */
  key_reference: string | null
}
export type RequestRow = LineRow & Pick<Entry, Bodies>

export interface RequestFilter {
  range: Range
  /** From and to, both inclusive. */
  status: readonly [number, number] | undefined
  operation: string | undefined
  method: string | undefined
  requestId: string | undefined
  keyReference: string | undefined
  idempotencyKey: string | undefined
  search: string | undefined
}

const LINE = sql`r.business_id, r.live, r.id, r.at as created_at, r.request_id, r.method,
  r.operation, r.url, r.duration_ms, r.request_bytes, r.response_bytes, r.status, r.replayed, r.ip,
  r.partner, r.user_agent, r.idempotency_key, r.error_code, k.reference as key_reference`

const BODIES = sql`r.request_body, r.response_body, r.truncated, r.bodies_dropped`

/**
 * Keys are never deleted, so the join finds every key. A partner's lines have a grant instead of a
 * key.
 */
const KEY = sql`left join api_keys k
  on k.business_id = r.business_id and k.live = r.live and k.id = r.key_id`

/**
 * Selects the matching lines among the newest SCANNED_MAX after the cursor, newest first. With
 * `back`, selects the lines on the other side of the cursor, oldest first.
 */
export function selectLines(
  db: Db,
  tenant: Tenant,
  filter: RequestFilter,
  cursor: Cursor | undefined,
  limit: number,
): Promise<LineRow[]> {
  const order = cursor?.back ? sql`at, id` : sql`at desc, id desc`
  const { keyReference } = filter
  const isByKey =
    keyReference === undefined
      ? undefined
      : sql`key_id = (select id from api_keys where business_id = ${tenant.businessId}
          and live = ${tenant.live} and reference = ${keyReference})`
  const filters = [...lookedFor(filter), isByKey].filter((one) => one !== undefined)
  const lines = sql`select * from request_log where ${indexed(tenant, filter, cursor)}
    order by ${order}`
  const page =
    filters.length === 0
      ? sql`${lines} limit ${limit}`
      : sql`select * from (${lines} limit ${SCANNED_MAX}) looked_at where ${all(filters)}
          order by ${order} limit ${limit}`
  // A generic plan would sort all of a large tenant's lines, and not only those that are scanned.
  return db.many<LineRow>`${filters.length === 0 ? sql`` : PLAN_EACH_TIME}
    select ${LINE} from (${page}) r ${KEY} order by ${cursor?.back ? sql`r.at, r.id` : sql`r.at desc, r.id desc`}`
}

/** Selects the last line that `selectLines` scans, if there may be more after it. */
export function selectEdge(
  db: Db,
  tenant: Tenant,
  filter: RequestFilter,
  cursor: Cursor | undefined,
): Promise<Place | undefined> {
  const order = cursor?.back ? sql`at, id` : sql`at desc, id desc`
  return db.maybe<Place>`${PLAN_EACH_TIME}
    select at as created_at, id from request_log where ${indexed(tenant, filter, cursor)}
    order by ${order} limit 1 offset ${SCANNED_MAX - 1}`
}

export const selectRequest = (db: Db, { businessId, live }: Tenant, requestId: string) =>
  db.maybe<RequestRow>`
    select ${LINE}, ${BODIES} from request_log r ${KEY}
    where r.business_id = ${businessId} and r.live = ${live} and r.request_id = ${requestId}
    order by r.at desc limit 1`

/**
 * Returns the filters that an index can serve in the order of the list, or that leave so few lines
 * that sorting them is cheap.
 */
function indexed(
  { businessId, live }: Tenant,
  { range, status, requestId }: RequestFilter,
  cursor: Cursor | undefined,
): Sql {
  return all([
    sql`business_id = ${businessId} and live = ${live}`,
    range.from && sql`at >= ${range.from}`,
    range.until && sql`at < ${range.until}`,
    cursor && beyond(cursor),
    status && status[0] >= 400 ? sql`status >= 400` : undefined,
    requestId === undefined ? undefined : sql`request_id = ${requestId}`,
  ])
}

function beyond({ created_at, id, back }: Cursor): Sql {
  const place = sql`(${created_at}::timestamptz, ${id}::bigint)`
  return back ? sql`(at, id) > ${place}` : sql`(at, id) < ${place}`
}

const lookedFor = ({ status, operation, method, idempotencyKey, search }: RequestFilter) => [
  status && sql`status between ${status[0]} and ${status[1]}`,
  operation === undefined ? undefined : sql`operation = ${operation}`,
  method === undefined ? undefined : sql`method = ${method}`,
  idempotencyKey === undefined ? undefined : sql`idempotency_key = ${idempotencyKey}`,
  search === undefined
    ? undefined
    : sql`(url ilike ${containing(search)} or request_id ilike ${containing(search)}
        or error_code ilike ${containing(search)})`,
]
