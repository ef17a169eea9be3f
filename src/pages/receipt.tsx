import type { Minor } from '../lib/money.ts'
import { asIs, Chip, Notice, Rows } from './components.tsx'
import type { Format } from './format.ts'
import { Icon } from './icons.tsx'
import type { Texts } from './texts.ts'
import type { InvoiceView, PaymentMade } from './views.ts'

export interface InvoiceProps {
  view: InvoiceView
  t: Texts
  format: Format
}

/** The receipt: what was paid, to whom, when and how, ready to print. */
export function Receipt({ view, t, format }: InvoiceProps) {
  const { invoice, merchant, payments } = view
  const counted = payments.filter(({ kind }) => kind === 'Payment')
  const last = counted.at(-1)
  const paidAt = invoice.paidAt ?? last?.paidAt
  const refunded_minor = refundedOf(payments)
  return (
    <section class="card receipt" aria-labelledby="receipt">
      <div class="weave" aria-hidden="true" />
      <p class="seal good">
        <Icon name="check" />
      </p>
      <h2 id="receipt">{t.paid.heading}</h2>
      <p class="soft">{t.paid.text(merchant.name)}</p>
      <Rows
        pairs={[
          [t.paid.amount, format.amount(invoice.paidMinor)],
          [t.paid.refunded, refunded_minor > 0n ? format.amount(refunded_minor) : undefined],
          [t.paid.date, paidAt && format.dayAndTime(paidAt)],
          [t.paid.channel, counted.length === 1 && last ? t.channel[last.channel] : undefined],
          [t.paid.to, merchant.name],
          [
            t.paid.reference,
            counted.length === 1 && last ? last.reference : invoice.reference,
            'reference',
          ],
        ]}
      />
      {counted.length > 1 && <Payments t={t} format={format} payments={counted} />}
      {view.test && <p class="fine test-note">{t.test.receipt}</p>}
      <button type="button" id="print" class="button quiet wide scripted" data-print>
        <Icon name="print" />
        {t.paid.print}
      </button>
    </section>
  )
}

/** What of all payments went back to the payer. */
export const refundedOf = (payments: readonly PaymentMade[]): Minor =>
  payments.reduce((sum, { refundedMinor = 0n }) => sum + refundedMinor, 0n)

/** Money that went back. Shown in every state of an invoice. */
export function Refunded({ view, t, format }: InvoiceProps) {
  const sum_minor = refundedOf(view.payments)
  if (sum_minor === 0n) return null
  const heading = t.paid.refundedBy(format.amount(sum_minor), view.merchant.name)
  return <Notice tone="plain" icon="clock" heading={heading} />
}

/** Money beyond what was due, until it went back. Shown in every state that can have it. */
export function Overpayment({ view, t, format }: InvoiceProps) {
  const sum_minor = view.payments.reduce((sum, payment) => sum + owedBackOf(payment), 0n)
  if (sum_minor === 0n) return null
  const heading = t.paid.over(format.amount(sum_minor), view.merchant.name)
  return <Notice tone="waiting" icon="alert" heading={heading} />
}

const owedBackOf = ({ kind, amountMinor, owedBackMinor }: PaymentMade): Minor =>
  owedBackMinor ?? (kind === 'Overpayment' ? amountMinor : 0n)

interface PaymentsProps {
  t: Texts
  format: Format
  payments: readonly PaymentMade[]
}

/** Each payment on a line of its own. */
export const Payments = ({ t, format, payments }: PaymentsProps) => (
  <div class="payments">
    <h3>{t.paid.several}</h3>
    <ul>
      {payments.map((payment) => (
        <li key={payment.reference}>
          <span>
            {format.day(payment.paidAt)}, {t.channel[payment.channel]}
            <small {...asIs}>{payment.reference}</small>
          </span>
          <span class="money">{format.amount(payment.amountMinor)}</span>
        </li>
      ))}
    </ul>
  </div>
)

/** A cancelled invoice: nothing to do, and where to turn when something was paid on it. */
export const Cancelled = ({ view, t, format }: InvoiceProps) => (
  <Notice tone="plain" icon="stopped" heading={t.void.heading}>
    <p>{t.void.text(view.merchant.name)}</p>
    {view.invoice.paidMinor > 0n && (
      <p>{t.void.paid(format.amount(view.invoice.paidMinor), view.merchant.name)}</p>
    )}
  </Notice>
)

/** The invoice's state in one chip. */
export function StateChip({ view, t }: Omit<InvoiceProps, 'format'>) {
  const { status, isOverdue } = view.invoice
  if (status === 'Paid') return <Chip tone="good" icon="check" text={t.state.paid} />
  if (status === 'Void') return <Chip tone="plain" icon="stopped" text={t.state.void} />
  if (isOverdue) return <Chip tone="bad" icon="alert" text={t.state.overdue} />
  if (status === 'PartiallyPaid') return <Chip tone="waiting" icon="half" text={t.state.partly} />
  return <Chip tone="plain" icon="dot" text={t.state.open} />
}
