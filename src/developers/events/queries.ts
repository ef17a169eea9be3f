import type { Db } from '../../db/database.ts'
import { all, type Sql, sql } from '../../db/sql.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Place } from '../../lib/paging.ts'
import { type Page, type Range, TOTAL_MAX, windowOf } from '../../lib/paging.ts'

export interface EventRow extends Place {
  reference: string
  type: string
  object_type: string
  object_id: number
  sequence: number
  data: string
}

export interface EventFilter {
  type: string | undefined
  /** Of these types only; undefined for all. */
  types: readonly string[] | undefined
  objectId: number | undefined
  range: Range
  after: Place | undefined
  descending: boolean
  page: Page
}

const COLUMNS = sql`id, reference, type, object_type, object_id, sequence, data, created_at`

/** Ids break ties: within one process they follow the order in which events happened. */
export function selectEvents(db: Db, tenant: Tenant, filter: EventFilter) {
  const { offset, take } = windowOf(filter.page)
  const order = filter.descending ? sql`created_at desc, id desc` : sql`created_at, id`
  return db.many<EventRow>`
    select ${COLUMNS} from events where ${matching(tenant, filter)}
    order by ${order} limit ${take} offset ${offset}`
}

export async function countEvents(db: Db, tenant: Tenant, filter: EventFilter): Promise<number> {
  const { n } = await db.one<{ n: number }>`
    select count(*)::bigint as n from (
      select 1 from events where ${matching(tenant, filter)} limit ${TOTAL_MAX + 1}) matches`
  return n
}

function matching({ businessId, live }: Tenant, filter: EventFilter): Sql {
  const { type, types, objectId, range, after } = filter
  return all([
    sql`business_id = ${businessId} and live = ${live}`,
    type === undefined ? undefined : sql`type = ${type}`,
    types === undefined ? undefined : sql`type = any(${types}::text[])`,
    objectId === undefined ? undefined : sql`object_id = ${objectId}`,
    range.from && sql`created_at >= ${range.from}`,
    range.until && sql`created_at < ${range.until}`,
    after && sql`(created_at, id) > (${after.created_at}::timestamptz, ${after.id}::bigint)`,
  ])
}

/** The event with this reference, which says when it happened. */
export function selectEvent(
  db: Db,
  { businessId, live }: Tenant,
  { reference, at }: { reference: string; at: Date },
) {
  return db.maybe<EventRow>`
    select ${COLUMNS} from events
    where business_id = ${businessId} and live = ${live} and created_at = ${at}
      and reference = ${reference}`
}
