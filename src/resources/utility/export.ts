import { exportRows } from '../../db/csv.ts'
import type { Database } from '../../db/database.ts'
import type { Cell } from '../../lib/csv.ts'
import { printMinor } from '../../lib/money.ts'
import type { Caller } from '../../lib/tenant.ts'
import { filterOf } from './list.ts'
import type { UtilityRow } from './queries.ts'
import { selectOlder } from './queries-list.ts'
import type { PaymentFilters } from './schemas.ts'

const COLUMNS = [
  'reference',
  'paymentReference',
  'status',
  'category',
  'billerName',
  'packageName',
  'customerId',
  'customerName',
  'currency',
  'amount',
  'fee',
  'total',
  'channel',
  'phoneNumber',
  'email',
  'token',
  'pins',
  'failureReason',
  'createdAt',
  'completedAt',
]

/** All utility payments that match, as CSV, newest first, as `exportRows` reads them. */
export function exportPayments(
  db: Database,
  caller: Caller,
  filters: PaymentFilters,
): Promise<AsyncIterable<string>> {
  const filter = filterOf(caller, filters)
  return exportRows<UtilityRow>(db, {
    columns: COLUMNS,
    read: (tx, after, rowsMax) => selectOlder(tx, caller, filter, after, rowsMax),
    cellsOf,
  })
}

function cellsOf(row: UtilityRow): Cell[] {
  const money = (minor: UtilityRow['amount_minor']) => ({
    decimal: printMinor(minor, row.currency),
  })
  return [
    row.reference,
    row.payment_reference,
    row.status,
    row.category,
    row.biller_name,
    row.package_name,
    row.customer_id,
    row.customer_name,
    row.currency,
    money(row.amount_minor),
    money(row.fee_minor),
    money(row.amount_minor + row.fee_minor),
    row.channel,
    row.phone_number,
    row.email,
    row.token_value,
    row.pins.join(' '),
    row.status === 'Failed' ? row.message : null,
    row.created_at,
    row.completed_at,
  ]
}
