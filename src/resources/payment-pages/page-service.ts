import { randomBytes } from 'node:crypto'
import { addMs } from '../../lib/clock.ts'
import { type Minor, parseAmount } from '../../lib/money.ts'
import { notFound } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { PageFault, PageProductView, PaymentPageView, Texts } from '../../pages/pages.ts'
import { merchantOf, type ShownTerms, shownTermsOf } from '../branding/shown.ts'
import { clockOffsetMs } from '../businesses/terms.ts'
import { workingOf } from '../checkout/channels.ts'
import { CURRENCY } from '../checkout/start.ts'
import type { Deps } from '../deps.ts'
import { isPageLink } from '../page-links/service.ts'
import { type ProductRecord, productsWith, recordsOf } from '../products/catalogue/service.ts'
import { type PictureSizes, sizesOf } from '../products/media/show.ts'
import { leastShared, splitPageByLink, splitPageFor } from '../split-pages/service.ts'
import { type PayingPage, pageByLink } from './service.ts'

/** What stands at an address and can be paid there: a payment page, or a split page's own. */
export interface OpenedPage {
  link: string
  tenant: Tenant
  terms: ShownTerms
  /** The moment that decides: the test clock's for a test page. */
  now: Date
  /** Absent for a split page's address, where the payer chooses any amount. */
  page?: PayingPage
  splitPageId?: number
  title: string
  currency: string
  /** What is shared out of each payment at least: the fixed shares of its split page. */
  shared_minor: Minor
  /** Those of the page that are sold now. */
  products: ProductRecord[]
  /** Of the page, as far as this server shows it. */
  picture?: PictureSizes | undefined
  /** Why nothing can be paid here, by the name of what is said of it. */
  closed?: keyof Texts['shop']['closed'] | 'noWay'
}

type OpenDeps = Pick<Deps, 'db' | 'clock' | 'publicUrl' | 'providers'>

/** What a link leads to. Throws 404 for one that nobody ever had. */
export async function openPage(deps: OpenDeps, link: string): Promise<OpenedPage> {
  if (!isPageLink(link)) throw notFound('payment_page')
  const found = await pageByLink(deps.db, link)
  if (!found) return openSplitPage(deps, link)
  const { tenant, page } = found
  const at = await momentOf(deps, tenant)
  const products = await productsOf(deps, tenant, page)
  const shared_minor = await sharedOf(deps, tenant, page.split_page_id)
  const hasWay = workingOf(deps.providers, tenant.live, page.channels ?? []).length > 0
  const closed =
    closedBy(page, products, at.now, shared_minor) ??
    (hasWay || products.some(isFree) ? undefined : 'noWay')
  const { title, currency } = page
  const picture = await pictureOf(deps, page)
  const shown = { link, tenant, ...at, page, title, currency, products, picture }
  return { ...shown, shared_minor: shared_minor ?? 0n, ...(closed && { closed }) }
}

async function openSplitPage(deps: OpenDeps, link: string): Promise<OpenedPage> {
  const found = await splitPageByLink(deps.db, link)
  if (!found) throw notFound('payment_page')
  const { tenant, id, name: title, currency, active } = found
  const at = await momentOf(deps, tenant)
  const shared_minor = await sharedOf(deps, tenant, id)
  const shown = { link, tenant, ...at, splitPageId: id, title, currency, products: [] }
  const opened = { ...shown, shared_minor: shared_minor ?? 0n }
  const isOpen = active && shared_minor !== undefined && currency === CURRENCY
  if (!isOpen) return { ...opened, closed: 'unpublished' }
  const hasWay = workingOf(deps.providers, tenant.live, []).length > 0
  return hasWay ? opened : { ...opened, closed: 'noWay' }
}

/** Undefined where a split page takes no payments now. */
async function sharedOf(
  { db }: OpenDeps,
  tenant: Tenant,
  id: number | null,
): Promise<Minor | undefined> {
  if (id === null) return 0n
  const split = await splitPageFor(db, tenant, id)
  return split?.active ? leastShared(split) : undefined
}

async function momentOf({ db, clock }: OpenDeps, tenant: Tenant) {
  const [terms, offsetMs] = await Promise.all([shownTermsOf(db, tenant), clockOffsetMs(db, tenant)])
  return { terms, now: addMs(clock.now(), offsetMs) }
}

async function productsOf(
  deps: OpenDeps,
  tenant: Tenant,
  { product_ids, currency }: PayingPage,
): Promise<ProductRecord[]> {
  const rows = await productsWith(deps.db, tenant, product_ids)
  const sold = rows.filter((row) => row.status === 'Active' && row.currency === currency)
  return recordsOf(deps.db, deps, tenant, sold)
}

