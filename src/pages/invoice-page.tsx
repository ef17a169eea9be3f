import { AttemptPanel } from './attempt-panel.tsx'
import { Items, noTranslate, Rows } from './components.tsx'
import { formatOf } from './format.ts'
import { Footer, Letterhead, renderDocument } from './layout.tsx'
import type { Payable } from './pay-panels.tsx'
import type { InvoiceProps } from './receipt.tsx'
import {
  CancelledNotice,
  Overpayment,
  PartReceipt,
  Payments,
  Receipt,
  RefundSummary,
  StateChip,
} from './receipt.tsx'
import { printLocaleOf, textsOf } from './texts.ts'
import type { InvoiceView, PageContext } from './views.ts'

const RELOAD_SECONDS = 20

/** Renders the page where a payer reads and pays an invoice, and later finds its receipt. */
export function renderInvoicePage(view: InvoiceView, ctx: PageContext): string {
  const t = textsOf(ctx.locale)
  const format = formatOf(view.invoice.currency, printLocaleOf(ctx.locale), view.timeZone)
  const props = { view, t, format }
  const waits = isWaiting(view)
  return renderDocument({
    ctx,
    t,
    title: titleOf(props),
    test: view.test,
    color: view.merchant.color,
    share: shareOf(props),
    ...(waits && { reloadSeconds: RELOAD_SECONDS }),
    children: (
      <>
        <Letterhead skip={t.skip} merchant={view.merchant} about={t.invoice(view.invoice.number)} />
        <main id="page" {...liveOf(props)}>
          <Summary {...props} />
          <div class="panel" id="pay">
            <Panel {...props} />
          </div>
          <Details {...props} />
        </main>
        <Footer t={t} merchant={view.merchant} />
      </>
    ),
  })
}

/** Returns the path of the invoice page. The page's forms post to paths below it. */
const pathOf = (view: InvoiceView) => `/i/${encodeURIComponent(view.token)}`

const payableOf = (view: InvoiceView): Payable => ({
  path: pathOf(view),
  test: view.test,
  currency: view.invoice.currency,
  dueMinor: view.invoice.dueMinor,
  isRest: view.invoice.status === 'PartiallyPaid',
  channels: view.channels,
  ussdBanks: view.ussdBanks,
  ...(view.part && { part: view.part }),
  now: view.now,
})

const isOpen = ({ invoice }: InvoiceView) =>
  invoice.status === 'Sent' || invoice.status === 'PartiallyPaid'

const isWaiting = (view: InvoiceView) => isOpen(view) && view.payment?.outcome === 'Pending'

function liveOf({ view, t, format }: InvoiceProps) {
  const { status, paidMinor, dueMinor } = view.invoice
  const words = {
    Sent: '',
    PartiallyPaid: t.announce.partly(format.amount(dueMinor)),
    Paid: t.announce.paid(format.amount(paidMinor)),
    Void: t.announce.void,
  }
  return {
    'data-version': view.version,
    'data-now': view.now.getTime(),
    'data-announce': words[status],
    ...(isOpen(view) && { 'data-live': pathOf(view), 'data-poll': isWaiting(view) ? 5 : 30 }),
  }
}

function titleOf({ view, t, format }: InvoiceProps): string {
  const { invoice, merchant } = view
  const due = format.amount(invoice.dueMinor)
  if (invoice.status === 'Paid')
    return t.title.paid(format.amount(invoice.paidMinor), merchant.name)
  if (invoice.status === 'Void') return t.title.void(invoice.number, merchant.name)
  return (isWaiting(view) ? t.title.waiting : t.title.due)(due, merchant.name)
}

/**
 * Doesn't reveal anything about the customer, because everyone who sees the link in a chat sees
 * this.
 */
function shareOf({ view, t, format }: InvoiceProps) {
  const { publicUrl, merchant, invoice } = view
  if (!publicUrl) return undefined
  const amount = format.amount(
    invoice.status === 'PartiallyPaid' ? invoice.dueMinor : invoice.amountMinor,
  )
  const isOver = invoice.status === 'Paid' || invoice.status === 'Void'
  const paper = `${t.paper.title} · ${merchant.name}`
  return {
    url: publicUrl + pathOf(view),
    title: isOver ? `${amount} · ${merchant.name}` : t.title.due(amount, merchant.name),
    description: paper,
    image: merchant.logo && publicUrl + merchant.logo.path,
  }
}

