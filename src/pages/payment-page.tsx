import { decimalsOf, printMinor } from '../lib/money.ts'
import { Icon, noTranslate } from './components.tsx'
import { formatOf, siteOf } from './format.ts'
import { Footer, Letterhead, renderDocument } from './layout.tsx'
import {
  BuyControls,
  chosenVariant,
  ErrorSummary,
  Field,
  type FormProps,
  Gallery,
  ProductErrors,
  ProductList,
  typeOf,
} from './payment-page-goods.tsx'
import { printLocaleOf, textsOf } from './texts.ts'
import type { PageContext, PaymentPageView } from './views.ts'

const FORM = 'order'

/** Renders the page where a payer chooses what to pay for and enters their details. */
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
    share: shareOf(view),
    children: (
      <>
        <Letterhead
          merchant={view.merchant}
          about={view.merchant.website && siteOf(view.merchant.website)}
          skip={t.shop.page.skip}
        />
        <main id="page">
          {view.products.length > 0 ? (
            <Shop {...props} />
          ) : (
            <>
              <Cover {...props} />
              <div class="panel" id="pay">
                <PageForm {...props} />
              </div>
            </>
          )}
        </main>
        <Footer t={t} merchant={view.merchant} />
      </>
    ),
  })
}

const DESCRIPTION_MAX = 200

/** Describes the page, or the first product on it, for link previews in chats. */
function shareOf(view: PaymentPageView) {
  const { publicUrl, merchant, products, description } = view
  if (!publicUrl) return undefined
  const [product] = products
  const image = view.imageWhole ?? view.image ?? product?.pictures[0]?.whole ?? merchant.logo?.path
  const about = description ?? (products.length === 1 ? product?.description : undefined)
  return {
    url: publicUrl + view.path,
    title: `${view.title} · ${merchant.name}`,
    description: (about ?? merchant.name).replace(/\s+/g, ' ').slice(0, DESCRIPTION_MAX),
    image: image && publicUrl + image,
  }
}

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
        <span class="amount" {...noTranslate}>
          {format.amount(view.amount.minor)}
        </span>
      </p>
    )}
    {view.description && <p class="note">{view.description}</p>}
  </section>
)

const PageForm = (props: FormProps) => {
  const { view } = props
  return (
    <form method="post" action={view.path} class="card order" id={FORM}>
      <ErrorSummary {...props} />
      <Hidden view={view} />
      {view.amount?.kind === 'chosen' && <Chosen {...props} amount={view.amount} />}
      <Answers {...props} />
      <Shipping {...props} />
      {view.asks.discount && <DiscountCode {...props} />}
      <Send {...props} />
    </form>
  )
}

/**
 * Shows the products on the left and the payer's details on the right. A single product is shown
 * large.
 */
const Shop = (props: FormProps) => {
  const { view } = props
  const only = view.products.length === 1 ? view.products[0] : undefined
  return (
    <form method="post" action={view.path} class="shop order" id={FORM}>
      <Hidden view={view} />
      <div class="goods">
        <Cover {...props} />
        {only ? (
          <>
            <Gallery
              {...props}
              product={only}
              chosen={chosenVariant(props, only)?.picture}
              isLarge
            />
            {only.description && <p class="note">{only.description}</p>}
          </>
        ) : (
          <ProductList {...props} />
        )}
      </div>
      <div class="panel card" id="pay">
        <ErrorSummary {...props} />
        <ProductErrors {...props} />
        {only && (
          <div class="buy only">
            <h2>{only.name}</h2>
            <BuyControls {...props} product={only} />
          </div>
        )}
        <Answers {...props} />
        <Shipping {...props} />
        {view.asks.discount && <DiscountCode {...props} />}
        <Totals {...props} />
        <Send {...props} />
      </div>
    </form>
  )
}

const Hidden = ({ view }: Pick<FormProps, 'view'>) => (
  <>
    <input type="hidden" name="once" value={view.once} />
    {view.from && <input type="hidden" name="from" value={view.from} />}
  </>
)

