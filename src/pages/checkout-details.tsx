import type { Minor } from '../lib/money.ts'
import { Rows } from './components.tsx'
import type { Format } from './format.ts'
import { Items } from './items.tsx'
import type { Texts } from './texts.ts'
import type { CheckoutView } from './views-checkout.ts'

interface DetailsProps {
  view: CheckoutView
  t: Texts
  format: Format
}

/** What it is for, line by line, what it comes to, and what the payer said. */
export function CheckoutDetails({ view, t, format }: DetailsProps) {
  const { lines, discount, delivery, customer, amountMinor } = view
  const place = delivery?.location
  const fee_minor = feeOf(view)
  const hasFee = view.status === 'Open' && view.channels.some(({ feeMinor }) => feeMinor > 0n)
  const isPlain = !discount && !delivery
  const sumName = view.status === 'Paid' ? t.paid.amount : t.amountDue
  return (
    <section class="details" aria-labelledby="details">
      <h2 id="details">{t.details}</h2>
      {lines.length > 0 && <Items items={lines} {...{ t, format }} />}
      <Rows
        pairs={[
          [t.shop.subtotal, isPlain ? undefined : format.amount(view.subtotalMinor)],
          [t.shop.discount(discount?.code ?? ''), discount && minus(format, discount.amountMinor)],
          [
            place ? t.shop.deliveryTo(place) : t.shop.delivery,
            delivery && format.amount(delivery.feeMinor),
          ],
          [t.total, format.amount(amountMinor), fee_minor > 0n ? undefined : 'sum'],
          [t.shop.fee, fee_minor > 0n ? format.amount(fee_minor) : undefined],
          [sumName, fee_minor > 0n ? format.amount(amountMinor + fee_minor) : undefined, 'sum'],
        ]}
      />
      {hasFee && fee_minor === 0n && <p class="fine">{t.shop.feeApart}</p>}
      <Rows
        pairs={[
          [t.shop.page.name, customer.name],
          [t.shop.receiptTo, customer.email],
          [t.shop.page.phone, customer.phone],
          [t.shop.page.address, delivery?.address],
          ...view.answers.map(({ label, value }) => [label, format.answer(value)] as const),
        ]}
      />
      <Changes view={view} t={t} />
    </section>
  )
}

/** What the payer can still change before they pay. */
function Changes({ view, t }: Omit<DetailsProps, 'format'>) {
  if (view.status !== 'Open' || view.payment?.outcome === 'Pending') return null
  const code = encodeURIComponent(view.accessCode)
  const link = view.page?.customLink
  const hasAddress = view.asksAddress && view.delivery?.address
  if (!link && !hasAddress) return null
  return (
    <p class="changes">
      {link && (
        <a id="change" href={`/pay/${encodeURIComponent(link)}?from=${code}`}>
          {t.shop.change}
        </a>
      )}
      {hasAddress && (
        <a id="change-address" href={`/checkout/${code}/address`}>
          {t.shop.address.change}
        </a>
      )}
    </p>
  )
}

/** On top of the total: what was paid, or is to be paid whichever way is taken now; else 0. */
function feeOf({ status, feeMinor, payment, channels }: CheckoutView): Minor {
  if (status !== 'Open') return feeMinor
  if (payment?.outcome === 'Pending') return payment.feeMinor ?? 0n
  const fees = new Set(channels.map((one) => one.feeMinor))
  return fees.size === 1 ? channels[0]!.feeMinor : 0n
}

const minus = (format: Format, minor: bigint) => `−${format.amount(minor)}`
