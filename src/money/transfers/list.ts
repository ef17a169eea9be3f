import { exportList } from '../../db/csv.ts'
import type { Database, Db } from '../../db/database.ts'
import { paginate } from '../../db/paginate.ts'
import { type Searchable, searchFor } from '../../db/text-search.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import type { Cell } from '../../lib/csv.ts'
import { printMinor } from '../../lib/money.ts'
import { isDescending, oneOf, rangeOf } from '../../lib/paging.ts'
import { invalid, notFound } from '../../lib/problem.ts'
import { knownBank } from '../../providers/banks/account-fields.ts'
import { selectTransfer, type TransferFilter, type TransferRow, transferList } from './queries.ts'
import { transferRecord } from './record.ts'
import type { TransferFilters, TransferQuery, TransferQueryOfBusiness } from './schemas.ts'
import { TRANSFER_STATES } from './states.ts'

export const TRANSFERS: Searchable<TransferRow> = {
  kind: 'transfer',
  table: 'transfers',
  fields: [
    'account_number',
    'bank_name',
    'account_name',
    'narration',
    'transfer_reference',
    'reference',
  ],
  commonStart: 'trf_',
}

/** Finds a transfer by our reference or the caller's. */
export const findTransfer = (db: Db, tenant: Tenant, reference: string) =>
  selectTransfer(db, tenant, reference)

export async function getTransfer(db: Db, caller: Caller, reference: string) {
  const row = await findTransfer(db, caller, reference)
  if (!row) throw notFound('transfer')
  return transferRecord(row, caller)
}

/** Like `listTransfers`, but also throws 400 for another business's id. */
export async function listTransfersOf(db: Db, caller: Caller, query: TransferQueryOfBusiness) {
  if (query.businessId !== caller.businessId)
    throw invalid({ businessId: ['must be the id of the business that the key belongs to'] })
  return listTransfers(db, caller, query)
}

/** Returns one page of transfers with its meta. Throws 400 naming an invalid filter. */
export async function listTransfers(db: Db, caller: Caller, query: TransferQuery) {
  const list = transferList(caller, filterOf(caller, query))
  const { rows, meta } = await paginate<TransferRow>(db, list, query)
  return { records: rows.map((row) => transferRecord(row, caller)), meta }
}

function filterOf(caller: Caller, query: TransferFilters): TransferFilter {
  const { bankCode, accountNumber, transferReference } = query
  return {
    status: oneOf('status', TRANSFER_STATES, query.status),
    bankCode: bankCode === undefined ? undefined : knownBank(bankCode, 'bankCode').code,
    accountNumber,
    reference: transferReference,
    range: rangeOf(query, caller.timeZone),
    isDescending: isDescending(query.sort),
    search: searchFor(TRANSFERS, query.search),
  }
}

const CSV_COLUMNS = [
  'id',
  'reference',
  'transferReference',
  'status',
  'currency',
  'amount',
  'fee',
  'bankCode',
  'bankName',
  'accountNumber',
  'accountName',
  'narration',
  'failureReason',
  'createdBy',
  'approvedBy',
  'attempt',
  'createdAt',
  'completedAt',
  'reversedAt',
]

/** Exports all transfers that match the filters as CSV, in list order. */
export function exportTransfers(
  db: Database,
  caller: Caller,
  filters: TransferFilters,
): Promise<AsyncIterable<string>> {
  return exportList<TransferRow>(db, transferList(caller, filterOf(caller, filters)), {
    columns: CSV_COLUMNS,
    cellsOf,
  })
}

const cellsOf = (row: TransferRow): Cell[] => [
  row.id,
  row.reference,
  row.transfer_reference,
  row.status,
  row.currency,
  printMinor(row.amount_minor, row.currency),
  printMinor(row.fee_minor, row.currency),
  row.bank_code,
  row.bank_name,
  row.account_number,
  row.account_name,
  row.narration,
  row.failure_reason,
  row.created_by_name,
  row.approved_by_name,
  row.attempt,
  row.created_at,
  row.completed_at,
  row.reversed_at,
]
