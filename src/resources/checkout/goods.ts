import type { Db } from '../../db/database.ts'
import { AMOUNT_MINOR_MAX, formatAmount, type Minor } from '../../lib/money.ts'
import { conflict, type Fields, invalid, notFound, type Problem } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { deliveryFeeFor } from '../products/delivery-fees/service.ts'
import { selectWanted, type WantedRow } from './queries-goods.ts'
import type { Wanted } from './schemas.ts'

/** So many of a product or of a variant, as it is called and costs now. */
export interface GoodsLine {
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
