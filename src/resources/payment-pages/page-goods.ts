import { type Minor, parseAmount } from '../../lib/money.ts'
import type { PageProductView, PaymentPageView } from '../../pages/pages.ts'
import type { ProductRecord } from '../products/catalogue/service.ts'

type Level = Pick<ProductRecord, 'tracked' | 'available'>
const isGone = ({ tracked, available }: Level) => tracked && available === 0

export const activeVariants = ({ variants }: ProductRecord) =>
  variants.filter(({ active }) => active)

export const isSoldOut = (product: ProductRecord): boolean =>
  product.variants.length > 0 ? activeVariants(product).every(isGone) : isGone(product)

/** Goods for which an address is needed, whether delivery costs anything or not. */
export const isDelivered = ({ type }: Pick<ProductRecord, 'type'>): boolean => type === 'physical'

/** What costs nothing is had without a way to pay. */
export const isFree = (product: ProductRecord): boolean =>
  product.variants.length > 0
    ? activeVariants(product).some(({ priceMinor }) => priceMinor === 0)
    : product.priceMinor === 0

/** The options that one kind of a product is chosen by: `o-11-0` is the first of product 11. */
export const optionField = (productId: string, index: number): string => `o-${productId}-${index}`

/** How many: of the kind that is chosen, or of one that was added before. */
export const countField = (productId: string, variantId?: number): string =>
  variantId === undefined ? `q-${productId}` : `q-${productId}-${variantId}`

/** The first kind that is to be had, which is proposed. */
export const proposedVariant = (product: ProductRecord) => {
  const active = activeVariants(product)
  return active.find((one) => !isGone(one)) ?? active[0]
}

/** What the form proposes of a product, by the names of its fields. */
export function proposedOf(product: ProductRecord, quantity: number): Record<string, string> {
  const { productId, options } = product
  const variant = proposedVariant(product)
  const chosen = options.map(({ name }, i) => [
    optionField(productId, i),
    variant?.optionValues[name] ?? '',
  ])
  return { ...Object.fromEntries(chosen), [countField(productId)]: String(quantity) }
}

/** A product as its page offers it, with the variants that are on sale. */
export function productView(product: ProductRecord, publicUrl: string): PageProductView {
  const { productId, name, description, options, tracked, available } = product
  const variants = activeVariants(product)
  const prices = variants.map(({ priceMinor }) => priceMinor)
  const cheapest = prices.length > 0 ? Math.min(...prices) : product.priceMinor
  const pictures = picturesOf(product, publicUrl)
  const hasVariants = product.variants.length > 0
  const fees = isDelivered(product) ? [...feesOf(product)] : []
  return {
    id: Number(productId),
    name,
    ...(description && { description }),
    pictures: pictures.map(({ small, whole }) => ({ small, whole })),
    priceMinor: BigInt(cheapest),
    options: hasVariants
      ? options.map((one) => ({
          name: one.name,
          values: one.values
            .map(({ value }) => value)
            .filter((value) => variants.some((kind) => kind.optionValues[one.name] === value)),
        }))
      : [],
    variants: variants.map((variant) => {
      const values = options.map((one) => variant.optionValues[one.name] ?? '')
      const picture = pictures.findIndex(({ variantId }) => variantId === variant.variantId)
      return {
        id: variant.variantId,
        name: values.join(', '),
        values,
        ...(picture >= 0 && { picture }),
        priceMinor: BigInt(variant.priceMinor),
        isSoldOut: isGone(variant),
        ...(variant.tracked && { left: variant.available }),
      }
    }),
    isDelivered: isDelivered(product),
    fees: fees.map(([place, fee]) => [place, parseAmount(fee, product.currency, { zero: true })]),
    isSoldOut: isSoldOut(product),
    ...(tracked && !hasVariants && { left: available }),
  }
}

/** Its own, then those of its variants; each picture once. */
function picturesOf(product: ProductRecord, publicUrl: string) {
  const all = [...product.media, ...activeVariants(product).flatMap(({ media }) => media)]
  return all.filter(isShown).flatMap(({ variantId, thumbnailUrl, url }) => {
    const small = pathOf(thumbnailUrl ?? url, publicUrl)
    const whole = pathOf(url, publicUrl)
    return small && whole ? [{ variantId, small, whole }] : []
  })
}

interface Shown {
  variantId: number | null
  url: string | null
  thumbnailUrl: string | null
}

const isShown = (picture: ProductRecord['media'][number]): picture is Shown =>
  'url' in picture && picture.url !== null

/** Pages load nothing from elsewhere: only pictures of this server are shown. */
export function pathOf(url: string | null | undefined, publicUrl: string): string | undefined {
  const path = url?.startsWith(publicUrl) ? url.slice(publicUrl.length) : url
  return path?.startsWith('/media/') ? path : undefined
}

interface Fee {
  location: string
  fees: string
}

const isFee = (fee: object): fee is Fee => 'location' in fee && 'fees' in fee

/** What delivery of a product costs, by the place in small letters. */
export const feesOf = ({ deliveryFees }: ProductRecord): Map<string, string> =>
  new Map(deliveryFees.filter(isFee).map(({ location, fees }) => [location.toLowerCase(), fees]))

/** Where any of the products is delivered to, at the highest fee of any: they are one parcel. */
export function locationsOf(
  products: readonly ProductRecord[],
  currency: string,
): PaymentPageView['locations'] {
  const highest = new Map<string, { value: string; feeMinor: Minor }>()
  const charged = products.filter(({ type }) => type === 'physical')
  for (const { location, fees } of charged.flatMap((one) => one.deliveryFees.filter(isFee))) {
    const key = location.toLowerCase()
    const feeMinor = parseAmount(fees, currency, { zero: true })
    const known = highest.get(key)
    if (!known || known.feeMinor < feeMinor) highest.set(key, { value: location, feeMinor })
  }
  const all = [...highest].map(([key, one]) => ({ ...one, isElsewhere: key === ELSEWHERE }))
  return all.sort((a, b) => Number(a.isElsewhere) - Number(b.isElsewhere))
}

/** As delivery fees call every other place, in small letters. */
export const ELSEWHERE = 'everywhere'
