import { redirectTermsOf } from '../../business/account/service.ts'
import { takeLink, takeLinkLike } from '../../business/links/service.ts'
import type { Db, Tx } from '../../db/database.ts'
import { indexText } from '../../db/text-search.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { isDay, parseMoment } from '../../lib/dates.ts'
import { type Minor, parseAmount, printMinor } from '../../lib/money.ts'
import { type Fields, invalid, notFound, Problem } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import { newReference } from '../../lib/tokens.ts'
import { splitPageFor } from '../../money/split-pages/service.ts'
import { requireCarried } from '../../provider-orders/provider.ts'
import { MEDIA, parseMediaName } from '../products/core/media.ts'
import { type ProductRow, productsWith } from '../products/core/service.ts'
import { picturesChanged, requirePicture } from '../products/media/page-pictures.ts'
import { type Content, type CustomField, insertPage, insertParts } from './queries.ts'
import { type NewPage, PRODUCTS_MAX, type UpdatePage } from './schemas.ts'
import { addFault, PAYMENT_PAGES, type PageDeps, refuseBusiness, told } from './service.ts'

/** A page of which nothing is said. */
export const NOTHING: Content = {
  title: '',
  description: null,
  status: 'Published',
  custom_link: '',
  amount_type: 'variable',
  amount_minor: null,
  suggested_minor: [],
  image: null,
  color: null,
  custom_fields: [],
  collect_phone: false,
  collect_address: false,
  allow_discount_codes: true,
  max_payments: null,
  expires_at: null,
  redirect_url: null,
  success_message: null,
  split_page_id: null,
  fee_bearer: null,
  channels: [],
  metadata: null,
}

/**
 * Creates a payment page, with its products or not at all. Throws 400 naming what is wrong, 404 for
 * an unknown product or split page, 409 for a link that is taken.
 */
export async function createPage(tx: Tx, deps: PageDeps, caller: Caller, request: NewPage) {
  const { currency, customLink, amount } = request
  const { now } = caller
  refuseBusiness(caller, request)
  if (request.title === undefined && request.name === undefined) {
    throw invalid({ title: ['is required'] })
  }
  requireCarried(currency)
  const origins = await originsFor(tx, caller, request)
  const amountType = request.amountType ?? (amount === undefined ? 'variable' : 'fixed')
  const reading = { caller, currency, publicUrl: deps.publicUrl, origins }
  const content = contentOf(NOTHING, { ...request, amountType }, reading)
  const productIds = readProductIds(request.productIds ?? [])
  refuseNothingToPay(content, productIds.length, 'amount')
  await refuseSplitPage(tx, caller, content.split_page_id, currency)
  await namedProducts(tx, caller, { ids: productIds, currency, missing: 'not_found' })

  const id = await deps.ids.next(tx)
  if (customLink !== undefined) await takeLink(tx, caller, id, customLink, 'customLink')
  const row = await insertPage(tx, {
    business_id: caller.businessId,
    live: caller.live,
    id,
    reference: newReference('PAG'),
    ...content,
    custom_link: customLink ?? (await takeLinkLike(tx, caller, id, content.title)),
    currency,
    deleted_at: null,
    event_sequence: 1,
    created_at: now,
    updated_at: now,
  })
  await picturesChanged(tx, deps, caller, [content.image])
  await requirePicture(tx, caller, content.image)
  if (productIds.length > 0) await insertParts(tx, caller, id, productIds)
  await indexText(tx, caller, PAYMENT_PAGES, row)
  return told(tx, deps, caller, ['created'], row)
}

/** Test mode takes any origin, so nothing needs to be read. */
export async function originsFor(
  tx: Tx,
  tenant: Tenant,
  { redirectUrl }: { redirectUrl?: string | null },
): Promise<readonly string[]> {
  return redirectUrl && tenant.live ? (await redirectTermsOf(tx, tenant)).origins : []
}

/** What a request may say of a page's content; null clears. */
type Given = Omit<UpdatePage, 'pageId' | 'businessId' | 'customLink'>

interface Reading {
  caller: Caller
  currency: string
  publicUrl: string
  /** Where payers may be sent in live mode. */
  origins: readonly string[]
}

/**
 * The content of a page after a request: what it gives, and for the rest what was there before.
 * Throws 400 naming all that is wrong. What is elsewhere in the database is looked at by others.
 */
