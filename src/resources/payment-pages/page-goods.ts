import { type Minor, parseAmount } from '../../lib/money.ts'
import type { PageProductView, PaymentPageView } from '../../pages/pages.ts'
import type { ProductRecord } from '../products/catalogue/service.ts'

type Level = Pick<ProductRecord, 'tracked' | 'available'>
const isGone = ({ tracked, available }: Level) => tracked && available === 0

const activeVariants = ({ variants }: ProductRecord) => variants.filter(({ active }) => active)

export const isSoldOut = (product: ProductRecord): boolean =>
  product.variants.length > 0 ? activeVariants(product).every(isGone) : isGone(product)

/** What costs nothing is had without a way to pay. */
export const isFree = (product: ProductRecord): boolean =>
  product.variants.length > 0
    ? activeVariants(product).some(({ priceMinor }) => priceMinor === 0)
    : product.priceMinor === 0

/** A page of many kinds would weigh too much, and be too long to read. */
const KINDS_MAX = 12

/** Whether one kind of a product is chosen from a list, in place of a line for each. */
const isListed = ({ variants }: ProductRecord): boolean => variants.length > KINDS_MAX

/** The fields that say how many: of each kind, or of the one that is chosen beside it. */
export function countFields(
  product: ProductRecord,
): { name: string; variant?: ProductRecord['variants'][number] }[] {
  const { productId, variants } = product
  if (variants.length === 0 || isListed(product)) return [{ name: `q-${productId}` }]
  return activeVariants(product).map((variant) => ({
    name: `q-${productId}-${variant.variantId}`,
    variant,
  }))
}

/** A product as its page offers it, with the variants that are on sale. */
export function productView(product: ProductRecord, publicUrl: string): PageProductView {
  const { productId, name, description, options, media, tracked, available } = product
  const variants = activeVariants(product)
  const prices = variants.map(({ priceMinor }) => priceMinor)
  const cheapest = prices.length > 0 ? Math.min(...prices) : product.priceMinor
  const imageOf = (pictures: ProductRecord['media']) => {
    const picture = pictures.find(isShown)
    return pathOf(picture?.thumbnailUrl ?? picture?.url, publicUrl)
  }
  const images = variants.map((one) => imageOf(one.media))
  const image = imageOf(media) ?? images.find(Boolean)
  const hasVariants = product.variants.length > 0
  return {
    id: Number(productId),
    name,
    ...(description && { description }),
    ...(image && { image }),
    priceMinor: BigInt(cheapest),
    ...(hasVariants && { optionNames: options.map((one) => one.name).join(', ') }),
    variants: variants.map((variant, i) => ({
      id: variant.variantId,
      name: Object.values(variant.optionValues).join(', '),
      ...(images[i] && { image: images[i] }),
      priceMinor: BigInt(variant.priceMinor),
      isSoldOut: isGone(variant),
      ...(variant.tracked && { left: variant.available }),
    })),
    isListed: isListed(product),
    isSoldOut: isSoldOut(product),
    ...(tracked && !hasVariants && { left: available }),
  }
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
const ELSEWHERE = 'everywhere'
