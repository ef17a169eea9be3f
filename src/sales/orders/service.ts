import type { Db, Tx } from '../../db/database.ts'
import { insertingTexts, searchFor, TEXT_COLUMNS, textValues } from '../../db/text-search.ts'
import type { Deps } from '../../deps.ts'
import type { NewEvent } from '../../events/append.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { isDescending, oneOf, rangeOf } from '../../lib/paging.ts'
import { notFound } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import type { TransactionRow } from '../../payments/attempts/read.ts'
import { grantDownloads, revokeDownloads } from '../products/downloads/grants.ts'
import {
  type DownloadRow,
  findOrders,
  moveOrder,
  type OrderLineRow,
  type OrderRow,
  selectDownloads,
  selectLines,
  selectOrder,
  selectOrderById,
  selectOrderedBy,
} from './queries.ts'
import { ORDERS, type OrderedBy, type OrderParts, orderRecord } from './record.ts'
import { ORDER_STATES, type OrderQuery } from './schemas.ts'

export type { OrderRow } from './queries.ts'
export {
  updateAddress as updateOrderAddress,
  updateAttempt as updateOrderAttempt,
} from './queries.ts'

type OrderDeps = Pick<Deps, 'ids' | 'publicUrl'>

const orderEvent = (type: string, row: OrderRow, parts: OrderParts, at: Date): NewEvent => ({
  businessId: row.business_id,
  live: row.live,
  type,
  objectType: 'order',
  objectId: row.id,
  sequence: row.event_sequence,
  data: orderRecord(row, parts),
  at,
})

interface Paying {
  checkout: OrderedBy
  /** Null if nothing was due. */
  transaction: Pick<TransactionRow, 'id'> | null
  now: Date
}

/**
 * Marks a paid checkout’s order as Paid and gives the buyer its files. Returns the event to append.
 */
export async function payOrder(
  tx: Tx,
  deps: OrderDeps,
  tenant: Tenant,
  id: number,
  { checkout, transaction, now }: Paying,
): Promise<NewEvent[]> {
  const change = { from: ['Pending', 'Cancelled'], to: 'Paid', now, events: 1 } as const
  const row = await moveOrder(tx, tenant, id, { ...change, transactionId: transaction?.id ?? null })
  if (!row) throw new Error(`Order ${id} was already paid`)
  const lines = await selectLines(tx, tenant, [id])
  const productIds = [...new Set(lines.map(({ product_id }) => product_id))]
  if (productIds.length > 0) {
    const customerEmail = row.customer_email
    await grantDownloads(tx, deps, tenant, { causeId: id, productIds, customerEmail, now })
  }
  const downloads = productIds.length > 0 ? await selectDownloads(tx, tenant, [id]) : []
  return [orderEvent('order.paid', row, { ...deps, lines, downloads, checkout }, now)]
}

/** Cancels the order of a checkout that ended without a payment. There is no event for this. */
export async function cancelOrder(tx: Tx, tenant: Tenant, id: number, now: Date): Promise<void> {
  await moveOrder(tx, tenant, id, { from: ['Pending'], to: 'Cancelled', now, events: 0 })
}

/** Reopens the order of a checkout that its payer has restarted. There is no event for this. */
export async function reopenOrder(tx: Tx, tenant: Tenant, id: number, now: Date): Promise<void> {
  await moveOrder(tx, tenant, id, { from: ['Cancelled'], to: 'Pending', now, events: 0 })
}

/**
 * Marks an order as Refunded and revokes its files. Returns the event to append. Returns undefined
 * if the order had already been refunded.
 */
export async function refundOrder(
  tx: Tx,
  deps: OrderDeps,
  tenant: Tenant,
  id: number,
  now: Date,
): Promise<NewEvent[] | undefined> {
  const row = await moveOrder(tx, tenant, id, { from: ['Paid'], to: 'Refunded', now, events: 1 })
  if (!row) return undefined
  await revokeDownloads(tx, deps, tenant, id, now)
  return [orderEvent('order.refunded', row, await partsOf(tx, deps, tenant, row), now)]
}

async function partsOf(
  db: Db,
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  tenant: Tenant,
  { id, checkout_id }: OrderRow,
): Promise<OrderParts> {
  const [checkout] = await selectOrderedBy(db, tenant, [checkout_id])
  if (!checkout) throw new Error(`The checkout of order ${id} does not exist`)
  return {
    publicUrl,
    checkout,
    lines: await selectLines(db, tenant, [id]),
    downloads: await selectDownloads(db, tenant, [id]),
  }
}

/** Returns one order by its reference. Throws 404. */
export async function getOrder(
  db: Db,
  deps: Pick<Deps, 'publicUrl'>,
  tenant: Tenant,
  reference: string,
) {
  const row = await selectOrder(db, tenant, reference)
  if (!row) throw notFound('order')
  return orderRecord(row, await partsOf(db, deps, tenant, row))
}

async function recordsOf(
  db: Db,
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  tenant: Tenant,
  rows: readonly OrderRow[],
) {
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return []
  const lines = Map.groupBy(await selectLines(db, tenant, ids), (one) => one.order_id)
  const downloads = Map.groupBy(await selectDownloads(db, tenant, ids), (one) => one.order_id)
  const checkoutIds = rows.map(({ checkout_id }) => checkout_id)
  const found = await selectOrderedBy(db, tenant, checkoutIds)
  const checkouts = new Map(found.map((one) => [one.id, one]))
  return rows.map((row) =>
    orderRecord(row, {
      publicUrl,
      lines: lines.get(row.id) ?? [],
      downloads: downloads.get(row.id) ?? [],
      checkout: checkouts.get(row.checkout_id)!,
    }),
  )
}

