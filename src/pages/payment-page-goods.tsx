import { Chip } from './components.tsx'
import { Gallery } from './gallery.tsx'
import { Icon } from './icons.tsx'
import { type FormProps, kindOf, wordsOf } from './payment-page-fields.tsx'
import type { PageProductView, PageVariantView } from './views-page.ts'

/** From how many on it is not said how many are left. */
const FEW = 10
const QUANTITY_MAX = 1_000_000
/** More values than that are chosen from a list. */
const CHIPS_MAX = 24

export type ProductProps = FormProps & { product: PageProductView }

/** Several products, each with its pictures and its choice. */
export const Wares = (props: FormProps) => (
  <ul class="wares">
    {props.view.products.map((product) => (
      <li key={product.id} class="ware">
        <Gallery {...props} product={product} chosen={chosenOf(props, product)?.picture} />
        <div class="buy">
          <h2>{product.name}</h2>
          {product.description && <p class="soft">{product.description}</p>}
          <Buy {...props} product={product} />
        </div>
      </li>
    ))}
  </ul>
)

/** What is wrong with all of them. */
export function GoodsFault({ view, t, format }: FormProps) {
  const fault = view.faults.find(({ field }) => field === 'goods')
  return (
    <div id="goods" tabIndex={-1}>
      {fault && (
        <p class="fault">
          <Icon name="alert" />
          {wordsOf(fault, { t, format })}
        </p>
      )}
    </div>
  )
}

/** Which kind of a product, and how many. The script reads what it has to work with from here. */
export function Buy(props: ProductProps) {
  const { view, t, format, product } = props
  const { id, options, variants, isSoldOut } = product
  const chosen = chosenOf(props, product)
  const kind = chosen ?? product
  const isGone = isSoldOut || (options.length > 0 && (!chosen || chosen.isSoldOut))
  const amount = format.amount(kind.priceMinor)
  return (
    <div
      class="choose"
      data-product={id}
      data-price={String(product.priceMinor)}
      {...(product.isDelivered && { 'data-delivered': true })}
      data-fees={JSON.stringify(product.fees.map(([place, fee]) => [place, String(fee)]))}
      {...(variants.length > 0 && { 'data-kinds': JSON.stringify(variants.map(plainOf)) })}
    >
      <p class="price">
        <strong class="money" data-shows="price">
          {amount}
        </strong>
        <span data-shows="gone" hidden={!isGone}>
          <Chip tone="plain" icon="stopped" text={t.shop.page.soldOut} />
        </span>
        <Few {...props} left={isGone ? undefined : kind.left} />
      </p>
      {!isSoldOut && (
        <>
          {options.map((option, index) => (
            <Option key={option.name} {...props} option={option} index={index} />
          ))}
          <SoldOutKinds {...props} />
          <div class="how-many">
            <Stepper
              {...props}
              name={`q-${id}`}
              label={product.name}
              max={kind.left}
              hasId={variants.length > 0}
            />
            {variants.length > 1 && (
              <button
                type="submit"
                name="do"
                value={`add-${id}`}
                class="button quiet small"
                formnovalidate
              >
                {t.shop.page.add}
              </button>
            )}
          </div>
          <Picked {...props} view={view} />
        </>
      )}
    </div>
  )
}

/** The kind that the options name. */
export function chosenOf({ view }: Pick<FormProps, 'view'>, product: PageProductView) {
  const { id, options, variants } = product
  if (options.length === 0) return undefined
  const values = options.map((_, i) => view.values[`o-${id}-${i}`])
  return variants.find((one) => one.values.every((value, i) => value === values[i]))
}

const plainOf = ({ id, values, priceMinor, left, isSoldOut, picture }: PageVariantView) => ({
  id,
  values,
  price: String(priceMinor),
  ...(left !== undefined && { left }),
  ...(isSoldOut && { gone: true }),
  ...(picture !== undefined && { picture }),
})

function Few({ t, format, left }: Pick<FormProps, 't' | 'format'> & { left: number | undefined }) {
  const isFew = left !== undefined && left > 0 && left < FEW
  return (
    <span class="few" data-shows="few" data-words={t.shop.page.few('#')} hidden={!isFew}>
      {isFew ? t.shop.page.few(format.count(left)) : ''}
    </span>
  )
}