function Summary({ view, t, format }: InvoiceProps) {
  const { invoice } = view
  const [label, minor] = {
    Sent: [t.amountDue, invoice.dueMinor] as const,
    PartiallyPaid: [t.amountLeft, invoice.dueMinor] as const,
    Paid: [t.amountPaid, invoice.paidMinor] as const,
    Void: [t.amountVoid, invoice.amountMinor] as const,
  }[invoice.status]
  const amount = format.amount(minor)
  return (
    <section class="summary">
      <h1 id="amount" tabIndex={-1}>
        <span class="label">{label}</span>
        <span class={amountClass(amount, invoice.status)} {...noTranslate}>
          {amount}
        </span>
      </h1>
      <p class="standing">
        <StateChip view={view} t={t} />
        <span class="soft">{standing({ view, t, format })}</span>
      </p>
      {invoice.status === 'PartiallyPaid' && <Progress view={view} t={t} format={format} />}
    </section>
  )
}

function amountClass(amount: string, status: string): string {
  const size = amount.length > 13 ? 'amount long' : 'amount'
  return status === 'Void' ? `${size} struck` : size
}

function standing({ view, t, format }: InvoiceProps): string {
  const { status, paidAt, dueDate } = view.invoice
  if (status === 'Paid') return paidAt ? format.day(paidAt) : ''
  if (status === 'Void') return ''
  return dueDate ? t.dueOn(format.calendarDay(dueDate)) : t.noDueDate
}

function Progress({ view, t, format }: InvoiceProps) {
  const { paidMinor, amountMinor } = view.invoice
  const text = t.paidOf(format.amount(paidMinor), format.amount(amountMinor))
  const percent = String((paidMinor * 100n) / amountMinor)
  return (
    <p class="progress">
      <progress max="100" value={percent} aria-label={text} />
      <span class="soft">{text}</span>
    </p>
  )
}

function Panel(props: InvoiceProps) {
  const { view } = props
  const { status } = view.invoice
  if (status === 'Paid' || status === 'Void') {
    return (
      <>
        <Overpayment {...props} />
        <RefundSummary {...props} />
        {status === 'Paid' ? <Receipt {...props} /> : <CancelledNotice {...props} />}
      </>
    )
  }
  const { payment, merchant, payments, invoice } = view
  return (
    <>
      <RefundSummary {...props} />
      {status === 'PartiallyPaid' && !payment && (
        <PartReceipt {...props} payments={payments} leftMinor={invoice.dueMinor} />
      )}
      <AttemptPanel
        {...props}
        view={payableOf(view)}
        payment={payment}
        merchant={merchant.name}
        {...(view.manual && { manual: { ...view.manual, reference: view.invoice.number } })}
      />
    </>
  )
}

function Details({ view, t, format }: InvoiceProps) {
  const { invoice, payments } = view
  return (
    <section class="details" aria-labelledby="details">
      <h2 id="details">{t.details}</h2>
      {invoice.note && <p class="note">{invoice.note}</p>}
      {invoice.lineItems.length > 0 && <Items items={invoice.lineItems} t={t} format={format} />}
      <Rows
        pairs={[
          [t.total, format.amount(invoice.amountMinor)],
          [t.paidSoFar, invoice.status === 'PartiallyPaid' ? format.amount(invoice.paidMinor) : ''],
          [t.leftToPay, invoice.status === 'PartiallyPaid' ? format.amount(invoice.dueMinor) : ''],
        ]}
      />
      {invoice.status === 'PartiallyPaid' && <Payments t={t} format={format} payments={payments} />}
      <Rows
        pairs={[
          [t.billedTo, invoice.customerName],
          [t.issued, format.day(invoice.createdAt)],
          [t.due, invoice.dueDate && format.calendarDay(invoice.dueDate)],
        ]}
      />
      <p class="keep">
        <a href={`${pathOf(view)}/pdf`}>{t.paper.download}</a>
      </p>
    </section>
  )
}
