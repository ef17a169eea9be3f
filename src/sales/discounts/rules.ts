import { type Minor, percentageOf } from '../../lib/money.ts'
import { Problem } from '../../lib/problem.ts'
import type { DiscountRow } from './queries.ts'

/** Why a code is of no use, in the order in which that is asked, as the caller reads it. */
const REASONS = {
  not_found: 'There is no such discount code.',
  inactive: 'The discount code is switched off.',
  not_started: 'The discount code cannot be used yet.',
  expired: 'The discount code can no longer be used.',
  not_applicable: 'The discount code does not apply to these products.',
  min_spend: 'The order is below the minimum of the discount code.',
  exhausted: 'The discount code has been used as often as it can be.',
  customer_limit: 'This customer has used the discount code as often as they can.',
} as const

export type Reason = keyof typeof REASONS

/** The refusal of a code that was sent in `field`: 400 with the reason under its name. */
export const refused = (reason: Reason, field = 'code') =>
  new Problem('invalid', 'discount_refused', REASONS[reason], { fields: { [field]: [reason] } })

/** What is bought: each product for so much; null is what is no product. */
export interface Bought {
  productId: number | null
  amount_minor: Minor
}

export interface Purchase {
  lines: readonly Bought[]
  currency: string
  now: Date
}

/** So much of what is bought is what the discount is for. */
function eligible(row: DiscountRow, { lines, currency }: Purchase): Minor {
  if (currency !== row.currency) return 0n
  const { product_ids } = row
  return lines
    .filter(({ productId }) => product_ids.length === 0 || isAmong(product_ids, productId))
    .reduce((sum, { amount_minor }) => sum + amount_minor, 0n)
}

const isAmong = (ids: readonly number[], id: number | null) => id !== null && ids.includes(id)

/** What its terms say against using it, apart from how often it was used. */
export function refusalByTerms(row: DiscountRow, purchase: Purchase): Reason | undefined {
  const { now } = purchase
  if (row.status !== 'Active') return 'inactive'
  if (row.starts_at && now < row.starts_at) return 'not_started'
  if (row.ends_at && now >= row.ends_at) return 'expired'
  const amount_minor = eligible(row, purchase)
  if (amount_minor === 0n) return 'not_applicable'
  if (row.min_spend_minor !== null && amount_minor < row.min_spend_minor) return 'min_spend'
  return undefined
}

/** What how often it was used says against using it once more. */
export function refusalByCount(row: DiscountRow, customerUses: number): Reason | undefined {
  const { max_uses, max_uses_per_customer, used_count, reserved_count } = row
  if (max_uses !== null && used_count + reserved_count >= max_uses) return 'exhausted'
  if (max_uses_per_customer !== null && customerUses >= max_uses_per_customer) {
    return 'customer_limit'
  }
  return undefined
}

/** What comes off: of what it is for, never more than that, and at most its own limit. */
export function discountOn(row: DiscountRow, purchase: Purchase): Minor {
  const amount_minor = eligible(row, purchase)
  const { type, value_minor, max_discount_minor } = row
  const wanted =
    type === 'percentage' ? percentageOf(amount_minor, Number(value_minor)) : value_minor
  return least(amount_minor, wanted, max_discount_minor ?? wanted)
}

const least = (...amounts: Minor[]): Minor => amounts.reduce((a, b) => (b < a ? b : a))
