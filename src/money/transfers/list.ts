import { exportList } from '../../db/csv.ts'
import type { Db } from '../../db/database.ts'
import { paginate } from '../../db/paginate.ts'
import { searchFor } from '../../db/text-search.ts'
import type { Deps } from '../../deps.ts'
import { hashOfNumber } from '../../encryption/account-numbers.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import type { Cell } from '../../lib/csv.ts'
import { printMinor } from '../../lib/money.ts'
import { isDescending, oneOf, rangeOf } from '../../lib/paging.ts'
import { invalid, notFound } from '../../lib/problem.ts'
import { knownBank } from '../../providers/banks/banks.ts'
import {
  selectTransfer,
  TRANSFER_ORIGINS,
  TRANSFERS,
  type TransferFilter,
  type TransferOrigin,
  type TransferRow,
  transferList,
} from './queries.ts'
import { type Transfer, transferRecord, withNumber } from './record.ts'
import {
  TRANSFER_STATES,
  type TransferFilters,
  type TransferQuery,
  type TransferQueryOfBusiness,
} from './schemas.ts'

export { TRANSFERS } from './queries.ts'

/** Finds a transfer by our reference or the caller's. */
export const findTransfer = (db: Db, tenant: Tenant, reference: string) =>
  selectTransfer(db, tenant, reference)

type ListDeps = Pick<Deps, 'db' | 'keyring'>

/** `origin` finds only transfers of this origin. */
export async function getTransfer(
  { db, keyring }: ListDeps,
  caller: Caller,
  reference: string,
  origin?: TransferOrigin,
) {
  const row = await findTransfer(db, caller, reference)
  if (!row || (origin && row.origin !== origin)) {
    throw origin === 'payout' ? notFound('payout') : notFound('transfer')
  }
  return transferRecord(await withNumber(db, keyring, caller, row), caller)
}

/** Like `listTransfers`, but also throws 400 for another business's id. */
export async function listTransfersOf(
  deps: ListDeps,
  caller: Caller,
  query: TransferQueryOfBusiness,
) {
  if (query.businessId !== caller.businessId)
    throw invalid({ businessId: ['must be the id of the business that the key belongs to'] })
  return listTransfers(deps, caller, query)
}

/** Returns one page of transfers with its meta. Throws 400 naming an invalid filter. */
export async function listTransfers(deps: ListDeps, caller: Caller, query: TransferQuery) {
  const { db, keyring } = deps
  const list = transferList(caller, await filterOf(deps, caller, query))
  const { rows, meta } = await paginate<TransferRow>(db, list, query)
  const transfers = await Promise.all(rows.map((row) => withNumber(db, keyring, caller, row)))
  return { records: transfers.map((row) => transferRecord(row, caller)), meta }
}

async function filterOf(
  { db, keyring }: ListDeps,
  caller: Caller,
  query: TransferFilters,
): Promise<TransferFilter> {
  const { bankCode, accountNumber, transferReference } = query
  const search = query.search?.trim()
  const isNumber = search !== undefined && /^\d{10}$/.test(search)
  const wanted = async (number: string) => ({
    number,
    hash: await hashOfNumber(db, keyring, caller, number),
  })
  return {
    status: oneOf('status', TRANSFER_STATES, query.status),
    origin: oneOf('origin', TRANSFER_ORIGINS, query.origin),
    bankCode: bankCode === undefined ? undefined : knownBank(bankCode, 'bankCode').code,
    account: accountNumber === undefined ? undefined : await wanted(accountNumber),
    accountOrReference: isNumber ? await wanted(search) : undefined,
    reference: transferReference,
    range: rangeOf(query, caller.timeZone),
    isDescending: isDescending(query.sort),
    search: isNumber ? undefined : searchFor(TRANSFERS, search),
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
  'origin',
]

/** Exports all transfers that match the filters as CSV, in list order. */
export async function exportTransfers(
  deps: ListDeps,
  caller: Caller,
  filters: TransferFilters,
): Promise<AsyncIterable<string>> {
  const { db, keyring } = deps
  const list = transferList(caller, await filterOf(deps, caller, filters))
  return exportList<TransferRow>(db, list, {
    columns: CSV_COLUMNS,
    cellsOf: async (row) => cellsOf(await withNumber(db, keyring, caller, row)),
  })
}

const cellsOf = (row: Transfer): Cell[] => [
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
  row.origin,
]