async function pictureOf(
  { db, publicUrl }: OpenDeps,
  { image }: PayingPage,
): Promise<PictureSizes | undefined> {
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

/** The status of a page that says why nothing can be paid. */
export const CLOSED_STATUS = {
  unpublished: 404,
  over: 410,
  deleted: 410,
  full: 409,
  soldOut: 409,
  noWay: 503,
} as const

type Level = Pick<ProductRecord, 'tracked' | 'available'>
const isGone = ({ tracked, available }: Level) => tracked && available === 0

const activeVariants = ({ variants }: ProductRecord) => variants.filter(({ active }) => active)

const isSoldOut = (product: ProductRecord): boolean =>
  product.variants.length > 0 ? activeVariants(product).every(isGone) : isGone(product)

/** What costs nothing is had without a way to pay. */
const isFree = (product: ProductRecord): boolean =>
  product.variants.length > 0
    ? activeVariants(product).some(({ priceMinor }) => priceMinor === 0)
    : product.priceMinor === 0

/** What was typed, and what is wrong with it. */
export interface Typed {
  values: Record<string, string>
  faults: readonly PageFault[]
  once: string
}

/** The page to fill in, with what was typed before. */
export function pageView(opened: OpenedPage, publicUrl: string, typed?: Typed): PaymentPageView {
  const { link, tenant, terms, page, title, currency, products, picture } = opened
  return {
    path: `/pay/${encodeURIComponent(link)}`,
    test: !tenant.live,
    merchant: merchantOf(terms),
    title,
    ...(page?.description && { description: page.description }),
    ...(picture && { image: picture.small }),
    ...(picture && picture.whole !== picture.small && { imageWhole: picture.whole }),
    ...(page?.color && { color: page.color }),
    currency,
    timeZone: terms.time_zone,
    ...(products.length === 0 && { amount: amountView(opened) }),
    products: products.map((product) => productView(product, publicUrl)),
    locations: locationsOf(products, currency),
    fields: page?.custom_fields ?? [],
    asks: {
      phone: page?.collect_phone ?? false,
      address: page?.collect_address ?? false,
      discount: page?.allow_discount_codes ?? false,
    },
    values: typed?.values ?? proposed(products),
    faults: typed?.faults ?? [],
    once: typed?.once ?? randomBytes(16).toString('base64url'),
  }
}

/** One of what there is only one of; of several kinds none, so that nobody buys by mistake. */
function proposed(products: readonly ProductRecord[]): Record<string, string> {
  const only = products.length === 1
  const fields = products.flatMap((product) => countFields(product).map(({ name }) => name))
  return Object.fromEntries(fields.map((name) => [name, only && fields.length === 1 ? '1' : '0']))
}

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

function amountView(opened: OpenedPage): NonNullable<PaymentPageView['amount']> {
  const { page } = opened
  if (page?.amount_type === 'fixed') return { kind: 'fixed', minor: page.amount_minor ?? 0n }
  const leastMinor = leastOf(opened)
  return {
    kind: 'chosen',
    suggested: (page?.suggested_minor ?? []).filter((minor) => minor >= leastMinor),
    ...(leastMinor > 0n && { leastMinor }),
  }
}

function productView(product: ProductRecord, publicUrl: string): PageProductView {
  const { productId, name, description, options, media, tracked, available } = product
  const variants = activeVariants(product)
  const prices = variants.map(({ priceMinor }) => priceMinor)
  const cheapest = prices.length > 0 ? Math.min(...prices) : product.priceMinor
  const picture = media.find(isShown)
  const image = pathOf(picture?.thumbnailUrl ?? picture?.url, publicUrl)
  const hasVariants = product.variants.length > 0
  return {
    id: Number(productId),
    name,
    ...(description && { description }),
    ...(image && { image }),
    priceMinor: BigInt(cheapest),
    ...(hasVariants && { optionNames: options.map((one) => one.name).join(', ') }),
    variants: variants.map((variant) => ({
      id: variant.variantId,
      name: Object.values(variant.optionValues).join(', '),
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
function pathOf(url: string | null | undefined, publicUrl: string): string | undefined {
  const path = url?.startsWith(publicUrl) ? url.slice(publicUrl.length) : url
  return path?.startsWith('/media/') ? path : undefined
}

interface Fee {
  location: string
  fees: string
}

const isFee = (fee: object): fee is Fee => 'location' in fee && 'fees' in fee

/** Where any of the products is delivered to, at the highest fee of any: they are one parcel. */
function locationsOf(
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

/** What a payer must choose at least: the page's own minimum, or what is shared out of it. */
export function leastOf({ page, shared_minor }: OpenedPage): Minor {
  const own_minor = page?.amount_type === 'minimum' ? (page.amount_minor ?? 0n) : 0n
  return own_minor > shared_minor ? own_minor : shared_minor
}
