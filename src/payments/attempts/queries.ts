import { openBatch, perDatabase, readInBatches } from '../../db/batch.ts'
import type { Db, Tx } from '../../db/database.ts'
import { plainArray, textArray, timeArray } from '../../db/pg-arrays.ts'
import { Sql, sql } from '../../db/sql.ts'
import { timelineEntry, withEntry } from '../../db/timeline.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import {
  hasOtherOpen,
  type OrderRow,
  REPORT_ROW,
  type ReportRow,
  updateReported,
} from '../../provider-orders/orders.ts'
import {
  endedOrders,
  type NewOrder,
  newOrders,
  paidOrders,
} from '../../provider-orders/statements.ts'
import type { Channel } from '../../providers/connector/types.ts'
import { type TransactionState, transactionMachine } from './schemas.ts'
import type { PaymentToSettle } from './settle.ts'

export interface TransactionRow {
  id: number
  reference: string
  purpose: string
  purpose_id: number
  status: TransactionState
  channel: Channel | 'WALLET' | 'OFFLINE'
  amount_minor: Minor
  fee_minor: Minor
  fee_bearer: 'business' | 'customer' | 'subaccounts'
  payable_minor: Minor
  paid_minor: Minor | null
  excess_minor: Minor
  refunded_minor: Minor
  refunding_minor: Minor
  /** What disputes may still take or have taken, and what they have taken. */
  disputed_minor: Minor
  reversed_minor: Minor
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
  /** Of the provider's page for a card payment. */
  pay_url: string | null
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

const COLUMNS = sql`id, reference, purpose, purpose_id, status, channel, amount_minor,
  fee_minor, fee_bearer, payable_minor, paid_minor, excess_minor, refunded_minor, refunding_minor,
  disputed_minor, reversed_minor, currency, customer_email, customer_name, customer_phone,
  invoice_reference, split_page_id, page_id, order_id, customer_id, subaccount_id, ip_address,
  location, provider, bank_code, ussd_codes, pay_url, gateway_response, message, late, dismissed_at,
  paid_at, expires_at, timeline, metadata, event_sequence, created_at, updated_at`

/** The columns that neither a transaction's record nor its line in an export needs. */
type Unlisted =
  | 'purpose'
  | 'purpose_id'
  | 'refunding_minor'
  | 'provider'
  | 'bank_code'
  | 'ussd_codes'
  | 'dismissed_at'
  | 'event_sequence'
  | 'updated_at'
export type ListedRow = Omit<TransactionRow, Unlisted>

/** What lists select. Twenty whole rows would be a third more garbage for each request. */
export const LISTED_COLUMNS = sql`id, reference, status, channel, amount_minor, fee_minor,
  fee_bearer, payable_minor, paid_minor, excess_minor, refunded_minor, disputed_minor,
  reversed_minor, currency, customer_email, customer_name, customer_phone, invoice_reference,
  split_page_id, page_id, order_id, customer_id, subaccount_id, ip_address, location, pay_url,
  gateway_response, message, late, paid_at, expires_at, timeline, metadata, created_at`

export type TransactionDetails = Partial<
  Pick<
    TransactionRow,
    | 'customer_id'
    | 'customer_email'
    | 'customer_name'
    | 'customer_phone'
    | 'invoice_reference'
    | 'split_page_id'
    | 'page_id'
    | 'order_id'
    | 'subaccount_id'
    | 'ip_address'
    | 'location'
    | 'metadata'
    | 'message'
  >
>

/**
 * Locks the open attempts for one payable until the transaction ends. There is at most one per
 * channel.
 */
export function lockOpen(
  tx: Tx,
  { businessId, live }: Tenant,
  { purpose, purpose_id }: Pick<TransactionRow, 'purpose' | 'purpose_id'>,
) {
  return tx.many<TransactionRow>`
    select ${COLUMNS} from transactions
    where business_id = ${businessId} and live = ${live} and purpose = ${purpose}
      and purpose_id = ${purpose_id} and status = 'Pending'
    order by id for no key update`
}

/** Makes the page show an open attempt to the payer again. */
export function resumeAttempt(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  bankCode: string | null,
) {
  return tx.one<TransactionRow>`
    update transactions
    set dismissed_at = null, bank_code = coalesce(${bankCode}, bank_code)
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${COLUMNS}`
}

export function dismissOpenAttempts(
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

/** Like `selectById`, but reads the rows for simultaneous callers in one statement. */
export const transactionsById = readInBatches<{ tenant: Tenant; id: number }, TransactionRow>(
  ({ tenant }) => tenant.businessId,
  (db, items) => db.many`
    select n, ${COLUMNS}
    from unnest(
      ${plainArray(items.map(({ tenant }) => tenant.businessId))}::bigint[],
      ${plainArray(items.map(({ tenant }) => tenant.live))}::boolean[],
      ${plainArray(items.map(({ id }) => id))}::bigint[]
    ) with ordinality as i (business_id, live, id, n)
    join transactions using (business_id, live, id)`,
)

export function selectById(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<TransactionRow>`
    select ${COLUMNS} from transactions
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/** Locks a transaction until the database transaction ends. */
export const lockById = (tx: Tx, { businessId, live }: Tenant, id: number) =>
  tx.one<TransactionRow>`
    select ${COLUMNS} from transactions
    where business_id = ${businessId} and live = ${live} and id = ${id}
    for no key update`

/**
 * Locks a transaction, and returns whether its payer can pay no other order than this one. Of
 * orders that fail at the same time, only the last one therefore ends the transaction.
 */
export async function isLastOpen(tx: Tx, tenant: Tenant, order: OrderRow): Promise<boolean> {
  await lockById(tx, tenant, order.subject_id)
  return !(await hasOtherOpen(tx, order))
}

/** Selects the attempts to pay one payable, newest first. */
export function selectAttempts(db: Db, { businessId, live }: Tenant, purpose: string, id: number) {
  return db.many<TransactionRow>`
    select ${COLUMNS} from transactions
    where business_id = ${businessId} and live = ${live} and purpose = ${purpose}
      and purpose_id = ${id}
    order by created_at desc, id desc limit 50`
}

/** Selects the payments received for several payables, in order of arrival. */
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

/** The part of a received payment that a payable’s record shows. */
export type ReceivedPayment = Pick<
  TransactionRow,
  | 'id'
  | 'reference'
  | 'channel'
  | 'amount_minor'
  | 'paid_minor'
  | 'excess_minor'
  | 'currency'
  | 'paid_at'
>

/**
 * Returns an expression for the payments received for each payable of a table, in order of arrival,
 * so that they can be selected together. See `readReceived`.
 */
export const receivedColumn = (purpose: string, payable: Sql): Sql => sql`(
    select json_agg(json_build_array(t.id, t.reference, t.channel, t.amount_minor::text,
      t.paid_minor::text, t.excess_minor::text, t.currency, t.paid_at) order by t.paid_at, t.id)
    from transactions t
    where t.business_id = ${payable}.business_id and t.live = ${payable}.live
      and t.purpose = ${purpose} and t.purpose_id = ${payable}.id and t.paid_at is not null
  )`

/** A row of `receivedColumn`. */
export type ReceivedJson = [
  id: number,
  reference: string,
  channel: TransactionRow['channel'],
  amount: string,
  paid: string | null,
  excess: string,
  currency: string,
  paidAt: string,
]

interface Change {
  from: readonly TransactionState[]
  to: TransactionState
  message: string | null
  now: Date
}

/**
 * Ends a transaction and its provider orders without a payment, if its state allows that. Of two
 * concurrent moves, exactly one succeeds. If the transaction is abandoned, the provider orders that
 * may have been sent are still looked up, because the payer may have paid at the last moment.
 */
export function moveTransaction(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { from, to, message, now }: Change,
) {
  return tx.maybe<TransactionRow>`
    with moved as (
      update transactions
      set status = ${to}, gateway_response = coalesce(${message}, gateway_response),
        timeline = ${withEntry(sql`timeline`, timelineEntry(to, message, now))},
        event_sequence = event_sequence + 1, updated_at = ${now}
      where business_id = ${businessId} and live = ${live} and id = ${id}
        and status = any(${from}::text[])
      returning business_id, live, ${COLUMNS}
    ), ended as (${endedOrders('charge', sql`moved`, to === 'Abandoned' ? 'unsent' : 'all')})
    select ${COLUMNS} from moved`
}

/**
 * Corrects a settled transaction if the received or applied amount differs from the amount
 * requested.
 */
export function updateReceived(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  received: Pick<TransactionRow, 'amount_minor' | 'fee_minor' | 'excess_minor'>,
) {
  return tx.one<TransactionRow>`
    update transactions
    set amount_minor = ${received.amount_minor}, fee_minor = ${received.fee_minor},
      excess_minor = ${received.excess_minor}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${COLUMNS}`
}

/** Stores the codes of started USSD payments, together with the reports that contained them. */
export const ussdCodesBatch = perDatabase((db) =>
  openBatch<{ report: ReportRow; codes: string }, void>({
    db,
    businessOf: ({ report }) => report.business_id,
    async write(started) {
      const rows = started.map(({ report, codes }) => ({ ...report, codes }))
      await db.run`
        with started as materialized (
          select * from json_to_recordset(${JSON.stringify(rows)}::json)
            as t (${new Sql([REPORT_ROW], [])}, codes text) limit ${rows.length}
        ), reported as (${updateReported(sql`started`)})
        update transactions t set ussd_codes = s.codes
        from started s
        where t.business_id = s.business_id and t.live = s.live and t.id = s.subject_id`
      return started.map(() => undefined)
    },
    bytesOf: ({ codes }) => codes.length,
  }),
)

interface Ref {
  business_id: number
  live: boolean
  id: number
}

export function selectExpired(db: Db, now: Date, only: number | null, limit: number) {
  return db.many<Ref>`
    select business_id, live, id from transactions
    where status = 'Pending' and expires_at <= ${now}
      and (${only}::bigint is null or (business_id = ${only} and not live))
    order by expires_at limit ${limit}`
}

/** Lets a payer pay for a shorter time, because the bank closes the account by then. */
export function shortenExpiry(tx: Tx, { businessId, live }: Tenant, id: number, expiresAt: Date) {
  return tx.run`
    update transactions set expires_at = ${expiresAt}
    where business_id = ${businessId} and live = ${live} and id = ${id} and status = 'Pending'
      and expires_at > ${expiresAt}`
}

export interface VirtualAccountRow {
  id: number
  transaction_id: number
  /** The provider order through which it was opened. */
  connection_id: number
  attempt: number
  status: 'Open' | 'Paid' | 'Expired'
  account_number: string
  account_name: string
  /** Null if the bank is not in our list. */
  bank_code: string | null
  bank_name: string
  amount_minor: Minor
  currency: string
  event_sequence: number
  expires_at: Date
  created_at: Date
}

const ACCOUNT = sql`id, transaction_id, connection_id, attempt, status, account_number,
  account_name, bank_code, bank_name, amount_minor, currency, event_sequence, expires_at,
  created_at`

/**
 * Returns nothing if the transaction already has its account. If the transaction ended during the
 * call to the provider, its account is Expired from the start, so deposits are returned.
 */
export function insertVirtualAccount(
  tx: Tx,
  { businessId, live }: Tenant,
  row: Omit<VirtualAccountRow, 'event_sequence' | 'status'>,
) {
  return tx.maybe<VirtualAccountRow>`
    insert into virtual_accounts
      (business_id, live, id, transaction_id, connection_id, attempt, status, account_number,
       account_name, bank_code, bank_name, amount_minor, currency, event_sequence, expires_at,
       created_at)
    select ${businessId}::bigint, ${live}::boolean, ${row.id}::bigint, id,
      ${row.connection_id}::bigint, ${row.attempt}::integer,
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

/**
 * Locks a payment and its account, if it has one, so that decisions on what was paid for it are
 * made one at a time.
 */
export async function lockAccountOf(tx: Tx, { businessId, live }: Tenant, transactionId: number) {
  const transaction = await lockById(tx, { businessId, live }, transactionId)
  const account = await tx.maybe<VirtualAccountRow>`
    select ${ACCOUNT} from virtual_accounts
    where business_id = ${businessId} and live = ${live} and transaction_id = ${transactionId}
    for update`
  return { transaction, account }
}

/**
 * Only an expiry causes an account event and increments the event count. An account can be paid in
 * time even if its provider reports that only after the expiry.
 */
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
      and (status = 'Open' or (status = 'Expired' and ${status}::text = 'Paid'))
    returning ${ACCOUNT}`
}

/** Increments the account's event count for an event that doesn't change anything else. */
export function countAccountEvent(tx: Tx, { businessId, live }: Tenant, id: number) {
  return tx.one<VirtualAccountRow>`
    update virtual_accounts set event_sequence = event_sequence + 1
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${ACCOUNT}`
}

/** Selects the newest account with the given number. */
export function selectAccountByNumber(db: Db, { businessId, live }: Tenant, number: string) {
  return db.maybe<VirtualAccountRow>`
    select ${ACCOUNT} from virtual_accounts
    where business_id = ${businessId} and live = ${live} and account_number = ${number}
    order by created_at desc, id desc limit 1`
}

/** The `provider` value for an attempt that has not been sent to a provider yet. */
export const NO_PROVIDER = 'none'

type Method = Pick<
  TransactionRow,
  'channel' | 'fee_minor' | 'payable_minor' | 'provider' | 'bank_code' | 'expires_at'
> & { order: NewOrder }

/** Sets the channel of an open attempt that has not been sent to a provider yet. */
export function updateMethod(
  tx: Tx,
  { businessId, live }: Tenant,
  { id, reference }: Pick<TransactionRow, 'id' | 'reference'>,
  method: Method,
) {
  return tx.one<TransactionRow>`
    with updated as (
      update transactions
      set channel = ${method.channel}, fee_minor = ${method.fee_minor},
        payable_minor = ${method.payable_minor}, provider = ${method.provider},
        bank_code = ${method.bank_code}, expires_at = ${method.expires_at}, dismissed_at = null
      where business_id = ${businessId} and live = ${live} and id = ${id} and status = 'Pending'
        and provider = ${NO_PROVIDER}
      returning business_id, live, ${COLUMNS}
    ), ordered as (${newOrders('charge', sql`updated`, reference, method.order)})
    select ${COLUMNS} from updated`
}

/** Stores which provider has an attempt, after its provider order has moved. */
export function updateProvider(tx: Tx, { businessId, live }: Tenant, id: number, provider: string) {
  return tx.one<TransactionRow>`
    update transactions set provider = ${provider}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${COLUMNS}`
}

export function updatePayUrl(tx: Tx, { businessId, live }: Tenant, id: number, url: string) {
  return tx.run`
    update transactions set pay_url = ${url}
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

export interface SuccessfulRow extends TransactionRow {
  business_id: number
  live: boolean
  /** The business's time zone and fee rules. */
  time_zone: string
  fees: string | null
}

/**
 * Moves transactions to Successful, each only once and only if its state allows it. The received
 * amount can differ from the requested one only for a transfer. Returns the transactions it moved.
 */
export function markSuccessful(tx: Tx, payments: readonly PaymentToSettle[]) {
  const { from, to: status } = transactionMachine.moves.succeed
  const plain = (pick: (of: PaymentToSettle) => number | bigint | boolean) =>
    plainArray(payments.map(pick))
  const entryOf = ({ now, message }: PaymentToSettle) => timelineEntry(status, message, now)
  return tx.many<SuccessfulRow>`
    with moved as (
    update transactions t
    set status = ${status}, late = late or status = 'Abandoned',
      gateway_response = coalesce(w_message, gateway_response), paid_at = w_now,
      paid_minor = w_received_minor, timeline = ${withEntry(sql`timeline`, sql`w_entry`)},
      event_sequence = event_sequence + 1, updated_at = w_now
    from unnest(
      ${plain(({ tenant }) => tenant.businessId)}::bigint[],
      ${plain(({ tenant }) => tenant.live)}::boolean[],
      ${plain(({ transactionId }) => transactionId)}::bigint[],
      ${plain(({ received_minor }) => received_minor)}::bigint[],
      ${plain(({ attempt }) => attempt)}::integer[],
      ${textArray(payments.map(({ message }) => message))}::text[],
      ${textArray(payments.map(entryOf))}::text[],
      ${timeArray(payments.map(({ now }) => now))}::timestamptz[]
    ) as w (w_business_id, w_live, w_id, w_received_minor, w_attempt, w_message, w_entry, w_now)
    where (business_id, live, id) = (w_business_id, w_live, w_id)
      and status = any(${from}::text[])
      and (payable_minor = w_received_minor or channel = 'BANK_TRANSFER')
    returning business_id, live, w_attempt as paid_attempt, ${COLUMNS}
    ), ended as (${paidOrders('charge', sql`moved`)})
    select business_id, live, ${COLUMNS},
      (select s.time_zone from business_settings s
        where s.business_id = t.business_id and s.live = t.live) as time_zone,
      (select b.fee_rules::text from businesses b where b.id = t.business_id) as fees
    from moved t`
}

interface PaidFor {
  purpose: string
  purposeId: number
}

export function selectLanguage(
  db: Db,
  { businessId, live }: Tenant,
  { purpose, purposeId }: PaidFor,
) {
  return db.maybe<{ language: string }>`
    select language from payer_languages
    where business_id = ${businessId} and live = ${live}
      and purpose = ${purpose} and purpose_id = ${purposeId}`
}

export function upsertLanguage(
  db: Db,
  { businessId, live }: Tenant,
  { purpose, purposeId }: PaidFor,
  language: string,
) {
  return db.run`
    insert into payer_languages (business_id, live, purpose, purpose_id, language)
    values (${businessId}, ${live}, ${purpose}, ${purposeId}, ${language})
    on conflict (business_id, live, purpose, purpose_id) do update set language = ${language}
      where payer_languages.language <> ${language}`
}

export function updateLanguage(
  db: Db,
  { businessId, live }: Tenant,
  { purpose, purposeId }: PaidFor,
  language: string,
) {
  return db.run`
    update payer_languages set language = ${language}
    where business_id = ${businessId} and live = ${live}
      and purpose = ${purpose} and purpose_id = ${purposeId}`
}
