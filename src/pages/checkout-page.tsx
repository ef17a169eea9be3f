import type { Minor } from '../lib/money.ts'
import { AttemptPanel } from './attempt-panel.tsx'
import { Chip, Icon, Items, Notice, noTranslate, PostForm, Rows } from './components.tsx'
import { type Format, formatOf, safeUrl } from './format.ts'
import { Contacts, contactsOf, Footer, Letterhead, renderDocument } from './layout.tsx'
import type { Payable } from './pay-panels.tsx'
import { OrderReceipt, PartReceipt } from './receipt.tsx'
import { printLocaleOf, type Texts, textsOf } from './texts.ts'
import type { CheckoutView, PageContext } from './views.ts'

const RELOAD_SECONDS = 20

interface CheckoutProps {
  view: CheckoutView
  t: Texts
  format: Format
}

export function renderCheckoutPage(view: CheckoutView, ctx: PageContext): string {
  const waits = isWaiting(view)
  return document(view, ctx, {
    ...(waits && { reloadSeconds: RELOAD_SECONDS }),
    body: (props) => (
      <main id="page" {...liveOf(props)}>
        <Summary {...props} />
        <div class="panel" id="pay">
          <Panel {...props} />
        </div>
        <CheckoutDetails {...props} />
      </main>
    ),
  })
}

export function renderOrderReceipt(view: CheckoutView, ctx: PageContext): string {
  return document(view, ctx, {
    body: (props) => (
      <main id="page">
        <h1 class="unseen">{titleOf(props)}</h1>
        <div class="panel" id="pay">
          <OrderReceipt {...props} />
        </div>
        <CheckoutDetails {...props} />
      </main>
    ),
  })
}

interface Frame {
  reloadSeconds?: number
  body(props: CheckoutProps): preact.JSX.Element
}

function document(view: CheckoutView, ctx: PageContext, { body, reloadSeconds }: Frame): string {
  const t = textsOf(ctx.locale)
  const format = formatOf(view.currency, printLocaleOf(ctx.locale), view.timeZone)
  const props = { view, t, format }
  return renderDocument({
    ctx,
    t,
    title: titleOf(props),
    test: view.test,
    color: view.page?.color ?? view.merchant.color,
    share: shareOf(props),
    ...(reloadSeconds && { reloadSeconds }),
    children: (
      <>
        <Letterhead
          merchant={view.merchant}
          about={view.page?.title ?? aboutOf(props)}
          skip={t.skip}
        />
        {body(props)}
        <Footer t={t} merchant={view.merchant} />
      </>
    ),
  })
}

/**
 * Doesn't reveal anything about the payer, because everyone who sees the link in a chat sees this.
 */
function shareOf({ view, t, format }: CheckoutProps) {
  const { publicUrl, merchant, page } = view
  if (!publicUrl) return undefined
  return {
    url: publicUrl + pathOf(view),
    title: t.title.due(format.amount(view.amountMinor), merchant.name),
    description: page?.title ?? merchant.name,
    image: merchant.logo && publicUrl + merchant.logo.path,
  }
}

const aboutOf = ({ view, t }: CheckoutProps) =>
  view.orderReference ? t.shop.order(view.orderReference) : t.shop.payment(view.reference)

const isWaiting = ({ status, payment }: CheckoutView) =>
  status === 'Open' && payment?.outcome === 'Pending'

const payableOf = (view: CheckoutView): Payable => ({
  path: pathOf(view),
  test: view.test,
  currency: view.currency,
  dueMinor: view.leftMinor ?? view.amountMinor,
  isRest: view.leftMinor !== undefined,
  channels: view.channels.map(({ channel }) => channel),
  costs: Object.fromEntries(view.channels.map((one) => [one.channel, one])),
  ussdBanks: view.ussdBanks,
  now: view.now,
})

function liveOf({ view, t, format }: CheckoutProps) {
  const words = {
    Open: sentBackOf({ view, t, format }) ?? '',
    Paid: t.announce.paid(format.amount(paidOf(view))),
    Expired: t.shop.announce.expired,
    Cancelled: t.shop.announce.cancelled,
  }
  const isOpen = view.status === 'Open'
  return {
    'data-version': view.version,
    'data-now': view.now.getTime(),
    'data-announce': words[view.status],
    ...(isOpen && { 'data-live': pathOf(view), 'data-poll': isWaiting(view) ? 5 : 30 }),
  }
}

/** Returns the amount paid, including fees added on top. */
const paidOf = ({ payments, amountMinor }: CheckoutView) => {
  const counted = payments.filter(({ kind }) => kind === 'Payment')
  if (counted.length === 0) return amountMinor
  return counted.reduce((sum, payment) => sum + payment.amountMinor, 0n)
}

