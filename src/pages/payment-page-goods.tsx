import { Chip, Icon } from './components.tsx'
import type { Format } from './format.ts'
import type { Texts } from './texts.ts'
import type {
  FieldError,
  PageFieldView,
  PageProductView,
  PageVariantView,
  PaymentPageView,
} from './views.ts'

/** From this number upwards, the page doesn't show how many are left. */
const FEW = 10
const QUANTITY_MAX = 1_000_000
/** An option with more values than this is shown as a drop-down list. */
const CHIPS_MAX = 24

type ProductProps = FormProps & { product: PageProductView }

export const ProductList = (props: FormProps) => (
  <ul class="wares">
    {props.view.products.map((product) => (
      <li key={product.id} class="ware">
        <Gallery {...props} product={product} chosen={chosenVariant(props, product)?.picture} />
        <div class="buy">
          <h2>{product.name}</h2>
          {product.description && <p class="soft">{product.description}</p>}
          <BuyControls {...props} product={product} />
        </div>
      </li>
    ))}
  </ul>
)

export function ProductErrors({ view, t, format }: FormProps) {
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

/** Lets the payer choose a variant and a quantity. The script reads the data attributes. */
export function BuyControls(props: ProductProps) {
  const { view, t, format, product } = props
  const { id, options, variants, isSoldOut } = product
  const chosen = chosenVariant(props, product)
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

export function chosenVariant({ view }: Pick<FormProps, 'view'>, product: PageProductView) {
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

/**
 * Shows one of a product's options as chips, or as a drop-down list if there are too many values.
 */
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

/** Returns whether no variant with this value is available, given the other chosen options. */
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

/** Lists the sold-out variants, because chips can't react to each other without JavaScript. */
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

/** Shows a quantity field. If JavaScript runs, there is a button on each side. */
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

/** Lists the variants that the payer has already added. */
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

export interface FormProps {
  view: PaymentPageView
  t: Texts
  format: Format
  /** The BCP 47 locale for amounts. */
  locale: string
}

interface ChoiceView {
  value: string
  text: string
  disabled?: boolean
}

interface FieldProps extends FormProps {
  name: string
  label: string
  type?: 'text' | 'email' | 'tel' | 'number' | 'date'
  inputMode?: 'decimal' | 'numeric'
  autoComplete?: 'off' | 'email' | 'name' | 'tel' | 'street-address'
  autoCapitalize?: 'characters'
  maxLength?: number
  min?: number
  max?: number
  required?: boolean
  /** If true, the label doesn't say "optional". */
  isOptionalKnown?: boolean
  /** If true, the value is an amount, and the currency sign is in front of the field. */
  isMoney?: boolean
  /** If true, the field is a text area. */
  isLong?: boolean
  hint?: string
  /**
   * What screen readers read out instead of the label, to distinguish several similar fields. Must
   * start with the label.
   */
  spoken?: string
  /** The choices in a drop-down list. */
  options?: readonly ChoiceView[]
}

/**
 * Returns the input settings for a merchant's custom field. Numbers can have a fraction and a sign.
 */
export function typeOf(type: PageFieldView['type']): Partial<FieldProps> {
  if (type === 'number') return { type: 'text', inputMode: 'decimal', maxLength: 27 }
  if (type === 'phone') return { type: 'tel', autoComplete: 'tel' }
  if (type === 'date') return { type: 'date' }
  return { maxLength: 500 }
}

/** Shows a field with its label, value and error. The server validates everything again. */
export function Field(props: FieldProps) {
  const { view, t, format, name, label, hint, options, required = false } = props
  const { type = 'text', inputMode, autoComplete, autoCapitalize, maxLength } = props
  const { min, max } = props
  const fault = view.faults.find(({ field }) => field === name)
  const value = view.values[name] ?? ''
  const says = `${name}-says`
  const common = {
    id: name,
    name,
    required,
    ...(props.spoken && { 'aria-label': props.spoken }),
    'aria-invalid': fault !== undefined,
    ...((fault || hint) && { 'aria-describedby': says }),
  }
  const given = { ...(autoComplete && { autoComplete }), ...(maxLength && { maxLength }) }
  return (
    <p class="field">
      <label for={name}>
        {label}
        {!required && !props.isOptionalKnown && <span class="soft"> ({t.shop.page.optional})</span>}
      </label>
      {options ? (
        <select {...common}>
          <option value="">{t.shop.page.pick}</option>
          {options.map((one) => (
            <option
              key={one.value}
              value={one.value}
              selected={one.value === value}
              disabled={one.disabled ?? false}
            >
              {one.text}
            </option>
          ))}
        </select>
      ) : props.isLong ? (
        <textarea {...common} {...given} rows={3} maxLength={1000}>
          {value}
        </textarea>
      ) : (
        box(
          <input
            {...common}
            {...given}
            {...typed(type)}
            value={value}
            {...(inputMode && { inputMode })}
            {...(autoCapitalize && { autoCapitalize })}
            {...(min !== undefined && { min })}
            {...(max !== undefined && { max })}
            {...(props.isMoney && { 'data-money': true })}
          />,
          props.isMoney ? format.sign : undefined,
        )
      )}
      {(fault || hint) && (
        <span id={says} class={fault ? 'fault' : 'soft'}>
          {fault && <Icon name="alert" />}
          {fault ? wordsOf(fault, { t, format }) : hint}
        </span>
      )}
    </p>
  )
}

const box = (input: preact.JSX.Element, sign: string | undefined) =>
  sign === undefined ? (
    input
  ) : (
    <span class="money-box">
      <span aria-hidden="true">{sign}</span>
      {input}
    </span>
  )

const wordsOf = (
  { code, minor, count }: FieldError,
  { t, format }: Pick<FormProps, 't' | 'format'>,
): string =>
  t.shop.page.fault[code](minor === undefined ? format.count(count ?? 0) : format.amount(minor))

/** This part of the page is new, so it gets the focus instead of the top of the page. */
const arrived = { autoFocus: true }

/** Lists all errors at the top. Each links to its field. */
export function ErrorSummary({ view, t, format }: FormProps) {
  if (view.faults.length === 0) return null
  return (
    <div class="notice bad faults" role="alert" tabIndex={-1} id="faults" {...arrived}>
      <Icon name="alert" />
      <div>
        <h2>{t.shop.page.faults}</h2>
        <ul>
          {view.faults.map((fault) => (
            <li key={fault.field}>
              <a href={`#${encodeURIComponent(fault.field)}`}>
                {labelOf(fault.field, view, t)}: {wordsOf(fault, { t, format })}
              </a>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

function labelOf(field: string, { fields, products }: PaymentPageView, t: Texts): string {
  const { page } = t.shop
  const [, productId, variantId] = /^[qo]-(\d+)(?:-(\d+))?$/.exec(field) ?? []
  const product = products.find(({ id }) => String(id) === productId)
  if (product) {
    const variant = product.variants.find(({ id }) => String(id) === variantId)
    return variant ? kindOf(product, variant) : product.name
  }
  const own = fields.find(({ name }) => field === `f-${name}`)
  if (own) return own.label
  const labels: Record<string, string> = {
    goods: page.goods,
    amount: page.amount,
    email: page.email,
    name: page.name,
    phone: page.phone,
    address: page.address,
    deliveryLocation: page.location,
    discountCode: page.code,
  }
  return labels[field] ?? field
}

/** `Shirt (M, Red)` */
const kindOf = (product: { name: string }, variant: { name: string }): string =>
  `${product.name} (${variant.name})`

/** Preact's types have a separate type for each input type. */
const typed = (type: string) => ({ type: type as 'text' })

type GalleryProps = Pick<FormProps, 't' | 'format'> & {
  product: PageProductView
  /** The image of the chosen variant, shown first. */
  chosen: number | undefined
  /** Whether the images are shown large, because this is the only product for sale. */
  isLarge?: boolean
}

/**
 * Shows all of a product's images in a strip to swipe or scroll, with thumbnails to tap. The layout
 * doesn't shift, because space is reserved for each image before it loads.
 */
export function Gallery({ t, format, product, chosen, isLarge = false }: GalleryProps) {
  const { id, name, pictures } = product
  if (pictures.length === 0) return null
  const places = pictures.map((picture, place) => ({ ...picture, place }))
  const first = chosen === undefined ? undefined : places[chosen]
  const ordered = first ? [first, ...places.filter((one) => one !== first)] : places
  const { pictures: label, picture } = t.shop.page
  return (
    <div class={isLarge ? 'gallery large' : 'gallery'}>
      <ul
        class="strip"
        id={`strip-${id}`}
        tabIndex={pictures.length > 1 ? 0 : undefined}
        aria-label={label(name)}
      >
        {ordered.map(({ small, whole, place }, i) => (
          <li key={place} id={`picture-${id}-${place}`} data-place={place}>
            <picture>
              {isLarge && i === 0 && <source media="(min-width: 56rem)" srcset={whole} />}
              <img
                src={small}
                alt=""
                width="400"
                height="400"
                {...(i > 0 && { loading: 'lazy' as const })}
              />
            </picture>
          </li>
        ))}
      </ul>
      {isLarge && pictures.length > 1 && (
        <div class="thumbs">
          {ordered.map(({ small, place }, i) => (
            <a
              key={place}
              href={`#picture-${id}-${place}`}
              aria-label={picture(format.count(i + 1), format.count(pictures.length))}
            >
              <img src={small} alt="" width="64" height="64" />
            </a>
          ))}
        </div>
      )}
    </div>
  )
}
