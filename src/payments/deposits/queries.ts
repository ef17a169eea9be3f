import type { Db, Tx } from '../../db/database.ts'
import type { List } from '../../db/paginate.ts'
import { all, Sql, sql } from '../../db/sql.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import type { Range } from '../../lib/paging.ts'
import { type NewOrder, newOrders } from '../../provider-orders/statements.ts'
import type { ACCOUNT_STATES, DEPOSIT_STATES } from './schemas.ts'

export type DepositRefusal =
  | 'amount_too_low'
  | 'amount_too_high'
  | 'wrong_currency'
  | 'account_expired'
  | 'already_paid'

/**
 * What becomes of a deposit that was not accepted. `ReturnedByProvider`: the provider sends it back
 * by itself. `Held`: the provider keeps it, and a person decides. `Returning`, `Returned`: a person
 * has decided that the provider sends it back.
 */
export type ReturnStatus = 'ReturnedByProvider' | 'Held' | 'Returning' | 'Returned'

export interface Sender {
  accountName: string | null
  accountNumber: string | null
  bankName: string | null
}

export interface DepositRow {
  id: number
  reference: string
  /** The order that was paid. */
  connection_id: number
  attempt: number
  provider_reference: string
  transaction_id: number
  /** The account is absent for a payment through another channel. */
  virtual_account_id: number | null
  account_number: string | null
  amount_minor: Minor
  currency: string
  provider_fee_minor: Minor | null
  status: 'Accepted' | 'Rejected'
  reason: DepositRefusal | null
  return_status: ReturnStatus | null
  sender: Sender | null
  event_sequence: number
  created_at: Date
}

/** A deposit with its transaction. */
export type DepositWithPayment = DepositRow & {
  transaction_reference: string
  transaction_currency: string
}

const COLUMNS = sql`id, reference, connection_id, attempt, provider_reference, transaction_id,
  virtual_account_id, account_number, amount_minor, currency, provider_fee_minor, status, reason,
  return_status, sender, event_sequence, created_at`

const ofPayment = (column: 'reference' | 'currency') => sql`(
  select ${new Sql([`t.${column}`], [])} from transactions t
  where (t.business_id, t.live, t.id) = (d.business_id, d.live, d.transaction_id)
) as ${new Sql([`transaction_${column}`], [])}`

const PAYMENT = sql`${ofPayment('reference')}, ${ofPayment('currency')}`

export function insertDeposit(tx: Tx, { businessId, live }: Tenant, row: DepositRow) {
  return tx.run`
    insert into deposits (business_id, live, ${COLUMNS})
    values
      (${businessId}, ${live}, ${row.id}, ${row.reference}, ${row.connection_id}, ${row.attempt},
       ${row.provider_reference}, ${row.transaction_id}, ${row.virtual_account_id},
       ${row.account_number}, ${row.amount_minor}, ${row.currency}, ${row.provider_fee_minor},
       ${row.status}, ${row.reason}, ${row.return_status},
       ${row.sender && JSON.stringify(row.sender)}::jsonb, ${row.event_sequence},
       ${row.created_at})`
}

/** Selects the deposits that a connection has under the provider's own numbers. */
export function selectReceived(
  db: Db,
  { businessId, live }: Tenant,
  connectionId: number,
  providerReferences: readonly string[],
) {
  return db.many<DepositWithPayment>`
    select ${COLUMNS}, ${PAYMENT} from deposits d
    where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
      and provider_reference = any(${providerReferences}::text[])
    order by id`
}

export function selectDeposit(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<DepositWithPayment>`
    select ${COLUMNS}, ${PAYMENT} from deposits d
    where business_id = ${businessId} and live = ${live} and reference = ${reference}`
}

