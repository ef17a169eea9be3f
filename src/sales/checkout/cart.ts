import { createHmac } from 'node:crypto'
import type { Db, Tx } from '../../db/database.ts'
import { serverSecret } from '../../db/ids.ts'
import type { Tenant } from '../../lib/caller.ts'
import { AMOUNT_MINOR_MAX, formatAmount, type Minor } from '../../lib/money.ts'
import { conflict, type Fields, invalid, notFound, type Problem } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import { type CustomField, openPage, type PayingPage } from '../payment-pages/service.ts'
import { deliveryFeeFor } from '../products/delivery/service.ts'
import { lockReserving, type Reads, type RequestedProductRow, selectReserving } from './queries.ts'
import type { NewCheckout, ProductRequest } from './schemas.ts'

interface GoodsLine {
  product_id: number
  variant_id: number | null
  /** The id of the variant’s stock item or, without variants, of the product’s. */
  itemId: number
  type: RequestedProductRow['type']
  name: string
  quantity: number
  unit_price_minor: Minor
  amount_minor: Minor
}

export interface Cart {
  lines: GoodsLine[]
  subtotal_minor: Minor
  delivery_fee_minor: Minor
}

interface Shopping {
  products: readonly ProductRequest[]
  deliveryLocation: string | undefined
  currency: string
}

/**
 * Looks up what is being bought, at the stored prices. Throws 404 for a missing product, 409 for
 * one that is not on sale, and 400 for a missing variant or a location without delivery.
 */
export async function cartFor(
  reads: Reads,
  { businessId, live }: Tenant,
  { products, deliveryLocation, currency }: Shopping,
): Promise<Cart> {
  const asked = products.map(({ productId, variantId }) => ({
    productId: toId(productId),
    variantId: variantId === undefined ? null : toId(variantId),
  }))
  const tenant = { businessId, live }
  const rows = await reads.requestedProducts({ ...tenant, products: asked })
  if (rows.length < asked.length) throw notFound('product', missingIn(rows, asked))
  refuseUnsold(rows, asked, currency)
  const lines = rows.map((row, i) => lineOf(row, products[i]!.quantity))
  const subtotal_minor = lines.reduce((sum, { amount_minor }) => sum + amount_minor, 0n)
  if (subtotal_minor > AMOUNT_MINOR_MAX) {
    throw totalTooLarge(currency)
  }
  const delivery_fee_minor = await deliveryFee(reads.db, tenant, rows, deliveryLocation)
  return { lines, subtotal_minor, delivery_fee_minor }
}

/**
 * Returns the error for a total, with or without delivery, that is more than can be paid at once.
 */
export function totalTooLarge(currency: string, words = ''): Problem {
  const most = formatAmount(AMOUNT_MINOR_MAX, currency)
  return invalid({ products: [`must total at most ${most}${words}`] })
}

function refuseUnsold(
  rows: readonly RequestedProductRow[],
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
      faults[`products.${i}.variantId`] = [`is required because ${name} has variants`]
    }
    if (row.currency !== currency) {
      faults[`products.${i}.productId`] = [
        `must be a product sold in ${currency} (this one is sold in ${row.currency})`,
      ]
    }
  }
  if (Object.keys(faults).length > 0) throw invalid(faults)
}

/** Returns the request fields that name products which were not found. */
function missingIn(
  rows: readonly RequestedProductRow[],
  asked: readonly { productId: number }[],
): string[] {
  const found = new Set(rows.map(({ product_id }) => product_id))
  return asked.flatMap(({ productId }, i) =>
    found.has(productId) ? [] : [`products.${i}.productId`],
  )
}

export const notForSale = (name: string, status: string) =>
  conflict('product_not_for_sale', `${name} is not on sale: it is ${status}.`)

/** `Shirt (M, Red)` */
const nameOf = ({ name, values }: RequestedProductRow): string =>
  values.length === 0 ? name : `${name} (${values.join(', ')})`

