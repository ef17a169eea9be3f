import { AMOUNT_MINOR_MAX, printMinor } from '../../../lib/money.ts'
import type { Problem } from '../../../lib/problem.ts'
import { formText, isEmail } from '../../../lib/schemas.ts'
import type { FieldError, FieldErrorCode } from '../../../pages/pages.ts'
import type { NewCheckout, ProductRequest } from '../../checkout/schemas.ts'
import { readAmount } from '../../invoices/settle.ts'
import type { ProductRecord } from '../../products/record/service.ts'
import type { CustomField } from '../service.ts'
import type { OpenedPage } from './goods.ts'
import { activeVariants, countField, isDelivered, minimumAmount, optionField } from './goods.ts'

/** A form's raw fields. Browsers send strings, but other clients can send anything. */
export type Form = Record<string, unknown>

export interface FormResult {
  /** The values of the fields that are on the page. */
  values: Record<string, string>
  faults: FieldError[]
  /** The checkout to create. Only valid if there are no errors. */
  request: Omit<NewCheckout, 'reference'>
}

const LENGTH_MAX = 1000
const QUANTITY_MAX = 1_000_000
/** The same limits as for a checkout. */
const LINES_MAX = 100
const PHONE = /^\+?[0-9 ()-]{5,24}$/

/**
 * Reads what a payer filled in. Only reads the fields that the page shows: prices, currency and
 * mode come from the page, whatever the form contains.
 */
export function readForm(opened: OpenedPage, form: Form): FormResult {
  const { page } = opened
  const values: Record<string, string> = {}
  const faults: FieldError[] = []
  const fault = (field: string, code: FieldErrorCode) => void faults.push({ field, code })

  /**
   * Reads a single value. If a name has several values, none is used, because it is unclear which
   * one is meant.
   */
  const read = (field: string, max = LENGTH_MAX): string | undefined => {
    const given = form[field]
    const text = formText(given)
    values[field] = text.slice(0, LENGTH_MAX)
    if (text.length <= max) return text || undefined
    fault(field, 'long')
    return undefined
  }
  const required = (field: string, isRequired = true): string | undefined => {
    const text = read(field)
    if (text === undefined && isRequired) fault(field, 'required')
    return text
  }

  const products = opened.products.flatMap((product) => linesOf(product, read, faults))
  if (products.length > LINES_MAX) fault('goods', 'long')
  const sells = opened.products.length > 0
  if (sells && products.length === 0 && faults.length === 0) fault('goods', 'nothing')
  const amount = sells ? undefined : amountOf(opened, read, { values, faults })
  const email = required('email')
  if (email !== undefined && !isEmail(email)) fault('email', 'email')
  const name = read('name', 200)?.replace(/\s+/g, ' ')
  const phone = page?.collect_phone ? required('phone') : undefined
  if (phone !== undefined && !PHONE.test(phone)) fault('phone', 'phone')
  const customFields: Record<string, string> = {}
  for (const field of page?.custom_fields ?? []) {
    const text = required(`f-${field.name}`, field.required)
    const code = text === undefined ? undefined : faultIn(field, text)
    if (code) fault(`f-${field.name}`, code)
    else if (text !== undefined) customFields[field.name] = text
  }
  const location = read('deliveryLocation', 200)
  const charged = opened.products.filter((one) => isDelivered(one) && one.deliveryFees.length > 0)
  if (!values.deliveryLocation && isChosen(charged, products)) fault('deliveryLocation', 'required')
  const hasGoods = isChosen(opened.products.filter(isDelivered), products)
  const asksAddress = page?.collect_address || opened.products.some(isDelivered)
  const address = asksAddress ? required('address', page?.collect_address || hasGoods) : undefined
  const code = page?.allow_discount_codes ? read('discountCode', 64) : undefined

  const request = {
    customerEmail: email ?? '',
    currency: opened.currency,
    expiresInMinutes: 30,
    ...(name && { customerName: name }),
    ...(phone && { customerPhone: phone }),
    ...(page && { pageId: page.id, customFields }),
    ...(opened.splitPageId !== undefined && { splitPageId: opened.splitPageId }),
    ...(products.length > 0 && { products }),
    ...(amount !== undefined && { amount }),
    ...(location && products.length > 0 && { deliveryLocation: location }),
    ...(address && { shippingAddress: address }),
    ...(code && { discountCode: code }),
  }
  return { values, faults, request }
}

const isChosen = (products: readonly ProductRecord[], wanted: readonly ProductRequest[]): boolean =>
  products.some(({ productId }) => wanted.some((one) => one.productId === productId))

type Read = (field: string, max?: number) => string | undefined

/**
 * Returns the quantity of each variant of a product. Empty if nothing is selected or a field is
 * invalid.
 */
function linesOf(product: ProductRecord, read: Read, faults: FieldError[]): ProductRequest[] {
  const { productId, variants } = product
  const own = countField(productId)
  const chosen = variants.length > 0 ? chosenOf(product, read) : undefined
  const counts = new Map<number | undefined, { field: string; count: number }>()
  const count = (field: string, variantId?: number) => {
    const quantity = read(field)
    if (quantity === undefined) return
    if (!/^\d{1,7}$/.test(quantity) || Number(quantity) > QUANTITY_MAX) {
      faults.push({ field, code: 'quantity' })
      return
    }
    if (Number(quantity) === 0) return
    const before = counts.get(variantId)?.count ?? 0
    counts.set(variantId, { field, count: before + Number(quantity) })
  }
  for (const { variantId } of activeVariants(product))
    count(countField(productId, variantId), variantId)
  if (variants.length === 0) count(own)
  else if (chosen) count(own, chosen.variantId)
  else if ((read(own) ?? '0') !== '0') faults.push(unchosen(product, read))
  return [...counts].flatMap(([variantId, { field, count: quantity }]) => {
    const variant = variants.find((one) => one.variantId === variantId)
    const { tracked, available } = variant ?? product
    if (tracked && available < quantity) {
      const isGone = available === 0
      faults.push({
        field,
        ...(isGone ? { code: 'gone' } : { code: 'stock', count: available }),
      })
      return []
    }
    return [{ productId, quantity, ...(variant && { variantId: variant.variantId }) }]
  })
}