export function selectById(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<DepositWithPayment>`
    select ${COLUMNS}, ${PAYMENT} from deposits d
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/** Selects the deposit that paid a transaction, if it was not settled without one. */
export function selectAccepted(db: Db, { businessId, live }: Tenant, transactionId: number) {
  return db.maybe<Pick<DepositRow, 'provider_reference'>>`
    select provider_reference from deposits
    where business_id = ${businessId} and live = ${live} and transaction_id = ${transactionId}
      and status = 'Accepted'`
}

interface Move {
  from: ReturnStatus
  /** Null accepts the deposit. */
  to: ReturnStatus | null
}

/**
 * Changes what becomes of a deposit, and counts the event of that; its return has none before it
 * ends. Returns nothing if the deposit has another state.
 */
export function moveDeposit(tx: Tx, { businessId, live }: Tenant, id: number, { from, to }: Move) {
  return tx.maybe<DepositWithPayment>`
    update deposits d
    set return_status = ${to},
      event_sequence = event_sequence + case when ${to}::text = 'Returning' then 0 else 1 end,
      status = case when ${to}::text is null then 'Accepted' else 'Rejected' end
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and return_status = ${from}
    returning ${COLUMNS}, ${PAYMENT}`
}

/** Writes the first order to return a deposit. */
export function orderReturn(
  tx: Tx,
  { businessId, live }: Tenant,
  { id, reference }: DepositRow,
  order: NewOrder,
) {
  const deposit = sql`(
    select business_id, live, id, reference, ${order.nextAt}::timestamptz as created_at
    from deposits where business_id = ${businessId} and live = ${live} and id = ${id})`
  return tx.run`${newOrders('deposit_return', deposit, reference, order)}`
}

type AccountStatus = (typeof ACCOUNT_STATES)[number]
type DepositStatus = (typeof DEPOSIT_STATES)[number]

export interface ListedAccount {
  id: number
  transaction_id: number
  transaction_reference: string
  status: AccountStatus
  account_number: string
  account_name: string
  bank_code: string | null
  bank_name: string
  amount_minor: Minor
  currency: string
  expires_at: Date
  created_at: Date
}

export interface ListedDeposit {
  id: number
  reference: string
  provider_reference: string
  /** Null for the oldest deposits, of which only the account is known. */
  transaction_id: number | null
  transaction_reference: string | null
  account_number: string | null
  amount_minor: Minor
  currency: string
  provider_fee_minor: Minor | null
  status: DepositStatus
  reason: string | null
  return_status: ReturnStatus | null
  sender: Sender | null
  created_at: Date
}

/** The reference of the row's transaction. */
const transactionReference = ({ businessId, live }: Tenant): Sql => sql`(
  select t.reference from transactions t
  where t.business_id = ${businessId} and t.live = ${live} and t.id = transaction_id
) as transaction_reference`

const accountColumns = (tenant: Tenant): Sql => sql`id, transaction_id,
  ${transactionReference(tenant)}, status, account_number, account_name, bank_code, bank_name,
  amount_minor, currency, expires_at, created_at`

const depositColumns = (
  tenant: Tenant,
): Sql => sql`id, reference, provider_reference, transaction_id,
  ${transactionReference(tenant)}, account_number, amount_minor, currency, provider_fee_minor,
  status, reason, return_status, sender, created_at`

interface Filter<Status> {
  status: Status | undefined
  /** Only of deposits. */
  returnStatus?: ReturnStatus | undefined
  accountNumber: string | undefined
  transactionReference: string | undefined
  /** A whole account number or reference. */
  search: string | undefined
  range: Range
  isDescending: boolean
}

const isAccount = (number: string): Sql => sql`account_number = ${number}`

const isOfTransaction = ({ businessId, live }: Tenant, reference: string): Sql =>
  sql`transaction_id = (
    select t.id from transactions t
    where t.business_id = ${businessId} and t.live = ${live} and t.reference = ${reference})`

/** Names the business's connections, because the index of the providers' references needs them. */
const hasReference = ({ businessId }: Tenant, reference: string): Sql =>
  sql`(reference = ${reference} or provider_reference = ${reference} and connection_id in (
    select c.id from provider_connections c
    where c.business_id = ${businessId} or c.business_id is null))`

/** The index of the list begins with the status. */
const listOf = <Status extends string>(
  tenant: Tenant,
  { status, range, isDescending, ...named }: Filter<Status>,
  searched: (text: string) => Sql,
  states: readonly Status[],
): Pick<List, 'tenant' | 'range' | 'isDescending' | 'either' | 'indexed' | 'lookup'> => {
  const { accountNumber, transactionReference, search, returnStatus } = named
  const names = [
    returnStatus === undefined ? undefined : sql`return_status = ${returnStatus}`,
    accountNumber === undefined ? undefined : isAccount(accountNumber),
    transactionReference === undefined ? undefined : isOfTransaction(tenant, transactionReference),
    search === undefined ? undefined : searched(search),
  ].filter((name) => name !== undefined)
  const list = { tenant, range, isDescending }
  if (names.length > 0) {
    return { ...list, indexed: [[sql`status`, status, states]], lookup: [all(names)] }
  }
  return { ...list, either: (status ? [status] : states).map((one) => sql`status = ${one}`) }
}

export const accountList = (
  tenant: Tenant,
  filter: Filter<AccountStatus>,
  states: readonly AccountStatus[],
): List => ({
  ...listOf(
    tenant,
    filter,
    (text) => (isNumber(text) ? isAccount(text) : isOfTransaction(tenant, text)),
    states,
  ),
  table: sql`virtual_accounts`,
  columns: accountColumns(tenant),
})

export const depositList = (
  tenant: Tenant,
  filter: Filter<DepositStatus>,
  states: readonly DepositStatus[],
): List => ({
  ...listOf(
    tenant,
    filter,
    (text) => {
      if (isNumber(text)) return isAccount(text)
      return text.startsWith('TRX_') ? isOfTransaction(tenant, text) : hasReference(tenant, text)
    },
    states,
  ),
  table: sql`deposits`,
  columns: depositColumns(tenant),
})

const isNumber = (text: string): boolean => /^\d{10}$/.test(text)

export function selectListedAccount(db: Db, tenant: Tenant, id: number) {
  const { businessId, live } = tenant
  return db.maybe<ListedAccount>`
    select ${accountColumns(tenant)} from virtual_accounts
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/** Selects a deposit by a reference, its own first, or, if there is none, by its id. */
export async function selectListedDeposit(
  db: Db,
  tenant: Tenant,
  reference: string,
): Promise<ListedDeposit | undefined> {
  const { businessId, live } = tenant
  const found = await db.maybe<ListedDeposit>`
    select ${depositColumns(tenant)} from deposits
    where business_id = ${businessId} and live = ${live} and ${hasReference(tenant, reference)}
    order by reference = ${reference} desc, id desc limit 1`
  if (found || !/^\d{1,15}$/.test(reference)) return found
  return db.maybe<ListedDeposit>`
    select ${depositColumns(tenant)} from deposits
    where business_id = ${businessId} and live = ${live} and id = ${Number(reference)}`
}