function lineOf(row: RequestedProductRow, quantity: number): GoodsLine {
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
 * Returns the fee for delivering all lines together: the highest fee of any line, because the lines
 * travel as one parcel. A product without delivery fees is delivered or handed over for free.
 */
async function deliveryFee(
  db: Db,
  tenant: Tenant,
  rows: readonly RequestedProductRow[],
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
        ? `is required because ${name} is delivered only to some places`
        : `must be a place that ${name} can be delivered to`
    throw invalid({ deliveryLocation: [fault] })
  }
  return [...fees.values()].reduce(
    (most, { fee_minor }) => (fee_minor > most ? fee_minor : most),
    0n,
  )
}

/** A payer’s answer to one of the custom fields of a page. */
export interface FieldAnswer {
  label: string
  name: string
  value: string
}

/**
 * Returns the page that a checkout is created for. Throws 404, or 409 if payers can’t pay on the
 * page now.
 */
export async function openPageFor(
  db: Db,
  tenant: Tenant & { now: Date },
  pageId: number | string,
): Promise<PayingPage> {
  const page = await openPage(db, tenant, toId(pageId))
  if (!page) throw notFound('payment_page')
  return page
}

/** Throws unless everything that is being bought is sold on the page. */
export function requireSoldOnPage(
  { product_ids }: PayingPage,
  products: NewCheckout['products'],
): void {
  const faults: Fields = {}
  for (const [i, { productId }] of (products ?? []).entries()) {
    if (!product_ids.includes(toId(productId))) {
      faults[`products.${i}.productId`] = ['must be a product sold on this page']
    }
  }
  if (Object.keys(faults).length > 0) throw invalid(faults)
}

/**
 * Returns the answers to a page’s custom fields, in order. Fields are only required of payers: a
 * merchant’s server knows its customer and can leave them out.
 */
export function fieldAnswers(
  page: Pick<PayingPage, 'custom_fields' | 'collect_phone' | 'collect_address'>,
  request: Pick<
    NewCheckout,
    'customFields' | 'customerPhone' | 'shippingAddress' | 'deliveryAddress'
  >,
  isPayer: boolean,
): FieldAnswer[] {
  const faults: Fields = {}
  const answers: FieldAnswer[] = []
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
      return !options.includes(value) && `must be one of: ${options.join(', ')}`
    case 'date':
      return !isDay(value) && 'must be a date in the form YYYY-MM-DD'
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

/**
 * Returns the delivery address, which has two names in the request. Throws 400 if both are given
 * and differ.
 */
export function addressOf({ shippingAddress, deliveryAddress }: NewCheckout): string | undefined {
  const address = shippingAddress?.trim()
  const alias = deliveryAddress?.trim()
  if (address !== undefined && alias !== undefined && address !== alias) {
    throw invalid({ deliveryAddress: ['must be the same as shippingAddress, or be left out'] })
  }
  return address ?? alias
}

/** An anonymous payer of a payment page. */
export interface Payer {
  /** A keyed hash that identifies the payer’s network without revealing the IP address. */
  network: string
}

export async function payerOf(db: Db, network: string): Promise<Payer> {
  const secret = await serverSecret(db, 'people')
  const hash = createHmac('sha256', secret).update(`payer ${network}`).digest('base64url')
  return { network: hash.slice(0, 22) }
}

/**
 * Takes the lock that creating a checkout for this payer takes before all others. Must come first
 * in a transaction that changes another checkout of the page before it creates one.
 */
export const lockPayer = (tx: Tx, pageId: number, { network }: Payer) =>
  lockReserving(tx, pageId, network)

/** The number of open checkouts with reservations that one network can have on a page. */
const RESERVING_MAX = 5

/**
 * Returns whether a payer’s checkout reserves stock, a place on the page and a use of a code. If
 * the payer’s network already has RESERVING_MAX such checkouts open on the page, a further one
 * takes these only when it is paid.
 */
export async function isReserving(
  tx: Tx,
  tenant: Tenant,
  pageId: number,
  { network }: Payer,
): Promise<boolean> {
  return (await selectReserving(tx, tenant, pageId, network)) < RESERVING_MAX
}
