import { redirectOriginsOf } from '../../business/account/service.ts'
import { reserveLink, reserveLinkFor } from '../../business/links/service.ts'
import type { Db, Tx } from '../../db/database.ts'
import { indexText } from '../../db/text-search.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { isDay, parseTimestamp } from '../../lib/dates.ts'
import { type Minor, parseAmount, printMinor } from '../../lib/money.ts'
import { type Fields, invalid, notFound, Problem } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import { newReference } from '../../lib/tokens.ts'
import { splitPageFor } from '../../money/split-pages/service.ts'
import { requireSupportedCurrency } from '../../providers/routing.ts'
import { requirePageImage, scheduleImageChecks } from '../products/media/page-images.ts'
import { MEDIA, parseMediaName } from '../products/record/parts.ts'
import { type ProductRow, productsWith } from '../products/record/service.ts'
import { type Content, type CustomField, insertPage, insertParts } from './queries.ts'
import { type NewPage, PRODUCTS_MAX, type UpdatePage } from './schemas.ts'
import {
  addFieldError,
  PAYMENT_PAGES,
  type PageDeps,
  publishChanges,
  refuseBusiness,
} from './service.ts'

export const EMPTY_CONTENT: Content = {
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
 * Creates a payment page together with its products. Throws 400 naming invalid fields, 404 for an
 * unknown product or split page, and 409 for a link that is taken.
 */
export async function createPage(tx: Tx, deps: PageDeps, caller: Caller, request: NewPage) {
  const { currency, customLink, amount } = request
  const { now } = caller
  refuseBusiness(caller, request)
  if (request.title === undefined && request.name === undefined) {
    throw invalid({ title: ['is required'] })
  }
  requireSupportedCurrency(currency)
  const origins = await originsFor(tx, caller, request)
  const amountType = request.amountType ?? (amount === undefined ? 'variable' : 'fixed')
  const reading = { caller, currency, publicUrl: deps.publicUrl, origins }
  const content = contentOf(EMPTY_CONTENT, { ...request, amountType }, reading)
  const productIds = readProductIds(request.productIds ?? [])
  requireSomethingToPay(content, productIds.length, 'amount')
  await refuseSplitPage(tx, caller, content.split_page_id, currency)
  await namedProducts(tx, caller, { ids: productIds, currency, missing: 'not_found' })

  const id = await deps.ids.next(tx)
  if (customLink !== undefined) await reserveLink(tx, caller, id, customLink, 'customLink')
  const row = await insertPage(tx, {
    business_id: caller.businessId,
    live: caller.live,
    id,
    reference: newReference('PAG'),
    ...content,
    custom_link: customLink ?? (await reserveLinkFor(tx, caller, id, content.title)),
    currency,
    deleted_at: null,
    event_sequence: 1,
    created_at: now,
    updated_at: now,
  })
  await scheduleImageChecks(tx, deps, caller, [content.image])
  await requirePageImage(tx, caller, content.image)
  if (productIds.length > 0) await insertParts(tx, caller, id, productIds)
  await indexText(tx, caller, PAYMENT_PAGES, row)
  return publishChanges(tx, deps, caller, ['created'], row)
}

/** In test mode, any origin is allowed, so none are looked up. */
export async function originsFor(
  tx: Tx,
  tenant: Tenant,
  { redirectUrl }: { redirectUrl?: string | null },
): Promise<readonly string[]> {
  return redirectUrl && tenant.live ? await redirectOriginsOf(tx, tenant) : []
}

/** The content fields of a request. Null clears a field. */
type Given = Omit<UpdatePage, 'pageId' | 'businessId' | 'customLink'>

interface Reading {
  caller: Caller
  currency: string
  publicUrl: string
  /** The origins that a page in live mode can redirect payers to. */
  origins: readonly string[]
}

/**
 * Returns the content of a page after a request: the given fields, and the previous values of all
 * others. Throws 400 naming all invalid fields. Does not check references to other rows.
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

/** Returns undefined if no title is given. `name` is an alias. */
function titleOf({ title, name }: Given, faults: Fields): string | undefined {
  if (title !== undefined && name !== undefined && title !== name) {
    addFieldError(faults, 'name', 'must be the same as title')
  }
  return title ?? name
}

type Amounts = Pick<Content, 'amount_type' | 'amount_minor' | 'suggested_minor'>

/** Fields that do not fit the amount type are refused if given, and cleared otherwise. */
function amountsOf(before: Content, given: Given, currency: string, faults: Fields): Amounts {
  const { amount, suggestedAmounts } = given
  const amount_type = given.amountType ?? before.amount_type
  const parse = (value: number | string, field: string) =>
    amountIn(value, currency, field, faults) ?? 0n

  let amount_minor = before.amount_minor
  if (amount !== undefined) amount_minor = amount === null ? null : parse(amount, 'amount')
  if (amount_type === 'variable') {
    if (amount !== undefined && amount !== null) {
      addFieldError(faults, 'amount', 'cannot be given if amountType is variable')
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
      addFieldError(faults, 'suggestedAmounts', 'cannot be given if amountType is fixed')
    }
    suggested_minor = []
  }
  const least = amount_type === 'minimum' ? (amount_minor ?? 0n) : 0n
  if (suggested_minor.some((minor) => minor < least)) {
    addFieldError(
      faults,
      'suggestedAmounts',
      `must each be at least ${printMinor(least, currency)}`,
    )
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

/** A date includes the whole day, in the business’s time zone. */
function expiryOf(
  before: Content,
  { expiresAt }: Given,
  { now, timeZone }: Caller,
  faults: Fields,
): Date | null {
  if (expiresAt === undefined) return before.expires_at
  if (expiresAt === null) return null
  try {
    const at = parseTimestamp(expiresAt, timeZone, 'expiresAt', isDay(expiresAt))
    const isSame = at.getTime() === before.expires_at?.getTime()
    if (at <= now && !isSame) addFieldError(faults, 'expiresAt', 'must be in the future')
    return at
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    Object.assign(faults, error.fields)
    return null
  }
}

/**
 * Throws 400 naming `field` for a Published page that has neither products nor an amount, fixed or
 * chosen by the payer.
 */
export function requireSomethingToPay(content: Content, products: number, field: string): void {
  const { status, amount_type, amount_minor } = content
  if (status !== 'Published' || products > 0) return
  if (amount_type === 'variable' || amount_minor !== null) return
  const says = {
    amount: `is required if amountType is ${amount_type}, unless the page has products`,
    status: 'cannot be Published without an amount or products',
    productIds: 'are the last products on a Published page: unpublish it or set an amount first',
  }
  throw invalid({ [field]: [says[field as keyof typeof says]] })
}

type GivenField = Omit<CustomField, 'options'> & { options?: string[] }

/** Reads the custom fields, and adds the errors that a schema cannot detect. */
function readFields(
  given: readonly GivenField[] | undefined,
  faults: Fields,
): CustomField[] | undefined {
  if (!given) return undefined
  const names = new Set<string>()
  return given.map(({ label, name, type, required, options = [] }, i) => {
    const at = `customFields.${i}`
    if (names.has(name)) addFieldError(faults, `${at}.name`, 'must be unique')
    names.add(name)
    if (type === 'select') refuseOptions(options, `${at}.options`, faults)
    else if (options.length > 0) {
      addFieldError(faults, `${at}.options`, `cannot be given for type ${type}`)
    }
    return { label, name, type, required, options }
  })
}

function refuseOptions(options: readonly string[], field: string, faults: Fields): void {
  if (options.length === 0) addFieldError(faults, field, 'must have at least 1 entry')
  if (new Set(options).size < options.length)
    addFieldError(faults, field, 'must not contain duplicates')
}

/** Throws 404 for an unknown split page and 400 for one in a different currency. */
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
    throw invalid({
      splitPageId: [`must be a split page in ${currency}: this one is in ${page.currency}`],
    })
  }
}

const ID = /^(?:0|[1-9]\d{0,15})$/

/** Returns each id once, in the given order. Throws 400 naming `productIds` for an invalid id. */
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

export const tooMany = () => invalid({ productIds: [`must be at most ${PRODUCTS_MAX} per page`] })

interface Named {
  ids: readonly number[]
  currency: string
  /**
   * The status for an id that doesn’t belong to a product. The contract requires 400 when adding
   * products.
   */
  missing: 'not_found' | 'invalid'
}

/**
 * Returns the products. For unknown ids, throws the error that `missing` selects, naming the ids.
 * Throws 400 for a product in a different currency.
 */
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
    const says = `must be in ${currency}, like the page; product ${foreign.id} is in ${foreign.currency}`
    throw invalid({ productIds: [says] })
  }
  return rows
}

