import { createHash } from 'node:crypto'
import {
  type PaymentTerms,
  paymentTermsInBatch,
  paymentTermsOf,
} from '../../business/account/payment-settings.ts'
import { readInBatches } from '../../db/batch.ts'
import type { Database, Db, Tx } from '../../db/database.ts'
import { findFairly } from '../../db/leases.ts'
import type { List } from '../../db/paginate.ts'
import { plainArray } from '../../db/pg-arrays.ts'
import { type Sql, sql, startsWithAnyCase } from '../../db/sql.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import type { Minor } from '../../lib/money.ts'
import type { Range } from '../../lib/paging.ts'
import type { FeeBearer } from '../../payments/attempts/allocation.ts'
import type { TransactionState } from '../../payments/attempts/schemas.ts'
import type { Channel } from '../../providers/connector/types.ts'
import { CHECKOUT_PURPOSE, tenantOf } from './payable.ts'
import type { CheckoutState } from './schemas.ts'

export interface CheckoutRow {
  business_id: number
  live: boolean
  id: number
  reference: string
  secret: string
  status: CheckoutState
  page_id: number | null
  order_id: number | null
  /** The latest payment attempt or, once the checkout is paid, the one that paid it. */
  transaction_id: number | null
  split_page_id: number | null
  subaccount_id: number | null
  amount_minor: Minor
  currency: string
  /** Set when the checkout is created; null only if nothing is due. */
  fee_bearer: FeeBearer | null
  channels: Channel[]
  customer_email: string
  customer_name: string | null
  customer_phone: string | null
  callback_url: string | null
  /** JSON text: [{label, name, value}]. */
  answers: string
  /** JSON text. */
  metadata: string | null
  expires_at: Date
  paid_at: Date | null
  cancelled_by: 'payer' | 'business' | null
  /** A keyed hash of the network from which a payer started the checkout on a page. */
  payer_network: string | null
  /** False if nothing was reserved; null if the checkout was not started on a page. */
  payer_reserves: boolean | null
  created_at: Date
  updated_at: Date
}

const COLUMNS = sql`business_id, live, id, reference, secret, status, page_id, order_id,
  transaction_id, split_page_id, subaccount_id, amount_minor, currency, fee_bearer, channels,
  customer_email, customer_name, customer_phone, callback_url, answers, metadata, expires_at,
  paid_at, cancelled_by, payer_network, payer_reserves, created_at,
  updated_at`

export function selectCheckout(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<CheckoutRow>`
    select ${COLUMNS} from checkouts
    where business_id = ${businessId} and live = ${live} and reference = ${reference}`
}

