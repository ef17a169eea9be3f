import { exportRows } from '../../db/csv.ts'
import type { Cell } from '../../lib/csv.ts'
import { printMinor } from '../../lib/money.ts'
import type { Caller } from '../../lib/tenant.ts'
import type { Deps } from '../deps.ts'
import { filterOf } from './list.ts'
import type { TransactionRow } from './queries.ts'
import { selectOlder } from './queries-list.ts'
import { netOf } from './record.ts'
import type { TransactionFilters } from './schemas-read.ts'

const COLUMNS = [
  'id',
  'reference',
  'status',
  'channel',
  'currency',
  'amount',
  'fees',
  'feeBearer',
  'netAmount',
  'overpaidAmount',
  'refundedAmount',
  'customerName',
  'customerEmail',
  'customerPhone',
  'invoiceReference',
  'splitPageId',
  'gatewayResponse',
  'message',
  'late',
  'paidAt',
  'expiresAt',
  'createdAt',
]

/** All transactions that the filters match, as CSV, newest first, as `exportRows` reads them. */
export function exportTransactions(
  { db }: Pick<Deps, 'db'>,
  caller: Caller,
  filters: TransactionFilters,
): Promise<AsyncIterable<string>> {
  const filter = filterOf(caller, filters)
  return exportRows<TransactionRow>(db, {
    columns: COLUMNS,
    read: (tx, after, rowsMax) => selectOlder(tx, caller, filter, after, rowsMax),
    cellsOf,
  })
}

function cellsOf(row: TransactionRow): Cell[] {
  const { currency } = row
  return [
    row.id,
    row.reference,
    row.status,
    row.channel,
    currency,
    printMinor(row.amount_minor, currency),
    printMinor(row.fee_minor, currency),
    row.fee_bearer,
    { decimal: printMinor(netOf(row), currency) },
    printMinor(row.excess_minor, currency),
    printMinor(row.refunded_minor, currency),
    row.customer_name,
    row.customer_email,
    row.customer_phone,
    row.invoice_reference,
    row.split_page_id,
    row.gateway_response,
    row.message,
    row.late,
    row.paid_at,
    row.expires_at,
    row.created_at,
  ]
}
