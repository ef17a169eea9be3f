import type { Db } from '../../db/database.ts'
import { all, containing, type Sql, sql } from '../../db/sql.ts'
import { type Page, type Range, TOTAL_MAX, windowOf } from '../../lib/paging.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { COLUMNS, type InvoiceRow } from './queries.ts'
import { piecesOfSearch } from './search-text.ts'
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

/** One page and one row more, and how many match, counted no further than one past TOTAL_MAX. */
export interface Found {
  rows: InvoiceRow[]
  total: number
}

/** One page, newest (or oldest) first. One statement, and two for a text that very many have. */
export async function findInvoices(
  db: Db,
  tenant: Tenant,
  filter: InvoiceFilter,
  page: Page,
): Promise<Found> {
  const { search } = filter
  const found = search && 'text' in search && (await findByText(db, tenant, filter, search, page))
  return found || findInOrder(db, tenant, filter, page)
}

// Beside each row of the page, and alone in one when the page is empty, stands the count.
type Row = InvoiceRow & { total: number }

const foundIn = (rows: Row[]): Found => ({
  rows: rows.filter(({ id }) => id !== null),
  total: rows[0]?.total ?? 0,
})

async function findInOrder(
  db: Db,
  tenant: Tenant,
  filter: InvoiceFilter,
  page: Page,
): Promise<Found> {
  const { offset, take } = windowOf(page)
  const invoices = matching(tenant, filter)
  const order = orderOf(filter)
  const rows = await db.many<Row>`
    with counted as (
      select count(*)::bigint as total
      from (select 1 from ${invoices} limit ${TOTAL_MAX + 1}) matches
    ), page as materialized (
      select * from ${invoices} order by ${order} limit ${take} offset ${offset}
    )
    select total, ${COLUMNS} from counted left join page on true order by ${order}`
  return foundIn(rows)
}

/**
 * Through the index of texts, and the queue of those that are not in it yet. Undefined when more
 * than TOTAL_MAX have the text: they are so many that the list itself soon comes by a page of them.
 */
async function findByText(
  db: Db,
  tenant: Tenant,
  filter: InvoiceFilter,
  { text }: { text: string },
  page: Page,
): Promise<Found | undefined> {
  const { offset, take } = windowOf(page)
  const order = orderOf(filter)
  const others = { ...filter, search: undefined }
  const isFiltered = filter.status !== undefined || filter.overdue !== undefined
  const matches = isFiltered
    ? sql`select id, invoices.created_at from ${matching(tenant, others)}
        join candidates using (id)`
    : sql`select id, created_at from candidates`
  const rows = await db.many<Row & { found: number }>`
    with candidates as materialized (
      ${candidates(tenant, filter.range, lowered(text))} limit ${TOTAL_MAX + 1}
    ), matches as materialized (
      ${matches}
    ), page as (
      select * from invoices
      where ${of(tenant)}
        and id in (select id from matches order by ${order} limit ${take} offset ${offset})
    )
    select counted.*, ${COLUMNS}
    from (select (select count(*) from candidates) as found,
            (select count(*) from matches) as total) counted
      left join page on true
    order by ${order}`
  return rows[0]!.found > TOTAL_MAX ? undefined : foundIn(rows)
}

function candidates(tenant: Tenant, range: Range, text: string): Sql {
  const pattern = containing(text)
  const due = sql`(select id from invoice_texts_due where ${of(tenant)})`
  return sql`
    select id, created_at from invoice_texts
    where ${of(tenant)} and ${createdIn(range)}
      and pieces @> ${piecesOfSearch(tenant, text)}::integer[] and text like ${pattern}
      and id not in ${due}
    union all
    select id, created_at from invoices
    where ${of(tenant)} and ${createdIn(range)} and ${hasText(pattern)} and id in ${due}`
}

const lowered = (text: string) => text.toLowerCase()

/** So many, from where the last ones ended: for reading on without an offset. */
export function selectAfter(
  db: Db,
  tenant: Tenant,
  filter: InvoiceFilter,
  after: Pick<InvoiceRow, 'created_at' | 'id'> | undefined,
  limit: number,
) {
  const position = after && sql`(${after.created_at}::timestamptz, ${after.id}::bigint)`
  const further = !position
    ? sql`true`
    : filter.descending
      ? sql`(created_at, id) < ${position}`
      : sql`(created_at, id) > ${position}`
  return db.many<InvoiceRow>`
    select ${COLUMNS} from ${matching(tenant, filter)}
    where ${further} order by ${orderOf(filter)} limit ${limit}`
}

const orderOf = ({ descending }: InvoiceFilter): Sql =>
  descending ? sql`created_at desc, id desc` : sql`created_at, id`

const of = ({ businessId, live }: Tenant): Sql =>
  sql`business_id = ${businessId} and live = ${live}`

const createdIn = ({ from, until }: Range): Sql =>
  all([from && sql`created_at >= ${from}`, until && sql`created_at < ${until}`])

const hasText = (pattern: string): Sql =>
  sql`(lower(customer_email) like ${pattern} or lower(customer_name) like ${pattern})`

/** The invoices that are meant, as a table. */
function matching(tenant: Tenant, { status, overdue, search, range }: InvoiceFilter): Sql {
  const wanted = all([
    of(tenant),
    status && sql`status = ${status}`,
    createdIn(range),
    search && ('id' in search ? sql`id = ${search.id}` : hasText(containing(lowered(search.text)))),
  ])
  if (!overdue) return sql`(select * from invoices where ${wanted}) invoices`
  const late = sql`status in ('Sent', 'PartiallyPaid') and due_date < ${overdue.day}::date`
  // The first part has an index in the order of the list. The second is what fell due since the
  // schedule was last looked at: mostly nothing.
  return sql`(
    select * from invoices where ${wanted} and ${late} and next_step > ${OVERDUE}
    union all
    select * from invoices
    where ${wanted} and ${late} and next_step <= ${OVERDUE} and next_step_at <= ${overdue.now}
  ) invoices`
}

// Written out, so that the planner sees the condition of the index.
const OVERDUE = sql`2`
