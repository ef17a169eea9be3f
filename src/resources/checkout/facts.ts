import type { CheckoutView, DownloadView } from '../../pages/views-checkout.ts'
import { downloadPath } from '../orders/record.ts'
import type { OrderShown } from '../orders/service.ts'
import type { Answer } from './page.ts'
import type { CheckoutRow } from './queries.ts'

type Facts = Pick<
  CheckoutView,
  | 'customer'
  | 'lines'
  | 'subtotalMinor'
  | 'discount'
  | 'delivery'
  | 'amountMinor'
  | 'currency'
  | 'answers'
  | 'downloads'
  | 'orderReference'
>

/** What is bought, for whom and for how much, on pages and in letters. */
export function factsOf(row: CheckoutRow, shown: OrderShown | undefined, now: Date): Facts {
  const answers: Answer[] = JSON.parse(row.answers)
  return {
    customer: {
      email: row.customer_email,
      ...(row.customer_name && { name: row.customer_name }),
      ...(row.customer_phone && { phone: row.customer_phone }),
    },
    amountMinor: row.amount_minor,
    currency: row.currency,
    answers: answers.map(({ label, value }) => ({ label, value })),
    ...(shown ? orderFacts(shown, now) : withoutOrder(row)),
  }
}

const withoutOrder = ({ amount_minor }: CheckoutRow) => ({
  lines: [],
  subtotalMinor: amount_minor,
  downloads: [],
})

function orderFacts({ order, lines, downloads }: OrderShown, now: Date) {
  const { delivery_location, delivery_address, delivery_fee_minor } = order
  const isDelivered = delivery_location || delivery_address || delivery_fee_minor > 0n
  return {
    orderReference: order.reference,
    lines: lines.map((line) => ({
      name: line.name,
      quantity: line.quantity,
      unitAmountMinor: line.unit_price_minor,
      amountMinor: line.amount_minor,
    })),
    subtotalMinor: order.subtotal_minor,
    ...(order.discount_code && {
      discount: { code: order.discount_code, amountMinor: order.discount_minor },
    }),
    ...(isDelivered && {
      delivery: {
        ...(delivery_location && { location: delivery_location }),
        ...(delivery_address && { address: delivery_address }),
        feeMinor: delivery_fee_minor,
      },
    }),
    downloads: downloadsOf({ order, downloads }, now),
  }
}

/** Those that are good still. */
function downloadsOf(
  { order, downloads }: Pick<OrderShown, 'order' | 'downloads'>,
  now: Date,
): DownloadView[] {
  return downloads
    .filter(({ revoked_at, expires_at }) => !revoked_at && (!expires_at || expires_at > now))
    .map((one) => ({
      name: one.name,
      bytes: one.bytes,
      path: downloadPath(order, one),
      ...(one.expires_at && { expiresAt: one.expires_at }),
      ...(one.max_downloads !== null && { left: one.max_downloads - one.downloads }),
    }))
}