function titleOf({ view, t, format }: CheckoutProps): string {
  const { status, merchant } = view
  if (status === 'Paid') return t.title.paid(format.amount(paidOf(view)), merchant.name)
  if (status === 'Expired') return t.shop.title.expired(merchant.name)
  if (status === 'Cancelled') return t.shop.title.cancelled(merchant.name)
  const due = format.amount(view.payment?.amountMinor ?? view.leftMinor ?? view.amountMinor)
  return (isWaiting(view) ? t.title.waiting : t.title.due)(due, merchant.name)
}

function Summary({ view, t, format }: CheckoutProps) {
  const { status, payment } = view
  const isOver = status === 'Expired' || status === 'Cancelled'
  const due = view.leftMinor === undefined ? t.amountDue : t.amountLeft
  const label = isOver ? t.shop.nothing : status === 'Paid' ? t.amountPaid : due
  const minor = status === 'Paid' ? paidOf(view) : (view.leftMinor ?? view.amountMinor)
  // While a payment is pending, this is the amount to send.
  const shown = isWaiting(view) && payment ? payment.amountMinor : minor
  const amount = format.amount(shown)
  const size = amount.length > 13 ? 'amount long' : 'amount'
  return (
    <section class="summary">
      <h1 id="amount" tabIndex={-1}>
        <span class="label">{label}</span>
        <span class={isOver ? `${size} struck` : size} {...noTranslate}>
          {amount}
        </span>
      </h1>
      <p class="standing">
        <StateChip view={view} t={t} />
        <span class="soft">{standing({ view, t, format })}</span>
      </p>
    </section>
  )
}

function standing({ view, t, format }: CheckoutProps): string {
  if (view.status === 'Paid') return view.paidAt ? format.day(view.paidAt) : ''
  if (view.status !== 'Open') return ''
  const { keptUntil, expiresAt } = view
  if (keptUntil) return t.shop.keptUntil(format.time(keptUntil))
  return t.shop.payUntil(format.time(expiresAt))
}

function StateChip({ view, t }: Omit<CheckoutProps, 'format'>) {
  const { status, isRefunded } = view
  if (isRefunded) return <Chip tone="plain" icon="clock" text={t.shop.state.refunded} />
  if (status === 'Paid') return <Chip tone="good" icon="check" text={t.state.paid} />
  if (status === 'Expired') return <Chip tone="plain" icon="clock" text={t.shop.state.expired} />
  if (status === 'Cancelled')
    return <Chip tone="plain" icon="stopped" text={t.shop.state.cancelled} />
  return <Chip tone="plain" icon="dot" text={t.state.open} />
}

function Panel(props: CheckoutProps) {
  const { view, t, format } = props
  if (view.status === 'Paid') return <OrderReceipt {...props} />
  if (view.status !== 'Open') return <Over {...props} />
  const { payment, merchant } = view
  const lacksAddress = view.asksAddress && !view.delivery?.address
  if (view.address || lacksAddress) return <AddressForm {...props} />
  return (
    <>
      <Owed {...props} />
      {view.leftMinor !== undefined && !payment && (
        <PartReceipt {...props} payments={view.payments} leftMinor={view.leftMinor} />
      )}
      <AttemptPanel
        view={payableOf(view)}
        t={t}
        format={format}
        payment={payment}
        merchant={merchant.name}
      />
      {payment?.outcome !== 'Pending' && <Leave view={view} t={t} />}
    </>
  )
}

/**
 * Explains, once nothing can be paid any more, why that is, what happens to the money, and where to
 * go next.
 */
function Over(props: CheckoutProps) {
  const { view, t } = props
  const isExpired = view.status === 'Expired'
  const { heading, text } = overWords(props)
  const isForGood = view.cancelledBy === 'business'
  const link = isForGood ? undefined : view.page?.customLink
  const hasContacts = isForGood && contactsOf(view.merchant).length > 0
  return (
    <>
      <Owed {...props} />
      <Notice tone="plain" icon={isExpired ? 'clock' : 'stopped'} heading={heading}>
        <p>{text}</p>
        {hasContacts && <Contacts t={t} merchant={view.merchant} />}
        {!hasContacts && !link && !view.canReopen && <p>{t.shop.askNew(view.merchant.name)}</p>}
      </Notice>
      <div class="onward">
        {link && (
          <a class="button wide" id="again" href={anewOf(link, view)}>
            {t.shop.again}
          </a>
        )}
        {!link && view.canReopen && (
          <PostForm action={`${pathOf(view)}/again`}>
            <button type="submit" id="again" class="button wide">
              {t.shop.again}
            </button>
          </PostForm>
        )}
        <Back {...props} />
      </div>
    </>
  )
}

