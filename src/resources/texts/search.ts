import { all, containing, type Sql, sql } from '../../db/sql.ts'
import type { Range } from '../../lib/paging.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { piecesOfSearch, WEEK_FACTOR, WEEK_SECONDS } from './pieces.ts'

/**
 * A table whose records are found by a part of `customer_name` or `customer_email`, the table of
 * their texts, and the queue of those whose text is new or changed: see
 * docs/decisions/0022-finding-invoices.md.
 */
export interface TextIndex {
  records: Sql
  texts: Sql
  due: Sql
}

interface Wanted {
  text: string
  range: Range
  /** More about `created_at` and `id`. */
  further?: Sql | undefined
  /** Begins with the oldest week instead of the newest. */
  ascending?: boolean
}

/**
 * What has the text, id and date alone. The index is looked through week by week, so that a text
 * that very many have is found often enough in a few; within a week in no order. Take it with a
 * limit, in a statement that is planned ANEW.
 */
export function candidates(index: TextIndex, tenant: Tenant, wanted: Wanted): Sql {
  const { text, range, further, ascending = false } = wanted
  const pattern = containing(lowered(text))
  const isWanted = all([createdIn(range), further])
  const weeks = ascending ? sql`first, last, 1` : sql`last, first, -1`
  return sql`
    select r.id, r.created_at
    from (select distinct id as due_id from ${index.due} where ${of(tenant)}) due
      cross join ${recordOf(index, tenant, sql`due_id`)} r
    where ${isWanted} and ${hasPattern(pattern)}
    union all
    select t.id, t.created_at
    from (
      select ${weekOf(sql`min(created_at)`)} as first, ${weekOf(sql`max(created_at)`)} as last
      from ${index.records} where ${of(tenant)} and ${createdIn(range)}
    ) weeks, generate_series(${weeks}) week, lateral (
      select array(
        select piece # (week * ${WEEK_FACTOR}::bigint)::bit(32)::integer
        from unnest(${piecesOfSearch(tenant, lowered(text))}::integer[]) piece) as wanted offset 0
    ) weekly, lateral (
      select * from ${index.texts} where pieces @> wanted offset 0
    ) t
    where ${of(tenant)} and ${isWanted} and text like ${pattern}`
}

/**
 * A record by its key, joined laterally. `offset 0` here and above keeps the planner from other
 * ways, that would be good for a table of another size.
 */
export const recordOf = ({ records }: Pick<TextIndex, 'records'>, tenant: Tenant, id: Sql): Sql =>
  sql`lateral (select * from ${records} where ${of(tenant)} and id = ${id} offset 0)`

/** Of a record, without an index. */
export const hasText = (text: string): Sql => hasPattern(containing(lowered(text)))

const hasPattern = (pattern: string): Sql =>
  sql`(lower(customer_email) like ${pattern} or lower(customer_name) like ${pattern})`

const lowered = (text: string) => text.toLowerCase()

const weekOf = (at: Sql): Sql => sql`floor(extract(epoch from ${at}) / ${WEEK_SECONDS})::bigint`

/** The tenant’s own. */
export const of = ({ businessId, live }: Tenant): Sql =>
  sql`business_id = ${businessId} and live = ${live}`

export const createdIn = ({ from, until }: Range): Sql =>
  all([from && sql`created_at >= ${from}`, until && sql`created_at < ${until}`])
