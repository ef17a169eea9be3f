import { createHmac } from 'node:crypto'
import type { Db, Tx } from '../../db/database.ts'
import { serverSecret } from '../../db/ids.ts'
import type { Tenant } from '../../lib/caller.ts'
import { AMOUNT_MINOR_MAX, formatAmount, type Minor } from '../../lib/money.ts'
import { conflict, type Fields, invalid, notFound, type Problem } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import { type CustomField, openPage, type PayingPage } from '../payment-pages/paying.ts'
import { deliveryFeeFor } from '../products/delivery/service.ts'
import { selectReserving, selectWanted, type WantedRow } from './queries.ts'
import type { NewCheckout, Wanted } from './schemas.ts'

/** So many of a product or of a variant, as it is called and costs now. */
interface GoodsLine {
  product_id: number
  variant_id: number | null
  /** Whose stock it is: of the variant, or of a product without any. */
  itemId: number
  type: WantedRow['type']
  name: string
  quantity: number
  unit_price_minor: Minor
  amount_minor: Minor
}

export interface Goods {
  lines: GoodsLine[]
  subtotal_minor: Minor
  delivery_fee_minor: Minor
}

interface Shopping {
  products: readonly Wanted[]
  deliveryLocation: string | undefined
  currency: string
}

/**
 * What is bought, at the prices of our own rows. Throws 404 for what is not there, 409 for what is
 * not sold now, 400 for a variant that is missing or a place that it is not delivered to.
 */
export async function goodsFor(
  db: Db,
  tenant: Tenant,
  { products, deliveryLocation, currency }: Shopping,
): Promise<Goods> {
  const asked = products.map(({ productId, variantId }) => ({
    productId: toId(productId),
    variantId: variantId === undefined ? null : toId(variantId),
  }))
  const rows = await selectWanted(db, tenant, asked)
  if (rows.length < asked.length) throw notFound('product', missingIn(rows, asked))
  refuseUnsold(rows, asked, currency)
  const lines = rows.map((row, i) => lineOf(row, products[i]!.quantity))
  const subtotal_minor = lines.reduce((sum, { amount_minor }) => sum + amount_minor, 0n)
  if (subtotal_minor > AMOUNT_MINOR_MAX) {
    throw tooMuch(currency)
  }
  const delivery_fee_minor = await deliveryFee(db, tenant, rows, deliveryLocation)
  return { lines, subtotal_minor, delivery_fee_minor }
}

/** What comes to more than can be paid at once, with delivery or without. */
export function tooMuch(currency: string, words = 'come'): Problem {
  const most = formatAmount(AMOUNT_MINOR_MAX, currency)
  return invalid({ products: [`${words} to more than ${most}, the most that can be paid at once`] })
}

function refuseUnsold(
  rows: readonly WantedRow[],
  asked: readonly { variantId: number | null }[],
  currency: string,
): void {
  const faults: Fields = {}
  for (const [i, row] of rows.entries()) {
    const { name } = row
    const wantsVariant = asked[i]!.variantId !== null
    if (wantsVariant && row.variant_id === null) {
      throw notFound('product_variant', [`products.${i}.variantId`])
    }
    if (row.status !== 'Active') throw notForSale(name, row.status)
    if (row.variant_active === false) throw notForSale(nameOf(row), 'Inactive')
    if (row.has_variants && !wantsVariant) {
      faults[`products.${i}.variantId`] = [`is required: ${name} has variants`]
    }
    if (row.currency !== currency) {
      faults[`products.${i}.productId`] = [`is sold in ${row.currency}, and this is in ${currency}`]
    }
  }
  if (Object.keys(faults).length > 0) throw invalid(faults)
}

/** The fields of products that are not among the rows found. */
function missingIn(rows: readonly WantedRow[], asked: readonly { productId: number }[]): string[] {
  const found = new Set(rows.map(({ product_id }) => product_id))
  return asked.flatMap(({ productId }, i) =>
    found.has(productId) ? [] : [`products.${i}.productId`],
  )
}

const notForSale = (name: string, status: string) =>
  conflict('product_not_for_sale', `${name} cannot be bought: it is ${status}.`)

/** `Shirt (M, Red)` */
const nameOf = ({ name, values }: WantedRow): string =>
  values.length === 0 ? name : `${name} (${values.join(', ')})`

function lineOf(row: WantedRow, quantity: number): GoodsLine {
  const unit_price_minor = row.variant_price_minor ?? row.price_minor
  return {
    product_id: row.product_id,
    variant_id: row.variant_id,
    itemId: row.variant_id ?? row.product_id,
    type: row.type,
    name: nameOf(row),
    quantity,
    unit_price_minor,
    amount_minor: unit_price_minor * BigInt(quantity),
  }
}

/**
 * What delivery of all lines together costs: the highest fee of any of them, since they travel as
 * one parcel. A product for which no fee was ever set is delivered, or handed over, for nothing.
 */
