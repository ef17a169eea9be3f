import type { Database } from '../../db/database.ts'
import { CSV_START, csvLine } from '../../lib/csv.ts'
import { printMinor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { type LineRow, selectLinesAfter } from './queries-lines.ts'
import { findSettlement, recordsOf } from './service.ts'

/** 1,000 are some 200 kB. */
const PAGE_ROWS = 1_000
const PAGE_MS = 60_000

const COLUMNS = [
  'settlement',
  'subaccountCode',
  'business_name',
  'kind',
  'transactionId',
  'transactionReference',
  'refundReference',
  'currency',
  'amount',
  'createdAt',
]

/**
 * All lines of a settlement as CSV, oldest first. They are read page by page as the text is taken,
 * each page by a statement of its own: a reader that is slow or leaves holds no connection.
 * Resolves when the first page is there, so that a failure until then is an answer. A settlement
 * that fails meanwhile loses its lines, which breaks the file off: no part is taken for the whole.
 */
export async function exportSettlement(
  db: Database,
  tenant: Tenant,
  reference: string,
): Promise<AsyncIterable<string>> {
  const row = await findSettlement(db, tenant, reference)
  const [record] = await recordsOf(db, tenant, [row])
  const begin = [row.reference, record!.subaccountCode, record!.business_name]
  const first = await readPage(db, tenant, row.id, 0)
  return pages()

  async function* pages() {
    yield CSV_START + csvLine(COLUMNS)
    let count = first.length
    for (let lines = first; lines.length > 0; count += lines.length) {
      yield lines.map((line) => csvLine([...begin, ...cellsOf(line)])).join('')
      if (lines.length < PAGE_ROWS) break
      lines = await readPage(db, tenant, row.id, lines.at(-1)!.id)
    }
    const wanted = row.status === 'Failed' ? 0 : row.entry_count
    if (count !== wanted) throw new Error(`${count} of ${wanted} lines of ${reference} were read`)
  }
}

const readPage = (db: Database, tenant: Tenant, id: number, after: number): Promise<LineRow[]> =>
  db.transaction((tx) => selectLinesAfter(tx, tenant, id, after, PAGE_ROWS), {
    statementMs: PAGE_MS,
  })

const cellsOf = (line: LineRow) => [
  line.kind,
  line.transaction_id,
  line.transaction_reference,
  line.refund_reference,
  line.currency,
  { decimal: printMinor(line.amount_minor, line.currency) },
  line.created_at,
]
