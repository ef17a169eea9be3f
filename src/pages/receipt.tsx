import type { Minor } from '../lib/money.ts'
import { Chip, Icon, Notice, noTranslate, Rows } from './components.tsx'
import { type Format, safeUrl } from './format.ts'
import type { Texts } from './texts.ts'
import type { CheckoutView, DownloadView, InvoiceView, PaymentMade } from './views.ts'

export interface InvoiceProps {
  view: InvoiceView
  t: Texts
  format: Format
}

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

const refundedOf = (payments: readonly PaymentMade[]): Minor =>
  payments.reduce((sum, { refundedMinor = 0n }) => sum + refundedMinor, 0n)

/** Appears in every state of an invoice, because any payment can be refunded. */
export function RefundSummary({ view, t, format }: InvoiceProps) {
  const sum_minor = refundedOf(view.payments)
  if (sum_minor === 0n) return null
  const heading = t.paid.refundedBy(format.amount(sum_minor), view.merchant.name)
  return <Notice tone="plain" icon="clock" heading={heading} />
}

/** Shows an overpayment until it is refunded. Appears in every state in which there can be one. */
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

export const Payments = ({ t, format, payments }: PaymentsProps) => (
  <div class="payments">
    <h3>{t.paid.several}</h3>
    <ul>
      {payments.map((payment) => (
        <li key={payment.reference}>
          <span>
            {format.day(payment.paidAt)}, {t.channel[payment.channel]}
            <small {...noTranslate}>{payment.reference}</small>
          </span>
          <span class="money">{format.amount(payment.amountMinor)}</span>
        </li>
      ))}
    </ul>
  </div>
)

/**
 * Shows that the invoice is cancelled and that the payer need not do anything. If something was
 * paid, it also shows the contact details.
 */
export const CancelledNotice = ({ view, t, format }: InvoiceProps) => (
  <Notice tone="plain" icon="stopped" heading={t.void.heading}>
    <p>{t.void.text(view.merchant.name)}</p>
    {view.invoice.paidMinor > 0n && (
      <p>{t.void.paid(format.amount(view.invoice.paidMinor), view.merchant.name)}</p>
    )}
  </Notice>
)

export function StateChip({ view, t }: Omit<InvoiceProps, 'format'>) {
  const { status, isOverdue } = view.invoice
  if (status === 'Paid') return <Chip tone="good" icon="check" text={t.state.paid} />
  if (status === 'Void') return <Chip tone="plain" icon="stopped" text={t.state.void} />
  if (isOverdue) return <Chip tone="bad" icon="alert" text={t.state.overdue} />
  if (status === 'PartiallyPaid') return <Chip tone="waiting" icon="half" text={t.state.partly} />
  return <Chip tone="plain" icon="dot" text={t.state.open} />
}

interface PartReceiptProps {
  t: Texts
  format: Format
  /** Oldest first. The last payment has just arrived. */
  payments: readonly PaymentMade[]
  leftMinor: Minor
}

export function PartReceipt({ t, format, payments, leftMinor }: PartReceiptProps) {
  const last = payments.filter(({ kind }) => kind === 'Payment').at(-1)
  if (!last) return null
  return (
    <section class="card receipt part-receipt" aria-labelledby="received">
      <div class="weave" aria-hidden="true" />
      <h2 id="received">
        <span class="seal good">
          <Icon name="check" />
        </span>
        {t.received.heading(format.amount(last.amountMinor))}
      </h2>
      <p class="soft">{t.received.text(format.amount(leftMinor))}</p>
      <Rows
        pairs={[
          [t.paid.date, format.dayAndTime(last.paidAt)],
          [t.paid.channel, t.channel[last.channel]],
          [t.paid.reference, last.reference, 'reference'],
        ]}
      />
      <button type="button" id="print" class="button quiet wide scripted" data-print>
        <Icon name="print" />
        {t.paid.print}
      </button>
    </section>
  )
}

interface ReceiptProps {
  view: CheckoutView
  t: Texts
  format: Format
}

export function OrderReceipt(props: ReceiptProps) {
  const { view, t, format } = props
  const { merchant, customer, page, downloads, owed } = view
  const address = safeUrl(view.returnUrl)
  return (
    <>
      {owed && (
        <Notice
          tone="waiting"
          icon="alert"
          heading={t.shop.owed[owed.state](format.amount(owed.amountMinor), merchant.name)}
        />
      )}
      {view.isRefunded && (
        <Notice tone="waiting" icon="clock" heading={t.shop.refunded(merchant.name)} />
      )}
      <section class="card receipt" aria-labelledby="receipt">
        <div class="weave" aria-hidden="true" />
        {view.isRefunded ? (
          <>
            <p class="seal plain">
              <Icon name="clock" />
            </p>
            <h2 id="receipt">{t.shop.state.refunded}</h2>
          </>
        ) : (
          <>
            <p class="seal good">
              <Icon name="check" />
            </p>
            <h2 id="receipt">{t.paid.heading}</h2>
            {page?.successMessage && <p class="note">{page.successMessage}</p>}
            <p class="soft">{t.paid.text(merchant.name)}</p>
            <p class="soft">{t.shop.mailed(customer.email)}</p>
          </>
        )}
        <Facts {...props} />
        {view.test && <p class="fine test-note">{t.test.receipt}</p>}
        {downloads.length > 0 && <Downloads t={t} format={format} downloads={downloads} />}
        {address && (
          <a class="button wide" id="back" href={address} rel="noopener noreferrer">
            {t.shop.backTo(merchant.name)}
          </a>
        )}
        <a class="button wide quiet" id="pdf" href={`/receipt/${view.accessCode}/pdf`}>
          <Icon name="down" />
          {t.paper.download}
        </a>
        <button type="button" id="print" class="button quiet wide scripted" data-print>
          <Icon name="print" />
          {t.paid.print}
        </button>
      </section>
    </>
  )
}

function Facts({ view, t, format }: ReceiptProps) {
  const counted = view.payments.filter(({ kind }) => kind === 'Payment')
  const last = counted.at(-1)
  const paid_minor = counted.reduce((sum, { amountMinor }) => sum + amountMinor, 0n)
  const paidAt = view.paidAt ?? last?.paidAt
  const refunded_minor = refundedOf(view.payments)
  return (
    <>
      <Rows
        pairs={[
          [t.paid.amount, format.amount(last ? paid_minor : view.amountMinor)],
          [t.paid.refunded, refunded_minor > 0n ? format.amount(refunded_minor) : undefined],
          [t.paid.date, paidAt && format.dayAndTime(paidAt)],
          [t.paid.channel, counted.length === 1 && last ? t.channel[last.channel] : undefined],
          [t.paid.to, view.merchant.name],
          [t.paid.reference, view.orderReference ?? view.reference, 'reference'],
        ]}
      />
      {counted.length > 1 && <Payments t={t} format={format} payments={counted} />}
    </>
  )
}

interface DownloadsProps {
  t: Texts
  format: Format
  downloads: readonly DownloadView[]
}

const Downloads = ({ t, format, downloads }: DownloadsProps) => (
  <div class="downloads">
    <h3>{t.shop.downloads}</h3>
    <ul>
      {downloads.map(({ name, path, left, expiresAt }) => (
        <li key={path}>
          <a href={path} {...noTranslate}>
            <Icon name="down" />
            {t.shop.download(name)}
          </a>
          <small>
            {left !== undefined && t.shop.left(format.count(left))}{' '}
            {expiresAt && t.shop.goodUntil(format.dayAndTime(expiresAt))}
          </small>
        </li>
      ))}
    </ul>
  </div>
)
