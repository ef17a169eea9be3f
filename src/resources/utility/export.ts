import type { Database } from '../../db/database.ts'
import { CSV_START, csvLine } from '../../lib/csv.ts'
import { printMinor } from '../../lib/money.ts'
import type { Caller } from '../../lib/tenant.ts'
import { filterOf } from './list.ts'
import type { UtilityRow } from './queries.ts'
import { selectOlder } from './queries-list.ts'
import type { PaymentFilters } from './schemas.ts'

/** 1,000 are some 300 kB. */
const PAGE_ROWS = 1_000
const PAGE_MS = 60_000

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

/**
 * All utility payments that the filters match, as CSV, newest first. Rows are read page by page as
 * the text is taken, each page by a statement of its own: a reader that is slow or leaves holds no
 * connection. Resolves when the first page is there, so that a failure until then is an answer.
 */
export async function exportPayments(
  db: Database,
  caller: Caller,
  filters: PaymentFilters,
): Promise<AsyncIterable<string>> {
  const filter = filterOf(caller, filters)
  const read = (after: UtilityRow | undefined) =>
    db.transaction((tx) => selectOlder(tx, caller, filter, after, PAGE_ROWS), {
      statementMs: PAGE_MS,
    })
  const first = await read(undefined)
  return pages()

  async function* pages() {
    yield CSV_START + csvLine(COLUMNS)
    for (let rows = first; rows.length > 0; rows = await read(rows.at(-1))) {
      yield rows.map(lineOf).join('')
      if (rows.length < PAGE_ROWS) return
    }
  }
}

function lineOf(row: UtilityRow): string {
  const money = (minor: UtilityRow['amount_minor']) => ({
    decimal: printMinor(minor, row.currency),
  })
  return csvLine([
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
  ])
}
