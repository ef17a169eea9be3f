import type { Db } from '../../db/database.ts'
import { ANEW, all, type Sql, sql } from '../../db/sql.ts'
import { type Page, type Range, TOTAL_MAX, windowOf } from '../../lib/paging.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { candidates, createdIn, hasText, of, recordOf } from '../texts/search.ts'
import { countUpTo, isKnownMany, learn } from './known-totals.ts'
import { DEFAULT_PREFIX } from './number.ts'
import { COLUMNS, type InvoiceRow } from './queries.ts'
import { INVOICE_TEXTS } from './search-index.ts'
import type { InvoiceState } from './states.ts'

/** Which invoices are meant, by a list or by an export. */
export interface InvoiceFilter {
  status: InvoiceState | undefined
  /** Only what is out and was due before this day; `now` is when that is asked. */
  overdue: { day: string; now: Date } | undefined
  search: { id: number } | { text: string } | undefined
  range: Range
  descending: boolean
}

/** One page and one row more, and how many match; above TOTAL_MAX that is all that is told. */
export interface Found {
  rows: InvoiceRow[]
  total: number
}

const MANY = TOTAL_MAX + 1

const ALWAYS: Range = { from: undefined, until: undefined }

/** That have a text, and of which the state is looked up one by one: some 100 ms. */
const FILTERED_MAX = 50_000

/** One page, newest (or oldest) first. One statement, and two for a text that very many have. */
export async function findInvoices(
  db: Db,
  tenant: Tenant,
  filter: InvoiceFilter,
  page: Page,
): Promise<Found> {
  const { search } = filter
  if (search && 'text' in search) return findByText(db, tenant, filter, search.text, page)
  if (search) return findAndCount(db, tenant, filter, page, MANY)
  if (isKnownMany(db, tenant, filter)) return findInOrder(db, tenant, filter, page)
  const found = await findAndCount(db, tenant, filter, page, countUpTo(filter))
  learn(db, tenant, filter, found.total)
  return found
}

/** Where more than TOTAL_MAX are known to match. */
async function findInOrder(
  db: Db,
  tenant: Tenant,
  filter: InvoiceFilter,
  page: Page,
): Promise<Found> {
  const rows = await db.many<InvoiceRow>`select ${COLUMNS} from ${pageOf(tenant, filter, page)}`
  return { rows, total: MANY }
}

// Beside each row of the page, and alone in one when the page is empty, stands the count.
type Row = InvoiceRow & { total: number }

const foundIn = (rows: Row[]): Found => ({
  rows: rows.filter(({ id }) => id !== null),
  total: rows[0]?.total ?? 0,
})

async function findAndCount(
  db: Db,
  tenant: Tenant,
  filter: InvoiceFilter,
  page: Page,
  upTo: number,
): Promise<Found> {
  // One limit and no union stand above the rows of an index: that halves the time of 10,000.
  const counts = conditions(tenant, filter).map(
    (wanted) => sql`(select count(*) from (select from invoices where ${wanted} limit ${upTo}) i)`,
  )
  const rows = await db.many<Row>`
    with counted as (
      select ${counts.reduce((left, right) => sql`${left} + ${right}`)} as total
    ), page as materialized (
      select * from ${pageOf(tenant, filter, page)}
    )
    select total, ${COLUMNS} from counted left join page on true order by ${orderOf(filter)}`
  return foundIn(rows)
}

/** The rows of a page as a table, in order. */
function pageOf(tenant: Tenant, filter: InvoiceFilter, page: Page): Sql {
  const { offset, take } = windowOf(page)
  const order = orderOf(filter)
  const tail = sql`order by ${order} limit ${offset + take}`
  return sql`(
    select * from ${matching(tenant, filter, { tail })}
    order by ${order} limit ${take} offset ${offset}
  ) invoices`
}

/**
 * Through the index of texts, and the queue of those that are not in it yet. Where more than
 * TOTAL_MAX have the text, walking through the list itself soon comes by a page of them.
 */
