import { Chip } from './components.tsx'
import { Icon } from './icons.tsx'
import { Field, type FormProps, wordsOf } from './payment-page-fields.tsx'
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
    </fieldset>
  )
}

function Product({ product, ...props }: FormProps & { product: PageProductView }) {
  const { t, format } = props
  const { id, name, description, image, variants, optionNames, left } = product
  return (
    <>
      <div class="product">
        {image && <img src={image} alt="" loading="lazy" width="72" height="72" />}
        <div>
          <h3>{name}</h3>
          <p class="money">{format.amount(product.priceMinor)}</p>
          {description && <p class="soft">{description}</p>}
          {product.isSoldOut && <Chip tone="plain" icon="cross" text={t.shop.page.soldOut} />}
          {!product.isSoldOut && left !== undefined && left < FEW && (
            <Chip tone="waiting" icon="half" text={t.shop.page.few(format.count(left))} />
          )}
        </div>
      </div>
      {!product.isSoldOut && (
        <div class="how-many">
          {optionNames && (
            <Field
              {...props}
              name={`v-${id}`}
              label={optionNames}
              spoken={`${optionNames} · ${name}`}
              isOptionalKnown
              options={variants.map((one) => ({
                value: String(one.id),
                text: variantText(one, props),
                disabled: one.isSoldOut,
              }))}
            />
          )}
          <Field
            {...props}
            name={`q-${id}`}
            label={t.items.quantity}
            spoken={t.shop.page.quantityOf(name)}
            type="number"
            inputMode="numeric"
            min={0}
            max={left ?? 1_000_000}
            autoComplete="off"
            isOptionalKnown
          />
        </div>
      )}
    </>
  )
}

function variantText(
  { name, priceMinor, isSoldOut }: PageProductView['variants'][number],
  { t, format }: Pick<FormProps, 't' | 'format'>,
): string {
  const text = `${name} · ${format.amount(priceMinor)}`
  return isSoldOut ? `${text} · ${t.shop.page.soldOut}` : text
}
