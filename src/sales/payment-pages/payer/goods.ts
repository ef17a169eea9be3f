import type { PublicProfile } from '../../../business/account/branding.ts'
import { isPageLink } from '../../../business/links/service.ts'
import type { Deps } from '../../../deps.ts'
import type { Tenant } from '../../../lib/caller.ts'
import { type Minor, parseAmount } from '../../../lib/money.ts'
import { notFound } from '../../../lib/problem.ts'
import {
  minimumPayment,
  splitPageByLink,
  splitPageFor,
} from '../../../money/split-pages/service.ts'
import type {
  PageProductView,
  PageTotalsView,
  PaymentPageView,
  Texts,
} from '../../../pages/pages.ts'
import { hostedContext } from '../../../payments/attempts/hosted.ts'
import { CURRENCY } from '../../checkout/draft.ts'
import { workingChannels } from '../../checkout/payable.ts'
import type { ProductRequest } from '../../checkout/schemas.ts'
import type { PurchaseLine, Quote } from '../../discounts/service.ts'
import { type ImageSizes, sizesOf } from '../../products/media/service.ts'
import { type ProductRecord, productsWith, recordsOf } from '../../products/record/service.ts'
import { type PayingPage, pageByLink } from '../service.ts'

type Level = Pick<ProductRecord, 'tracked' | 'available'>
const isGone = ({ tracked, available }: Level) => tracked && available === 0

export const activeVariants = ({ variants }: ProductRecord) =>
  variants.filter(({ active }) => active)

export const isSoldOut = (product: ProductRecord): boolean =>
  product.variants.length > 0 ? activeVariants(product).every(isGone) : isGone(product)

/** Returns whether goods need a delivery address, even if their delivery is free. */
export const isDelivered = ({ type }: Pick<ProductRecord, 'type'>): boolean => type === 'physical'

/** If a product is free, payers need no payment method. */
const isFree = (product: ProductRecord): boolean =>
  product.variants.length > 0
    ? activeVariants(product).some(({ priceMinor }) => priceMinor === 0)
    : product.priceMinor === 0

/**
 * The name of a field for choosing an option of a product: `o-11-0` is for the first option of
 * product 11.
 */
export const optionField = (productId: string, index: number): string => `o-${productId}-${index}`

/**
 * The name of the field for the quantity of the chosen variant, or of one that was added before.
 */
export const countField = (productId: string, variantId?: number): string =>
  variantId === undefined ? `q-${productId}` : `q-${productId}-${variantId}`

const proposedVariant = (product: ProductRecord) => {
  const active = activeVariants(product)
  return active.find((one) => !isGone(one)) ?? active[0]
}

/** Returns the values that the form proposes for a product, by field name. */
export function proposedValues(product: ProductRecord, quantity: number): Record<string, string> {
  const { productId, options } = product
  const variant = proposedVariant(product)
  const chosen = options.map(({ name }, i) => [
    optionField(productId, i),
    variant?.optionValues[name] ?? '',
  ])
  return { ...Object.fromEntries(chosen), [countField(productId)]: String(quantity) }
}

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

/** Returns the images of the product, followed by those of its variants, without duplicates. */
function picturesOf(product: ProductRecord, publicUrl: string) {
  const all = [...product.media, ...activeVariants(product).flatMap(({ media }) => media)]
  return all.flatMap(({ variantId, thumbnailUrl, url }) => {
    const small = pathOf(thumbnailUrl ?? url, publicUrl)
    const whole = pathOf(url, publicUrl)
    return small && whole ? [{ variantId, small, whole }] : []
  })
}

/** Pages load nothing from other servers, so they only show images on this server. */
function pathOf(url: string | null | undefined, publicUrl: string): string | undefined {
  const path = url?.startsWith(publicUrl) ? url.slice(publicUrl.length) : url
  return path?.startsWith('/media/') ? path : undefined
}

/** Returns the delivery fees of a product, by location in lower case. */
const feesOf = ({ deliveryFees }: ProductRecord): Map<string, string> =>
  new Map(deliveryFees.map(({ location, fees }) => [location.toLowerCase(), fees]))