function unchosen({ productId, options }: ProductRecord, read: Read): FieldError {
  const missing = options.findIndex((_, i) => read(optionField(productId, i)) === undefined)
  if (missing >= 0) return { field: optionField(productId, missing), code: 'choice' }
  return { field: countField(productId), code: 'gone' }
}

/**
 * Returns the variant with the selected options; undefined for a combination that is not on sale.
 */
function chosenOf(product: ProductRecord, read: Read) {
  const { productId, options } = product
  const values = options.map(({ name }, i) => [name, read(optionField(productId, i))] as const)
  return activeVariants(product).find(({ optionValues }) =>
    values.every(([name, value]) => optionValues[name] === value),
  )
}

/**
 * Returns the amount that the payer chose, as a decimal string. Returns undefined if the page has a
 * fixed amount. Without JavaScript, a payer can choose a suggested amount and type another one; it
 * is then unclear which one they want to pay.
 */
function amountOf(
  opened: OpenedPage,
  read: Read,
  { values, faults }: Pick<FormResult, 'values' | 'faults'>,
): string | undefined {
  if (opened.page?.amount_type === 'fixed') return undefined
  const suggested = read('suggested', 40)
  const typed = read('amount', 40)
  const text = typed ?? suggested
  const field = 'amount'
  if (text === undefined) {
    faults.push({ field, code: 'required' })
    return undefined
  }
  const minor = readAmount(text, opened.currency)
  const chosen = suggested === undefined ? undefined : readAmount(suggested, opened.currency)
  if (minor === undefined || minor <= 0n) faults.push({ field, code: 'unreadable' })
  else if (chosen !== undefined && chosen !== minor) {
    faults.push({ field, code: 'twoAmounts', minor: chosen })
    // Without JavaScript, the payer could not unmark it.
    values.suggested = ''
  } else if (minor < minimumAmount(opened))
    faults.push({ field, code: 'least', minor: minimumAmount(opened) })
  else return printMinor(minor, opened.currency)
  return undefined
}

/** The same rules as in the checkout. */
function faultIn({ type, options }: CustomField, text: string): FieldErrorCode | undefined {
  if (text.length > 500) return 'long'
  const isRight = {
    text: () => true,
    number: () => /^-?\d{1,15}(\.\d{1,10})?$/.test(text),
    select: () => options.includes(text),
    date: () => /^\d{4}-\d{2}-\d{2}$/.test(text) && isDay(text),
    phone: () => PHONE.test(text),
  }[type]
  return isRight() ? undefined : type === 'select' ? 'choice' : (type as FieldErrorCode)
}

function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

/**
 * Returns the error for a total that is less than the fixed shares. It names the field that caused
 * this: the discount code, the goods or the amount.
 */
function tooLittle(opened: OpenedPage, values: Readonly<Record<string, string>>): FieldError {
  if (values.discountCode) return { field: 'discountCode', code: 'discount' }
  const field = opened.products.length > 0 ? 'goods' : 'amount'
  return { field, code: 'least', minor: minimumAmount(opened) }
}

/**
 * Maps the refusal of a checkout to errors in the form. Returns undefined if the form is not the
 * cause.
 */
export function formErrorsOf(
  { code, fields }: Problem,
  opened: OpenedPage,
  values: Readonly<Record<string, string>>,
): FieldError[] | undefined {
  if (code === 'out_of_stock' || code === 'product_not_for_sale') {
    return [{ field: 'goods', code: 'gone' }]
  }
  const faults = Object.keys(fields ?? {}).map((field): FieldError => {
    if (field === 'discountCode') return { field, code: 'discount' }
    if (field === 'deliveryLocation') {
      return { field, code: values[field] ? 'delivery' : 'required' }
    }
    if (field === 'amount') return tooLittle(opened, values)
    if (field === 'products') return { field: 'goods', code: 'most', minor: AMOUNT_MINOR_MAX }
    if (field.startsWith('products')) return { field: 'goods', code: 'gone' }
    const own = field
      .replace(/^customFields\./, 'f-')
      .replace(/^(shipping|delivery)Address$/, 'address')
    return { field: own, code: 'choice' }
  })
  const isKnown = ({ field }: FieldError) => field === 'goods' || field in values
  return faults.length > 0 && faults.every(isKnown) ? faults : undefined
}

/**
 * Returns the form with the chosen variant added to the order, so that the payer can choose another
 * one. Returns undefined if that is not possible.
 */
export function withVariantAdded(
  product: ProductRecord,
  values: Readonly<Record<string, string>>,
): Record<string, string> | undefined {
  const { productId } = product
  const own = countField(productId)
  const variant = chosenOf(product, (field) => values[field] || undefined)
  const count = Number(values[own])
  if (!variant || !Number.isSafeInteger(count) || count < 1) return undefined
  const field = countField(productId, variant.variantId)
  return { ...values, [own]: '0', [field]: String(Number(values[field] || 0) + count) }
}