type OptionProps = ProductProps & { option: PageProductView['options'][number]; index: number }

/** One option of a product: chips, or a list where there are too many of them. */
function Option({ view, product, option, index }: OptionProps) {
  const name = `o-${product.id}-${index}`
  const value = view.values[name]
  if (option.values.length > CHIPS_MAX) {
    return (
      <p class="field">
        <label for={name}>{option.name}</label>
        <select id={name} name={name}>
          {option.values.map((one) => (
            <option key={one} value={one} selected={one === value}>
              {one}
            </option>
          ))}
        </select>
      </p>
    )
  }
  return (
    <fieldset class="option" id={name} tabIndex={-1}>
      <legend>
        {option.name} <span class="unseen">{product.name}</span>
      </legend>
      <div class="picks chips">
        {option.values.map((one) => (
          <label key={one} class={isOut({ view, product, option, index }, one) ? 'out' : undefined}>
            <input type="radio" name={name} value={one} checked={one === value} />
            <span>{one}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

/** Whether no kind of this value is to be had with the other options as they are chosen. */
function isOut(
  { view, product, index }: Pick<OptionProps, 'view' | 'product' | 'option' | 'index'>,
  value: string,
): boolean {
  const { id, options, variants } = product
  const values = options.map((_, i) => (i === index ? value : view.values[`o-${id}-${i}`]))
  return !variants.some(
    (one) => !one.isSoldOut && one.values.every((own, i) => !values[i] || own === values[i]),
  )
}

/** Chips cannot follow each other without a script: what is sold out is then written. */
function SoldOutKinds({ t, product }: ProductProps) {
  const gone = product.variants.filter(({ isSoldOut }) => isSoldOut)
  if (gone.length === 0) return null
  return (
    <noscript>
      <p class="fine">{t.shop.page.soldOutKinds(gone.map(({ name }) => name).join(' · '))}</p>
    </noscript>
  )
}

interface StepperProps extends FormProps {
  name: string
  label: string
  max: number | undefined
  hasId?: boolean
}

/** How many: a number to write, with a button on each side where a script runs. */
function Stepper({ view, t, format, name, label, max }: StepperProps) {
  const fault = view.faults.find(({ field }) => field === name)
  const { less, more, quantityOf } = t.shop.page
  return (
    <div class="count">
      <div class="stepper">
        <button type="button" class="scripted" data-step="-1" aria-label={less(label)}>
          −
        </button>
        <input
          id={name}
          name={name}
          type="number"
          inputMode="numeric"
          min={0}
          max={max ?? QUANTITY_MAX}
          autoComplete="off"
          value={view.values[name] ?? '0'}
          aria-label={quantityOf(label)}
          aria-invalid={fault !== undefined}
          {...(fault && { 'aria-describedby': `${name}-says` })}
        />
        <button type="button" class="scripted" data-step="1" aria-label={more(label)}>
          +
        </button>
      </div>
      {fault && (
        <p id={`${name}-says`} class="fault">
          <Icon name="alert" />
          {wordsOf(fault, { t, format })}
        </p>
      )}
    </div>
  )
}

/** The kinds that were added before, beside the one that is being chosen. */
function Picked(props: ProductProps) {
  const { view, t, format, product } = props
  const picked = product.variants.filter(({ id }) => {
    const quantity = view.values[`q-${product.id}-${id}`]
    return quantity !== undefined && quantity !== '' && quantity !== '0'
  })
  if (picked.length === 0) return null
  return (
    <ul class="picked">
      {picked.map((one) => (
        <li key={one.id} data-kind={one.id}>
          <span>
            {one.name} <span class="soft money">{format.amount(one.priceMinor)}</span>
          </span>
          <Stepper
            {...props}
            name={`q-${product.id}-${one.id}`}
            label={kindOf(product, one)}
            max={one.left}
          />
          <button
            type="submit"
            name="do"
            value={`drop-${product.id}-${one.id}`}
            class="button bare small"
            formnovalidate
            aria-label={t.shop.page.remove(kindOf(product, one))}
          >
            <Icon name="bin" />
          </button>
        </li>
      ))}
    </ul>
  )
}