/**
 * Returns the locations to which any of the products is delivered, each with the highest fee of
 * these products, because they travel as one parcel.
 */
export function locationsOf(
  products: readonly ProductRecord[],
  currency: string,
): PaymentPageView['locations'] {
  const highest = new Map<string, { value: string; feeMinor: Minor }>()
  const charged = products.filter(({ type }) => type === 'physical')
  for (const { location, fees } of charged.flatMap((one) => one.deliveryFees)) {
    const key = location.toLowerCase()
    const feeMinor = parseAmount(fees, currency, { zero: true })
    const known = highest.get(key)
    if (!known || known.feeMinor < feeMinor) highest.set(key, { value: location, feeMinor })
  }
  const all = [...highest].map(([key, one]) => ({ ...one, isElsewhere: key === ELSEWHERE }))
  return all.sort((a, b) => Number(a.isElsewhere) - Number(b.isElsewhere))
}

/** The location that delivery fees use for all other locations, in lower case. */
const ELSEWHERE = 'everywhere'

/** A payment page, or the page of a split page, as opened by a payer. */
export interface OpenedPage {
  link: string
  tenant: Tenant
  terms: PublicProfile
  /** The current time, which for a test page comes from the test clock. */
  now: Date
  /** Absent at the URL of a split page, where the payer chooses any amount. */
  page?: PayingPage
  splitPageId?: number
  title: string
  currency: string
  /** The total of the fixed shares of the split page, which each payment must cover. */
  shared_minor: Minor
  /** The page’s products that are on sale. */
  products: ProductRecord[]
  /** The page’s image, if it is on this server. */
  picture?: ImageSizes | undefined
  /** The key of the message that says why payers can’t pay here now. */
  closed?: keyof Texts['shop']['closed']
}

type OpenDeps = Pick<Deps, 'db' | 'clock' | 'publicUrl' | 'providers'>

/** Finds what a link leads to. Throws 404 if no page has ever had the link. */
export async function openPage(deps: OpenDeps, link: string): Promise<OpenedPage> {
  if (!isPageLink(link)) throw notFound('payment_page')
  const found = await pageByLink(deps.db, link)
  if (!found) return openSplitPage(deps, link)
  const { tenant, page } = found
  const look = await hostedContext(deps, tenant)
  const products = await productsOf(deps, tenant, page)
  const shared_minor = await sharedOf(deps, tenant, page.split_page_id)
  const hasWay = (await workingChannels(deps.providers, tenant, page.channels ?? [])).length > 0
  const closed =
    closedBy(page, products, look.now, shared_minor) ??
    (hasWay || products.some(isFree) ? undefined : 'notYet')
  const { title, currency } = page
  const picture = await pictureOf(deps, page)
  const shown = { link, ...look, page, title, currency, products, picture }
  return { ...shown, shared_minor: shared_minor ?? 0n, ...(closed && { closed }) }
}

async function openSplitPage(deps: OpenDeps, link: string): Promise<OpenedPage> {
  const found = await splitPageByLink(deps.db, link)
  if (!found) throw notFound('payment_page')
  const { tenant, id, name: title, currency, active } = found
  const look = await hostedContext(deps, tenant)
  const shared_minor = await sharedOf(deps, tenant, id)
  const shown = { link, ...look, splitPageId: id, title, currency, products: [] }
  const opened = { ...shown, shared_minor: shared_minor ?? 0n }
  const isOpen = active && shared_minor !== undefined && currency === CURRENCY
  if (!isOpen) return { ...opened, closed: 'unpublished' }
  const hasWay = (await workingChannels(deps.providers, tenant, [])).length > 0
  return hasWay ? opened : { ...opened, closed: 'notYet' }
}

/** The link of a page that has not been saved. */
export const PREVIEW = 'preview'

