import { ERASED, idsOf, idsWhere, isOfCustomer, type PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'
import { indexText, type Searchable } from '../../db/text-search.ts'
import { kindsOf } from '../../events/catalogue.ts'
import { type Minor, toAmount } from '../../lib/money.ts'
import { printToken } from '../../lib/tokens.ts'
import { type DownloadRow, eraseCustomers, type OrderLineRow, type OrderRow } from './queries.ts'
import { OrderRecord } from './schemas.ts'

export interface OrderParts {
  publicUrl: string
  lines: readonly Omit<OrderLineRow, 'order_id'>[]
  downloads: readonly DownloadRow[]
  checkout: OrderedBy
}

/** The fields of the checkout that its order shows. */
export interface OrderedBy {
  reference: string
  /**
   * The payer’s answers to the page’s custom fields, as JSON with the label, name and value of
   * each.
   */
  answers: string
}

/** Returns an order as the API and its events show it (docs/CONTRACT.md, section 6). */
export function orderRecord(row: OrderRow, parts: OrderParts) {
  const { publicUrl, lines, downloads, checkout } = parts
  const money = (minor: Minor) => toAmount(minor, row.currency)
  return {
    id: row.id,
    reference: row.reference,
    status: row.status,
    checkoutId: row.checkout_id,
    checkoutReference: checkout.reference,
    pageId: row.page_id,
    transactionId: row.transaction_id,
    customer: {
      email: row.customer_email,
      name: row.customer_name,
      phone: row.customer_phone,
    },
    customFields: JSON.parse(checkout.answers) as { label: string; name: string; value: string }[],
    lines: lines.map((line) => ({
      productId: String(line.product_id),
      variantId: line.variant_id,
      name: line.name,
      quantity: line.quantity,
      unitPrice: money(line.unit_price_minor),
      amount: money(line.amount_minor),
      amountMinor: Number(line.amount_minor),
    })),
    subtotal: money(row.subtotal_minor),
    discountCode: row.discount_code,
    discount: money(row.discount_minor),
    deliveryFee: money(row.delivery_fee_minor),
    amount: money(row.amount_minor),
    amountMinor: Number(row.amount_minor),
    currency: row.currency,
    delivery: { location: row.delivery_location, address: row.delivery_address },
    downloads: downloads.map((one) => ({
      digitalDownloadFileId: String(one.file_id),
      productId: String(one.product_id),
      name: one.name,
      bytes: one.bytes,
      url: `${publicUrl}${downloadPath(row, one)}`,
      status: one.revoked_at ? 'Revoked' : 'Active',
      downloads: one.downloads,
      maxDownloads: one.max_downloads,
      expiresAt: one.expires_at,
    })),
    paidAt: row.paid_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export const downloadPath = (
  { business_id: businessId, live }: Pick<OrderRow, 'business_id' | 'live'>,
  { id, secret }: Pick<DownloadRow, 'id' | 'secret'>,
): string => `/d/${printToken({ businessId, live, id, secret })}`

const MADE_AT = '2026-11-02T14:00:00.000Z'
const PAID_AT = '2026-11-02T14:02:10.550Z'

const download = {
  digitalDownloadFileId: '40610',
  productId: '40600',
  name: 'Pattern.pdf',
  bytes: 482133,
  url: 'https://pay.example.com/d/1tr9c-Pq4mZ8w2',
  status: 'Active',
  downloads: 0,
  maxDownloads: 5,
  expiresAt: '2026-11-09T14:02:10.550Z',
}

const example = {
  id: 41200,
  reference: 'ORD_9hB2tJ4xEc8pS6iDe0Vy',
  status: 'Pending',
  checkoutId: 41199,
  checkoutReference: 'CHK_4nT8vQ1yKe6cWm2sHd0B',
  pageId: 40500,
  transactionId: 41201,
  customer: { email: 'ada@example.com', name: 'Ada Obi', phone: '+2348012345678' },
  customFields: [{ label: 'Name on the shirt', name: 'nameOn', value: 'ADA' }],
  lines: [
    {
      productId: '40600',
      variantId: null,
      name: 'Ankara shirt, with its pattern',
      quantity: 1,
      unitPrice: 12000,
      amount: 12000,
      amountMinor: 1200000,
    },
  ],
  subtotal: 12000,
  discountCode: 'BLACK-FRIDAY',
  discount: 1500,
  deliveryFee: 2500,
  amount: 13000,
  amountMinor: 1300000,
  currency: 'NGN',
  delivery: { location: 'Lagos', address: '1 Marina, Lagos' },
  downloads: [],
  paidAt: null,
  createdAt: MADE_AT,
  updatedAt: MADE_AT,
}

export const orderEvents = kindsOf(
  { object: 'order', schema: OrderRecord, example },
  {
    'order.created': ['A checkout created an order, which is not paid yet.'],
    'order.paid': [
      'An order was paid. Its reserved stock is now sold, and the buyer can download its files.',
      { status: 'Paid', downloads: [download], paidAt: PAID_AT, updatedAt: PAID_AT },
    ],
    'order.refunded': [
      'An order was refunded in full.',
      {
        status: 'Refunded',
        downloads: [{ ...download, status: 'Revoked' }],
        paidAt: PAID_AT,
        updatedAt: '2026-11-04T08:20:03.902Z',
      },
    ],
  },
)

export const ORDERS: Searchable<OrderRow> = {
  kind: 'order',
  table: 'orders',
  fields: ['customer_email', 'customer_name', 'reference'],
  commonStart: 'ord_',
}

export const orderPersonalData: PersonalData = {
  name: 'orders',
  find: (db, customer, found) =>
    idsWhere(db, customer, {
      table: sql`orders`,
      match: sql`(${isOfCustomer(customer)}
        or checkout_id = any(${idsOf(found, 'checkouts')}::bigint[]))`,
    }),
  async erase(tx, { businessId, live }, ids, pseudonym) {
    const orders = await eraseCustomers(tx, { businessId, live }, ids, pseudonym)
    for (const order of orders) await indexText(tx, { businessId, live }, ORDERS, order)
    await tx.run`
      update order_notes set text = ${ERASED}
      where business_id = ${businessId} and live = ${live} and order_id = any(${ids}::bigint[])`
    return orders.length
  },
}
