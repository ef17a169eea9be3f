import type { Format } from './format.ts'
import { Icon } from './icons.tsx'
import type { Texts } from './texts.ts'
import type { PageFault, PageFieldView, PaymentPageView } from './views-page.ts'

export interface FormProps {
  view: PaymentPageView
  t: Texts
  format: Format
  /** Amounts are printed in it: BCP 47. */
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
  /** Nothing is said of a field that may be left out. */
  isOptionalKnown?: boolean
  /** An amount: the sign of the currency is shown in front of it. */
  isMoney?: boolean
  /** Several lines. */
  isLong?: boolean
  hint?: string
  /** Read out instead of the label, which it begins with: for one of several alike. */
  spoken?: string
  /** To choose from. */
  options?: readonly ChoiceView[]
}

/** How a merchant's own field is typed. Numbers may have a fraction and a sign. */
export function typeOf(type: PageFieldView['type']): Partial<FieldProps> {
  if (type === 'number') return { type: 'text', inputMode: 'decimal', maxLength: 27 }
  if (type === 'phone') return { type: 'tel', autoComplete: 'tel' }
  if (type === 'date') return { type: 'date' }
  return { maxLength: 500 }
}

/** One question, its answer, and what is wrong with that. The server checks all of it again. */
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

/** What is wrong with a field, in the payer's language. */
export const wordsOf = (
  { code, minor, count }: PageFault,
  { t, format }: Pick<FormProps, 't' | 'format'>,
): string =>
  t.shop.page.fault[code](minor === undefined ? format.count(count ?? 0) : format.amount(minor))

/** The page is new, and this is what is new of it: a reader begins here, and not at its top. */
const arrived = { autoFocus: true }

/** All that is wrong, where the reader arrives: each leads to its field. */
export function Faults({ view, t, format }: FormProps) {
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
export const kindOf = (product: { name: string }, variant: { name: string }): string =>
  `${product.name} (${variant.name})`

/** Preact has a type of its own for each type of input. */
const typed = (type: string) => ({ type: type as 'text' })
