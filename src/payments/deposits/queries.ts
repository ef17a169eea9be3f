import type { Db, Tx } from '../../db/database.ts'
import { Sql, sql } from '../../db/sql.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import { type NewOrder, newOrders } from '../../provider-orders/statements.ts'

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
