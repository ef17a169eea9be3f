import { addMs } from '../../lib/clock.ts'
import type { Minor } from '../../lib/money.ts'
import { notFound } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { Texts } from '../../pages/pages.ts'
import { type ShownTerms, shownTermsOf } from '../branding/shown.ts'
import { clockOffsetMs } from '../businesses/terms.ts'
import { workingOf } from '../checkout/channels.ts'
import { CURRENCY } from '../checkout/start.ts'
import type { Deps } from '../deps.ts'
import { isPageLink } from '../page-links/service.ts'
import { type ProductRecord, productsWith, recordsOf } from '../products/catalogue/service.ts'
import { type PictureSizes, sizesOf } from '../products/media/show.ts'
import { leastShared, splitPageByLink, splitPageFor } from '../split-pages/service.ts'
import { isFree, isSoldOut, pathOf } from './page-goods.ts'
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
  closed?: keyof Texts['shop']['closed']
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
    (hasWay || products.some(isFree) ? undefined : 'notYet')
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
  return hasWay ? opened : { ...opened, closed: 'notYet' }
}

/** In place of the link of a page that has none yet. */
export const PREVIEW = 'preview'

/** As a page will be that is being written; nothing can be paid there. */
export async function openDraft(
  deps: Pick<OpenDeps, 'db' | 'clock' | 'publicUrl'>,
  tenant: Tenant,
  page: PayingPage,
): Promise<OpenedPage> {
  const at = await momentOf(deps, tenant)
  const products = await productsOf(deps, tenant, page)
  const picture = await pictureOf(deps, page)
  const { title, currency } = page
  return {
    link: PREVIEW,
    tenant,
    ...at,
    page,
    title,
    currency,
    products,
    picture,
    shared_minor: 0n,
  }
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

async function momentOf({ db, clock }: Pick<OpenDeps, 'db' | 'clock'>, tenant: Tenant) {
  const [terms, offsetMs] = await Promise.all([shownTermsOf(db, tenant), clockOffsetMs(db, tenant)])
  return { terms, now: addMs(clock.now(), offsetMs) }
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
  notYet: 503,
} as const