async function findByText(
  db: Db,
  tenant: Tenant,
  filter: InvoiceFilter,
  text: string,
  page: Page,
): Promise<Found> {
  const { offset, take } = windowOf(page)
  const order = orderOf(filter)
  const isFiltered = filter.status !== undefined || filter.overdue !== undefined
  const most = isFiltered ? FILTERED_MAX : MANY
  const matches = isFiltered
    ? sql`
      select c.id, c.created_at
      from candidates c cross join lateral (${stillMeant(tenant, filter)}) i`
    : sql`select id, created_at from candidates`
  const found = candidates(INVOICE_TEXTS, tenant, { text, range: filter.range })
  const rows = await db.many<Row & { found: number }>`${ANEW}
    with candidates as materialized (
      ${found} limit ${most}
    ), matches as materialized (
      ${matches}
    ), page as (
      select i.*
      from (select id from matches order by ${order} limit ${take} offset ${offset}) m
        cross join ${recordOf(INVOICE_TEXTS, tenant, sql`m.id`)} i
    )
    select counted.*, ${COLUMNS}
    from (select (select count(*) from candidates) as found,
            (select count(*) from matches) as total) counted
      left join page on true
    order by ${order}`
  if (rows[0]!.found < most) return foundIn(rows)
  if (isFiltered) return findAndCount(db, tenant, filter, page, MANY)
  return findInOrder(db, tenant, filter, page)
}

/**
 * Whether candidate `c` is in the state that was asked for. Date and id lead an index of states to
 * it, so that most of what is in another state is never read.
 */
function stillMeant(tenant: Tenant, { status, overdue }: InvoiceFilter): Sql {
  const itself = sql`created_at = c.created_at and id = c.id`
  const parts = conditions(tenant, { status, overdue, search: undefined, range: ALWAYS }, itself)
  const looks = parts.map((wanted) => sql`(select from invoices where ${wanted} offset 0)`)
  return looks.reduce((left, right) => sql`${left} union all ${right}`)
}

/** So many, from where the last ones ended: for reading on without an offset. */
export function selectAfter(
  db: Db,
  tenant: Tenant,
  filter: InvoiceFilter,
  after: Pick<InvoiceRow, 'created_at' | 'id'> | undefined,
  limit: number,
) {
  const order = orderOf(filter)
  const position = after && sql`(${after.created_at}::timestamptz, ${after.id}::bigint)`
  const further =
    position &&
    (filter.descending ? sql`(created_at, id) < ${position}` : sql`(created_at, id) > ${position}`)
  const tail = sql`order by ${order} limit ${limit}`
  return db.many<InvoiceRow>`
    select ${COLUMNS} from ${matching(tenant, filter, { further, tail })} ${tail}`
}

/** The invoice that a number names; `prefix` in small letters. */
export function selectIdOfNumber(
  db: Db,
  { businessId, live }: Tenant,
  { prefix, number }: { prefix: string; number: number },
) {
  return db.maybe<{ id: number }>`
    select id from invoices
    where business_id = ${businessId} and live = ${live} and number = ${number}
      and lower(number_prefix) = ${prefix}
    union all
    select id from invoices
    where business_id = ${businessId} and live = ${live} and id = ${number} and number is null
      and ${prefix} = lower(${DEFAULT_PREFIX})
    limit 1`
}

const orderOf = ({ descending }: InvoiceFilter): Sql =>
  descending ? sql`created_at desc, id desc` : sql`created_at, id`

const isLate = ({ day }: { day: string }): Sql =>
  sql`status in ('Sent', 'PartiallyPaid') and due_date < ${day}::date`

/** The invoices that are meant, as a table. `tail` orders and cuts each of its parts. */
function matching(
  tenant: Tenant,
  filter: InvoiceFilter,
  { further, tail = sql`` }: { further?: Sql | undefined; tail?: Sql } = {},
): Sql {
  const parts = conditions(tenant, filter, further).map(
    (wanted) => sql`(select * from invoices where ${wanted} ${tail})`,
  )
  return sql`(${parts.reduce((left, right) => sql`${left} union all ${right}`)}) invoices`
}

/** What the invoices that are meant meet, each of them exactly one of it. */
function conditions(
  tenant: Tenant,
  { status, overdue, search, range }: Omit<InvoiceFilter, 'descending'>,
  further?: Sql,
): Sql[] {
  const wanted = all([
    of(tenant),
    status && sql`status = ${status}`,
    createdIn(range),
    search && ('id' in search ? sql`id = ${search.id}` : hasText(search.text)),
    further,
  ])
  if (!overdue) return [wanted]
  // The first part has an index in the order of the list. The second is what fell due since the
  // schedule was last looked at: mostly nothing. Numbers of steps are written out, so that the
  // planner sees the condition of the index.
  const late = isLate(overdue)
  return [
    sql`${wanted} and ${late} and next_step > 2`,
    sql`${wanted} and ${late} and next_step <= 2 and next_step_at <= ${overdue.now}`,
  ]
}