const Send = ({ t }: Pick<FormProps, 't'>) => (
  <p class="send">
    <button type="submit" id="go" class="button wide">
      {t.shop.page.go}
    </button>
    <span class="fine">{t.shop.page.before}</span>
  </p>
)

type Chosen = Extract<PaymentPageView['amount'], { kind: 'chosen' }>

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
        isMoney
        {...(hint && { hint })}
      />
    </fieldset>
  )
}

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

/**
 * Asks for the delivery address. The browser requires it only if all products are delivered. If
 * only some are, the server asks for it.
 */
const Shipping = (props: FormProps) => {
  const { view, t, format } = props
  const { page } = t.shop
  const { totals, products } = view
  const isHidden = totals !== undefined && !totals.isDelivered && !view.asks.always
  if (view.locations.length === 0 && !view.asks.address) return null
  const isAll = products.every(({ isDelivered }) => isDelivered)
  const options = view.locations.map(({ value, isElsewhere, feeMinor }) => ({
    value,
    text: `${isElsewhere ? page.elsewhere : value} · ${format.amount(feeMinor)}`,
  }))
  return (
    <fieldset
      id="delivery"
      hidden={isHidden}
      disabled={isHidden}
      {...(view.asks.always && { 'data-always': true })}
    >
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
          required={products.length === 1}
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
          required={view.asks.always || isAll}
          isOptionalKnown
        />
      )}
    </fieldset>
  )
}

/**
 * Shows the order's total. The script updates the total as the payer chooses. Without JavaScript, a
 * button requests it from the server.
 */
function Totals({ view, t, format, locale }: FormProps) {
  const { totals } = view
  if (!totals) return null
  const { subtotalMinor, discount, delivery, totalMinor } = totals
  const fee = typeof delivery === 'bigint' ? format.amount(delivery) : t.shop.page.unknown
  return (
    <section class="totals" aria-labelledby="your-order">
      <h2 id="your-order">{t.shop.page.order}</h2>
      <dl
        class="rows"
        id="totals"
        data-locale={locale}
        data-currency={view.currency}
        data-decimals={decimalsOf(view.currency)}
        data-unknown={t.shop.page.unknown}
        {...(totals.terms && { 'data-terms': JSON.stringify(totals.terms) })}
      >
        <Line name={t.shop.subtotal} shows="subtotal" value={format.amount(subtotalMinor)} />
        {discount && (
          <Line
            name={t.shop.discount(discount.code)}
            shows="discount"
            value={`−${format.amount(discount.minor)}`}
          />
        )}
        <Line name={t.shop.delivery} shows="delivery" value={fee} hidden={delivery === 'none'} />
        <Line name={t.total} shows="total" value={format.amount(totalMinor)} isSum />
      </dl>
      <noscript>
        <button type="submit" name="do" value="update" class="button quiet wide" formnovalidate>
          {t.shop.page.update}
        </button>
      </noscript>
    </section>
  )
}

interface LineProps {
  name: string
  shows: string
  value: string
  hidden?: boolean
  isSum?: boolean
}

const Line = ({ name, shows, value, hidden = false, isSum = false }: LineProps) => (
  <div class={isSum ? 'sum' : undefined} hidden={hidden}>
    <dt>{name}</dt>
    <dd data-shows={shows} {...noTranslate}>
      {value}
    </dd>
  </div>
)

function DiscountCode(props: FormProps) {
  const { view, t } = props
  const applied = view.totals?.discount?.code
  return (
    <div class="apart code">
      <Field
        {...props}
        name="discountCode"
        label={t.shop.page.code}
        autoComplete="off"
        autoCapitalize="characters"
        maxLength={64}
        {...(applied && { hint: t.shop.page.applied(applied) })}
      />
      {view.totals && (
        <button
          type="submit"
          name="do"
          value="apply"
          id="apply"
          class="button quiet"
          formnovalidate
        >
          {t.shop.page.apply}
        </button>
      )}
    </div>
  )
}
