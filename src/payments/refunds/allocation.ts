import type { Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import { type Minor, portions } from '../../lib/money.ts'
import { changeShares, type ShareChange } from './insert.ts'

/**
 * How much of a payment or a refund comes from the overpayment, the business and each subaccount.
 */
export interface RefundParts {
  /** The overpaid part, which must be returned in any case. */
  excess_minor: Minor
  business_minor: Minor
  shares: readonly { subaccountId: number; amount_minor: Minor }[]
}

interface Payment {
  paid_minor: Minor
  excess_minor: Minor
}

interface Share {
  subaccountId: number
  amount_minor: Minor
  fee_minor: Minor
  /** The amount taken by refunds that have not failed. */
  refunded_minor: Minor
}

/**
 * The amount that refunds or disputes have taken from a payment, excluding failed refunds and what
 * disputes gave back, and the overpaid part of that amount.
 */
interface Given {
  total_minor: Minor
  excess_minor: Minor
}

/**
 * Returns what each party still has of a payment. A share is worth its amount minus its fee.
 * Everything else, apart from an overpayment, comes from the business, including the fee, which the
 * operator keeps. Disputes only take from the business, which can then have nothing left.
 */
export function refundableParts(
  payment: Payment,
  shares: readonly Share[],
  given: Given,
  disputed: Given,
): RefundParts {
  const sum = (of: (share: Share) => Minor) =>
    shares.reduce((total, share) => total + of(share), 0n)
  const shared_minor = sum(({ amount_minor, fee_minor }) => amount_minor - fee_minor)
  const own_minor = payment.paid_minor - payment.excess_minor - shared_minor
  const ownGiven_minor =
    given.total_minor - given.excess_minor - sum(({ refunded_minor }) => refunded_minor)
  const left_minor = own_minor - ownGiven_minor - (disputed.total_minor - disputed.excess_minor)
  return {
    excess_minor: payment.excess_minor - given.excess_minor - disputed.excess_minor,
    business_minor: left_minor > 0n ? left_minor : 0n,
    shares: shares.map(({ subaccountId, amount_minor, fee_minor, refunded_minor }) => ({
      subaccountId,
      amount_minor: amount_minor - fee_minor - refunded_minor,
    })),
  }
}

/**
 * Divides a refund. The overpayment comes first, and the rest is divided in proportion to what each
 * party has left, by largest remainder. If remainders are equal, the odd kobo comes from the
 * business, then from the subaccount with the lower id. No party contributes more than it has left,
 * and a refund of everything empties all parts. The caller must ensure that enough is left;
 * otherwise, this throws.
 */
export function allocateRefund(amount_minor: Minor, left: RefundParts): RefundParts {
  const excess_minor = amount_minor < left.excess_minor ? amount_minor : left.excess_minor
  const rest_minor = amount_minor - excess_minor
  const sizes = [left.business_minor, ...left.shares.map((share) => share.amount_minor)]
  const all_minor = sizes.reduce((sum, size) => sum + size, 0n)
  if (rest_minor > all_minor) {
    throw new Error(`Only ${all_minor} of ${rest_minor} can still be refunded`)
  }
  const [business_minor = 0n, ...parts] = portions(rest_minor, sizes)
  return {
    excess_minor,
    business_minor,
    shares: left.shares.map(({ subaccountId }, i) => ({ subaccountId, amount_minor: parts[i]! })),
  }
}

/**
 * Takes money for refunds from all of these shares, or returns it to them. Throws if one of them
 * has too little.
 */
export async function changeShareBalances(
  tx: Tx,
  ids: Ids,
  kind: 'refund' | 'refund_failed',
  changes: readonly Omit<ShareChange, 'id'>[],
): Promise<void> {
  if (changes.length === 0) return
  const entries: ShareChange[] = []
  for (const change of changes) entries.push({ ...change, id: await ids.next(tx) })
  const changed = await changeShares(tx, kind, entries)
  if (changed !== entries.length) {
    const refunds = [...new Set(entries.map(({ refundId }) => refundId))]
    throw new Error(`${changed} of ${entries.length} shares were updated for refunds ${refunds}`)
  }
}
