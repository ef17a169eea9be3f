import type { Database } from '../../db/database.ts'
import { CSV_START, csvLine } from '../../lib/csv.ts'
import { printMinor } from '../../lib/money.ts'
import type { Caller } from '../../lib/tenant.ts'
import type { Deps } from '../deps.ts'
import { filterOf } from './list.ts'
import type { InvoiceRow } from './queries.ts'
import { type InvoiceFilter, selectAfter } from './queries-list.ts'
import { invoiceNumber, isOverdue, tokenOf } from './record.ts'
import type { InvoiceFilters } from './schemas.ts'

/** 1,000 are some 300 kB. */
const PAGE_ROWS = 1_000
const PAGE_MS = 60_000

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
 * All invoices that the filters match, as CSV, in the order of the list. Rows are read page by page
 * as the text is taken, each page by a statement of its own: a reader that is slow or leaves holds
 * no connection. Resolves when the first page is there, so that a failure until then is an answer.
 */
export async function exportInvoices(
  { db, publicUrl }: Pick<Deps, 'db' | 'publicUrl'>,
  caller: Caller,
  filters: InvoiceFilters,
): Promise<AsyncIterable<string>> {
  const filter = filterOf(caller, filters)
  const first = await readPage(db, caller, filter, undefined)
  return pages()

  async function* pages() {
    yield CSV_START + csvLine(COLUMNS)
    for (let rows = first; rows.length > 0; ) {
      yield rows.map((row) => lineOf(row, publicUrl, caller)).join('')
      if (rows.length < PAGE_ROWS) return
      rows = await readPage(db, caller, filter, rows.at(-1))
    }
  }
}

const readPage = (
  db: Database,
  caller: Caller,
  filter: InvoiceFilter,
  after: InvoiceRow | undefined,
): Promise<InvoiceRow[]> =>
  db.transaction((tx) => selectAfter(tx, caller, filter, after, PAGE_ROWS), {
    statementMs: PAGE_MS,
  })

function lineOf(row: InvoiceRow, publicUrl: string, { timeZone, now }: Caller): string {
  const { currency, amount_minor, paid_minor, status } = row
  return csvLine([
    invoiceNumber(row.id),
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
  ])
}