/** Returns a page as it will be once it is saved. Nobody can pay on it. */
export async function openDraft(
  deps: Pick<OpenDeps, 'db' | 'clock' | 'publicUrl'>,
  tenant: Tenant,
  page: PayingPage,
): Promise<OpenedPage> {
  const look = await hostedContext(deps, tenant)
  const products = await productsOf(deps, tenant, page)
  const picture = await pictureOf(deps, page)
  const { title, currency } = page
  return {
    link: PREVIEW,
    ...look,
    page,
    title,
    currency,
    products,
    picture,
    shared_minor: 0n,
  }
}

/** Returns undefined if the split page does not accept payments now. */
async function sharedOf(
  { db }: OpenDeps,
  tenant: Tenant,
  id: number | null,
): Promise<Minor | undefined> {
  if (id === null) return 0n
  const split = await splitPageFor(db, tenant, id)
  return split?.active ? minimumPayment(split) : undefined
}

async function productsOf(
  deps: Pick<OpenDeps, 'db' | 'publicUrl'>,
  tenant: Tenant,
  { product_ids, currency }: PayingPage,
): Promise<ProductRecord[]> {
  const rows = await productsWith(deps.db, tenant, product_ids)
  const sold = rows.filter((row) => row.status === 'Active' && row.currency === currency)
  return recordsOf(deps.db, deps, tenant, sold)
}

async function pictureOf(
  { db, publicUrl }: Pick<OpenDeps, 'db' | 'publicUrl'>,
  { image }: PayingPage,
): Promise<ImageSizes | undefined> {
  const path = pathOf(image, publicUrl)
  return path === undefined
    ? undefined
    : ((await sizesOf(db, path)) ?? { small: path, whole: path })
}

function closedBy(
  page: PayingPage,
  products: readonly ProductRecord[],
  now: Date,
  shared_minor: Minor | undefined,
): OpenedPage['closed'] {
  if (page.deleted_at !== null) return 'deleted'
  if (page.status !== 'Published' || page.currency !== CURRENCY) return 'unpublished'
  if (page.expires_at !== null && page.expires_at <= now) return 'over'
  if (shared_minor === undefined) return 'unpublished'
  const taken = page.payments + page.open_checkouts
  if (page.max_payments !== null && taken >= page.max_payments) return 'full'
  if (page.product_ids.length > 0) return products.every(isSoldOut) ? 'soldOut' : undefined
  if (page.amount_type !== 'fixed') return undefined
  const { amount_minor } = page
  return amount_minor !== null && amount_minor >= shared_minor ? undefined : 'unpublished'
}

/** The HTTP status of a page on which nobody can pay, by the reason. */
export const CLOSED_STATUS = {
  unpublished: 404,
  over: 410,
  deleted: 410,
  full: 409,
  soldOut: 409,
  notYet: 503,
} as const

/**
 * Returns the smallest amount that a payer can choose: the page’s minimum or the total of the fixed
 * shares, whichever is greater.
 */
export function minimumAmount({ page, shared_minor }: OpenedPage): Minor {
  const own_minor = page?.amount_type === 'minimum' ? (page.amount_minor ?? 0n) : 0n
  return own_minor > shared_minor ? own_minor : shared_minor
}

/** Returns the selected products as discounts need them. */
export const purchaseLinesOf = (
  { products }: OpenedPage,
  wanted: readonly ProductRequest[],
): PurchaseLine[] =>
  wanted.flatMap(({ productId, variantId, quantity }) => {
    const product = products.find((one) => one.productId === productId)
    if (!product) return []
    const variant = product.variants.find((one) => one.variantId === variantId)
    const price_minor = BigInt((variant ?? product).priceMinor)
    return [{ productId: Number(productId), amount_minor: price_minor * BigInt(quantity) }]
  })

/**
 * Returns the totals for a form at this moment. The checkout computes all of them again from stored
 * prices.
 */
export function totalsOf(
  opened: OpenedPage,
  wanted: readonly ProductRequest[],
  location: string | undefined,
  quote: Quote | undefined,
): PageTotalsView {
  const bought = purchaseLinesOf(opened, wanted)
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
    // Until the payer has chosen a product, they might buy any product on the page.
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

/** Returns the highest fee of any product, because the products travel as one parcel. */
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
