import { formatAmount, type Minor, portions, wholeUnits } from '../../lib/money.ts'
import { invalid } from '../../lib/problem.ts'

/** What one subaccount was promised, as its page says: percent, or naira where that is fixed. */
export interface Promised {
  subaccountId: number
  share: number
}

/** What it gets of one payment, and which part of the fee it bears. */
export interface Share extends Promised {
  amount_minor: Minor
  fee_minor: Minor
}

interface Shared {
  amount_minor: Minor
  currency: string
  splitType: 'percentage' | 'fixed'
}

export type FeeBearer = 'business' | 'customer' | 'subaccounts'

/**
 * What each subaccount gets of a payment, by their ids; what is left over is the business's. Of
 * ₦100.03 at 33 % each, 33.0099, two get ₦66.01 together: 33.01 the lower id, and 33.00 the other.
 * Throws 400 naming `amount` when fixed shares come to more than the payment.
 */
export function shareOut(
  { amount_minor, currency, splitType }: Shared,
  promised: readonly Promised[],
): Share[] {
  const sorted = promised.toSorted((a, b) => a.subaccountId - b.subaccountId)
  const parts =
    splitType === 'percentage'
      ? portions(
          amount_minor,
          sorted.map(({ share }) => BigInt(share)),
          100n,
        )
      : sorted.map(({ share }) => wholeUnits(share, currency))
  const shared_minor = sumOf(parts)
  if (shared_minor > amount_minor) {
    const least = formatAmount(shared_minor, currency)
    throw invalid({ amount: [`must be at least ${least}, which is the total of the shares`] })
  }
  return sorted.map((one, i) => ({ ...one, amount_minor: parts[i]!, fee_minor: 0n }))
}

/**
 * Takes the fee from its bearer: on top from the payer, from the business's own part as far as that
 * goes, or from the shares as far as those go. What its bearer cannot cover the other one bears, so
 * that each payment settles from its own money. Among shares it is divided by what they get.
 */
export function bearFee<T extends { amount_minor: Minor }>(
  bearer: FeeBearer,
  fee_minor: Minor,
  shares: readonly T[],
  business_minor: Minor,
): (T & { fee_minor: Minor })[] {
  const amounts = shares.map(({ amount_minor }) => amount_minor)
  const parts = portions(fromShares(bearer, fee_minor, sumOf(amounts), business_minor), amounts)
  return shares.map((share, i) => ({ ...share, fee_minor: parts[i]! }))
}

function fromShares(
  bearer: FeeBearer,
  fee_minor: Minor,
  shared_minor: Minor,
  business_minor: Minor,
): Minor {
  if (bearer === 'customer') return 0n
  if (bearer === 'subaccounts') return fee_minor < shared_minor ? fee_minor : shared_minor
  return fee_minor > business_minor ? fee_minor - business_minor : 0n
}

/** The shares of a payment of which only a part was kept: in proportion, by largest remainder. */
export function cutShares<T extends { amount_minor: Minor }>(
  shares: readonly T[],
  kept_minor: Minor,
  amount_minor: Minor,
): T[] {
  if (kept_minor === amount_minor) return [...shares]
  const parts = portions(
    kept_minor,
    shares.map((share) => share.amount_minor),
    amount_minor,
  )
  return shares.map((share, i) => ({ ...share, amount_minor: parts[i]! }))
}

export const sumOf = (parts: readonly Minor[]): Minor => parts.reduce((sum, part) => sum + part, 0n)