async function deliveryFee(
  db: Db,
  tenant: Tenant,
  rows: readonly WantedRow[],
  location: string | undefined,
): Promise<Minor> {
  const charged = rows.filter(({ has_delivery_fees }) => has_delivery_fees)
  if (charged.length === 0) return 0n
  const ids = charged.map(({ product_id }) => product_id)
  const fees = await deliveryFeeFor(db, tenant, ids, location ?? '')
  const undelivered = charged.find(({ product_id }) => !fees.has(product_id))
  if (undelivered) {
    const { name } = undelivered
    const fault =
      location === undefined
        ? `is required: ${name} is delivered to some places only`
        : `must be a place that ${name} is delivered to`
    throw invalid({ deliveryLocation: [fault] })
  }
  return [...fees.values()].reduce(
    (most, { fee_minor }) => (fee_minor > most ? fee_minor : most),
    0n,
  )
}

/** What a payer answered to one of the page's own fields. */
export interface Answer {
  label: string
  name: string
  value: string
}

/** The page that something is paid on. Throws 404, or 409 for one that is not open to payers. */
export async function openPageFor(
  db: Db,
  tenant: Tenant & { now: Date },
  pageId: number | string,
): Promise<PayingPage> {
  const page = await openPage(db, tenant, toId(pageId))
  if (!page) throw notFound('payment_page')
  return page
}

/** What is bought on a page must be sold there. */
export function refuseForeignGoods(
  { product_ids }: PayingPage,
  products: NewCheckout['products'],
): void {
  const faults: Fields = {}
  for (const [i, { productId }] of (products ?? []).entries()) {
    if (!product_ids.includes(toId(productId))) {
      faults[`products.${i}.productId`] = ['is not sold on this page']
    }
  }
  if (Object.keys(faults).length > 0) throw invalid(faults)
}

/**
 * The answers to a page's own fields, in their order. What is required is required of payers: a
 * merchant's backend knows its customer, and may leave fields out.
 */
export function answersOn(
  page: Pick<PayingPage, 'custom_fields' | 'collect_phone' | 'collect_address'>,
  request: Pick<
    NewCheckout,
    'customFields' | 'customerPhone' | 'shippingAddress' | 'deliveryAddress'
  >,
  isPayer: boolean,
): Answer[] {
  const faults: Fields = {}
  const answers: Answer[] = []
  if (isPayer && page.collect_phone && !request.customerPhone) {
    faults.customerPhone = ['is required']
  }
  const { shippingAddress = request.deliveryAddress } = request
  if (isPayer && page.collect_address && !shippingAddress) {
    faults.shippingAddress = ['is required']
  }
  for (const field of page.custom_fields) {
    const given = Object.hasOwn(request.customFields ?? {}, field.name)
      ? String(request.customFields![field.name]).trim()
      : ''
    const fault = given === '' ? isPayer && field.required && 'is required' : faultIn(field, given)
    if (fault) faults[`customFields.${field.name}`] = [fault]
    else if (given !== '') answers.push({ label: field.label, name: field.name, value: given })
  }
  for (const name of Object.keys(request.customFields ?? {})) {
    if (page.custom_fields.some((field) => field.name === name)) continue
    faults[`customFields.${name}`] = ['is not a field of this page']
  }
  if (Object.keys(faults).length > 0) throw invalid(faults)
  return answers
}

const ANSWER_LENGTH_MAX = 500

function faultIn({ type, options }: CustomField, value: string): string | false {
  if (value.length > ANSWER_LENGTH_MAX) return `must be at most ${ANSWER_LENGTH_MAX} characters`
  switch (type) {
    case 'number':
      return !/^-?\d{1,15}(\.\d{1,10})?$/.test(value) && 'must be a number'
    case 'select':
      return !options.includes(value) && `must be one of ${options.join(', ')}`
    case 'date':
      return !isDay(value) && 'must be a day as YYYY-MM-DD'
    case 'phone':
      return !/^\+?[0-9 ()-]{5,24}$/.test(value) && 'must be a phone number'
    case 'text':
      return false
  }
}

function isDay(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const at = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value)
}

/** Throws 400 for two different addresses. */
export function addressOf({ shippingAddress, deliveryAddress }: NewCheckout): string | undefined {
  const [address, alias] = [shippingAddress?.trim(), deliveryAddress?.trim()]
  if (address !== undefined && alias !== undefined && address !== alias) {
    throw invalid({ deliveryAddress: ['must be the same as shippingAddress, or left out'] })
  }
  return address ?? alias
}

/** An anonymous payer of a payment page. */
export interface Payer {
  /** A keyed hash of the network they come from: equal for equal networks, and no address. */
  network: string
}

export async function payerOf(db: Db, network: string): Promise<Payer> {
  const secret = await serverSecret(db, 'people')
  const hash = createHmac('sha256', secret).update(`payer ${network}`).digest('base64url')
  return { network: hash.slice(0, 22) }
}

/** Open checkouts of one page that reserve something, for one network. */
const RESERVING_MAX = 5

/**
 * Whether a checkout of a payer reserves a part of the stock, a place of the page and a use of a
 * code. One that does not, because the payer's network has five open ones on the page that do,
 * takes them when it is paid.
 */
export async function isReserving(
  tx: Tx,
  tenant: Tenant,
  pageId: number,
  { network }: Payer,
): Promise<boolean> {
  return (await selectReserving(tx, tenant, pageId, network)) < RESERVING_MAX
}