/**
 * Returns a 404 if the request is about the products themselves, and a 400 if it only refers to
 * them.
 */
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
 * Reads the URL of a page’s image. An image on this server must belong to the tenant, and is stored
 * without the server’s URL, which can change. Null and undefined are passed through.
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
    addFieldError(faults, 'image', NO_URL)
    return null
  }
  const media = parseMediaName(path.slice(MEDIA.length))
  const isOwn = media?.businessId === caller.businessId && media.live === caller.live
  if (!isOwn) addFieldError(faults, 'image', 'must be an image of this business')
  return path
}

/** Reads the redirect URL. In live mode, its origin must be registered. */
function readRedirect(
  redirectUrl: string | null | undefined,
  { caller, origins }: { caller: Tenant; origins: readonly string[] },
  faults: Fields,
): string | null | undefined {
  if (!redirectUrl) return redirectUrl
  const url = webUrl(redirectUrl)
  if (!url) addFieldError(faults, 'redirectUrl', NO_URL)
  else if (caller.live && !origins.includes(url.origin)) {
    addFieldError(
      faults,
      'redirectUrl',
      `must be on an origin registered in your settings; ${url.origin} is not`,
    )
  }
  return redirectUrl
}

const NO_URL = 'must be an http or https URL without a user name or password'

function webUrl(text: string): URL | undefined {
  const url = /^https?:\/\/[^\s\\]+$/i.test(text) ? URL.parse(text) : null
  return url && !url.username && !url.password ? url : undefined
}