function overWords({ view, t }: CheckoutProps) {
  const { status, cancelledBy, merchant } = view
  if (status === 'Expired') return t.shop.expired
  const { heading, headingBy, text } = t.shop.cancelled
  return { heading: cancelledBy === 'business' ? headingBy(merchant.name) : heading, text }
}

/**
 * Returns a link to the payment page on which the form is filled in as it was for this checkout.
 */
const anewOf = (link: string, { accessCode }: CheckoutView): string =>
  `/pay/${encodeURIComponent(link)}?from=${encodeURIComponent(accessCode)}`

function Back({ view, t }: CheckoutProps) {
  const address = safeUrl(view.returnUrl)
  if (!address) return null
  return (
    <a class="button wide quiet" id="back" href={address} rel="noopener noreferrer">
      {t.shop.backTo(view.merchant.name)}
    </a>
  )
}

function Owed(props: CheckoutProps) {
  const { view, t, format } = props
  const { owed, merchant } = view
  const sentBack = sentBackOf(props)
  const kept = owed && t.shop.owed[owed.state](format.amount(owed.amountMinor), merchant.name)
  return (
    <>
      {kept && <Notice tone="waiting" icon="alert" heading={kept} />}
      {sentBack && <Notice tone="waiting" icon="alert" heading={sentBack} />}
    </>
  )
}

const sentBackOf = ({ view: { sentBackMinor }, t, format }: CheckoutProps) =>
  sentBackMinor === undefined ? undefined : t.shop.owed.Refunded(format.amount(sentBackMinor))

interface DetailsProps {
  view: CheckoutView
  t: Texts
  format: Format
}

function CheckoutDetails({ view, t, format }: DetailsProps) {
  const { lines, discount, delivery, customer, amountMinor } = view
  const place = delivery?.location
  const fee_minor = feeOf(view)
  const hasFee = view.status === 'Open' && view.channels.some(({ feeMinor }) => feeMinor > 0n)
  const isPlain = !discount && !delivery
  const sumName = view.status === 'Paid' ? t.paid.amount : t.amountDue
  return (
    <section class="details" aria-labelledby="details">
      <h2 id="details">{t.details}</h2>
      {lines.length > 0 && <Items items={lines} t={t} format={format} />}
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

/**
 * Returns the fee included in the total: the fee paid or, while the checkout is open, the fee that
 * is the same for every payment method; otherwise 0.
 */
function feeOf({ status, feeMinor, payment, channels }: CheckoutView): Minor {
  if (status !== 'Open') return feeMinor
  if (payment?.outcome === 'Pending') return payment.feeMinor ?? 0n
  const fees = new Set(channels.map((one) => one.feeMinor))
  return fees.size === 1 ? channels[0]!.feeMinor : 0n
}

const minus = (format: Format, minor: bigint) => `−${format.amount(minor)}`

interface FormsProps {
  view: CheckoutView
  t: Texts
}

const pathOf = ({ accessCode }: Pick<CheckoutView, 'accessCode'>) =>
  `/checkout/${encodeURIComponent(accessCode)}`

/** Asks for confirmation, even without JavaScript. */
const Leave = ({ view, t }: FormsProps) => (
  <details class="leave">
    <summary id="cancel">{t.shop.cancel}</summary>
    <PostForm action={`${pathOf(view)}/cancel`}>
      <p>{t.shop.sure}</p>
      <button type="submit" id="cancel-now" class="button quiet">
        {t.shop.yes}
      </button>
    </PostForm>
  </details>
)

function AddressForm({ view, t }: FormsProps) {
  const { typed = '', isFault = false } = view.address ?? {}
  const { heading, text, label, save, missing } = t.shop.address
  return (
    <PostForm action={`${pathOf(view)}/address`} class="card order">
      <h2>{heading}</h2>
      <p class="soft">{text(view.merchant.name)}</p>
      <p class="field">
        <label for="address">{label}</label>
        <textarea
          id="address"
          name="address"
          rows={3}
          maxLength={1000}
          required
          autoComplete="street-address"
          aria-invalid={isFault}
          {...(isFault && { 'aria-describedby': 'address-says' })}
        >
          {typed}
        </textarea>
        {isFault && (
          <span id="address-says" class="fault">
            <Icon name="alert" />
            {missing}
          </span>
        )}
      </p>
      <button type="submit" id="save-address" class="button wide">
        {save}
      </button>
    </PostForm>
  )
}
