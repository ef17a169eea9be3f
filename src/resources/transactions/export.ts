import type { Database } from '../../db/database.ts'
import { CSV_START, csvLine } from '../../lib/csv.ts'
import { printMinor } from '../../lib/money.ts'
import type { Caller } from '../../lib/tenant.ts'
import type { Deps } from '../deps.ts'
import { filterOf } from './list.ts'
import type { TransactionRow } from './queries.ts'
import { selectOlder, type TransactionFilter } from './queries-list.ts'
import { netOf } from './record.ts'
import type { TransactionFilters } from './schemas-read.ts'

/** 1,000 are some 300 kB. */
const PAGE_ROWS = 1_000
const PAGE_MS = 60_000

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

/**
 * All transactions that the filters match, as CSV, newest first. Rows are read page by page as the
 * text is taken, each page by a statement of its own: a reader that is slow or leaves holds no
 * connection. Resolves when the first page is there, so that a failure until then is an answer.
 */
export async function exportTransactions(
  { db }: Pick<Deps, 'db'>,
  caller: Caller,
  filters: TransactionFilters,
): Promise<AsyncIterable<string>> {
  const filter = filterOf(caller, filters)
  const first = await readPage(db, caller, filter, undefined)
  return pages()

  async function* pages() {
    yield CSV_START + csvLine(COLUMNS)
    for (let rows = first; rows.length > 0; ) {
      yield rows.map(lineOf).join('')
      if (rows.length < PAGE_ROWS) return
      rows = await readPage(db, caller, filter, rows.at(-1))
    }
  }
}

const readPage = (
  db: Database,
  caller: Caller,
  filter: TransactionFilter,
  after: TransactionRow | undefined,
): Promise<TransactionRow[]> =>
  db.transaction((tx) => selectOlder(tx, caller, filter, after, PAGE_ROWS), {
    statementMs: PAGE_MS,
  })

function lineOf(row: TransactionRow): string {
  const { currency } = row
  return csvLine([
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
  ])
}
