import { type Minor, toAmount } from '../../lib/money.ts'
import { printToken } from '../../lib/page-token.ts'
import type { OrderLineRow, OrderRow } from './queries.ts'
import type { DownloadRow } from './queries-downloads.ts'

/** What an order is shown with. */
export interface OrderParts {
  publicUrl: string
  lines: readonly Omit<OrderLineRow, 'order_id'>[]
  downloads: readonly DownloadRow[]
  checkout: OrderedBy
}

/** What an order shows of the checkout that it is of. */
export interface OrderedBy {
  reference: string
  /** What the payer answered to the page's own fields, as JSON: label, name and value of each. */
  answers: string
}

/** An order as the API and its events show it: docs/CONTRACT.md, section 6. */
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

/** The link that a buyer has. */
export const downloadPath = (
  { business_id: businessId, live }: Pick<OrderRow, 'business_id' | 'live'>,
  { id, secret }: Pick<DownloadRow, 'id' | 'secret'>,
): string => `/d/${printToken({ businessId, live, id, secret })}`
