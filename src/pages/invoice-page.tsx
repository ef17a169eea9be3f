import { Choice } from './choice.tsx'
import { asIs, Notice, Rows } from './components.tsx'
import type { Format } from './format.ts'
import { formatOf } from './format.ts'
import { renderDocument } from './layout.tsx'
import type { PanelProps } from './pay-panels.tsx'
import { pathOf, TransferPanel, UssdPanel } from './pay-panels.tsx'
import { Cancelled, Overpayment, Payments, Receipt, StateChip } from './receipt.tsx'
import { dialUrl, mailUrl, safeUrl } from './safe-url.ts'
import type { Texts } from './texts.ts'
import { printLocaleOf, textsOf } from './texts.ts'
import type { InvoiceView, LineItemView, PageContext } from './views.ts'

const RELOAD_SECONDS = 20

/** The page on which a payer reads, pays and keeps one invoice, as HTML. */
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
    ...(waits && { reloadSeconds: RELOAD_SECONDS }),
    children: (
      <>
        <Letterhead view={view} t={t} />
        <main id="page" {...liveOf(props)}>
          <Summary {...props} />
          <div class="panel" id="pay">
            <Panel {...props} />
          </div>
          <Details {...props} />
        </main>
        <Footer view={view} t={t} />
      </>
    ),
  })
}

const isOpen = ({ invoice }: InvoiceView) =>
  invoice.status === 'Sent' || invoice.status === 'PartiallyPaid'

const isWaiting = (view: InvoiceView) => isOpen(view) && view.payment?.outcome === 'Pending'

/** What the script needs: where to listen while anything can change, and what to say aloud. */
function liveOf({ view, t, format }: PanelProps) {
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

function titleOf({ view, t, format }: PanelProps): string {
  const { invoice, merchant } = view
  const due = format.amount(invoice.dueMinor)
  if (invoice.status === 'Paid')
    return t.title.paid(format.amount(invoice.paidMinor), merchant.name)
  if (invoice.status === 'Void') return t.title.void(invoice.number, merchant.name)
  return (isWaiting(view) ? t.title.waiting : t.title.due)(due, merchant.name)
}

const Letterhead = ({ view, t }: Omit<PanelProps, 'format'>) => (
  <header class="letterhead">
    <span class="initial" aria-hidden="true">
      {initialOf(view.merchant.name)}
    </span>
    <p>
      <strong>{view.merchant.name}</strong>
      <span class="soft">{t.invoice(view.invoice.number)}</span>
    </p>
    <a class="skip" href="#pay">
      {t.skip}
    </a>
  </header>
)

const initialOf = (name: string) => name.match(/[\p{L}\p{N}]/u)?.[0].toUpperCase() ?? '•'

/** How much, until when, and how it stands. */
function Summary({ view, t, format }: PanelProps) {
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
        <span class={amountClass(amount, invoice.status)} {...asIs}>
          {amount}
        </span>
      </h1>
      <p class="standing">
        <StateChip view={view} t={t} />
        <span class="soft">{standing({ view, t, format })}</span>
      </p>
      {invoice.status === 'PartiallyPaid' && <Progress {...{ view, t, format }} />}
    </section>
  )
}

function amountClass(amount: string, status: string): string {
  const size = amount.length > 13 ? 'amount long' : 'amount'
  return status === 'Void' ? `${size} struck` : size
}

function standing({ view, t, format }: PanelProps): string {
  const { status, paidAt, dueDate } = view.invoice
  if (status === 'Paid') return paidAt ? format.day(paidAt) : ''
  if (status === 'Void') return ''
  return dueDate ? t.dueOn(format.calendarDay(dueDate)) : t.noDueDate
}

function Progress({ view, t, format }: PanelProps) {
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

/** The one thing to do, or the one thing to know. */
function Panel(props: PanelProps) {
  const { view } = props
  if (view.invoice.status === 'Paid') {
    return (
      <>
        <Overpayment {...props} />
        <Receipt {...props} />
      </>
    )
  }
  if (view.invoice.status === 'Void') return <Cancelled {...props} />
  const { payment } = view
  if (payment?.outcome === 'Pending') {
    const Waiting = payment.channel === 'USSD' ? UssdPanel : TransferPanel
    return <Waiting {...props} payment={payment} />
  }
  return (
    <>
      <LastAttempt {...props} />
      {view.channels.length > 0 ? <Choice {...props} /> : <NoWay {...props} />}
    </>
  )
}

/** Why the payer is asked to choose again. */
function LastAttempt({ view, t }: PanelProps) {
  const { payment } = view
  if (!payment) return null
  if (payment.outcome === 'Failed') {
    return (
      <Notice tone="bad" icon="alert" heading={t.failed.heading}>
        {payment.message && <p>{payment.message}</p>}
        <p>{t.failed.text}</p>
      </Notice>
    )
  }
  return (
    <Notice tone="waiting" icon="clock" heading={t.abandoned.heading}>
      <p>{payment.channel === 'USSD' ? t.abandoned.ussd : t.abandoned.transfer}</p>
    </Notice>
  )
}

const NoWay = ({ view, t }: PanelProps) => (
  <Notice tone="plain" icon="bank" heading={t.noWay.heading}>
    <p>{t.noWay.text(view.merchant.name)}</p>
  </Notice>
)

/** What it is for, line by line, and who it is between. */
function Details({ view, t, format }: PanelProps) {
  const { invoice, payments } = view
  return (
    <section class="details" aria-labelledby="details">
      <h2 id="details">{t.details}</h2>
      {invoice.note && <p class="note">{invoice.note}</p>}
      {invoice.lineItems.length > 0 && <Items items={invoice.lineItems} {...{ t, format }} />}
      <Rows
        pairs={[
          [t.total, format.amount(invoice.amountMinor)],
          [t.paidSoFar, invoice.status === 'PartiallyPaid' ? format.amount(invoice.paidMinor) : ''],
          [t.leftToPay, invoice.status === 'PartiallyPaid' ? format.amount(invoice.dueMinor) : ''],
        ]}
      />
      {invoice.status === 'PartiallyPaid' && <Payments {...{ t, format, payments }} />}
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

interface ItemsProps {
  items: readonly LineItemView[]
  t: Texts
  format: Format
}

const Items = ({ items, t, format }: ItemsProps) => (
  <table class="items">
    <thead class="unseen">
      <tr>
        <th scope="col">{t.items.name}</th>
        <th scope="col">{t.items.amount}</th>
      </tr>
    </thead>
    <tbody>
      {items.map((item, index) => (
        // Two lines may be the same in every field, and none is ever moved here.
        <tr key={index}>
          <th scope="row">
            {item.name}
            {item.quantity !== 1 && (
              <small>
                {t.timesEach(format.count(item.quantity), format.amount(item.unitAmountMinor))}
              </small>
            )}
          </th>
          <td class="money">{format.amount(item.amountMinor)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

function Footer({ view, t }: Omit<PanelProps, 'format'>) {
  const { name, email, phone, website } = view.merchant
  const links = [
    { text: email, address: mailUrl(email) },
    { text: phone, address: dialUrl(phone) },
    { text: website, address: safeUrl(website) },
  ]
  return (
    <footer class="fine">
      {links.some(({ address }) => address) && (
        <p class="ask">
          <span>{t.questions(name)}</span>
          {links.map(
            ({ text, address }) =>
              address && (
                <a key={address} href={address} rel="noopener noreferrer">
                  {text}
                </a>
              ),
          )}
        </p>
      )}
      <p class="by">{t.poweredBy}</p>
    </footer>
  )
}
