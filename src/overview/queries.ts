import type { Db } from '../db/database.ts'
import { all, PLAN_EACH_TIME, type Sql, sql } from '../db/sql.ts'
import { candidates, ofTenant, recordOf, recordsOf, type Searchable } from '../db/text-search.ts'
import type { Tenant } from '../lib/caller.ts'
import { DEFAULT_PREFIX, DIGITS_MIN } from '../lib/invoice-number.ts'
import type { Minor } from '../lib/money.ts'
import { SPLIT_PAGES } from '../money/split-pages/service.ts'
import { SUBACCOUNTS } from '../money/subaccounts/service.ts'
import { TRANSFERS } from '../money/transfers/list.ts'
import { TRANSACTIONS } from '../payments/attempts/record.ts'
import type { TransactionState } from '../payments/attempts/schemas.ts'
import { INVOICES } from '../sales/invoices/record.ts'
import { INVOICE_PURPOSE } from '../sales/invoices/service.ts'
import { ORDERS } from '../sales/orders/record.ts'
import { PAYMENT_PAGES } from '../sales/payment-pages/service.ts'
import { PRODUCTS } from '../sales/products/record/service.ts'

/** A day; a null `day` means the whole previous period. */
export interface Span {
  day: string | null
  from: Date
  /** Exclusive. */
  until: Date
}

export interface DaySums {
  day: string | null
  channel: string
  status: TransactionState
  count: number
  amount: Minor
}

/**
 * Adds up the transactions created in each span, using the list's index. A transaction takes about
 * 2 µs, so 65,000 take 150 ms. Grouping them all by day would require sorting them, which takes
 * twice as long.
 */
export async function sumBySpan(
  db: Db,
  { businessId, live }: Tenant,
  { spans, currency }: { spans: readonly Span[]; currency: string },
): Promise<DaySums[]> {
  interface Row {
    place: number
    channel: string
    status: TransactionState
    count: string
    amount: string
  }
  const rows = await db.many<Row>`
    select span.place, sums.* from unnest(
      ${spans.map(({ from }) => from)}::timestamptz[],
      ${spans.map(({ until }) => until)}::timestamptz[]
    ) with ordinality as span (begins, ends, place)
    cross join lateral (
      select channel, status, count(*)::text as count, sum(amount_minor)::text as amount
      from transactions
      where business_id = ${businessId} and live = ${live}
        and created_at >= span.begins and created_at < span.ends and currency = ${currency}
      group by channel, status offset 0
    ) sums`
  return rows.map(({ place, channel, status, count, amount }) => ({
    day: spans[place - 1]!.day,
    channel,
    status,
    count: Number(count),
    amount: BigInt(amount),
  }))
}

/** Returns the available balance, and how much it has grown since `from`. */
export async function selectBalance(
  db: Db,
  { businessId, live }: Tenant,
  { currency, from }: { currency: string; from: Date },
): Promise<{ available: Minor; grown: Minor }> {
  const row = await db.maybe<{ available: string; grown: string }>`
    select (a.credits_minor - a.debits_minor)::text as available, (
      select coalesce(sum(amount_minor), 0) from ledger_transfers
      where business_id = ${businessId} and live = ${live} and credit_account_id = a.id
        and created_at >= ${from}
    )::numeric - (
      select coalesce(sum(amount_minor), 0) from ledger_transfers
      where business_id = ${businessId} and live = ${live} and debit_account_id = a.id
        and created_at >= ${from}
    ) as grown
    from ledger_accounts a
    where a.business_id = ${businessId} and a.live = ${live} and a.kind = 'wallet_available'
      and a.subject_id = 0 and a.currency = ${currency}`
  return { available: BigInt(row?.available ?? 0), grown: BigInt(row?.grown ?? 0) }
}

export interface ActivityRow {
  reference: string
  type: string
  object_type: string
  object_id: number
  data: string
  created_at: Date
}

/** Returns the newest events about these object types, among the newest `among` events overall. */
export const selectActivity = (
  db: Db,
  { businessId, live }: Tenant,
  { objectTypes, among, take }: { objectTypes: readonly string[]; among: number; take: number },
) =>
  db.many<ActivityRow>`
    select reference, type, object_type, object_id, data, created_at from (
      select * from events where business_id = ${businessId} and live = ${live}
      order by created_at desc, id desc limit ${among}
    ) newest
    where object_type = any(${objectTypes})
    order by created_at desc, id desc limit ${take}`

