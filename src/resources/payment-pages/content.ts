import { isDay, parseMoment } from '../../lib/dates.ts'
import { type Minor, parseAmount, printMinor } from '../../lib/money.ts'
import { type Fields, invalid, Problem } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import type { Caller } from '../../lib/tenant.ts'
import { readFields } from './custom-fields.ts'
import { addFault } from './pages.ts'
import type { Content } from './queries.ts'
import type { UpdatePage } from './schemas.ts'
import { readImage, readRedirect } from './urls.ts'

/** What a request may say of a page's content; null clears. */
export type Given = Omit<UpdatePage, 'pageId' | 'businessId' | 'customLink'>

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