export function selectCheckoutById(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<CheckoutRow>`
    select ${COLUMNS} from checkouts
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

export function lockCheckout(tx: Tx, { businessId, live }: Tenant, id: number) {
  return tx.maybe<CheckoutRow>`
    select ${COLUMNS} from checkouts
    where business_id = ${businessId} and live = ${live} and id = ${id} for no key update`
}

interface Change {
  from: readonly CheckoutState[]
  to: CheckoutState
  now: Date
  /** The transaction that paid the checkout. */
  paidBy?: number
  /** Whether to require that the checkout has not expired. */
  inTime?: boolean
  cancelledBy?: 'payer' | 'business'
  /** The new expiry of a reopened checkout. */
  expiresAt?: Date
}

/** Changes the state, if the current state allows it. */
export function moveCheckout(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { from, to, now, paidBy, inTime = false, cancelledBy, expiresAt }: Change,
) {
  return tx.maybe<CheckoutRow>`
    update checkouts
    set status = ${to}, updated_at = ${now},
      paid_at = case when ${to}::text = 'Paid' then ${now}::timestamptz else paid_at end,
      transaction_id = coalesce(${paidBy ?? null}::bigint, transaction_id),
      cancelled_by = ${cancelledBy ?? null}::text,
      expires_at = coalesce(${expiresAt ?? null}::timestamptz, expires_at)
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and status = any(${from}::text[]) and (not ${inTime}::boolean or expires_at > ${now})
    returning ${COLUMNS}`
}

/**
 * Sets the current attempt. If it expires later than the checkout, extends the checkout’s expiry to
 * match.
 */
export function updateAttempt(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { transactionId, expiresAt, now }: { transactionId: number; expiresAt: Date; now: Date },
) {
  return tx.one<CheckoutRow>`
    update checkouts
    set transaction_id = ${transactionId}, expires_at = greatest(expires_at, ${expiresAt}),
      updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${COLUMNS}`
}

interface Due {
  business_id: number
  live: boolean
  id: number
}

/**
 * Selects Open checkouts that are past their expiry. `only` limits this to one business’s test
 * data.
 */
export function selectDue(db: Db, now: Date, only: number | null, limit: number) {
  const find = (isOther: Sql) => db.many<Due>`
    select business_id, live, id from checkouts
    where status = 'Open' and expires_at <= ${now} and ${isOther}
      and (${only}::bigint is null or (business_id = ${only} and not live))
    order by expires_at limit ${limit}`
  return findFairly(db, 'checkouts', limit, find)
}

/** A requested product. Its variant is null if it doesn’t belong to the product. */
export interface RequestedProductRow {
  product_id: number
  name: string
  price_minor: Minor
  currency: string
  type: 'physical' | 'digital' | 'service'
  status: 'Draft' | 'Active' | 'Archived'
  has_variants: boolean
  has_delivery_fees: boolean
  variant_id: number | null
  /** Null means the product’s price. */
  variant_price_minor: Minor | null
  variant_active: boolean | null
  /** In the same order as the options. */
  values: string[]
}

interface RequestedProduct {
  productId: number
  variantId: number | null
}

interface RequestedCart extends Tenant {
  products: readonly RequestedProduct[]
}

/**
 * Returns one row for each requested product that exists, in order. `n` is the position of its
 * cart, counted from 1. As in `productsById`, deleted products are left out after the limit:
 * without statistics, PostgreSQL would read all products of the shop for each batch of carts.
 */
function selectRequestedProducts(db: Db, carts: readonly RequestedCart[]) {
  const requested = carts.flatMap(({ products, ...tenant }, i) =>
    products.map((product) => ({ ...tenant, ...product, n: i + 1 })),
  )
  const column = (pick: (row: (typeof requested)[number]) => number | boolean | null) =>
    plainArray(requested.map(pick))
  return db.many<RequestedProductRow & { n: number }>`
    select w.n, p.id as product_id, p.name, p.price_minor, p.currency, p.type, p.status,
      exists (
        select from product_variants o
        where o.business_id = p.business_id and o.live = p.live and o.product_id = p.id
          and o.deleted_at is null
      ) as has_variants,
      p.type = 'physical' and exists (
        select from delivery_fees d
        where d.business_id = p.business_id and d.live = p.live and d.product_id = p.id
      ) as has_delivery_fees,
      v.id as variant_id, v.price_minor as variant_price_minor, v.active as variant_active,
      array(
        select o.value
        from unnest(v.value_ids) with ordinality u (id, place)
          join product_option_values o on o.business_id = p.business_id and o.live = p.live
            and o.id = u.id
        order by u.place
      ) as values
    from unnest(${column(({ n }) => n)}::integer[],
      ${column(({ businessId }) => businessId)}::bigint[], ${column(({ live }) => live)}::boolean[],
      ${column(({ productId }) => productId)}::bigint[],
      ${column(({ variantId }) => variantId)}::bigint[])
      with ordinality w (n, business_id, live, product_id, variant_id, place)
    cross join lateral (
      select * from products
      where business_id = w.business_id and live = w.live and id = w.product_id
      limit 1
    ) p
    left join product_variants v on v.business_id = w.business_id and v.live = w.live
      and v.id = w.variant_id and v.product_id = p.id and v.deleted_at is null
    where p.deleted_at is null
    order by w.place`
}

const requestedProducts = readInBatches<RequestedCart, RequestedProductRow>(
  ({ businessId }) => businessId,
  selectRequestedProducts,
)

export interface Reads {
  /** For reads that only some checkouts need. */
  db: Db
  terms(tenant: Tenant): Promise<PaymentTerms>
  /** Returns one row for each requested product that exists, in order. */
  requestedProducts(cart: RequestedCart): Promise<RequestedProductRow[]>
}

export const readsIn = (tx: Tx): Reads => ({
  db: tx,
  terms: (tenant) => paymentTermsOf(tx, tenant),
  requestedProducts: (cart) => selectRequestedProducts(tx, [cart]),
})

/** Shares each read with simultaneous requests. */
export const readsInBatches = (db: Database): Reads => ({
  db,
  terms: (tenant) => paymentTermsInBatch(db, tenant),
  requestedProducts: (cart) => requestedProducts(db).add(cart),
})

/** Until the transaction ends, no other checkouts can be added for this network and page. */
export function lockReserving(tx: Tx, pageId: number, network: string) {
  return tx.run`select pg_advisory_xact_lock(hashtextextended(${`${pageId} ${network}`}, 0))`
}

/**
 * Counts the open checkouts with reservations that a network has on a page, and locks the network
 * and the page like `lockReserving`.
 */
export async function selectReserving(
  tx: Tx,
  { businessId, live }: Tenant,
  pageId: number,
  network: string,
): Promise<number> {
  // Takes the lock in a separate statement, so that the count includes what its previous holder
  // committed.
  await lockReserving(tx, pageId, network)
  const { reserving } = await tx.one<{ reserving: number }>`
    select count(*) as reserving from checkouts
    where business_id = ${businessId} and live = ${live} and page_id = ${pageId}
      and payer_network = ${network} and status = 'Open' and payer_reserves`
  return reserving
}

/**
 * Counts a receipt for a free order, across all businesses, and returns how many this recipient has
 * been sent within the past hour. The row stays locked until the transaction ends, so simultaneous
 * receipts are counted one by one.
 */
export function countFreeMail(tx: Tx, to: string, now: Date) {
  const recipient = createHash('sha256').update(to).digest()
  const before = addMs(now, -HOUR_MS)
  return tx.one<{ mails: number }>`
    insert into free_mails as m (recipient, hour, mails) values (${recipient}, ${now}, 1)
    on conflict (recipient) do update
      set mails = case when m.hour > ${before}::timestamptz then m.mails + 1 else 1 end,
        hour = case when m.hour > ${before}::timestamptz then m.hour else ${now}::timestamptz end
    returning mails`
}

const HOUR_MS = 3_600_000

export interface PayerDetails {
  /**
   * When the reservation for all goods of the checkout ends; null if there is none or it has ended.
   */
  kept_until: Date | null
  /**
   * The total of the refused deposits to the checkout’s accounts, which the provider sends back.
   */
  sent_back_minor: Minor
  /** Whether the order contains goods to deliver. */
  is_delivered: boolean
}

export function selectPayerDetails(db: Db, row: CheckoutRow, now: Date) {
  const { businessId, live } = tenantOf(row)
  return db.one<PayerDetails>`
    select
      (
        select case when bool_and(status = 'Reserved') then min(expires_at) end
        from stock_reservations
        where business_id = ${businessId} and live = ${live} and cause_id = ${row.id}
        having min(expires_at) > ${now}
      ) as kept_until,
      (
        select coalesce(sum(d.amount_minor), 0)::bigint
        from transactions t
          join virtual_accounts a on a.business_id = ${businessId} and a.live = ${live}
            and a.transaction_id = t.id
          join deposits d on d.business_id = ${businessId} and d.live = ${live}
            and d.virtual_account_id = a.id
        where t.business_id = ${businessId} and t.live = ${live}
          and t.purpose = ${CHECKOUT_PURPOSE} and t.purpose_id = ${row.id}
          and d.status = 'Rejected' and d.return_status in ('ReturnedByProvider', 'Returned')
          and d.currency = ${row.currency}
      ) as sent_back_minor,
      exists (
        select from order_lines l join products p using (business_id, live)
        where l.business_id = ${businessId} and l.live = ${live} and l.order_id = ${row.order_id}
          and p.id = l.product_id and p.type = 'physical'
      ) as is_delivered`
}

/**
 * The fields of a checkout’s record that come from other tables. A field is null if there is no
 * such row.
 */
export interface RelatedFields {
  transaction_reference: string | null
  transaction_status: TransactionState | null
  order_reference: string | null
  shipping_address: string | null
  subaccount_code: string | null
}

export async function selectRelated(db: Db, tenant: Tenant, id: number): Promise<RelatedFields> {
  const related = (await selectRelatedOf(db, tenant, [id])).get(id)
  if (!related) throw new Error(`Checkout ${id} does not exist`)
  return related
}

/** Returns the fields of several checkouts, by their ids. */
export async function selectRelatedOf(
  db: Db,
  { businessId, live }: Tenant,
  ids: readonly number[],
): Promise<Map<number, RelatedFields>> {
  if (ids.length === 0) return new Map()
  const rows = await db.many<RelatedFields & { id: number }>`
    select c.id, t.reference as transaction_reference, t.status as transaction_status,
      o.reference as order_reference,
      o.delivery_address as shipping_address, s.reference as subaccount_code
    from checkouts c
      left join transactions t on t.business_id = ${businessId} and t.live = ${live}
        and t.id = c.transaction_id
      left join orders o on o.business_id = ${businessId} and o.live = ${live}
        and o.id = c.order_id
      left join subaccounts s on s.business_id = ${businessId} and s.live = ${live}
        and s.id = c.subaccount_id
    where c.business_id = ${businessId} and c.live = ${live}
      and c.id = any(${plainArray(ids)}::bigint[])`
  return new Map(rows.map(({ id, ...related }) => [id, related]))
}

interface CheckoutFilter {
  state: CheckoutState | undefined
  range: Range
  isDescending: boolean
  /** A whole reference, or the start of the customer's email address. */
  text: string | undefined
}

/** The checkouts that are in a state at `now`; newest first unless the filter says otherwise. */
export const checkoutList = (
  tenant: Tenant,
  { state, text, ...filter }: CheckoutFilter,
  now: Date,
): List => ({
  ...filter,
  ...inState(state, now, [state, filter.range]),
  table: sql`checkouts`,
  columns: COLUMNS,
  tenant,
  lookup: text === undefined ? undefined : isFound(text),
})

/** A checkout can be past its expiry before the job has expired it; see `stateAt`. */
function inState(
  state: CheckoutState | undefined,
  now: Date,
  named: unknown,
): Pick<List, 'filters' | 'either' | 'counts'> {
  const key = JSON.stringify(named)
  if (state === 'Open') {
    return { filters: [sql`status = 'Open' and expires_at > ${now}`], counts: { key } }
  }
  if (state === 'Expired') {
    const either = [sql`status = 'Expired'`, sql`status = 'Open' and expires_at <= ${now}`]
    return { either, counts: { key } }
  }
  return {
    filters: [state && sql`status = ${state}`],
    counts: { isLasting: state === undefined || state === 'Paid' },
  }
}

const isFound = (text: string): Sql[] => [
  sql`reference = ${text}`,
  startsWithAnyCase(sql`customer_email`, text),
]
