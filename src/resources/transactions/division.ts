import type { Minor } from '../../lib/money.ts'
import type { TransactionRow } from './queries.ts'

/**
 * How a payment that came in is divided. With a fee of 1.5 % and ₦1,000 asked:
 *
 *     bearer     asked   received   offered   kept      fee     wallet    excess
 *     business   1,000   1,000      1,000     1,000     15.00   1,000        0
 *     business   1,000   1,200      1,000     1,000     15.00   1,000      200    too much
 *     business   1,000     400        400       400      6.00     400        0    a part
 *     business   1,000   1,000      1,000         0      0          0    1,000    nothing was due
 *     customer   1,015   1,015      1,000     1,000     15.00   1,015        0
 *     customer   1,015     406        400       400      6.00     406        0    a part
 *     customer   1,000   1,000      1,000     1,000     15.00   1,000        0    fees: 0
 *
 * asked: what the payer was told to pay; offered: the part of what came in that counts towards
 * what it is for; kept: what was still due of that; wallet: what goes into the wallet, from which
 * the fee is taken; excess: what is owed back. Received is wallet and excess together, always.
 */
export interface Division {
  kept_minor: Minor
  fee_minor: Minor
  wallet_minor: Minor
  excess_minor: Minor
}

/** What the operator takes of a payment of so much, by the rules of now. */
export type FeeOf = (amount_minor: Minor) => Minor

type Asked = Pick<TransactionRow, 'amount_minor' | 'fee_minor' | 'fee_bearer' | 'payable_minor'>

/**
 * The part of what came in that counts towards what it is for: never more than was asked. Where the
 * payer bears the fee it is the greatest amount that leaves room for its own fee.
 */
export function offeredOf(asked: Asked, received_minor: Minor, feeOf: FeeOf): Minor {
  if (received_minor >= asked.payable_minor) return asked.amount_minor
  if (asked.fee_bearer !== 'customer') return least(received_minor, asked.amount_minor)
  let fits = 0n
  let tooMuch = least(received_minor, asked.amount_minor) + 1n
  while (tooMuch - fits > 1n) {
    const middle = (fits + tooMuch) / 2n
    if (middle + feeOf(middle) <= received_minor) fits = middle
    else tooMuch = middle
  }
  return fits
}

/** The fee that was agreed when the payment began holds for the whole; a part has its own. */
export function divide(
  asked: Asked,
  received_minor: Minor,
  offered_minor: Minor,
  kept_minor: Minor,
  feeOf: FeeOf,
): Division {
  if (kept_minor === 0n) {
    return { kept_minor, fee_minor: 0n, wallet_minor: 0n, excess_minor: received_minor }
  }
  const isWhole = kept_minor === asked.amount_minor
  const fee_minor = isWhole ? asked.fee_minor : feeOf(kept_minor)
  if (asked.fee_bearer !== 'customer') {
    return {
      kept_minor,
      fee_minor,
      wallet_minor: kept_minor,
      excess_minor: received_minor - kept_minor,
    }
  }
  // Where the flat part of the fee sets in, no amount and its fee add up to what came in. What is
  // left over there, less than the flat part, is fee: it is no overpayment while more is due.
  const isPart = kept_minor === offered_minor && received_minor < asked.payable_minor
  const taken_minor = isPart ? received_minor - kept_minor : fee_minor
  // What the payer was asked for on top may be less than the fee: the business bears the rest.
  const onTop_minor = isWhole ? asked.payable_minor - asked.amount_minor : taken_minor
  const wallet_minor = kept_minor + onTop_minor
  return {
    kept_minor,
    fee_minor: taken_minor,
    wallet_minor,
    excess_minor: received_minor - wallet_minor,
  }
}

const least = (a: Minor, b: Minor): Minor => (a < b ? a : b)
