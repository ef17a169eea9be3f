import type { Db, Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { Channel } from '../../providers/provider.ts'
import type { TransactionState } from '../transactions/states.ts'
import { withEntry } from './queries.ts'

/** What a refund has to know of the payment that it gives back of. */
export interface PaymentRow {
  id: number
  reference: string
  purpose: string
  purpose_id: number
  status: TransactionState
  channel: Channel | 'CARD' | 'WALLET' | 'OFFLINE'
  paid_minor: Minor | null
  excess_minor: Minor
  /** What refunds took that have not failed. */
  refunding_minor: Minor
  /** What refunds gave back. */
  refunded_minor: Minor
  currency: string
  customer_email: string | null
  customer_name: string | null
}

const COLUMNS = sql`id, reference, purpose, purpose_id, status, channel, paid_minor, excess_minor,
  refunding_minor, refunded_minor, currency, customer_email, customer_name`

const isPayment = ({ businessId, live }: Tenant, by: PaymentKey): Sql =>
  sql`business_id = ${businessId} and live = ${live}
    and ${'id' in by ? sql`id = ${by.id}` : sql`reference = ${by.reference}`}`

export type PaymentKey = { id: number } | { reference: string }

export function selectPayment(db: Db, tenant: Tenant, by: PaymentKey) {
  return db.maybe<PaymentRow>`select ${COLUMNS} from transactions where ${isPayment(tenant, by)}`
}

/** Holds a payment until the transaction ends. */
export function lockPayment(tx: Tx, tenant: Tenant, by: PaymentKey) {
  return tx.maybe<PaymentRow>`
    select ${COLUMNS} from transactions where ${isPayment(tenant, by)} for no key update`
}

interface Taking {
  id: number
  /** Null takes all that is left. */
  amount_minor: Minor | null
  from: readonly TransactionState[]
  now: Date
}

/**
 * Takes so much of what was paid, and holds the payment until the transaction ends. Nothing comes
 * back when less is left: whatever is asked at once, refunds never take more than was paid. Those
 * that find too little hold nothing, so however many there are, none waits for another of them.
 */
export function takeFromPayment(
  tx: Tx,
  { businessId, live }: Tenant,
  { id, amount_minor, from, now }: Taking,
) {
  const taken = sql`coalesce(${amount_minor}::bigint, paid_minor - refunding_minor)`
  return tx.maybe<PaymentRow>`
    update transactions
    set refunding_minor = refunding_minor + ${taken}, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and channel <> 'OFFLINE' and status = any(${from}::text[])
      and refunding_minor < paid_minor and refunding_minor + ${taken} <= paid_minor
    returning ${COLUMNS}`
}

/** Gives back what a refund that failed took. */
export function returnToPayment(
  tx: Tx,
  { businessId, live }: Tenant,
  { id, amount_minor, now }: { id: number; amount_minor: Minor; now: Date },
) {
  return tx.one`
    update transactions
    set refunding_minor = refunding_minor - ${amount_minor}::bigint, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning id`
}

interface Refunded {
  id: number
  amount_minor: Minor
  from: readonly TransactionState[]
  to: TransactionState
  now: Date
}

/** Counts what a refund gave back. No event tells of it but the refund's own. */
export function addRefunded(
  tx: Tx,
  { businessId, live }: Tenant,
  { id, amount_minor, from, to, now }: Refunded,
) {
  const entry = JSON.stringify({ status: to, at: now, message: null })
  return tx.one`
    update transactions
    set status = ${to}, refunded_minor = refunded_minor + ${amount_minor}::bigint,
      timeline = ${withEntry(sql`timeline`, entry)}, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and status = any(${from}::text[])
    returning id`
}

/** What the refunds of a payment took that have not failed, and how much of that was overpaid. */
export function selectGiven(db: Db, { businessId, live }: Tenant, id: number) {
  return db.one<{ total_minor: Minor; excess_minor: Minor }>`
    select coalesce(sum(amount_minor), 0)::bigint as total_minor,
      coalesce(sum(excess_minor), 0)::bigint as excess_minor
    from refunds
    where business_id = ${businessId} and live = ${live} and transaction_id = ${id}
      and status <> 'Failed'`
}

export interface PaymentShareRow {
  subaccountId: number
  amount_minor: Minor
  fee_minor: Minor
  refunded_minor: Minor
}

export function selectPaymentShares(db: Db, { businessId, live }: Tenant, id: number) {
  return db.many<PaymentShareRow>`
    select subaccount_id as "subaccountId", amount_minor, fee_minor, refunded_minor
    from transaction_shares
    where business_id = ${businessId} and live = ${live} and transaction_id = ${id}
    order by subaccount_id`
}

/** A subaccount that has less in its account than it is to give. */
export interface Short {
  reference: string
  needed_minor: Minor
  left_minor: Minor
}

/** The first subaccount that has less in its account than this; undefined when all have enough. */
export function selectShort(
  db: Db,
  { businessId, live }: Tenant,
  currency: string,
  shares: readonly { subaccountId: number; amount_minor: Minor }[],
): Promise<Short | undefined> {
  return db.maybe`
    select s.reference, wanted.amount as needed_minor,
      a.credits_minor - a.debits_minor as left_minor
    from unnest(
      ${shares.map(({ subaccountId }) => subaccountId)}::bigint[],
      ${shares.map(({ amount_minor }) => amount_minor)}::bigint[]
    ) as wanted (id, amount)
    join subaccounts s
      on s.business_id = ${businessId} and s.live = ${live} and s.id = wanted.id
    join ledger_accounts a
      on a.business_id = ${businessId} and a.live = ${live} and a.kind = 'subaccount'
        and a.subject_id = wanted.id and a.currency = ${currency}
    where a.credits_minor - a.debits_minor < wanted.amount
    order by s.id limit 1`
}

export interface ShareChange {
  transactionId: number
  kind: 'refund' | 'refund_failed'
  refundId: number
  currency: string
  now: Date
  /** Each with the id of its entry. */
  shares: readonly { id: number; subaccountId: number; amount_minor: Minor }[]
}

/**
 * Takes of the shares of a payment what they give to a refund, or gives it back when that failed,
 * with an entry for each subaccount. Answers how many shares had so much left.
 */
export function changeShares(
  tx: Tx,
  { businessId, live }: Tenant,
  { transactionId, kind, refundId, currency, now, shares }: ShareChange,
): Promise<number> {
  const sign = kind === 'refund' ? 1n : -1n
  return tx.run`
    with changes as (
      select * from unnest(
        ${shares.map(({ id }) => id)}::bigint[],
        ${shares.map(({ subaccountId }) => subaccountId)}::bigint[],
        ${shares.map(({ amount_minor }) => sign * amount_minor)}::bigint[]
      ) as changes (entry_id, subaccount_id, amount)
    ), changed as (
      update transaction_shares s
      set refunded_minor = s.refunded_minor + c.amount
      from changes c
      where s.business_id = ${businessId} and s.live = ${live}
        and s.transaction_id = ${transactionId} and s.subaccount_id = c.subaccount_id
        and s.refunded_minor + c.amount between 0 and s.amount_minor - s.fee_minor
      returning c.*
    )
    insert into subaccount_entries
      (business_id, live, id, subaccount_id, kind, transaction_id, refund_id, amount_minor,
       currency, created_at)
    select ${businessId}, ${live}, entry_id, subaccount_id, ${kind}, ${transactionId}::bigint,
      ${refundId}::bigint, -amount, ${currency}, ${now}::timestamptz
    from changed`
}