export function contentOf(before: Content, given: Given, reading: Reading): Content {
  const faults: Fields = {}
  const has = <T>(value: T | undefined, had: T): T => (value === undefined ? had : value)
  const { customFields, metadata, color } = given
  const splitPageId =
    typeof given.splitPageId === 'string' ? toId(given.splitPageId) : given.splitPageId
  const content: Content = {
    title: titleOf(given, faults) ?? before.title,
    description: has(given.description, before.description) || null,
    status: has(given.status, before.status),
    custom_link: before.custom_link,
    ...amountsOf(before, given, reading.currency, faults),
    image: has(readImage(given.image, reading, faults), before.image),
    color: has(color?.toLowerCase() ?? color, before.color),
    custom_fields: has(
      customFields === null ? [] : readFields(customFields, faults),
      before.custom_fields,
    ),
    collect_phone: has(given.collectPhone, before.collect_phone),
    collect_address: has(given.collectAddress, before.collect_address),
    allow_discount_codes: has(given.allowDiscountCodes, before.allow_discount_codes),
    max_payments: has(given.maxPayments, before.max_payments),
    expires_at: expiryOf(before, given, reading.caller, faults),
    redirect_url: has(readRedirect(given.redirectUrl, reading, faults), before.redirect_url),
    success_message: has(given.successMessage, before.success_message),
    split_page_id: has(splitPageId, before.split_page_id),
    fee_bearer: has(given.feeBearer, before.fee_bearer),
    channels: has(given.channels === null ? [] : given.channels, before.channels),
    metadata: metadata ? JSON.stringify(metadata) : has(metadata, before.metadata),
  }
  if (Object.keys(faults).length > 0) throw invalid(faults)
  return content
}

/** Undefined when it is not given; `name` is another word for it. */
function titleOf({ title, name }: Given, faults: Fields): string | undefined {
  if (title !== undefined && name !== undefined && title !== name) {
    addFault(faults, 'name', 'must be the same as title')
  }
  return title ?? name
}

type Amounts = Pick<Content, 'amount_type' | 'amount_minor' | 'suggested_minor'>

/** What does not go with the type is refused where it is given, and else let go of. */
function amountsOf(before: Content, given: Given, currency: string, faults: Fields): Amounts {
  const { amount, suggestedAmounts } = given
  const amount_type = given.amountType ?? before.amount_type
  const parse = (value: number | string, field: string) =>
    amountIn(value, currency, field, faults) ?? 0n

  let amount_minor = before.amount_minor
  if (amount !== undefined) amount_minor = amount === null ? null : parse(amount, 'amount')
  if (amount_type === 'variable') {
    if (amount !== undefined && amount !== null) {
      addFault(faults, 'amount', 'does not go with amountType variable')
    }
    amount_minor = null
  }

  let suggested_minor = before.suggested_minor
  if (suggestedAmounts !== undefined) {
    const parsed = (suggestedAmounts ?? []).map((one, i) => parse(one, `suggestedAmounts.${i}`))
    suggested_minor = [...new Set(parsed)]
  }
  if (amount_type === 'fixed') {
    if (suggestedAmounts && suggestedAmounts.length > 0) {
      addFault(faults, 'suggestedAmounts', 'does not go with amountType fixed')
    }
    suggested_minor = []
  }
  const least = amount_type === 'minimum' ? (amount_minor ?? 0n) : 0n
  if (suggested_minor.some((minor) => minor < least)) {
    addFault(faults, 'suggestedAmounts', `must be at least ${printMinor(least, currency)} each`)
  }
  return { amount_type, amount_minor, suggested_minor }
}

function amountIn(
  value: number | string,
  currency: string,
  field: string,
  faults: Fields,
): Minor | undefined {
  try {
    return parseAmount(value, currency, { field })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    Object.assign(faults, error.fields)
    return undefined
  }
}

/** A day ends a page with its end, in the business's time zone. */
function expiryOf(
  before: Content,
  { expiresAt }: Given,
  { now, timeZone }: Caller,
  faults: Fields,
): Date | null {
  if (expiresAt === undefined) return before.expires_at
  if (expiresAt === null) return null
  try {
    const at = parseMoment(expiresAt, timeZone, 'expiresAt', isDay(expiresAt))
    const isSame = at.getTime() === before.expires_at?.getTime()
    if (at <= now && !isSame) addFault(faults, 'expiresAt', 'must lie in the future')
    return at
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    Object.assign(faults, error.fields)
    return null
  }
}

/**
 * Throws 400 naming `field` for a Published page with nothing to pay for: no amount that is settled
 * or chosen, and no products.
 */
export function refuseNothingToPay(content: Content, products: number, field: string): void {
  const { status, amount_type, amount_minor } = content
  if (status !== 'Published' || products > 0) return
  if (amount_type === 'variable' || amount_minor !== null) return
  const says = {
    amount: `is required where amountType is ${amount_type}, unless the page has products`,
    status: 'cannot be Published: there is nothing to pay for, neither an amount nor products',
    productIds: 'are the last that can be paid for: unpublish the page first, or give an amount',
  }
  throw invalid({ [field]: [says[field as keyof typeof says]] })
}

type GivenField = Omit<CustomField, 'options'> & { options?: string[] }

/** What the payer is asked. Adds the faults that a schema cannot find. */
function readFields(
  given: readonly GivenField[] | undefined,
  faults: Fields,
): CustomField[] | undefined {
  if (!given) return undefined
  const names = new Set<string>()
  return given.map(({ label, name, type, required, options = [] }, i) => {
    const at = `customFields.${i}`
    if (names.has(name)) addFault(faults, `${at}.name`, 'is there twice')
    names.add(name)
    if (type === 'select') refuseOptions(options, `${at}.options`, faults)
    else if (options.length > 0) {
      addFault(faults, `${at}.options`, `does not go with type ${type}`)
    }
    return { label, name, type, required, options }
  })
}

