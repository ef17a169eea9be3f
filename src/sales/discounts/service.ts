import type { Db, Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { amountsOf, isCurrency, type Minor, parseAmount, percentageOf } from '../../lib/money.ts'
import { isDescending } from '../../lib/paging.ts'
import { invalid, notFound, Problem } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import { type PayingPage, pageForPaying } from '../payment-pages/service.ts'
import { requireProduct } from '../products/record/service.ts'
import {
  type DiscountRow,
  findDiscounts,
  insertUse,
  type LockedUse,
  lockUse,
  moveUse,
  releaseExpiredUses,
  selectCustomerUses,
  selectDiscount,
  selectUse,
  updateUse,
} from './queries.ts'
import { discountRecord } from './record.ts'
import type { DiscountQuery, VerifyDiscount } from './schemas.ts'

/**
 * What a checkout does to discounts, in its own transaction and before it takes stock
 * (docs/design/stock-and-discounts.md). A cause is anything that uses a discount, such as a
 * checkout. Each step takes effect only once, however often it is attempted.
 */

interface Redemption {
  causeId: number
  code: string
  /**
   * What is being bought, without delivery. The discount reduces only the products that it applies
   * to.
   */
  lines: readonly PurchaseLine[]
  currency: string
  email: string
  expiresAt: Date
  now: Date
  /** The request field to name if the code is refused. */
  field?: string
}

interface Moment {
  causeId: number
  now: Date
}

/** One use of a discount. Its amount never exceeds the purchase. */
interface DiscountUse {
  discountId: number
  discount_minor: Minor
}

/**
 * Reserves one use of a code until `expiresAt`. Throws 400 `discount_refused` with the reason under
 * `field`. If the cause already has a use, keeps that one (see `extendDiscount`).
 */
export async function reserveDiscount(
  tx: Tx,
  tenant: Tenant,
  { causeId, code, email, expiresAt, field = 'code', ...purchase }: Redemption,
): Promise<DiscountUse> {
  const { now } = purchase
  const seen = await selectDiscount(tx, tenant, { code: normaliseCode(code) })
  if (!seen) throw discountRefused('not_found', field)
  const atFirst = refusalByTerms(seen, purchase)
  if (atFirst) throw discountRefused(atFirst, field)

  const discountId = seen.id
  const discount_minor = discountOn(seen, purchase)
  const use = { causeId, discountId, customer: normaliseCustomer(email), discount_minor, expiresAt }
  const taken = await insertUse(tx, tenant, use, now)
  if (!taken.is_new) return useOf(tx, tenant, causeId)
  if (taken.id === null) throw discountRefused('exhausted', field)
  const now_minor = sure(taken, purchase, field)
  if (!taken.is_customer_in) throw discountRefused('customer_limit', field)
  if (now_minor !== discount_minor) await updateUse(tx, tenant, causeId, now_minor)
  return { discountId, discount_minor: now_minor }
}

/** The terms may have changed before the discount was locked. */
function sure(row: DiscountRow, purchase: Purchase, field: string): Minor {
  const reason = refusalByTerms(row, purchase)
  if (reason) throw discountRefused(reason, field)
  return discountOn(row, purchase)
}

async function useOf(tx: Tx, tenant: Tenant, causeId: number): Promise<DiscountUse> {
  const use = await selectUse(tx, tenant, causeId)
  return { discountId: use!.discount_id, discount_minor: use!.discount_minor }
}

/**
 * Extends a reservation to `expiresAt` if that is later. If the use has been released, reserves it
 * again; throws 400 `discount_refused` if the discount is no longer valid, or if a limit has been
 * reached since then.
 */
export async function extendDiscount(
  tx: Tx,
  tenant: Tenant,
  { causeId, now, expiresAt, field = 'code' }: Moment & { expiresAt: Date; field?: string },
): Promise<void> {
  const held = await lockUse(tx, tenant, causeId, ['Reserved', 'Released'])
  if (!held) return
  const isOver = held.was === 'Released' ? refusalByTime(held, now) : undefined
  const reason = isOver ?? (await refusalAgain(tx, tenant, held))
  if (reason) throw discountRefused(reason, field)
  const again = held.was === 'Released' ? 1 : 0
  const move = { to: 'Reserved', reserved: again, customer: again, expiresAt } as const
  await moveUse(tx, tenant, causeId, move, now)
}

/**
 * A released use must be within the limits, like a new one. The discount is locked, and with it the
 * counts of its customers.
 */
async function refusalAgain(
  tx: Tx,
  tenant: Tenant,
  held: LockedUse,
): Promise<RefusalReason | undefined> {
  if (held.was !== 'Released') return undefined
  const { customer } = held
  const uses = customer === null ? 0 : await selectCustomerUses(tx, tenant, held.id, customer)
  return refusalByCount(held, uses)
}

/**
 * Counts a use permanently because it was paid for, even if it has since been released, as long as
 * the limits allow it. Returns false if they don’t, which means that the payment must be refunded.
 * Does nothing for a cause that has no use, or with a use that has already been counted.
 */
export async function redeemDiscount(
  tx: Tx,
  ids: Deps['ids'],
  tenant: Tenant,
  { causeId, now }: Moment,
): Promise<boolean> {
  const held = await lockUse(tx, tenant, causeId, ['Reserved', 'Released'])
  if (!held) return true
  if (await refusalAgain(tx, tenant, held)) return false
  const isLate = held.was === 'Released'
  const isLast = held.used_count + 1 === held.max_uses
  const types = isLast ? (['redeemed', 'exhausted'] as const) : (['redeemed'] as const)
  const row = await moveUse(
    tx,
    tenant,
    causeId,
    {
      to: 'Used',
      used: 1,
      reserved: isLate ? 0 : -1,
      customer: isLate ? 1 : 0,
      events: types.length,
    },
    now,
  )
  const { discount_minor } = held
  const cut = {
    ...amountsOf(row.currency, { discountAmount: discount_minor }),
  }
  const [redeemed, ...exhausted] = eventsOf(row, types, now)
  await appendEvents(tx, ids, [{ ...redeemed!, data: { ...redeemed!.data, ...cut } }, ...exhausted])
  return true
}

export async function releaseDiscount(tx: Tx, tenant: Tenant, { causeId, now }: Moment) {
  if (!(await lockUse(tx, tenant, causeId, ['Reserved']))) return
  await moveUse(tx, tenant, causeId, { to: 'Released', reserved: -1, customer: -1 }, now)
}

/** Releases a counted use after a full refund. */
export async function restoreDiscount(tx: Tx, tenant: Tenant, { causeId, now }: Moment) {
  if (!(await lockUse(tx, tenant, causeId, ['Used']))) return
  await moveUse(tx, tenant, causeId, { to: 'Released', used: -1, customer: -1 }, now)
}

export const discountExpiryJob: Job = {
  name: 'discount-expiry',
  everyMs: 5_000,
  followsTestClock: true,
  run: (db, now, only) =>
    db.transaction((tx) => releaseExpiredUses(tx, db, now, only ?? null, JOB_ROWS_MAX)),
}

/** The reasons for refusing a code, in the order of the checks. */
const REASONS = {
  not_found: 'This discount code does not exist.',
  inactive: 'This discount code is inactive.',
  not_started: 'This discount code is not valid yet.',
  expired: 'This discount code has expired.',
  not_applicable: 'This discount code does not apply to these products.',
  min_spend: 'The order is below the minimum spend for this discount code.',
  exhausted: 'This discount code has reached its usage limit.',
  customer_limit: 'This customer has reached the usage limit for this discount code.',
} as const

type RefusalReason = keyof typeof REASONS

/** Returns the 400 for a code that was sent in `field`, with the reason under that field. */
const discountRefused = (reason: RefusalReason, field = 'code') =>
  new Problem('invalid', 'discount_refused', REASONS[reason], { fields: { [field]: [reason] } })

/** One line of a purchase. `productId` is null for anything that is not a product. */
export interface PurchaseLine {
  productId: number | null
  amount_minor: Minor
}

interface Purchase {
  lines: readonly PurchaseLine[]
  currency: string
  now: Date
}

function eligible(row: DiscountRow, { lines, currency }: Purchase): Minor {
  if (currency !== row.currency) return 0n
  const { product_ids } = row
  return lines
    .filter(({ productId }) => product_ids.length === 0 || isAmong(product_ids, productId))
    .reduce((sum, { amount_minor }) => sum + amount_minor, 0n)
}

const isAmong = (ids: readonly number[], id: number | null) => id !== null && ids.includes(id)

/** Checks the terms of the discount but not its counts. */
function refusalByTerms(row: DiscountRow, purchase: Purchase): RefusalReason | undefined {
  const reason = refusalByTime(row, purchase.now)
  if (reason) return reason
  const amount_minor = eligible(row, purchase)
  if (amount_minor === 0n) return 'not_applicable'
  if (row.min_spend_minor !== null && amount_minor < row.min_spend_minor) return 'min_spend'
  return undefined
}

function refusalByTime(row: DiscountRow, now: Date): RefusalReason | undefined {
  if (row.status !== 'Active') return 'inactive'
  if (row.starts_at && now < row.starts_at) return 'not_started'
  if (row.ends_at && now >= row.ends_at) return 'expired'
  return undefined
}

function refusalByCount(row: DiscountRow, customerUses: number): RefusalReason | undefined {
  const { max_uses, max_uses_per_customer, used_count, reserved_count } = row
  if (max_uses !== null && used_count + reserved_count >= max_uses) return 'exhausted'
  if (max_uses_per_customer !== null && customerUses >= max_uses_per_customer) {
    return 'customer_limit'
  }
  return undefined
}

/**
 * Returns the amount of the discount: at most the part that it applies to, and at most its own
 * limit.
 */
function discountOn(row: DiscountRow, purchase: Purchase): Minor {
  const amount_minor = eligible(row, purchase)
  const { type, value_minor, max_discount_minor } = row
  const wanted =
    type === 'percentage' ? percentageOf(amount_minor, Number(value_minor)) : value_minor
  return least(amount_minor, wanted, max_discount_minor ?? wanted)
}

const least = (...amounts: Minor[]): Minor => amounts.reduce((a, b) => (b < a ? b : a))

/**
 * Returns how much a code would deduct from an amount, without using the code. Throws 404 for an
 * unknown product or page, and 400 with the reason if the code would be refused.
 */
export async function verifyDiscount(db: Db, caller: Caller, request: VerifyDiscount) {
  const { productId, pageId, email } = request
  const product = productId === undefined ? undefined : await requireProduct(db, caller, productId)
  const page = pageId === undefined ? undefined : await requirePage(db, caller, toId(pageId))
  const row = await selectDiscount(db, caller, { code: normaliseCode(request.code) })

  const currency = request.currency ?? product?.currency ?? row?.currency ?? 'NGN'
  if (!isCurrency(currency)) throw invalid({ currency: ['must be an ISO 4217 currency code'] })
  const amount_minor = parseAmount(request.amount, currency)
  if (!row) throw discountRefused('not_found')

  const bought = product?.id ?? page?.product_ids.find((id) => row.product_ids.includes(id)) ?? null
  const lines = page?.allow_discount_codes === false ? [] : [{ productId: bought, amount_minor }]
  const purchase: Purchase = { lines, currency, now: caller.now }
  const byTerms = refusalByTerms(row, purchase)
  if (byTerms) throw discountRefused(byTerms)
  const uses = email ? await selectCustomerUses(db, caller, row.id, normaliseCustomer(email)) : 0
  const byCount = refusalByCount(row, uses)
  if (byCount) throw discountRefused(byCount)

  const discount_minor = discountOn(row, purchase)
  const final_minor = amount_minor - discount_minor
  const { code, type, value } = discountRecord(row)
  return {
    valid: true as const,
    code,
    type,
    value,
    ...amountsOf(currency, {
      amount: amount_minor,
      discountAmount: discount_minor,
      finalAmount: final_minor,
    }),
    currency,
  }
}

async function requirePage(db: Db, tenant: Tenant, id: number): Promise<PayingPage> {
  const page = await pageForPaying(db, tenant, id)
  if (!page || page.deleted_at) throw notFound('payment_page')
  return page
}

/**
 * The discount that a code gives on a purchase, with the terms that a page needs to recompute it.
 */
export interface Quote {
  code: string
  discount_minor: Minor
  /** Basis points for a percentage, otherwise minor units. */
  type: 'percentage' | 'fixed'
  value_minor: Minor
  max_minor: Minor | null
  min_spend_minor: Minor | null
  /** The products that the discount applies to; empty means all. */
  product_ids: readonly number[]
}

/**
 * Quotes a discount without using it. Throws 400 with the reason if the code would be refused now.
 */
export async function quoteDiscount(
  db: Db,
  tenant: Tenant,
  code: string,
  purchase: Purchase,
): Promise<Quote> {
  const row = await selectDiscount(db, tenant, { code: normaliseCode(code) })
  if (!row) throw discountRefused('not_found', 'discountCode')
  const reason = refusalByTerms(row, purchase) ?? refusalByCount(row, 0)
  if (reason) throw discountRefused(reason, 'discountCode')
  const { type, value_minor, max_discount_minor, min_spend_minor, product_ids } = row
  return {
    code: row.code,
    discount_minor: discountOn(row, purchase),
    type: type === 'percentage' ? 'percentage' : 'fixed',
    value_minor,
    max_minor: max_discount_minor,
    min_spend_minor,
    product_ids,
  }
}

const KIND = 'discount'

type EventType = 'created' | 'updated' | 'redeemed' | 'exhausted'

/**
 * Returns the events that the row’s event sequence already includes. `more` is added to the record.
 */
export const eventsOf = (
  row: DiscountRow,
  types: readonly EventType[],
  at: Date,
  more: object = {},
): NewEvent[] =>
  types.map((type, i) => ({
    businessId: row.business_id,
    live: row.live,
    type: `discount.${type}`,
    objectType: KIND,
    objectId: row.id,
    sequence: row.event_sequence - types.length + 1 + i,
    data: { ...discountRecord(row), ...more },
    at,
  }))

export const normaliseCode = (text: string): string => text.trim().toUpperCase()

const normaliseCustomer = (email: string): string => email.trim().toLowerCase()

export async function listDiscounts(db: Db, tenant: Tenant, query: DiscountQuery) {
  const { code, productId } = query
  const filter = {
    code: code === undefined ? undefined : normaliseCode(code),
    productId: productId === undefined ? undefined : toId(productId),
    isDescending: isDescending(query.sort),
  }
  const { rows, meta } = await findDiscounts(db, tenant, filter, query)
  return { records: rows.map(discountRecord), meta }
}
