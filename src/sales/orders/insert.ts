import { textOf } from '../../db/text-search.ts'
import type { Deps } from '../../deps.ts'
import type { NewEvent } from '../../events/append.ts'
import { newReference } from '../../lib/tokens.ts'
import type { OrderLineRow, OrderRow } from './queries.ts'
import { ORDERS, type OrderedBy } from './record.ts'
import { orderEvent } from './service.ts'

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

export const NEW_ORDER_COLUMNS = `${COLUMNS.join(', ')}, text text, pieces text`

export function newOrderValues({ row }: NewOrder) {
  const { text, ngrams } = textOf({ businessId: row.business_id, live: row.live }, ORDERS, row)
  return {
    ...row,
    subtotal_minor: `${row.subtotal_minor}`,
    discount_minor: `${row.discount_minor}`,
    delivery_fee_minor: `${row.delivery_fee_minor}`,
    amount_minor: `${row.amount_minor}`,
    text,
    pieces: `{${ngrams}}`,
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
  insert into search_texts (business_id, live, id, kind, text, pieces)
  select business_id, live, id, '${ORDERS.kind}', text, pieces::integer[] from ${orders}
)`
