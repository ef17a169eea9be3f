import { decimalsOf } from '../lib/money.ts'
import { asIs } from './components.tsx'
import { Field, type FormProps } from './payment-page-fields.tsx'

/**
 * What the order comes to. The script works it out again while the payer chooses; without one, a
 * button asks the server.
 */
export function Totals({ view, t, format, locale }: FormProps) {
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
    <dd data-shows={shows} {...asIs}>
      {value}
    </dd>
  </div>
)

/** A code, and the button that says at once what it takes off. */
export function DiscountCode(props: FormProps) {
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
