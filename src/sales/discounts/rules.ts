import { type Minor, percentageOf } from '../../lib/money.ts'
import { Problem } from '../../lib/problem.ts'
import type { DiscountRow } from './queries.ts'

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

export type RefusalReason = keyof typeof REASONS

/** Returns the 400 for a code that was sent in `field`, with the reason under that field. */
export const discountRefused = (reason: RefusalReason, field = 'code') =>
  new Problem('invalid', 'discount_refused', REASONS[reason], { fields: { [field]: [reason] } })

/** One line of a purchase. `productId` is null for anything that is not a product. */
export interface PurchaseLine {
  productId: number | null
  amount_minor: Minor
}

export interface Purchase {
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
export function refusalByTerms(row: DiscountRow, purchase: Purchase): RefusalReason | undefined {
  const { now } = purchase
  if (row.status !== 'Active') return 'inactive'
  if (row.starts_at && now < row.starts_at) return 'not_started'
  if (row.ends_at && now >= row.ends_at) return 'expired'
  const amount_minor = eligible(row, purchase)
  if (amount_minor === 0n) return 'not_applicable'
  if (row.min_spend_minor !== null && amount_minor < row.min_spend_minor) return 'min_spend'
  return undefined
}

export function refusalByCount(row: DiscountRow, customerUses: number): RefusalReason | undefined {
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
export function discountOn(row: DiscountRow, purchase: Purchase): Minor {
  const amount_minor = eligible(row, purchase)
  const { type, value_minor, max_discount_minor } = row
  const wanted =
    type === 'percentage' ? percentageOf(amount_minor, Number(value_minor)) : value_minor
  return least(amount_minor, wanted, max_discount_minor ?? wanted)
}

const least = (...amounts: Minor[]): Minor => amounts.reduce((a, b) => (b < a ? b : a))
