import { decimalsOf } from '../lib/money.ts'
import { asIs, Chip } from './components.tsx'
import { Icon } from './icons.tsx'
import { Field, type FormProps, kindOf, Small, wordsOf } from './payment-page-fields.tsx'
import type { PageProductView } from './views-page.ts'

/** From how many on it is not said how many are left. */
const FEW = 10

/** What can be bought: which kind of it, and how many. */
export const Goods = (props: FormProps) => {
  const { view, t, format } = props
  const fault = view.faults.find(({ field }) => field === 'goods')
  return (
    <fieldset id="goods" tabIndex={-1}>
      <legend>{t.shop.page.goods}</legend>
      {fault && (
        <p class="fault">
          <Icon name="alert" />
          {wordsOf(fault, { t, format })}
        </p>
      )}
      <ul class="goods">
        {view.products.map((product) => (
          <li key={product.id}>
            <Product {...props} product={product} />
          </li>
        ))}
      </ul>
      <Subtotal {...props} />
    </fieldset>
  )
}

/** Worked out by the script while the payer chooses; the server works it out by itself. */
const Subtotal = ({ view, t, locale }: FormProps) => (
  <p
    id="subtotal"
    class="subtotal scripted"
    data-locale={locale}
    data-currency={view.currency}
    data-decimals={decimalsOf(view.currency)}
  >
    <span>{t.shop.subtotal}</span>
    <output class="money" {...asIs} />
  </p>
)

function Product({ product, ...props }: ProductProps) {
  const { t, format } = props
  const { name, description, left } = product
  const chosen = props.view.values[`v-${product.id}`]
  const kind = product.variants.find(({ id }) => String(id) === chosen)
  const image = kind?.image ?? product.image
  return (
    <>
      <div class={isAlone(props.view) ? 'product alone' : 'product'}>
        {image && <img src={image} alt="" width="96" height="96" />}
        <div>
          <h2>{name}</h2>
          {!isInLines(product) && <p class="money">{format.amount(product.priceMinor)}</p>}
          {description && <p class="soft">{description}</p>}
          {product.isSoldOut && <Chip tone="plain" icon="cross" text={t.shop.page.soldOut} />}
          {!product.isSoldOut && left !== undefined && left < FEW && (
            <Chip tone="waiting" icon="half" text={t.shop.page.few(format.count(left))} />
          )}
        </div>
      </div>
      {!product.isSoldOut && <HowMany {...props} product={product} />}
    </>
  )
}

/** Where nothing else is sold or shown, what is sold is shown large. */
const isAlone = ({ products, image }: FormProps['view']): boolean =>
  products.length === 1 && image === undefined

type ProductProps = FormProps & { product: PageProductView }

function HowMany(props: ProductProps) {
  const { product } = props
  const { id, optionNames, variants } = product
  if (isInLines(product)) return <Kinds {...props} />
  return (
    <div class="how-many">
      {optionNames && (
        <Field
          {...props}
          name={`v-${id}`}
          label={optionNames}
          spoken={`${optionNames} · ${product.name}`}
          isOptionalKnown
          options={variants.map((one) => ({
            value: String(one.id),
            text: variantText(one, props),
            disabled: one.isSoldOut,
            priceMinor: one.priceMinor,
            picture: one.image,
          }))}
        />
      )}
      <Field
        {...props}
        {...COUNT}
        name={`q-${id}`}
        label={props.t.items.quantity}
        spoken={props.t.shop.page.quantityOf(product.name)}
        max={product.left ?? QUANTITY_MAX}
        {...(!optionNames && { priceMinor: product.priceMinor })}
      />
    </div>
  )
}

/** Each kind has a line of its own, with its price. */
const isInLines = ({ optionNames, isListed, isSoldOut }: PageProductView): boolean =>
  optionNames !== undefined && !isListed && !isSoldOut

const QUANTITY_MAX = 1_000_000

const COUNT = {
  type: 'number',
  inputMode: 'numeric',
  min: 0,
  autoComplete: 'off',
  isOptionalKnown: true,
} as const

/** A line for each kind of a product, so that several of them can be had at once. */
function Kinds(props: ProductProps) {
  const { product, t, format } = props
  const isPictured = product.variants.some(({ image }) => image !== undefined)
  return (
    <fieldset class="kinds">
      <legend>
        {product.optionNames} <span class="unseen">{product.name}</span>
      </legend>
      {product.variants.map((one) =>
        one.isSoldOut ? (
          <p class={isPictured ? 'field pictured' : 'field'} key={one.id}>
            {isPictured && <Small of={one.image ?? ''} />}
            <span>{one.name}</span>
            <Chip tone="plain" icon="cross" text={t.shop.page.soldOut} />
          </p>
        ) : (
          <Field
            key={one.id}
            {...props}
            {...COUNT}
            name={`q-${product.id}-${one.id}`}
            label={one.name}
            spoken={t.shop.page.quantityOf(kindOf(product, one))}
            max={one.left ?? QUANTITY_MAX}
            priceMinor={one.priceMinor}
            picture={isPictured ? (one.image ?? '') : undefined}
            hint={[
              format.amount(one.priceMinor),
              ...(one.left !== undefined && one.left < FEW
                ? [t.shop.page.few(format.count(one.left))]
                : []),
            ].join(' · ')}
          />
        ),
      )}
    </fieldset>
  )
}

function variantText(
  { name, priceMinor, isSoldOut }: PageProductView['variants'][number],
  { t, format }: Pick<FormProps, 't' | 'format'>,
): string {
  const text = `${name} · ${format.amount(priceMinor)}`
  return isSoldOut ? `${text} · ${t.shop.page.soldOut}` : text
}
