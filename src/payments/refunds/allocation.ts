import type { Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import type { Tenant } from '../../lib/caller.ts'
import { type Minor, portions } from '../../lib/money.ts'
import { changeShares, type ShareChange } from './queries.ts'

/** What an overpayment, the business and each subaccount have of a payment, or give back of it. */
export interface Parts {
  /** Of what was overpaid, and is owed back anyway. */
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
  /** What refunds took of it that have not failed. */
  refunded_minor: Minor
}

/** What refunds took of a payment that have not failed, and how much of that was overpaid. */
interface Given {
  total_minor: Minor
  excess_minor: Minor
}

/**
 * What everybody has left of a payment. A share has its amount less its fee. All else that was not
 * overpaid is the business's to give back, the fee too: the operator keeps that.
 */
export function leftOf(payment: Payment, shares: readonly Share[], given: Given): Parts {
  const sum = (of: (share: Share) => Minor) =>
    shares.reduce((total, share) => total + of(share), 0n)
  const shared_minor = sum(({ amount_minor, fee_minor }) => amount_minor - fee_minor)
  const own_minor = payment.paid_minor - payment.excess_minor - shared_minor
  const ownGiven_minor =
    given.total_minor - given.excess_minor - sum(({ refunded_minor }) => refunded_minor)
  return {
    excess_minor: payment.excess_minor - given.excess_minor,
    business_minor: own_minor - ownGiven_minor,
    shares: shares.map(({ subaccountId, amount_minor, fee_minor, refunded_minor }) => ({
      subaccountId,
      amount_minor: amount_minor - fee_minor - refunded_minor,
    })),
  }
}

/**
 * Who gives how much of a refund: what was overpaid first, the rest in proportion to what each has
 * left, by largest remainder; of equals the business gives the odd kobo, then the lower subaccount.
 * Nobody gives more than is left, and a refund of all that is left empties everybody. Throws when
 * that is not enough, which its caller has excluded.
 */
export function divideRefund(amount_minor: Minor, left: Parts): Parts {
  const excess_minor = amount_minor < left.excess_minor ? amount_minor : left.excess_minor
  const rest_minor = amount_minor - excess_minor
  const sizes = [left.business_minor, ...left.shares.map((share) => share.amount_minor)]
  const all_minor = sizes.reduce((sum, size) => sum + size, 0n)
  if (rest_minor > all_minor) {
    throw new Error(`Only ${all_minor} is left for a refund of ${rest_minor}`)
  }
  const [business_minor = 0n, ...parts] = portions(rest_minor, sizes)
  return {
    excess_minor,
    business_minor,
    shares: left.shares.map(({ subaccountId }, i) => ({ subaccountId, amount_minor: parts[i]! })),
  }
}

/** Takes from, or gives back to, every one of these shares; throws when one has not so much. */
export async function changeEach(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  change: Omit<ShareChange, 'shares'>,
  giving: readonly { subaccountId: number; amount_minor: Minor }[],
): Promise<void> {
  const shares: ShareChange['shares'][number][] = []
  for (const share of giving) shares.push({ ...share, id: await ids.next(tx) })
  const changed = await changeShares(tx, tenant, { ...change, shares })
  if (changed !== giving.length) {
    throw new Error(`${changed} of ${giving.length} shares changed for refund ${change.refundId}`)
  }
}