export const selectSetupSteps = (db: Db, { businessId, live }: Tenant) =>
  db.one<Record<`has_${'details' | 'provider' | 'account' | 'goods' | 'webhook'}`, boolean>>`
    select b.email is not null and b.phone is not null as has_details,
      exists (select 1 from provider_connections where business_id = ${businessId}
        and live = ${live} and status in ('Active', 'Paused')) as has_provider,
      s.settlement_bank_code is not null as has_account,
      exists (select 1 from products where business_id = ${businessId} and live = ${live})
        or exists (select 1 from payment_pages where business_id = ${businessId} and live = ${live})
        or exists (select 1 from invoices where business_id = ${businessId} and live = ${live})
        as has_goods,
      exists (select 1 from webhooks where business_id = ${businessId} and live = ${live}
        and status = 'Active') as has_webhook
    from businesses b join business_settings s on s.business_id = b.id and s.live = ${live}
    where b.id = ${businessId}`

export interface EventMark {
  mark: string
  /** When the newest event happened. */
  at: Date | null
}

/**
 * Selects a string that changes whenever an event is written. An event that commits late can be
 * older than the newest one, so the string also counts the events from the seconds before the
 * newest.
 */
export async function selectEventMark(db: Db, { businessId, live }: Tenant): Promise<EventMark> {
  const found = await db.maybe<EventMark>`
    select newest.created_at as at, concat_ws('.', newest.id, (
      select count(*) from (
        select 1 from events
        where business_id = ${businessId} and live = ${live}
          and created_at > newest.created_at - interval '5 seconds'
        limit 2000
      ) late)) as mark
    from (
      select created_at, id from events where business_id = ${businessId} and live = ${live}
      order by created_at desc, id desc limit 1
    ) newest`
  return found ?? { mark: '0', at: null }
}

/** How records of one noun are searched and shown on one line. */
interface Searched {
  table: Sql
  title: Sql
  /** The stored state; null if the noun has none. */
  status: Sql
  amount: Sql
  currency: Sql
  /** What people call the record instead of its reference, such as an invoice number. */
  called?: Sql
  /** The customer's email address. */
  email?: Sql
  isThere?: Sql
  /** For text search. Nouns without it are found only by reference. */
  texts?: Searchable
  /**
   * Text that is searched only in the newest records, for nouns with only a few records per
   * business.
   */
  within?: Sql
  /** Digits, such as a phone number, that are searched only in the newest records. */
  digits?: Sql
  /** Whether the records have the number of an account that money is paid out to. */
  hasAccount?: true
}

const nothing = sql`null::text`
const noAmount = sql`null::bigint`
const priced = { status: sql`status`, amount: sql`amount_minor`, currency: sql`currency` }
const plain = { status: sql`status`, amount: noAmount, currency: nothing }
const ofCustomer = {
  ...priced,
  title: sql`coalesce(customer_name, customer_email, reference)`,
  email: sql`lower(customer_email)`,
}

/** Formatted in the same way as `invoiceNumber`. */
const INVOICE_NUMBER = sql`coalesce(number_prefix, ${DEFAULT_PREFIX}) || lpad(
  coalesce(number, id)::text, greatest(${DIGITS_MIN}, length(coalesce(number, id)::text)), '0')`

/** A number without a prefix can also be an id. */
const isInvoice = ({ prefix, number }: NonNullable<SearchTerms['number']>): Sql =>
  prefix === undefined
    ? sql`(number = ${number} or id = ${number})`
    : sql`((number = ${number} and lower(number_prefix) = ${prefix})
        or (id = ${number} and number is null and lower(${DEFAULT_PREFIX}) = ${prefix}))`

/** Formatted as in the dashboard, using the end of the reference. */
const ORDER_NUMBER = sql`'#' || upper(right(reference, 6))`

