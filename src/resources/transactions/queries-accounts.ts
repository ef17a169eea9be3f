import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { COLUMNS, type TransactionRow } from './queries.ts'

export interface VirtualAccountRow {
  id: number
  transaction_id: number
  status: 'Open' | 'Paid' | 'Expired'
  account_number: string
  account_name: string
  bank_code: string
  bank_name: string
  amount_minor: Minor
  currency: string
  event_sequence: number
  expires_at: Date
  created_at: Date
}

const ACCOUNT = sql`id, transaction_id, status, account_number, account_name, bank_code, bank_name,
  amount_minor, currency, event_sequence, expires_at, created_at`

/**
 * Nothing comes back when the transaction has its account already. One whose transaction ended
 * while the provider was asked is Expired from the start: what comes there goes back.
 */
export function insertVirtualAccount(
  tx: Tx,
  { businessId, live }: Tenant,
  row: Omit<VirtualAccountRow, 'event_sequence' | 'status'>,
) {
  return tx.maybe<VirtualAccountRow>`
    insert into virtual_accounts
      (business_id, live, id, transaction_id, status, account_number, account_name, bank_code,
       bank_name, amount_minor, currency, event_sequence, expires_at, created_at)
    select ${businessId}::bigint, ${live}::boolean, ${row.id}::bigint, id,
      case when status = 'Pending' then 'Open' else 'Expired' end, ${row.account_number}::text,
      ${row.account_name}::text, ${row.bank_code}::text, ${row.bank_name}::text,
      ${row.amount_minor}::bigint, ${row.currency}::text, 1, ${row.expires_at}::timestamptz,
      ${row.created_at}::timestamptz
    from transactions
    where business_id = ${businessId} and live = ${live} and id = ${row.transaction_id}
    for no key update
    on conflict (business_id, live, transaction_id) do nothing
    returning ${ACCOUNT}`
}

export function selectAccountOf(db: Db, { businessId, live }: Tenant, transactionId: number) {
  return db.maybe<VirtualAccountRow>`
    select ${ACCOUNT} from virtual_accounts
    where business_id = ${businessId} and live = ${live} and transaction_id = ${transactionId}`
}

/** The newest account with a number, locked: deposits into it are decided one after the other. */
export function lockAccount(tx: Tx, { businessId, live }: Tenant, number: string) {
  return tx.one<VirtualAccountRow>`
    select ${ACCOUNT} from virtual_accounts
    where business_id = ${businessId} and live = ${live} and account_number = ${number}
    order by id desc limit 1 for update`
}

/** Only an expiry is told by an event of the account's own, and so counted. */
export function closeAccount(
  tx: Tx,
  { businessId, live }: Tenant,
  transactionId: number,
  status: 'Paid' | 'Expired',
) {
  return tx.maybe<VirtualAccountRow>`
    update virtual_accounts
    set status = ${status},
      event_sequence = event_sequence + case when ${status}::text = 'Expired' then 1 else 0 end
    where business_id = ${businessId} and live = ${live} and transaction_id = ${transactionId}
      and status = 'Open'
    returning ${ACCOUNT}`
}

/** Raises the account's count of events, for one that changes nothing else. */
export function countAccountEvent(tx: Tx, { businessId, live }: Tenant, id: number) {
  return tx.one<VirtualAccountRow>`
    update virtual_accounts set event_sequence = event_sequence + 1
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${ACCOUNT}`
}

/** Why a deposit was sent back. */
export type DepositRefusal =
  | 'amount_too_low'
  | 'amount_too_high'
  | 'wrong_currency'
  | 'account_expired'
  | 'already_paid'

export interface DepositRow {
  id: number
  provider_reference: string
  virtual_account_id: number | null
  account_number: string
  amount_minor: Minor
  currency: string
  status: 'Accepted' | 'Rejected'
  reason: DepositRefusal | null
  created_at: Date
}

/** Answers whether it is new: a notice that comes twice is not. */
export async function insertDeposit(tx: Tx, { businessId, live }: Tenant, row: DepositRow) {
  const inserted = await tx.run`
    insert into deposits
      (business_id, live, id, provider_reference, virtual_account_id, account_number,
       amount_minor, currency, status, reason, created_at)
    values
      (${businessId}, ${live}, ${row.id}, ${row.provider_reference}, ${row.virtual_account_id},
       ${row.account_number}, ${row.amount_minor}, ${row.currency}, ${row.status}, ${row.reason},
       ${row.created_at})
    on conflict (business_id, live, provider_reference) do nothing`
  return inserted === 1
}

export function selectDeposit(db: Db, { businessId, live }: Tenant, providerReference: string) {
  return db.maybe<DepositRow>`
    select id, provider_reference, virtual_account_id, account_number, amount_minor, currency,
      status, reason, created_at
    from deposits
    where business_id = ${businessId} and live = ${live}
      and provider_reference = ${providerReference}`
}

/** The transaction of the newest account with a number. */
export function selectByAccount(db: Db, { businessId, live }: Tenant, number: string) {
  return db.maybe<TransactionRow>`
    select ${COLUMNS} from transactions
    where business_id = ${businessId} and live = ${live} and id = (
      select transaction_id from virtual_accounts
      where business_id = ${businessId} and live = ${live} and account_number = ${number}
      order by id desc limit 1)`
}
