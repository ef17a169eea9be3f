import { exportRows } from '../../db/csv.ts'
import type { Db } from '../../db/database.ts'
import { ANEW, all, type Sql, sql } from '../../db/sql.ts'
import {
  candidates,
  containsText,
  createdIn,
  of,
  recordOf,
  type TextIndex,
} from '../../db/text-search.ts'
import type { Deps } from '../../deps.ts'
import { textSweeper } from '../../jobs/text-index.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import type { Cell } from '../../lib/csv.ts'
import { dayIn } from '../../lib/dates.ts'
import { DEFAULT_PREFIX, invoiceNumber, parseNumber } from '../../lib/invoice-number.ts'
import { printMinor } from '../../lib/money.ts'
import {
  isDescending,
  type Page,
  pageOf,
  type Range,
  rangeOf,
  TOTAL_MAX,
  windowOf,
} from '../../lib/paging.ts'
import { invalid } from '../../lib/problem.ts'
import { receivedFor } from '../../payments/attempts/read.ts'
import { COLUMNS as INVOICE, type InvoiceRow } from './queries.ts'
import { invoiceRecord, isOverdue, type ShownBy, tokenOf } from './record.ts'
import type { InvoiceFilters, InvoiceQuery } from './schemas.ts'
import { INVOICE_PURPOSE } from './service.ts'
import { INVOICE_STATES, type InvoiceState } from './states.ts'

/** One page of invoices with its meta. */
export async function listInvoices(
  db: Db,
  { publicUrl, providers }: ShownBy,
  caller: Caller,
  query: InvoiceQuery,
) {
  const found = await findInvoices(db, caller, await filterOf(db, caller, query), query)
  const { rows, meta } = pageOf(found.rows, query, found.total)
  const ids = rows.filter(({ status }) => !UNPAID.includes(status)).map(({ id }) => id)
  const received = await receivedFor(db, caller, INVOICE_PURPOSE, ids)
  const records = rows.map((row) =>
    invoiceRecord(row, { publicUrl, providers, ...caller, payments: received.get(row.id) ?? [] }),
  )
  return { records, meta }
}

/** A payment of any of the others may have come, be it too late for one that is Void. */
const UNPAID: readonly InvoiceState[] = ['Draft', 'Sent']

/** What a query asks for; throws 400 naming what cannot be asked. */
async function filterOf(db: Db, caller: Caller, query: InvoiceFilters): Promise<InvoiceFilter> {
  const { status: wanted, search, sort } = query
  const { timeZone, now } = caller
  const status = wanted === undefined ? undefined : statusOf(wanted)
  return {
    status: status === 'Overdue' ? undefined : status,
    overdue: status === 'Overdue' ? { day: dayIn(timeZone, now), now } : undefined,
    search: await searchOf(db, caller, search?.trim()),
    range: rangeOf(query, timeZone),
    descending: isDescending(sort),
  }
}

function statusOf(wanted: string): InvoiceState | 'Overdue' {
  const known = [...INVOICE_STATES, 'Overdue'] as const
  const status = known.find((name) => name.toLowerCase() === wanted.toLowerCase())
  if (!status) throw invalid({ status: [`must be one of ${known.join(', ')}`] })
  return status
}

/**
 * All digits are an id, a prefix and digits an invoice number. Anything else, and what is nobody's
 * number, is a part of a name or an email address.
 */
async function searchOf(
  db: Db,
  tenant: Tenant,
  search: string | undefined,
): Promise<InvoiceFilter['search']> {
  if (!search) return undefined
  if (/^\d{1,15}$/.test(search)) return { id: Number(search) }
  const number = parseNumber(search)
  const found = number && (await selectIdOfNumber(db, tenant, number))
  return found ?? { text: search }
}

const COLUMNS = [
  'invoiceNumber',
  'reference',
  'status',
  'isOverdue',
  'customerName',
  'customerEmail',
  'customerPhone',
  'currency',
  'amount',
  'amountPaid',
  'amountDue',
  'dueDate',
  'note',
  'sentAt',
  'viewedAt',
  'paidAt',
  'voidedAt',
  'createdAt',
  'hostedUrl',
]

/**
 * All invoices that the filters match, as CSV, in the order of the list. `exportRows` says how they
 * are read.
 */
export async function exportInvoices(
  { db, publicUrl }: Pick<Deps, 'db' | 'publicUrl'>,
  caller: Caller,
  filters: InvoiceFilters,
): Promise<AsyncIterable<string>> {
  const filter = await filterOf(db, caller, filters)
  return exportRows<InvoiceRow>(db, {
    columns: COLUMNS,
    read: (tx, after, rowsMax) => selectAfter(tx, caller, filter, after, rowsMax),
    cellsOf: (row) => cellsOf(row, publicUrl, caller),
  })
}

