import { exportRows } from '../db/csv.ts'
import type { Database } from '../db/database.ts'
import { printMinor } from '../lib/money.ts'
import { rangeOfDay } from './days.ts'
import { type DayKey, type EntryFilter, type EntryRow, selectEntriesAfter } from './queries.ts'

const COLUMNS = [
  'at',
  'kind',
  'class',
  'status',
  'providerId',
  'reference',
  'currency',
  'amount',
  'fee',
  'settlementId',
  'orderKind',
  'orderReference',
]

/** Returns the entries of a day as CSV, in the order in which the provider had them. */
export const exportEntries = (
  db: Database,
  key: DayKey,
  filter: Pick<EntryFilter, 'class' | 'kind'>,
): Promise<AsyncIterable<string>> =>
  exportRows<EntryRow>(db, {
    columns: COLUMNS,
    read: (tx, after, take) =>
      selectEntriesAfter(tx, key, rangeOfDay(key.day), { ...filter, after, take }),
    cellsOf: (row) => [
      row.at,
      row.kind,
      row.class,
      row.status,
      row.provider_id,
      row.reference,
      row.currency,
      { decimal: printMinor(row.amount_minor, row.currency) },
      row.fee_minor === null ? null : { decimal: printMinor(row.fee_minor, row.currency) },
      row.settlement_id,
      row.order_kind,
      row.order_reference,
    ],
  })
