import { exportRows } from '../../db/csv.ts'
import type { Cell } from '../../lib/csv.ts'
import { printMinor } from '../../lib/money.ts'
import type { Caller } from '../../lib/tenant.ts'
import type { Deps } from '../deps.ts'
import { filterOf } from './list.ts'
import { invoiceNumber } from './number.ts'
import type { InvoiceRow } from './queries.ts'
import { selectAfter } from './queries-list.ts'
import { isOverdue, tokenOf } from './record.ts'
import type { InvoiceFilters } from './schemas.ts'

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