function refuseOptions(options: readonly string[], field: string, faults: Fields): void {
  if (options.length === 0) addFault(faults, field, 'must have at least 1 entry')
  if (new Set(options).size < options.length) addFault(faults, field, 'must not have one twice')
}

/** Throws 404 for a split page that is not there, 400 for one of another currency. */
export async function refuseSplitPage(
  db: Db,
  tenant: Tenant,
  id: number | null,
  currency: string,
): Promise<void> {
  if (id === null) return
  const page = await splitPageFor(db, tenant, id)
  if (!page) throw notFound('split_page')
  if (page.currency !== currency) {
    throw invalid({ splitPageId: [`is in ${page.currency}, and the page in ${currency}`] })
  }
}

const ID = /^(?:0|[1-9]\d{0,15})$/

/** Each id once, in the order given. Throws 400 naming `productIds` for what is none. */
export function readProductIds(given: string | readonly (number | string)[]): number[] {
  const texts = typeof given === 'string' ? given.split(',') : given
  const trimmed = texts.map((text) => String(text).trim())
  const wrong = trimmed.find((text) => !ID.test(text) || Number(text) > Number.MAX_SAFE_INTEGER)
  if (wrong !== undefined) {
    throw invalid({
      productIds: [`must be product ids separated by commas; ${spelt(wrong)} is not an id`],
    })
  }
  const ids = [...new Set(trimmed.map(Number))]
  if (ids.length > PRODUCTS_MAX) throw tooMany()
  return ids
}

const spelt = (text: string): string => JSON.stringify(text.slice(0, 40))

export const tooMany = () =>
  invalid({ productIds: [`must be at most ${PRODUCTS_MAX} for one page`] })

interface Named {
  ids: readonly number[]
  currency: string
  /** What an id is that names no product; the contract has it 400 where products are added. */
  missing: 'not_found' | 'invalid'
}

/** The products. Throws as `missing` says, naming the bad ids, and 400 for another currency. */
export async function namedProducts(
  db: Db,
  tenant: Tenant,
  { ids, currency, missing }: Named,
): Promise<ProductRow[]> {
  const rows = await productsWith(db, tenant, ids)
  const found = new Set(rows.map(({ id }) => id))
  const unknown = ids.filter((id) => !found.has(id))
  if (unknown.length > 0) throw noProduct(unknown, missing)
  const foreign = rows.find((row) => row.currency !== currency)
  if (foreign) {
    const says = `must be in ${currency}, as the page is; ${foreign.id} is in ${foreign.currency}`
    throw invalid({ productIds: [says] })
  }
  return rows
}

/** 404 where they are what was asked for, 400 where they were named for something else. */
export function noProduct(ids: readonly number[], missing: Named['missing']): Problem {
  const noun = ids.length === 1 ? 'product' : 'products'
  const says = `No such ${noun}: ${ids.join(', ')} (productIds).`
  return missing === 'invalid'
    ? invalid({ productIds: [`must be products of this business; not found: ${ids.join(', ')}`] })
    : new Problem('not_found', 'product_not_found', says, {
        fields: { productIds: [`not found: ${ids.join(', ')}`] },
      })
}

/**
 * Where a page's picture is. One that this server shows is kept without the server's address, which
 * may change; it must be the tenant's own. Null and undefined stay what they are.
 */
export function readImage(
  image: string | null | undefined,
  { caller, publicUrl }: { caller: Tenant; publicUrl: string },
  faults: Fields,
): string | null | undefined {
  if (!image) return image
  const path = image.startsWith(`${publicUrl}${MEDIA}`) ? image.slice(publicUrl.length) : image
  if (!path.startsWith(MEDIA)) {
    if (webUrl(path)) return path
    addFault(faults, 'image', NO_URL)
    return null
  }
  const media = parseMediaName(path.slice(MEDIA.length))
  const isOwn = media?.businessId === caller.businessId && media.live === caller.live
  if (!isOwn) addFault(faults, 'image', 'is no picture of this business')
  return path
}

/** Where payers go after they paid. Adds a fault in live mode for an origin that is not listed. */
function readRedirect(
  redirectUrl: string | null | undefined,
  { caller, origins }: { caller: Tenant; origins: readonly string[] },
  faults: Fields,
): string | null | undefined {
  if (!redirectUrl) return redirectUrl
  const url = webUrl(redirectUrl)
  if (!url) addFault(faults, 'redirectUrl', NO_URL)
  else if (caller.live && !origins.includes(url.origin)) {
    addFault(faults, 'redirectUrl', `must be on an origin of your settings; ${url.origin} is none`)
  }
  return redirectUrl
}

const NO_URL = 'must be an http or https address, without a name and password in it'

function webUrl(text: string): URL | undefined {
  const url = /^https?:\/\/[^\s\\]+$/i.test(text) ? URL.parse(text) : null
  return url && !url.username && !url.password ? url : undefined
}