/** By the object types that events use (src/deep-links.ts). */
const NOUNS: Record<string, Searched> = {
  transaction: {
    ...ofCustomer,
    table: sql`transactions`,
    texts: TRANSACTIONS,
    digits: sql`customer_phone`,
  },
  invoice: {
    ...ofCustomer,
    table: sql`invoices`,
    texts: INVOICES,
    called: INVOICE_NUMBER,
    digits: sql`customer_phone`,
  },
  order: {
    ...ofCustomer,
    table: sql`orders`,
    texts: ORDERS,
    called: ORDER_NUMBER,
    within: ORDER_NUMBER,
    digits: sql`customer_phone`,
  },
  checkout: {
    ...ofCustomer,
    table: sql`checkouts`,
    within: sql`concat_ws(' ', customer_name, customer_email)`,
  },
  payment_page: {
    ...priced,
    table: sql`payment_pages`,
    title: sql`title`,
    isThere: sql`deleted_at is null`,
    texts: PAYMENT_PAGES,
  },
  product: {
    ...priced,
    amount: sql`price_minor`,
    table: sql`products`,
    title: sql`name`,
    isThere: sql`deleted_at is null`,
    texts: PRODUCTS,
  },
  subaccount: {
    ...plain,
    table: sql`subaccounts`,
    title: sql`business_name`,
    texts: SUBACCOUNTS,
    hasAccount: true,
  },
  split_page: {
    ...plain,
    status: nothing,
    table: sql`split_pages`,
    title: sql`name`,
    texts: SPLIT_PAGES,
  },
  transfer: {
    ...priced,
    table: sql`transfers`,
    title: sql`coalesce(account_name, '•••• ' || account_last4, reference)`,
    called: sql`bank_name || coalesce(' •••• ' || account_last4, '')`,
    texts: TRANSFERS,
    hasAccount: true,
  },
  refund: { ...priced, table: sql`refunds`, title: sql`reference` },
  dispute: {
    ...priced,
    table: sql`disputes`,
    title: sql`reason`,
    // Payers' banks and providers name a dispute by the provider's number.
    within: sql`reason || ' ' || provider_id`,
  },
  deposit: {
    ...priced,
    status: sql`coalesce(return_status, status)`,
    table: sql`deposits`,
    title: sql`coalesce(sender ->> 'accountName', reference)`,
    within: sql`concat_ws(' ', account_number, sender ->> 'accountName')`,
  },
  virtual_account: {
    ...priced,
    // Payers know the account by its number.
    table: sql`(select *, account_number as reference from virtual_accounts) accounts`,
    title: sql`bank_name || ' ' || account_number`,
  },
  settlement: { ...priced, table: sql`settlements`, title: sql`reference` },
  utility_payment: { ...priced, table: sql`utility_payments`, title: sql`reference` },
  discount: {
    ...plain,
    table: sql`discounts`,
    title: sql`code`,
    within: sql`code`,
  },
  webhook: {
    ...plain,
    table: sql`webhooks`,
    title: sql`url`,
    isThere: sql`status <> 'Deleted'`,
    within: sql`url || ' ' || coalesce(description, '')`,
  },
  api_key: {
    ...plain,
    status: sql`type`,
    table: sql`api_keys`,
    title: sql`coalesce(label, hint)`,
    isThere: sql`revoked_at is null`,
    within: sql`coalesce(label, '') || ' ' || hint`,
  },
}

export const SEARCH_NOUNS = Object.keys(NOUNS)

export interface SearchResultRow {
  noun: string
  id: number
  reference: string
  title: string
  called: string | null
  status: string | null
  amount_minor: Minor | null
  currency: string | null
  email: string | null
  created_at: Date
}

/** The text that was typed into the search, and everything that it can mean. */
export interface SearchTerms {
  text: string
  /** A reference, or the beginning of one. */
  reference: string | undefined
  number: { prefix: string | undefined; number: number } | undefined
  /** The end of a phone number. */
  digits: string | undefined
  /** Of the number of an account, if all of it was typed. */
  accountHash: Buffer | undefined
  amount: { minor: Minor; currency: string } | undefined
}

/** How many text matches are read. Only the newest few are shown. */
const LOOKED_AT = 200
/** How many of the newest records are read if there is no text index. */
const READ_OF_FEW = 2_000
const OF_EACH = 4
/** Sorts after every reference with the same start, in every collation. */
const LAST = 'z'.repeat(40)

