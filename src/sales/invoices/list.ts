import { hasMovedSince } from '../../business/account/service.ts'
import { exportList } from '../../db/csv.ts'
import type { Db } from '../../db/database.ts'
import { type List, paginate } from '../../db/paginate.ts'
import { sql } from '../../db/sql.ts'
import { searchFor } from '../../db/text-search.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import type { Cell } from '../../lib/csv.ts'
import { dayIn } from '../../lib/dates.ts'
import { invoiceNumber, parseNumber } from '../../lib/invoice-number.ts'
import { printMinor } from '../../lib/money.ts'
import { isDescending, oneOf, rangeOf } from '../../lib/paging.ts'
import {
  COLUMNS as INVOICE,
  type InvoiceRow,
  selectIdOfNumber,
  type WholeRow,
  wholeColumns,
} from './queries.ts'
import { INVOICES, type InvoiceRecordDeps, isOverdue, pageUrlOf } from './record.ts'
import { INVOICE_STATES, type InvoiceFilters, type InvoiceQuery } from './schemas.ts'
import { wholeRecordsOf } from './service.ts'

export async function listInvoices(
  db: Db,
  shown: InvoiceRecordDeps,
  caller: Caller,
  query: InvoiceQuery,
) {
  const columns = wholeColumns(sql`page`)
  const list = { ...(await listOf(db, caller, query)), columns }
  const { rows, meta } = await paginate<WholeRow>(db, list, query)
  return { records: await wholeRecordsOf(shown, caller, rows), meta }
}

/** Final states. */
const LASTING: readonly string[] = ['Paid', 'Void']

/**
 * After a business changes its time zone, an invoice's next step is still due at the time of the
 * old zone. The schedule takes that step, and computes the next one in the new zone, no later than
 * this if the invoice becomes overdue.
 */
const RESCHEDULED_MS = 7 * 24 * 3_600_000

/** The difference between UTC-12 and UTC+14. */
const FARTHEST_EAST_MS = 26 * 3_600_000

/** Builds the list for a query; throws 400 naming invalid filters. */
async function listOf(db: Db, caller: Caller, query: InvoiceFilters): Promise<List> {
  const { timeZone, now } = caller
  const status = oneOf('status', [...INVOICE_STATES, 'Overdue'], query.status)
  const range = rangeOf(query, timeZone)
  const text = query.search?.trim()
  const id = text ? await idOf(db, caller, text) : undefined
  const list = {
    table: sql`invoices`,
    columns: INVOICE,
    tenant: caller,
    range,
    isDescending: isDescending(query.sort),
    search: id === undefined ? searchFor(INVOICES, text) : undefined,
  }
  const isNamed = id === undefined ? undefined : sql`id = ${id}`
  if (status !== 'Overdue') {
    return {
      ...list,
      filters: [status && sql`status = ${status}`, isNamed],
      counts: { isLasting: status === undefined || LASTING.includes(status) },
    }
  }
  const day = dayIn(timeZone, now)
  const hasMoved = await hasMovedSince(db, caller, addMs(now, -RESCHEDULED_MS))
  const until = hasMoved ? addMs(now, FARTHEST_EAST_MS) : now
  return {
    ...list,
    filters: [sql`status in ('Sent', 'PartiallyPaid') and due_date < ${day}::date`, isNamed],
    // The first condition has an index in the list’s order. The second finds the invoices, usually
    // none, that have become overdue since the last run of the schedule. The step numbers are
    // literals so that the planner can match the index’s condition.
    either: [sql`next_step > 2`, sql`next_step <= 2 and next_step_at <= ${until}`],
    counts: { key: JSON.stringify([status, day, range, id]) },
  }
}

/**
 * A string of digits is an id, and a prefix followed by digits is an invoice number. Anything else,
 * including an unknown number, is searched for in names and email addresses.
 */
async function idOf(db: Db, tenant: Tenant, text: string): Promise<number | undefined> {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  const number = parseNumber(text)
  return number && (await selectIdOfNumber(db, tenant, number))?.id
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
 * Exports all invoices that match the filters as CSV, in list order. `exportRows` describes how the
 * rows are read.
 */
export async function exportInvoices(
  { db, publicUrl }: Pick<Deps, 'db' | 'publicUrl'>,
  caller: Caller,
  filters: InvoiceFilters,
): Promise<AsyncIterable<string>> {
  return exportList<InvoiceRow>(db, await listOf(db, caller, filters), {
    columns: COLUMNS,
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
    pageUrlOf({ publicUrl }, row),
  ]
}
