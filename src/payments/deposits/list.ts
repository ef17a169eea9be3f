import { exportList } from '../../db/csv.ts'
import type { Database, Db } from '../../db/database.ts'
import { paginate } from '../../db/paginate.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Cell } from '../../lib/csv.ts'
import { amountsOf, printMinor } from '../../lib/money.ts'
import { isDescending, oneOf, rangeOf } from '../../lib/paging.ts'
import { notFound } from '../../lib/problem.ts'
import {
  accountList,
  depositList,
  type ListedAccount,
  type ListedDeposit,
  selectListedAccount,
  selectListedDeposit,
} from './queries.ts'
import { depositRecord } from './record.ts'
import {
  ACCOUNT_STATES,
  type AccountFilters,
  type AccountQuery,
  DEPOSIT_STATES,
  type DepositFilters,
  type DepositQuery,
  RETURN_STATES,
} from './schemas.ts'

/** Returns one page of virtual accounts with its meta. Throws 400 naming an invalid filter. */
export async function listAccounts(db: Db, caller: Caller, query: AccountQuery) {
  const { rows, meta } = await paginate<ListedAccount>(db, accountsIn(caller, query), query)
  return { records: rows.map(accountRecord), meta }
}

export async function getAccount(db: Db, caller: Caller, id: number) {
  const row = await selectListedAccount(db, caller, id)
  if (!row) throw notFound('virtual_account')
  return accountRecord(row)
}

/** Exports all virtual accounts that match the filters as CSV, in list order. */
export const exportAccounts = (
  db: Database,
  caller: Caller,
  filters: AccountFilters,
): Promise<AsyncIterable<string>> =>
  exportList<ListedAccount>(db, accountsIn(caller, filters), {
    columns: ACCOUNT_COLUMNS,
    cellsOf: accountCells,
  })

const accountsIn = (caller: Caller, query: AccountFilters) =>
  accountList(
    caller,
    { ...commonFilters(caller, query), status: oneOf('status', ACCOUNT_STATES, query.status) },
    ACCOUNT_STATES,
  )

const commonFilters = (
  { timeZone }: Caller,
  { accountNumber, transactionReference, search, sort, ...dates }: AccountFilters | DepositFilters,
) => ({
  accountNumber,
  transactionReference,
  search: search?.trim() || undefined,
  range: rangeOf(dates, timeZone),
  isDescending: isDescending(sort),
})

const accountRecord = (row: ListedAccount) => ({
  id: row.id,
  reference: row.transaction_reference,
  status: row.status,
  accountNumber: row.account_number,
  accountName: row.account_name,
  bankName: row.bank_name,
  bankCode: row.bank_code,
  ...amountsOf(row.currency, { amount: row.amount_minor }),
  currency: row.currency,
  expiresAt: row.expires_at,
  transactionId: row.transaction_id,
  createdAt: row.created_at,
})

const ACCOUNT_COLUMNS = [
  'id',
  'reference',
  'status',
  'accountNumber',
  'accountName',
  'bankCode',
  'bankName',
  'currency',
  'amount',
  'expiresAt',
  'createdAt',
]

const accountCells = (row: ListedAccount): Cell[] => [
  row.id,
  row.transaction_reference,
  row.status,
  row.account_number,
  row.account_name,
  row.bank_code,
  row.bank_name,
  row.currency,
  printMinor(row.amount_minor, row.currency),
  row.expires_at,
  row.created_at,
]

/** Returns one page of deposits with its meta. Throws 400 naming an invalid filter. */
export async function listDeposits(db: Db, caller: Caller, query: DepositQuery) {
  const { rows, meta } = await paginate<ListedDeposit>(db, depositsIn(caller, query), query)
  return { records: rows.map(depositRecord), meta }
}

/** Finds a deposit by its reference, the provider's, or its id. */
export async function getDeposit(db: Db, caller: Caller, reference: string) {
  const row = await selectListedDeposit(db, caller, reference)
  if (!row) throw notFound('deposit')
  return depositRecord(row)
}

/** Exports all deposits that match the filters as CSV, in list order. */
export const exportDeposits = (
  db: Database,
  caller: Caller,
  filters: DepositFilters,
): Promise<AsyncIterable<string>> =>
  exportList<ListedDeposit>(db, depositsIn(caller, filters), {
    columns: DEPOSIT_COLUMNS,
    cellsOf: depositCells,
  })

const depositsIn = (caller: Caller, query: DepositFilters) =>
  depositList(
    caller,
    {
      ...commonFilters(caller, query),
      status: oneOf('status', DEPOSIT_STATES, query.status),
      returnStatus: oneOf('returnStatus', RETURN_STATES, query.returnStatus),
    },
    DEPOSIT_STATES,
  )

const DEPOSIT_COLUMNS = [
  'id',
  'reference',
  'providerReference',
  'status',
  'reason',
  'returnStatus',
  'accountNumber',
  'currency',
  'amount',
  'providerFee',
  'senderName',
  'senderAccount',
  'senderBank',
  'transactionReference',
  'createdAt',
]

const depositCells = (row: ListedDeposit): Cell[] => [
  row.id,
  row.reference,
  row.provider_reference,
  row.status,
  row.reason,
  row.return_status,
  row.account_number,
  row.currency,
  printMinor(row.amount_minor, row.currency),
  row.provider_fee_minor === null ? null : printMinor(row.provider_fee_minor, row.currency),
  row.sender?.accountName ?? null,
  row.sender?.accountNumber ?? null,
  row.sender?.bankName ?? null,
  row.transaction_reference,
  row.created_at,
]
