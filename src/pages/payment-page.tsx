import { printMinor } from '../lib/money.ts'
import { Footer, Letterhead } from './around.tsx'
import { asIs } from './components.tsx'
import { formatOf } from './format.ts'
import { Icon } from './icons.tsx'
import { renderDocument } from './layout.tsx'
import { Faults, Field, type FormProps, typeOf } from './payment-page-fields.tsx'
import { Goods } from './payment-page-goods.tsx'
import { printLocaleOf, textsOf } from './texts.ts'
import type { PageContext } from './views.ts'
import type { PaymentPageView } from './views-page.ts'

const FORM = 'order'

/** The page on which a payer says what they pay for and who they are, as HTML. */
export function renderPaymentPage(view: PaymentPageView, ctx: PageContext): string {
  const t = textsOf(ctx.locale)
  const locale = printLocaleOf(ctx.locale)
  const format = formatOf(view.currency, locale, view.timeZone)
  const props = { view, t, format, locale }
  return renderDocument({
    ctx,
    t,
    title: `${view.title} · ${view.merchant.name}`,
    test: view.test,
    color: view.color ?? view.merchant.color,
    typedInto: view.isTyped ? FORM : undefined,
    children: (
      <>
        <Letterhead merchant={view.merchant} about={t.shop.page.by} skip={t.shop.page.skip} />
        <main id="page">
          <Cover {...props} />
          <div class="panel" id="pay">
            <PageForm {...props} />
          </div>
        </main>
        <Footer t={t} merchant={view.merchant} />
      </>
    ),
  })
}

/** What the page is about. */
const Cover = ({ view, t, format }: FormProps) => (
  <section class="summary cover">
    {view.image && (
      <picture>
        {view.imageWhole && <source media="(min-width: 48rem)" srcset={view.imageWhole} />}
        <img class="banner" src={view.image} alt="" />
      </picture>
    )}
    <h1 class="name">{view.title}</h1>
    {view.amount?.kind === 'fixed' && (
      <p>
        <span class="unseen">{t.shop.page.amount}</span>
        <span class="amount" {...asIs}>
          {format.amount(view.amount.minor)}
        </span>
      </p>
    )}
    {view.description && <p class="note">{view.description}</p>}
  </section>
)

const PageForm = (props: FormProps) => {
  const { view, t } = props
  return (
    <form method="post" action={view.path} class="card order" id={FORM}>
      <Faults {...props} />
      <input type="hidden" name="once" value={view.once} />
      {view.products.length > 0 && <Goods {...props} />}
      {view.amount?.kind === 'chosen' && <Chosen {...props} amount={view.amount} />}
      <Answers {...props} />
      <Shipping {...props} />
      {view.asks.discount && (
        <div class="apart">
          <Field
            {...props}
            name="discountCode"
            label={t.shop.page.code}
            autoComplete="off"
            autoCapitalize="characters"
            maxLength={64}
          />
        </div>
      )}
      <p class="send">
        <button type="submit" id="go" class="button wide">
          {t.shop.page.go}
        </button>
        <span class="fine">{t.shop.page.before}</span>
      </p>
    </form>
  )
}

type Chosen = Extract<PaymentPageView['amount'], { kind: 'chosen' }>

/** How much: one of what is suggested, or whatever is written. */
function Chosen({ amount, ...props }: FormProps & { amount: Chosen }) {
  const { view, t, format } = props
  const { suggested, leastMinor } = amount
  const hint = leastMinor === undefined ? undefined : t.shop.page.least(format.amount(leastMinor))
  const hasChoice = suggested.length > 0
  return (
    <fieldset>
      <legend>{t.shop.page.yours}</legend>
      {hasChoice && (
        <div class="picks">
          {suggested.map((minor) => {
            const value = printMinor(minor, view.currency)
            return (
              <label key={value}>
                <input
                  type="radio"
                  name="suggested"
                  value={value}
                  checked={view.values.suggested === value}
                />
                <span>{format.amount(minor)}</span>
              </label>
            )
          })}
        </div>
      )}
      <Field
        {...props}
        name="amount"
        label={hasChoice ? t.shop.page.other : t.shop.page.amount}
        inputMode="decimal"
        autoComplete="off"
        maxLength={40}
        required={!hasChoice}
        isOptionalKnown
        {...(hint && { hint })}
      />
    </fieldset>
  )
}

/** Who pays, and what the merchant asks beside that. */
const Answers = (props: FormProps) => {
  const { view, t } = props
  const { page } = t.shop
  return (
    <fieldset>
      <legend>{page.about}</legend>
      <Field
        {...props}
        name="email"
        label={page.email}
        type="email"
        autoComplete="email"
        required
      />
      <Field {...props} name="name" label={page.name} autoComplete="name" maxLength={200} />
      {view.asks.phone && (
        <Field {...props} name="phone" label={page.phone} type="tel" autoComplete="tel" required />
      )}
      {view.fields.map(({ name, label, type, required, options }) => (
        <Field
          key={name}
          {...props}
          name={`f-${name}`}
          label={label}
          required={required}
          {...typeOf(type)}
          {...(type === 'select' && { options: options.map((value) => ({ value, text: value })) })}
        />
      ))}
    </fieldset>
  )
}

/** Where it goes, if it goes anywhere. */
const Shipping = (props: FormProps) => {
  const { view, t, format } = props
  const { page } = t.shop
  if (view.locations.length === 0 && !view.asks.address) return null
  const options = view.locations.map(({ value, isElsewhere, feeMinor }) => ({
    value,
    text: `${isElsewhere ? page.elsewhere : value} · ${format.amount(feeMinor)}`,
  }))
  return (
    <fieldset>
      <legend>
        <Icon name="parcel" />
        {page.shipping}
      </legend>
      {options.length > 0 && (
        <Field
          {...props}
          name="deliveryLocation"
          label={page.location}
          options={options}
          required={view.products.length === 1}
          isOptionalKnown
        />
      )}
      {view.asks.address && (
        <Field
          {...props}
          name="address"
          label={page.address}
          autoComplete="street-address"
          isLong
          required
        />
      )}
    </fieldset>
  )
}
