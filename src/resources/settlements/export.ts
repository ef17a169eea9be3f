import { exportRows } from '../../db/csv.ts'
import type { Database } from '../../db/database.ts'
import { printMinor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { type LineRow, selectLinesAfter } from './queries-lines.ts'
import { findSettlement, recordsOf } from './service.ts'

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
 * All lines of a settlement as CSV, oldest first, as `exportRows` reads them. A settlement that
 * fails meanwhile loses its lines, which breaks the file off: no part is taken for the whole.
 */
export async function exportSettlement(
  db: Database,
  tenant: Tenant,
  reference: string,
): Promise<AsyncIterable<string>> {
  const row = await findSettlement(db, tenant, reference)
  const [record] = await recordsOf(db, tenant, [row])
  const begin = [row.reference, record!.subaccountCode, record!.business_name]
  const wanted = row.status === 'Failed' ? 0 : row.entry_count
  return exportRows<LineRow>(db, {
    columns: COLUMNS,
    read: (tx, after, rowsMax) => selectLinesAfter(tx, tenant, row.id, after?.id ?? 0, rowsMax),
    cellsOf: (line) => [...begin, ...cellsOf(line)],
    checkCount(count) {
      if (count !== wanted) throw new Error(`${count} of ${wanted} lines of ${reference} were read`)
    },
  })
}

const cellsOf = (line: LineRow) => [
  line.kind,
  line.transaction_id,
  line.transaction_reference,
  line.refund_reference,
  line.currency,
  { decimal: printMinor(line.amount_minor, line.currency) },
  line.created_at,
]