/** Returns the newest few records of each noun that match the reference, number, amount or text. */
export function search(db: Db, tenant: Tenant, nouns: readonly string[], terms: SearchTerms) {
  const parts = nouns.flatMap((noun) => partsOf(tenant, noun, nouns, terms))
  return db.many<SearchResultRow>`${PLAN_EACH_TIME}
    select * from (${parts.reduce((left, right) => sql`${left} union all ${right}`)}) found
    order by created_at desc, id desc`
}

function partsOf(
  tenant: Tenant,
  noun: string,
  nouns: readonly string[],
  terms: SearchTerms,
): Sql[] {
  const { table, title, called, status, amount, currency, email, ...of } = NOUNS[noun]!
  const { isThere, hasAccount } = of
  const columns = sql`${noun}::text as noun, id, reference, ${title} as title,
    ${called ?? nothing} as called, ${status} as status, ${amount} as amount_minor,
    ${currency}::text as currency, ${email ?? nothing} as email, created_at`
  const few = sql`${isThere ?? sql`true`} order by created_at desc, id desc limit ${OF_EACH}`
  const newest = amongNewest(NOUNS[noun]!, terms)
  const found = foundByText(tenant, NOUNS[noun]!, terms)
  return [
    sql`(select ${columns} from ${table} where ${ofTenant(tenant)} and ${named(terms)} and ${few})`,
    hasAccount && terms.accountHash
      ? sql`(select ${columns} from ${table}
          where ${ofTenant(tenant)} and account_hash = ${terms.accountHash} and ${few})`
      : undefined,
    noun === 'invoice' && terms.number !== undefined
      ? sql`(select ${columns} from ${table}
          where ${ofTenant(tenant)} and ${isInvoice(terms.number)} and ${few})`
      : undefined,
    noun === 'transaction' && nouns.length === 1 && terms.number !== undefined
      ? sql`(select ${columns} from ${table}
          where ${ofTenant(tenant)} and purpose = ${INVOICE_PURPOSE} and purpose_id in (
            select id from invoices where ${ofTenant(tenant)} and ${isInvoice(terms.number)})
          and ${few})`
      : undefined,
    newest.length > 0
      ? sql`(select ${columns} from (
          select * from ${table} where ${ofTenant(tenant)} order by id desc limit ${READ_OF_FEW}) r
          where (${newest.reduce((left, right) => sql`${left} or ${right}`)}) and ${few})`
      : undefined,
    found &&
      sql`(select ${columns} from (select id as found_id from (${found} limit ${LOOKED_AT}) ids) ids
        cross join lateral (
          select * from ${table} where ${ofTenant(tenant)} and id = found_id offset 0) r
        where ${few})`,
  ].filter((part) => part !== undefined)
}

/** Matches a whole reference, or the beginning of one as lists show it. */
const named = ({ text, reference }: SearchTerms): Sql =>
  reference === undefined
    ? sql`reference = ${text}`
    : sql`reference between ${reference} and ${reference + LAST}
        and starts_with(reference, ${reference})`

function amongNewest({ within, digits, amount, currency }: Searched, terms: SearchTerms): Sql[] {
  return [
    within && sql`position(lower(${terms.text}) in lower(${within})) > 0`,
    digits && terms.digits !== undefined
      ? sql`position(${terms.digits} in regexp_replace(${digits}, '[^0-9]', '', 'g')) > 0`
      : undefined,
    amount !== noAmount && terms.amount
      ? sql`(${amount} = ${terms.amount.minor} and ${currency} = ${terms.amount.currency})`
      : undefined,
  ].filter((part) => part !== undefined)
}

const foundByText = (tenant: Tenant, { texts }: Searched, { text }: SearchTerms): Sql | undefined =>
  texts && candidates(tenant, { of: texts, text })

/** The kinds of records in which the role can see customers. */
export interface RevealingRecords {
  payments: boolean
  invoices: boolean
  orders: boolean
}

/** Selects the newest records of one kind, either all or those that match the text. */
function rowsOf(tenant: Tenant, kind: Searchable, text: string | undefined, most: number): Sql {
  if (text === undefined) {
    return sql`(select * from ${recordsOf(kind)} where ${ofTenant(tenant)}
      order by created_at desc, id desc limit ${most})`
  }
  const found = candidates(tenant, { of: kind, text })
  return sql`(select r.* from (${found} limit ${most}) found
    cross join ${recordOf(kind, tenant, sql`found.id`)} r)`
}

