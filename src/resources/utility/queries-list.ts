import type { Db } from '../../db/database.ts'
import { type Found, findPage } from '../../db/lists.ts'
import { all, type Sql, sql } from '../../db/sql.ts'
import type { Place } from '../../lib/cursor.ts'
import type { Page, Range } from '../../lib/paging.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { UTILITY_CATEGORIES } from '../../providers/utilities.ts'
import { COLUMNS, type UtilityRow } from './queries.ts'
import { UTILITY_STATES, type UtilityState } from './states.ts'

export interface PaymentFilter {
  status: UtilityState | undefined
  category: string | undefined
  range: Range
  /** A whole reference, or how the number or the name of the customer begins. */
  text: string | undefined
}

/** One page and one row more, newest first, and how many match. */
export function findPayments(
  db: Db,
  { businessId, live }: Tenant,
  filter: PaymentFilter,
  page: Page,
): Promise<Found<UtilityRow>> {
  return findPage<UtilityRow>(
    db,
    {
      table: sql`utility_payments`,
      columns: COLUMNS,
      tenant: { businessId, live },
      parts: partsOf(filter),
      order: sql`created_at desc, id desc`,
      search: undefined,
      sought: filter.text === undefined ? undefined : isFound(filter.text),
    },
    page,
  )
}

/** Older than a place, newest first. */
export function selectOlder(
  db: Db,
  { businessId, live }: Tenant,
  filter: PaymentFilter,
  after: Place | undefined,
  limit: number,
) {
  const isOlder = after
    ? sql`(created_at, id) < (${after.created_at}::timestamptz, ${after.id}::bigint)`
    : sql`true`
  const parts = partsOf(filter)
  const isSought = filter.text === undefined ? sql`true` : isFound(filter.text)
  const each = (parts.length > 0 ? parts : [sql`true`]).map(
    (part) => sql`(
      select ${COLUMNS} from utility_payments
      where business_id = ${businessId} and live = ${live}
        and ${part} and ${isSought} and ${isOlder}
      order by created_at desc, id desc limit ${limit})`,
  )
  return db.many<UtilityRow>`
    select * from (${each.reduce((left, right) => sql`${left} union all ${right}`)}) parts
    order by created_at desc, id desc limit ${limit}`
}

/**
 * The index begins with state and category: one that is not asked for is each of its values. What
 * is searched for is found by indexes of its own, and dates alone by that of the list.
 */
function partsOf({ status, category, range: { from, until }, text }: PaymentFilter): Sql[] {
  const dated = all([from && sql`created_at >= ${from}`, until && sql`created_at < ${until}`])
  const isListed = status !== undefined || category !== undefined
  if (text !== undefined) {
    const wanted = [
      status && sql`status = ${status}`,
      category === undefined ? undefined : sql`category = ${category}`,
    ]
    return [all([dated, ...wanted])]
  }
  if (!isListed) return from || until ? [dated] : []
  const states = status === undefined ? UTILITY_STATES : [status]
  const categories = category === undefined ? UTILITY_CATEGORIES : [category]
  return states.flatMap((state) =>
    categories.map((one) => sql`status = ${state} and category = ${one} and ${dated}`),
  )
}

/** The last character that there is: all that begins with a text comes before it and this. */
const LAST = '\u{10ffff}'

function isFound(text: string): Sql {
  const begins = (column: Sql, with_: string) =>
    sql`(${column} ~>=~ lower(${with_}) and ${column} ~<~ lower(${with_ + LAST}))`
  return sql`(reference = ${text} or payment_reference = ${text}
    or (customer_id ~>=~ ${text} and customer_id ~<~ ${text + LAST})
    or ${begins(sql`lower(customer_name)`, text)})`
}
