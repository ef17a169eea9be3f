import { toAmount } from '../../lib/money.ts'
import { printToken } from '../../lib/page-token.ts'
import type { CheckoutRow } from './queries.ts'
import type { ShownWith } from './queries-shown.ts'
import { stateAt } from './states.ts'

/** What opens the page of a checkout. */
export const accessCodeOf = ({ business_id: businessId, live, id, secret }: CheckoutRow): string =>
  printToken({ businessId, live, id, secret })

export const urlOf = (publicUrl: string, row: CheckoutRow): string =>
  `${publicUrl}/checkout/${accessCodeOf(row)}`

export const receiptUrlOf = (publicUrl: string, row: CheckoutRow): string =>
  `${publicUrl}/receipt/${accessCodeOf(row)}`

/** A checkout's status is that of its transaction; where nothing was due, there is none. */
export const statusOf = ({ status }: CheckoutRow, shown: Pick<ShownWith, 'transaction_status'>) =>
  shown.transaction_status ?? (status === 'Paid' ? 'Successful' : 'Pending')

/** A checkout as the API shows it at a moment: docs/CONTRACT.md, section 6. */
export function checkoutRecord(
  row: CheckoutRow,
  { publicUrl, now, ...shown }: ShownWith & { publicUrl: string; now: Date },
) {
  return {
    id: row.id,
    reference: row.reference,
    status: statusOf(row, shown),
    state: stateAt(row, now),
    accessCode: accessCodeOf(row),
    authorizationUrl: urlOf(publicUrl, row),
    amount: toAmount(row.amount_minor, row.currency),
    amountMinor: Number(row.amount_minor),
    currency: row.currency,
    feeBearer: row.fee_bearer,
    channels: row.channels,
    customer: {
      email: row.customer_email,
      name: row.customer_name,
      phone: row.customer_phone,
    },
    customFields: JSON.parse(row.answers),
    pageId: row.page_id,
    orderId: row.order_id,
    orderReference: shown.order_reference,
    shippingAddress: shown.shipping_address,
    splitPageId: row.split_page_id,
    subaccountCode: shown.subaccount_code,
    callbackUrl: row.callback_url,
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
    transactionId: row.transaction_id,
    transactionReference: shown.transaction_reference,
    expiresAt: row.expires_at,
    paidAt: row.paid_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
