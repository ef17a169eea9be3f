import type { Db, Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { Channel } from '../../providers/provider.ts'
import type { TransactionState } from './states.ts'

export interface TransactionRow {
  id: number
  reference: string
  purpose: string
  purpose_id: number
  status: TransactionState
  channel: Channel | 'CARD' | 'WALLET' | 'OFFLINE'
  amount_minor: Minor
  fee_minor: Minor
  fee_bearer: 'business' | 'customer' | 'subaccounts'
  payable_minor: Minor
  paid_minor: Minor | null
  excess_minor: Minor
  refunded_minor: Minor
  refunding_minor: Minor
  currency: string
  customer_email: string | null
  customer_name: string | null
  customer_phone: string | null
  invoice_reference: string | null
  split_page_id: number | null
  page_id: number | null
  order_id: number | null
  customer_id: number | null
  subaccount_id: number | null
  ip_address: string | null
  location: string | null
  provider: string
  bank_code: string | null
  ussd_codes: string | null
  gateway_response: string | null
  message: string | null
  late: boolean
  dismissed_at: Date | null
  paid_at: Date | null
  expires_at: Date
  timeline: string
  metadata: string | null
  event_sequence: number
  created_at: Date
  updated_at: Date
}

export const COLUMNS = sql`id, reference, purpose, purpose_id, status, channel, amount_minor,
  fee_minor, fee_bearer, payable_minor, paid_minor, excess_minor, refunded_minor, refunding_minor,
  currency, customer_email, customer_name, customer_phone, invoice_reference, split_page_id,
  page_id, order_id, customer_id, subaccount_id, ip_address, location, provider, bank_code,
  ussd_codes, gateway_response, message, late, dismissed_at, paid_at, expires_at, timeline,
  metadata, event_sequence, created_at, updated_at`

export type NewTransaction = Pick<
  TransactionRow,
  | 'id'
  | 'reference'
  | 'purpose'
  | 'purpose_id'
  | 'status'
  | 'channel'
  | 'amount_minor'
  | 'fee_minor'
  | 'fee_bearer'
  | 'payable_minor'
  | 'currency'
  | 'customer_email'
  | 'customer_name'
  | 'customer_phone'
  | 'invoice_reference'
  | 'provider'
  | 'bank_code'
  | 'message'
  | 'paid_at'
  | 'expires_at'
> & { look_up_at: Date | null; now: Date; paid_minor?: Minor } & Partial<
    Pick<
      TransactionRow,
      | 'split_page_id'
      | 'page_id'
      | 'order_id'
      | 'customer_id'
      | 'subaccount_id'
      | 'ip_address'
      | 'location'
      | 'metadata'
    >
  >

/** Nothing comes back when this way of paying this thing is open already. */
export function insertTransaction(tx: Tx, { businessId, live }: Tenant, row: NewTransaction) {
  const timeline = JSON.stringify([{ status: row.status, at: row.now, message: row.message }])
  return tx.maybe<TransactionRow>`
    with inserted as (
      insert into transactions
        (business_id, live, id, reference, purpose, purpose_id, status, channel, amount_minor,
         fee_minor, fee_bearer, payable_minor, currency, customer_email, customer_name,
         customer_phone, invoice_reference, split_page_id, page_id, order_id, customer_id,
         subaccount_id, ip_address, location, metadata, provider, bank_code, message, paid_minor,
         paid_at, expires_at,
         look_up_at, timeline, event_sequence, created_at, updated_at)
      values
        (${businessId}, ${live}, ${row.id}, ${row.reference}, ${row.purpose}, ${row.purpose_id},
         ${row.status}, ${row.channel}, ${row.amount_minor}, ${row.fee_minor}, ${row.fee_bearer},
         ${row.payable_minor}, ${row.currency}, ${row.customer_email}, ${row.customer_name},
         ${row.customer_phone}, ${row.invoice_reference}, ${row.split_page_id ?? null},
         ${row.page_id ?? null}, ${row.order_id ?? null}, ${row.customer_id ?? null},
         ${row.subaccount_id ?? null}, ${row.ip_address ?? null}, ${row.location ?? null},
         ${row.metadata ?? null}, ${row.provider}, ${row.bank_code}, ${row.message},
         ${row.paid_minor ?? null}, ${row.paid_at}, ${row.expires_at},
         ${row.look_up_at}, ${timeline}, 1, ${row.now}, ${row.now})
      on conflict (business_id, live, purpose, purpose_id, channel) where status = 'Pending'
        do nothing
      returning business_id, live, ${COLUMNS}
    ), searched as (
      insert into transaction_texts_due (business_id, live, id)
      select business_id, live, id from inserted
      where customer_email is not null or customer_name is not null
    )
    select ${COLUMNS} from inserted`
}

/** Brings an open attempt back to the payer's sight. */
export function resumeOpen(
  tx: Tx,
  { businessId, live }: Tenant,
  { purpose, purpose_id, channel }: Pick<TransactionRow, 'purpose' | 'purpose_id' | 'channel'>,
  bankCode: string | null,
) {
  return tx.maybe<TransactionRow>`
    update transactions
    set dismissed_at = null, bank_code = coalesce(${bankCode}, bank_code)
    where business_id = ${businessId} and live = ${live} and purpose = ${purpose}
      and purpose_id = ${purpose_id} and channel = ${channel} and status = 'Pending'
    returning ${COLUMNS}`
}

export function dismissOpen(
  db: Db,
  { businessId, live }: Tenant,
  purpose: string,
  id: number,
  now: Date,
) {
  return db.run`
    update transactions set dismissed_at = ${now}
    where business_id = ${businessId} and live = ${live} and purpose = ${purpose}
      and purpose_id = ${id} and dismissed_at is null
      and status in ('Pending', 'Failed', 'Abandoned')`
}

export function selectByReference(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<TransactionRow>`
    select ${COLUMNS} from transactions
    where business_id = ${businessId} and live = ${live} and reference = ${reference}`
}

export function selectById(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<TransactionRow>`
    select ${COLUMNS} from transactions
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/** The attempts at paying one thing, newest first. */
export function selectAttempts(db: Db, { businessId, live }: Tenant, purpose: string, id: number) {
  return db.many<TransactionRow>`
    select ${COLUMNS} from transactions
    where business_id = ${businessId} and live = ${live} and purpose = ${purpose}
      and purpose_id = ${id}
    order by id desc limit 50`
}

/** What was received for each of several things, in the order of arrival. */
export function selectReceived(
  db: Db,
  { businessId, live }: Tenant,
  purpose: string,
  of: number[],
) {
  return db.many<TransactionRow>`
    select ${COLUMNS} from transactions
    where business_id = ${businessId} and live = ${live} and purpose = ${purpose}
      and purpose_id = any(${of}::bigint[]) and paid_at is not null
    order by paid_at, id`
}

interface Change {
  from: readonly TransactionState[]
  to: TransactionState
  message: string | null
  now: Date
}

/**
 * Moves a transaction, if it is in one of the states it may leave. Of two moves at once exactly
 * one finds it there.
 */
export function moveTransaction(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { from, to, message, now }: Change,
) {
  const entry = JSON.stringify({ status: to, at: now, message })
  return tx.maybe<TransactionRow>`
    update transactions
    set status = ${to}, late = late or (status = 'Abandoned' and ${to}::text = 'Successful'),
      gateway_response = coalesce(${message}, gateway_response),
      paid_at = case when ${to}::text = 'Successful' then ${now}::timestamptz else paid_at end,
      timeline = ${appended(sql`timeline`, entry)}, look_up_at = null,
      event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and status = any(${from}::text[])
    returning ${COLUMNS}`
}

/** A JSON list kept as text with one entry more. */
export function appended(column: Sql, entry: string | Sql): Sql {
  return sql`case when ${column} = '[]' then '[' || ${entry}::text || ']'
    else left(${column}, -1) || ',' || ${entry}::text || ']' end`
}

/** What a settled transaction really came to, where that differs from what was asked. */
export function updateReceived(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  received: Pick<TransactionRow, 'amount_minor' | 'fee_minor' | 'paid_minor' | 'excess_minor'>,
) {
  return tx.one<TransactionRow>`
    update transactions
    set amount_minor = ${received.amount_minor}, fee_minor = ${received.fee_minor},
      paid_minor = ${received.paid_minor}, excess_minor = ${received.excess_minor}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${COLUMNS}`
}

export function updateUssdCodes(tx: Tx, { businessId, live }: Tenant, id: number, codes: string) {
  return tx.run`
    update transactions set ussd_codes = ${codes}
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

interface Ref {
  business_id: number
  live: boolean
  id: number
}

/** Pending transactions whose time is over. */
export function selectExpired(db: Db, now: Date, only: number | null, limit: number) {
  return db.many<Ref>`
    select business_id, live, id from transactions
    where status = 'Pending' and expires_at <= ${now}
      and (${only}::bigint is null or (business_id = ${only} and not live))
    order by expires_at limit ${limit}`
}

/** Claims transactions about which the provider is to be asked, and says when to ask again. */
export function claimLookUps(db: Db, now: Date, again: Date, only: number | null, limit: number) {
  return db.many<Ref & { reference: string }>`
    update transactions set look_up_at = ${again}
    where (business_id, live, id) in (
      select business_id, live, id from transactions
      where look_up_at <= ${now}
        and (${only}::bigint is null or (business_id = ${only} and not live))
      order by look_up_at limit ${limit} for update skip locked)
    returning business_id, live, id, reference`
}
