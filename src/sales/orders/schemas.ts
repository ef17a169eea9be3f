import { type Static, Type } from 'typebox'
import { dateRange, paging, sorting } from '../../lib/paging.ts'
import { Envelope, Nullable, NullableTimestamp, PageOf, Timestamp } from '../../lib/schemas.ts'

/**
 * The states of an order follow its checkout and, after a full refund, its payments.
 *
 *   Pending ─→ Paid ─→ Refunded
 *      └→ Cancelled ─→ Paid (late, if everything is still available)
 */
export const ORDER_STATES = ['Pending', 'Paid', 'Cancelled', 'Refunded'] as const

export const OrderQuery = Type.Object({
  ...paging,
  ...sorting,
  ...dateRange,
  status: Type.Optional(
    Type.String({ maxLength: 20, description: `One of ${ORDER_STATES.join(', ')}.` }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Digits match an id; other text matches part of the reference or of the customer’s name or email address. A # at the start is ignored.',
    }),
  ),
})
export type OrderQuery = Static<typeof OrderQuery>

export const OrderReference = Type.Object({
  reference: Type.String({ minLength: 1, maxLength: 64 }),
})

const text = Type.String()
const money = Type.Number()
const id = Type.Integer()

export const OrderRecord = Type.Object({
  id,
  reference: text,
  status: text,
  checkoutId: id,
  checkoutReference: text,
  pageId: Nullable(id),
  transactionId: Nullable(id),
  customer: Type.Object({ email: text, name: Nullable(text), phone: Nullable(text) }),
  customFields: Type.Array(Type.Object({ label: text, name: text, value: text }), {
    description: 'The payer’s answers to the page’s custom fields.',
  }),
  lines: Type.Array(
    Type.Object({
      productId: text,
      variantId: Nullable(id),
      name: Type.String({ description: 'The name of the item when the order was created.' }),
      quantity: id,
      unitPrice: money,
      amount: money,
      amountMinor: id,
    }),
  ),
  subtotal: money,
  discountCode: Nullable(text),
  discount: money,
  deliveryFee: money,
  amount: money,
  amountMinor: id,
  currency: text,
  delivery: Type.Object({ location: Nullable(text), address: Nullable(text) }),
  downloads: Type.Array(
    Type.Object({
      digitalDownloadFileId: text,
      productId: text,
      name: text,
      bytes: id,
      url: text,
      status: text,
      downloads: id,
      maxDownloads: Nullable(id),
      expiresAt: NullableTimestamp,
    }),
  ),
  paidAt: NullableTimestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const OneOrder = Envelope(OrderRecord)
export const OrderList = PageOf(OrderRecord)

export type OrderState = (typeof ORDER_STATES)[number]