function cellsOf(row: InvoiceRow, publicUrl: string, { timeZone, now }: Caller): Cell[] {
  const { currency, amount_minor, paid_minor, status } = row
  return [
    invoiceNumber(row),
    row.reference,
    status,
    isOverdue(row, timeZone, now),
    row.customer_name,
    row.customer_email,
    row.customer_phone,
    currency,
    printMinor(amount_minor, currency),
    printMinor(paid_minor, currency),
    printMinor(status === 'Void' ? 0n : amount_minor - paid_minor, currency),
    row.due_date,
    row.note,
    row.sent_at,
    row.viewed_at,
    row.paid_at,
    row.voided_at,
    row.created_at,
    `${publicUrl}/i/${tokenOf(row)}`,
  ]
}

/** Which invoices are meant, by a list or by an export. */
interface InvoiceFilter {
  status: InvoiceState | undefined
  /** Only what is out and was due before this day; `now` is when that is asked. */
  overdue: { day: string; now: Date } | undefined
  search: { id: number } | { text: string } | undefined
  range: Range
  descending: boolean
}

/** One page and one row more, and how many match; above TOTAL_MAX that is all that is told. */
interface Found {
  rows: InvoiceRow[]
  total: number
}

const MANY = TOTAL_MAX + 1

const ALWAYS: Range = { from: undefined, until: undefined }

/** That have a text, and of which the state is looked up one by one: some 100 ms. */
const FILTERED_MAX = 50_000

/** One page, newest (or oldest) first. One statement, and two for a text that very many have. */
async function findInvoices(
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
  const rows = await db.many<InvoiceRow>`select ${INVOICE} from ${pageQuery(tenant, filter, page)}`
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
      select * from ${pageQuery(tenant, filter, page)}
    )
    select total, ${INVOICE} from counted left join page on true order by ${orderOf(filter)}`
  return foundIn(rows)
}

/** The rows of a page as a table, in order. */
function pageQuery(tenant: Tenant, filter: InvoiceFilter, page: Page): Sql {
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
    select counted.*, ${INVOICE}
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
function selectAfter(
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
    select ${INVOICE} from ${matching(tenant, filter, { further, tail })} ${tail}`
}

/** The invoice that a number names; `prefix` in small letters. */
function selectIdOfNumber(
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
    search && ('id' in search ? sql`id = ${search.id}` : containsText(search.text)),
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

/**
 * Above TOTAL_MAX no total is told, so counting so far again for each page is for nothing: it would
 * be most of what a page costs. Invoices are never deleted, so what was more than TOTAL_MAX stays
 * so, unless they can leave the state that was asked for. Of those more are counted at first, and
 * it is believed for as long as it takes until so many can have left.
 */
const SPARE_MAX = 2 * TOTAL_MAX

/** Twice as many as one process was seen to change, in a millisecond. */
const LEAVING_PER_MS = 4

/** States that are never left. */
const LASTING: readonly string[] = ['Paid', 'Void']

/** Of each database, since tests have several, with businesses of the same ids. */
const known = new WeakMap<object, Map<string, number>>()
const KNOWN_MAX = 10_000

/** How far to count, when it is not known. */
const countUpTo = (filter: InvoiceFilter): number =>
  TOTAL_MAX + 1 + (isLasting(filter) ? 0 : SPARE_MAX)

/** Whether more than TOTAL_MAX match for certain, so that nobody need count. */
function isKnownMany(db: Db, tenant: Tenant, filter: InvoiceFilter): boolean {
  const until = known.get(db)?.get(keyOf(tenant, filter))
  return until !== undefined && performance.now() < until
}

/** Takes down what was counted, up to `countUpTo`. */
function learn(db: Db, tenant: Tenant, filter: InvoiceFilter, counted: number): void {
  const spare = counted - TOTAL_MAX - 1
  if (spare < 0) return
  const ours = known.get(db) ?? new Map<string, number>()
  known.set(db, ours)
  if (ours.size >= KNOWN_MAX) ours.clear()
  const lifeMs = isLasting(filter) ? Number.POSITIVE_INFINITY : spare / LEAVING_PER_MS
  ours.set(keyOf(tenant, filter), performance.now() + lifeMs)
}

const isLasting = ({ status, overdue }: InvoiceFilter): boolean =>
  !overdue && (status === undefined || LASTING.includes(status))

const keyOf = ({ businessId, live }: Tenant, { status, overdue, range }: InvoiceFilter): string =>
  [businessId, live, status, overdue?.day, range.from?.getTime(), range.until?.getTime()].join()

export const INVOICE_TEXTS: TextIndex = {
  records: sql`invoices`,
  texts: sql`invoice_texts`,
  due: sql`invoice_texts_due`,
}

export const invoiceTextSweeper = textSweeper('invoice-texts', INVOICE_TEXTS)
