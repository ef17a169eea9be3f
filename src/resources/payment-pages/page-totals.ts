import { type Minor, parseAmount } from '../../lib/money.ts'
import type { PageTotalsView } from '../../pages/pages.ts'
import type { Wanted } from '../checkout/schemas.ts'
import type { ProductRecord } from '../products/catalogue/service.ts'
import type { Quote } from '../products/discounts/quote.ts'
import type { Bought } from '../products/discounts/terms.ts'
import { ELSEWHERE, feesOf, isDelivered } from './page-goods.ts'
import type { OpenedPage } from './page-service.ts'

/** What a payer must choose at least: the page's own minimum, or what is shared out of it. */
export function leastOf({ page, shared_minor }: OpenedPage): Minor {
  const own_minor = page?.amount_type === 'minimum' ? (page.amount_minor ?? 0n) : 0n
  return own_minor > shared_minor ? own_minor : shared_minor
}

/** What is wanted, as discounts look at it. */
export const boughtOf = ({ products }: OpenedPage, wanted: readonly Wanted[]): Bought[] =>
  wanted.flatMap(({ productId, variantId, quantity }) => {
    const product = products.find((one) => one.productId === productId)
    if (!product) return []
    const variant = product.variants.find((one) => one.variantId === variantId)
    const price_minor = BigInt((variant ?? product).priceMinor)
    return [{ productId: Number(productId), amount_minor: price_minor * BigInt(quantity) }]
  })

/** What a form comes to so far. The checkout works all of it out again from our rows. */
export function totalsOf(
  opened: OpenedPage,
  wanted: readonly Wanted[],
  location: string | undefined,
  quote: Quote | undefined,
): PageTotalsView {
  const bought = boughtOf(opened, wanted)
  const subtotalMinor = bought.reduce((sum, { amount_minor }) => sum + amount_minor, 0n)
  const chosen = opened.products.filter(({ productId }) =>
    wanted.some((one) => one.productId === productId),
  )
  const goods = chosen.filter(isDelivered)
  const delivery = deliveryOf(goods, location, opened.currency)
  const discount = quote && { code: quote.code, minor: quote.discount_minor }
  return {
    subtotalMinor,
    ...(discount && { discount }),
    ...(quote && { terms: termsOf(quote) }),
    delivery,
    totalMinor:
      subtotalMinor - (discount?.minor ?? 0n) + (typeof delivery === 'bigint' ? delivery : 0n),
    // Before anything is chosen, whatever is sold here may be.
    isDelivered: chosen.length === 0 ? opened.products.some(isDelivered) : goods.length > 0,
  }
}

const termsOf = ({ type, value_minor, max_minor, min_spend_minor, product_ids }: Quote) => ({
  type,
  value: String(value_minor),
  ...(max_minor !== null && { max: String(max_minor) }),
  ...(min_spend_minor !== null && { min: String(min_spend_minor) }),
  products: product_ids,
})

/** The highest fee of any, since all of it is one parcel. */
function deliveryOf(
  goods: readonly ProductRecord[],
  location: string | undefined,
  currency: string,
): PageTotalsView['delivery'] {
  const charged = goods.filter(({ deliveryFees }) => deliveryFees.length > 0)
  if (charged.length === 0) return 'none'
  if (!location) return 'unknown'
  const key = location.toLowerCase()
  const fees = charged.map((product) => {
    const own = feesOf(product)
    return own.get(key) ?? own.get(ELSEWHERE)
  })
  if (fees.some((fee) => fee === undefined)) return 'unknown'
  return fees
    .map((fee) => parseAmount(fee!, currency, { zero: true }))
    .reduce((most, fee) => (fee > most ? fee : most), 0n)
}