const PAID = sql`('Successful', 'PartiallyRefunded', 'Refunded', 'Reversed')`

/** Selects one row for each time a customer paid, was billed or placed an order. */
function times(
  tenant: Tenant,
  known: RevealingRecords,
  text: string | undefined,
  most: number,
): Sql {
  const parts = [
    known.payments &&
      sql`select 'payment' as what, lower(customer_email) as email, customer_name as name,
            customer_phone as phone, created_at,
            case when status in ${PAID} then amount_minor end as paid, currency
          from ${rowsOf(tenant, TRANSACTIONS, text, most)} t`,
    known.invoices &&
      sql`select 'invoice', lower(customer_email), customer_name, customer_phone, created_at,
            null::bigint, currency
          from ${rowsOf(tenant, INVOICES, text, most)} i`,
    known.orders &&
      sql`select 'order', lower(customer_email), customer_name, customer_phone, created_at,
            null::bigint, currency
          from ${rowsOf(tenant, ORDERS, text, most)} o`,
  ].filter((part) => part !== false)
  return parts.reduce((left, right) => sql`${left} union all ${right}`)
}

/** A person who has only opened a checkout is not yet a customer. */
const HAS_DONE = sql`having count(*) filter (where what <> 'payment' or paid is not null) > 0`

export interface CustomerRow {
  email: string
  name: string | null
  phone: string | null
  payments: number
  invoices: number
  orders: number
  /** In the requested currency. */
  paid: Minor
  first_at: Date
  last_at: Date
  /** The number of customers in the records that were read. */
  total: number
}

interface CustomerFilter {
  known: RevealingRecords
  text?: string | undefined
  /** Selects only this customer. */
  email?: string
  currency: string
  /** The maximum number of records to read of each kind. */
  most: number
  offset: number
  take: number
}

/** Returns customers, most recent first. */
export async function selectCustomers(db: Db, tenant: Tenant, filter: CustomerFilter) {
  const { known, text, email, currency, most, offset, take } = filter
  const isWanted = all([
    sql`email is not null`,
    email === undefined ? undefined : sql`email = ${email}`,
  ])
  const isOne = email !== undefined
  type Row = Omit<CustomerRow, 'paid'> & { paid: string }
  const rows = await db.many<Row>`${PLAN_EACH_TIME}
    select email, name, phone, payments, invoices, orders, paid::text, first_at, last_at, total
    from (
      select email,
        (array_agg(name order by created_at desc) filter (where name is not null))[1] as name,
        (array_agg(phone order by created_at desc) filter (where phone is not null))[1]
          as phone,
        count(*) filter (where what = 'payment' and paid is not null) as payments,
        count(*) filter (where what = 'invoice') as invoices,
        count(*) filter (where what = 'order') as orders,
        coalesce(sum(paid) filter (where currency = ${currency}), 0) as paid,
        min(created_at) as first_at, max(created_at) as last_at, count(*) over () as total
      from (${times(tenant, known, text, most)}) times
      where ${isWanted}
      group by email
      ${isOne ? sql`` : HAS_DONE}
    ) customers
    order by last_at desc, email offset ${offset} limit ${take}`
  return rows.map((row): CustomerRow => ({ ...row, paid: BigInt(row.paid) }))
}

export interface CustomerRecordRow {
  reference: string
  /** The invoice number. */
  number: string | null
  status: string
  channel: string | null
  amount_minor: Minor
  currency: string
  created_at: Date
}

/** Returns the newest payments, invoices or orders for one email address. */
export function selectCustomerRecords(
  db: Db,
  tenant: Tenant,
  what: keyof RevealingRecords,
  { email, most, take }: { email: string; most: number; take: number },
) {
  const kind = { payments: TRANSACTIONS, invoices: INVOICES, orders: ORDERS }[what]
  const rows = rowsOf(tenant, kind, email, most)
  return db.many<CustomerRecordRow>`${PLAN_EACH_TIME}
    select reference, ${what === 'invoices' ? INVOICE_NUMBER : sql`null`} as number, status,
      ${what === 'payments' ? sql`channel` : sql`null as channel`},
      amount_minor, currency, created_at
    from ${rows} done where lower(customer_email) = ${email}
    order by created_at desc, id desc limit ${take}`
}