export interface OrderDetails {
  order: OrderRow
  lines: OrderLineRow[]
  downloads: DownloadRow[]
}

/**
 * Returns an order with its files, which the buyer gets once the order is paid. Throws if the order
 * does not exist.
 */
export async function orderDetails(db: Db, tenant: Tenant, id: number): Promise<OrderDetails> {
  const order = await selectOrderById(db, tenant, id)
  if (!order) throw new Error(`Order ${id} does not exist`)
  const lines = await selectLines(db, tenant, [id])
  const isPaid = order.status === 'Paid'
  return { order, lines, downloads: isPaid ? await selectDownloads(db, tenant, [id]) : [] }
}

export async function listOrders(
  db: Db,
  deps: Pick<Deps, 'publicUrl'>,
  caller: Caller,
  query: OrderQuery,
) {
  const text = query.search?.trim() || undefined
  const isId = text !== undefined && /^\d{1,15}$/.test(text)
  const filter = {
    // The dashboard shows the end of a reference as #PFODWV.
    search: isId ? undefined : searchFor(ORDERS, text?.replace(/^#(?=.)/, '')),
    id: isId ? Number(text) : undefined,
    status: oneOf('status', ORDER_STATES, query.status),
    range: rangeOf(query, caller.timeZone),
    isDescending: isDescending(query.sort),
  }
  const { rows, meta } = await findOrders(db, caller, filter, query)
  return { records: await recordsOf(db, deps, caller, rows), meta }
}

type OrderFields = Omit<
  OrderRow,
  'reference' | 'status' | 'event_sequence' | 'paid_at' | 'created_at' | 'updated_at'
> & { now: Date }

type NewLine = Omit<OrderLineRow, 'order_id'>

export interface NewOrder {
  row: OrderRow
  lines: readonly NewLine[]
  event: NewEvent
}

/**
 * Returns the order for a new checkout, with its event, in the form that `insertingOrders` stores.
 */
export function newOrder(
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  { now, ...order }: OrderFields,
  lines: readonly NewLine[],
  checkout: OrderedBy,
): NewOrder {
  const row: OrderRow = {
    ...order,
    reference: newReference('ORD'),
    status: 'Pending',
    event_sequence: 1,
    paid_at: null,
    created_at: now,
    updated_at: now,
  }
  const parts = { publicUrl, lines, downloads: [], checkout }
  return { row, lines, event: orderEvent('order.created', row, parts, now) }
}

const COLUMNS = [
  'business_id bigint',
  'live boolean',
  'id bigint',
  'reference text',
  'status text',
  'checkout_id bigint',
  'page_id bigint',
  'transaction_id bigint',
  'customer_email text',
  'customer_name text',
  'customer_phone text',
  'subtotal_minor bigint',
  'discount_id bigint',
  'discount_code text',
  'discount_minor bigint',
  'delivery_fee_minor bigint',
  'amount_minor bigint',
  'currency text',
  'delivery_location text',
  'delivery_address text',
  'event_sequence bigint',
  'created_at timestamptz',
  'updated_at timestamptz',
]
const NAMES = COLUMNS.map((column) => column.split(' ')[0]).join(', ')

export const NEW_ORDER_COLUMNS = `${COLUMNS.join(', ')}, ${TEXT_COLUMNS}`

export function newOrderValues({ row }: NewOrder) {
  const tenant = { businessId: row.business_id, live: row.live }
  return {
    ...row,
    subtotal_minor: `${row.subtotal_minor}`,
    discount_minor: `${row.discount_minor}`,
    delivery_fee_minor: `${row.delivery_fee_minor}`,
    amount_minor: `${row.amount_minor}`,
    ...textValues(tenant, ORDERS, row),
  }
}

export const LINE_COLUMNS = `order_id bigint, position integer, product_id bigint,
  variant_id bigint, name text, quantity bigint, unit_price_minor bigint, amount_minor bigint`

export const lineValues = ({ row, lines }: NewOrder) =>
  lines.map(({ product_id, variant_id, name, quantity, ...prices }, i) => ({
    order_id: row.id,
    position: i + 1,
    product_id,
    variant_id,
    name,
    quantity,
    unit_price_minor: `${prices.unit_price_minor}`,
    amount_minor: `${prices.amount_minor}`,
  }))

/**
 * Returns the parts of a `with` clause that insert orders with their lines and search texts.
 * `orders` has NEW_ORDER_COLUMNS, and `lines` has LINE_COLUMNS. Lines of other orders are omitted.
 */
export const insertingOrders = (orders: string, lines: string): string => `
inserted_orders as (
  insert into orders (${NAMES}) select ${NAMES} from ${orders}
), inserted_lines as (
  insert into order_lines (business_id, live, order_id, position, product_id, variant_id, name,
    quantity, unit_price_minor, amount_minor)
  select o.business_id, o.live, l.order_id, l.position, l.product_id, l.variant_id, l.name,
    l.quantity, l.unit_price_minor, l.amount_minor
  from ${lines} l join ${orders} o on o.id = l.order_id
), order_texts as (
${insertingTexts(ORDERS, orders)}
)`
