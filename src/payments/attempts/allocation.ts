import type { Db, Tx } from '../../db/database.ts'
import { plainArray, textArray, timeArray } from '../../db/pg-arrays.ts'
import { sql } from '../../db/sql.ts'
import {
  type AccountRef,
  clearingOf,
  feeFromWallet,
  type Move,
  providerFeeMoves,
  type TenantJournal,
  type Through,
  walletOf,
} from '../../ledger/ledger.ts'
import type { Tenant } from '../../lib/caller.ts'
import {
  type BasisPoints,
  formatAmount,
  type Minor,
  portions,
  wholeUnits,
} from '../../lib/money.ts'
import { invalid } from '../../lib/problem.ts'
import { splitPageFor } from '../../money/split-pages/service.ts'
import { requireSubaccount } from '../../money/subaccounts/service.ts'
import type { TransactionRow } from './queries.ts'

/**
 * How a received payment is divided. With a fee of 1.5 % and a requested amount of ₦1,000:
 *
 *     bearer   requested received   allocated applied   fee     wallet    excess
 *     business   1,000   1,000      1,000     1,000     15.00   1,000        0
 *     business   1,000   1,200      1,000     1,000     15.00   1,000      200    overpaid
 *     business   1,000     400        400       400      6.00     400        0    partial payment
 *     business   1,000   1,000      1,000         0      0          0    1,000    nothing was due
 *     customer   1,015   1,015      1,000     1,000     15.00   1,015        0
 *     customer   1,015     406        400       400      6.00     406        0    partial payment
 *     customer   1,000   1,000      1,000     1,000     15.00   1,000        0    fees: 0
 *
 * requested: the amount that the payer had to pay; allocated: the part of the received money that
 * counts towards the payable; applied: the part of that which was still due; wallet: the amount for
 * the wallet, before the fee; excess: the amount to be returned. Wallet and excess always add up to
 * received.
 */
export interface Allocation {
  applied_minor: Minor
  fee_minor: Minor
  wallet_minor: Minor
  excess_minor: Minor
}

/** Returns the operator's fee for an amount under the current rules. */
export type FeeOf = (amount_minor: Minor) => Minor

type Amounts = Pick<TransactionRow, 'amount_minor' | 'fee_minor' | 'fee_bearer' | 'payable_minor'>

/**
 * Returns the part of the received money that counts towards the payable: at most the amount
 * requested. If the payer pays the fee, this is the largest amount that the received money covers
 * together with its fee.
 */
export function allocatedAmount(attempt: Amounts, received_minor: Minor, feeOf: FeeOf): Minor {
  if (received_minor >= attempt.payable_minor) return attempt.amount_minor
  if (attempt.fee_bearer !== 'customer') return least(received_minor, attempt.amount_minor)
  let fits = 0n
  let tooMuch = least(received_minor, attempt.amount_minor) + 1n
  while (tooMuch - fits > 1n) {
    const middle = (fits + tooMuch) / 2n
    if (middle + partFee(attempt, middle, feeOf) <= received_minor) fits = middle
    else tooMuch = middle
  }
  return fits
}

/**
 * A full payment incurs the fee agreed when it started. A partial payment incurs the fee for its
 * own amount, which is not more, even if the operator has raised the fees since.
 */
export function allocate(
  attempt: Amounts,
  received_minor: Minor,
  allocated_minor: Minor,
  applied_minor: Minor,
  feeOf: FeeOf,
): Allocation {
  if (applied_minor === 0n) {
    return { applied_minor, fee_minor: 0n, wallet_minor: 0n, excess_minor: received_minor }
  }
  const isWhole = applied_minor === attempt.amount_minor
  const fee_minor = isWhole ? attempt.fee_minor : partFee(attempt, applied_minor, feeOf)
  if (attempt.fee_bearer !== 'customer') {
    return {
      applied_minor,
      fee_minor,
      wallet_minor: applied_minor,
      excess_minor: received_minor - applied_minor,
    }
  }
  // Where the flat part of the fee starts to apply, there are received amounts that no amount plus
  // its fee adds up to. In that range, the remainder, which is less than the flat part, counts as
  // part of the fee. It is not an overpayment, because more is still due. If the operator has
  // lowered the fees, the remainder can also cover the whole amount, for less than the agreed fee.
  const left_minor = received_minor - applied_minor
  const isPart = applied_minor === allocated_minor && received_minor < attempt.payable_minor
  const taken_minor = isPart ? left_minor : fee_minor
  // If the payer was asked for only part of the fee on top, the business pays the rest.
  const asked_minor = isWhole ? attempt.payable_minor - attempt.amount_minor : taken_minor
  const onTop_minor = least(asked_minor, left_minor)
  const wallet_minor = applied_minor + onTop_minor
  return {
    applied_minor,
    fee_minor: taken_minor,
    wallet_minor,
    excess_minor: received_minor - wallet_minor,
  }
}

const partFee = ({ fee_minor }: Amounts, amount_minor: Minor, feeOf: FeeOf): Minor =>
  least(feeOf(amount_minor), fee_minor)

const least = (a: Minor, b: Minor): Minor => (a < b ? a : b)

/**
 * The share of each payment that a page gives to a subaccount: a percentage or a fixed amount in
 * naira.
 */
interface ShareRule {
  subaccountId: number
  share: number
}

/** What a subaccount gets from one payment, and the part of the fee that it pays. */
export interface Share extends ShareRule {
  amount_minor: Minor
  fee_minor: Minor
}

interface SharedAmount {
  amount_minor: Minor
  currency: string
  splitType: 'percentage' | 'fixed'
}

export type FeeBearer = 'business' | 'customer' | 'subaccounts'

/**
 * Returns each subaccount's share of a payment, by id; the business gets the rest. Of ₦100.03 at 33
 * % each (33.0099), two subaccounts get ₦66.01 together: the lower id gets 33.01 and the other
 * 33.00. Throws 400 naming `amount` if fixed shares exceed the payment.
 */
export function computeShares(
  { amount_minor, currency, splitType }: SharedAmount,
  promised: readonly ShareRule[],
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

const ALL_POINTS = 10_000

/** Returns the share of a subaccount that gets a payment less what the business keeps of it. */
export function shareOfPayee(
  { id, charge_basis_points }: { id: number; charge_basis_points: BasisPoints },
  amount_minor: Minor,
): Share {
  const points = ALL_POINTS - charge_basis_points
  // Shares are stored as whole percentages, but the amount is exact.
  const wholePercent = Math.floor(points / 100)
  return {
    subaccountId: id,
    share: wholePercent,
    amount_minor: (amount_minor * BigInt(points)) / BigInt(ALL_POINTS),
    fee_minor: 0n,
  }
}

/**
 * Charges the fee to the party that pays it: the payer, who pays it on top, the business or the
 * subaccounts. If the business's share does not cover the fee, the subaccounts pay the rest, and
 * vice versa, so that every payment covers its own fee. Subaccounts pay in proportion to their
 * shares.
 */
export function chargeFee<T extends { amount_minor: Minor }>(
  bearer: FeeBearer,
  fee_minor: Minor,
  shares: readonly T[],
  business_minor: Minor,
): (T & { fee_minor: Minor })[] {
  const amounts = shares.map(({ amount_minor }) => amount_minor)
  const parts = portions(fromShares(bearer, fee_minor, sumOf(amounts), business_minor), amounts)
  return shares.map((share, i) => ({ ...share, fee_minor: parts[i]! }))
}

/** Adds to each share its part of any fee that the payer does not pay on top. */
export function withFees<T extends { amount_minor: Minor }>(
  { amount_minor, fee_minor, fee_bearer, payable_minor }: TransactionRow,
  shares: readonly T[],
): (T & { fee_minor: Minor })[] {
  const own_minor = amount_minor - sumOf(shares.map((share) => share.amount_minor))
  // If the payer was asked for only part of the fee, the business pays the rest.
  const bearer = fee_bearer === 'customer' ? 'business' : fee_bearer
  return chargeFee(bearer, fee_minor - (payable_minor - amount_minor), shares, own_minor)
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

/**
 * Reduces the shares in proportion, by largest remainder, if only part of a payment was applied.
 */
export function reduceShares<T extends { amount_minor: Minor }>(
  shares: readonly T[],
  applied_minor: Minor,
  amount_minor: Minor,
): T[] {
  if (applied_minor === amount_minor) return [...shares]
  const parts = portions(
    applied_minor,
    shares.map((share) => share.amount_minor),
    amount_minor,
  )
  return shares.map((share, i) => ({ ...share, amount_minor: parts[i]! }))
}

export const sumOf = (parts: readonly Minor[]): Minor => parts.reduce((sum, part) => sum + part, 0n)

/** The ledger journal for a payment, and the resulting additions to balances. */
export interface PaymentJournal {
  journal: TenantJournal
  /** The amount added to the wallet; 0 if everything goes to subaccounts, the fee or the payer. */
  funded_minor: Minor
  /** The amounts added to subaccounts, after their part of the fee. */
  shared: { subaccountId: number; amount_minor: Minor }[]
}

export function paymentJournal(
  tenant: Tenant,
  { id, currency }: Pick<TransactionRow, 'id' | 'currency'>,
  division: Moved,
  shares: readonly Taken[],
  { through, now }: { through: Through; now: Date },
): PaymentJournal {
  const gained_minor = division.wallet_minor - division.fee_minor - netOfShares(shares)
  const funded_minor = gained_minor - feeFromWallet(through, gained_minor)
  return {
    journal: {
      tenant,
      cause: { type: 'transaction', id },
      verb: 'settle',
      now,
      moves: [
        ...settlementMoves(clearingOf(through.connectionId, currency), division, shares),
        ...providerFeeMoves(through, currency, gained_minor),
      ],
      ...(funded_minor > 0n && { eventOn: walletOf(currency) }),
    },
    funded_minor,
    shared: shares
      .map((share) => ({
        subaccountId: share.subaccount_id,
        amount_minor: share.amount_minor - share.fee_minor,
      }))
      .filter(({ amount_minor }) => amount_minor > 0n),
  }
}

type Moved = Pick<Allocation, 'wallet_minor' | 'fee_minor' | 'excess_minor'>
type Taken = Pick<ShareRow, 'subaccount_id' | 'amount_minor' | 'fee_minor'>

const netOfShares = (shares: readonly Taken[]) =>
  sumOf(shares.map(({ amount_minor, fee_minor }) => amount_minor - fee_minor))

/**
 * Builds the moves for a payment out of the account that has the money, `from`:
 * - `from` → wallet for the business's part
 * - `from` → subaccount for each share
 * - wallet and subaccounts → fees for their parts of the fee
 * - `from` → refunds for the amount to be returned
 */
export function settlementMoves(
  from: AccountRef,
  { wallet_minor, fee_minor, excess_minor }: Moved,
  shares: readonly Taken[],
): Move[] {
  const { currency } = from
  const wallet = walletOf(currency)
  const fees = { kind: 'fees', currency } as const
  const own_minor = wallet_minor - sumOf(shares.map((share) => share.amount_minor))
  const ownFee_minor = fee_minor - sumOf(shares.map((share) => share.fee_minor))
  return [
    { debit: from, credit: wallet, amount_minor: own_minor, kind: 'charge' },
    ...shares.flatMap(({ subaccount_id: subjectId, ...share }): Move[] => {
      const theirs = { kind: 'subaccount', currency, subjectId } as const
      return [
        { debit: from, credit: theirs, amount_minor: share.amount_minor, kind: 'share' },
        { debit: theirs, credit: fees, amount_minor: share.fee_minor, kind: 'fee' },
      ]
    }),
    { debit: wallet, credit: fees, amount_minor: ownFee_minor, kind: 'fee' },
    {
      debit: from,
      credit: { kind: 'refunds', currency },
      amount_minor: excess_minor,
      kind: 'overpayment',
    },
  ]
}

export interface ShareRow {
  transaction_id: number
  subaccount_id: number
  subaccount_code: string
  /** The agreed share, as a percentage or in naira. */
  share: number
  amount_minor: Minor
  /** The part of the payment's fee that the subaccount pays. */
  fee_minor: Minor
  /** The amount that refunds have taken from the share, excluding failed refunds. */
  refunded_minor: Minor
}

const SHARE = sql`s.transaction_id, s.subaccount_id, a.reference as subaccount_code, s.share,
  s.amount_minor, s.fee_minor, s.refunded_minor`

/** Selects the shares of several transactions, grouped by transaction and in subaccount order. */
export const sharesOf = (
  db: Db,
  { businessId, live }: Tenant,
  ids: readonly number[],
): Promise<Map<number, ShareRow[]>> =>
  sharesOfAll(
    db,
    ids.map((id) => ({ business_id: businessId, live, id })),
  )

/**
 * Like `sharesOf`, but for transactions of any tenant, which is possible because their ids are
 * unique.
 */
export async function sharesOfAll(
  db: Db,
  of: readonly { business_id: number; live: boolean; id: number }[],
): Promise<Map<number, ShareRow[]>> {
  if (of.length === 0) return new Map()
  const rows = await db.many<ShareRow>`
    select ${SHARE}
    from unnest(
      ${plainArray(of.map(({ business_id }) => business_id))}::bigint[],
      ${plainArray(of.map(({ live }) => live))}::boolean[],
      ${plainArray(of.map(({ id }) => id))}::bigint[]
    ) as w (business_id, live, transaction_id)
    join transaction_shares s using (business_id, live, transaction_id)
    join subaccounts a on (a.business_id, a.live, a.id) = (s.business_id, s.live, s.subaccount_id)
    order by s.transaction_id, s.subaccount_id`
  return Map.groupBy(rows, ({ transaction_id }) => transaction_id)
}

/** Selects the shares of one transaction. Skips the query if the payment is not shared. */
export async function sharesOfOne(
  db: Db,
  tenant: Tenant,
  { id, split_page_id, subaccount_id }: TransactionRow,
): Promise<ShareRow[]> {
  if (split_page_id === null && subaccount_id === null) return []
  return (await sharesOf(db, tenant, [id])).get(id) ?? []
}

/**
 * Computes the shares of a payment again, for the subaccounts of an earlier one. Its amounts are of
 * no use if it was returned in full, because its shares were then reduced to nothing.
 */
export async function computeAgain(
  db: Db,
  tenant: Tenant,
  { id, split_page_id, subaccount_id, currency }: TransactionRow,
  amount_minor: Minor,
): Promise<Share[]> {
  const agreed = (await sharesOf(db, tenant, [id])).get(id) ?? []
  const page = split_page_id === null ? undefined : await splitPageFor(db, tenant, split_page_id)
  if (page) {
    const rules = agreed.map(({ subaccount_id: subaccountId, share }) => ({ subaccountId, share }))
    return computeShares({ amount_minor, currency, splitType: page.splitType }, rules)
  }
  const payee = agreed.find((one) => one.subaccount_id === subaccount_id)
  if (!payee) return []
  return [shareOfPayee(await requireSubaccount(db, tenant, payee.subaccount_code), amount_minor)]
}

/** Returns the shares of a new payment as they will be stored, in subaccount order. */
export async function newShares(
  db: Db,
  { businessId, live }: Tenant,
  transactionId: number,
  shares: readonly Share[],
): Promise<ShareRow[]> {
  if (shares.length === 0) return []
  const codes = await db.many<{ id: number; reference: string }>`
    select id, reference from subaccounts
    where business_id = ${businessId} and live = ${live}
      and id = any(${shares.map(({ subaccountId }) => subaccountId)}::bigint[])`
  const codeOf = new Map(codes.map(({ id, reference }) => [id, reference]))
  return shares
    .map(({ subaccountId, ...share }) => ({
      transaction_id: transactionId,
      subaccount_id: subaccountId,
      subaccount_code: codeOf.get(subaccountId)!,
      ...share,
      refunded_minor: 0n,
    }))
    .sort((a, b) => a.subaccount_id - b.subaccount_id)
}

/** Updates the shares of a payment that brought in less than was agreed. */
export function updateShares(tx: Tx, { businessId, live }: Tenant, shares: readonly ShareRow[]) {
  return tx.run`
    update transaction_shares s
    set amount_minor = cut.amount_minor, fee_minor = cut.fee_minor
    from unnest(
      ${plainArray(shares.map((one) => one.transaction_id))}::bigint[],
      ${plainArray(shares.map((one) => one.subaccount_id))}::bigint[],
      ${plainArray(shares.map((one) => one.amount_minor))}::bigint[],
      ${plainArray(shares.map((one) => one.fee_minor))}::bigint[]
    ) as cut (transaction_id, subaccount_id, amount_minor, fee_minor)
    where s.business_id = ${businessId} and s.live = ${live}
      and s.transaction_id = cut.transaction_id and s.subaccount_id = cut.subaccount_id`
}

export interface ShareEntry extends Tenant {
  id: number
  subaccountId: number
  transactionId: number
  amount_minor: Minor
  currency: string
  /** When to settle the subaccount, unless a time is already set. */
  settleAt: Date
  now: Date
}

/**
 * Adds shares as entries to their subaccounts' balances, and sets a settlement time for subaccounts
 * that have none. A settlement time is never removed, so every share is settled.
 */
export async function insertEntries(tx: Tx, entries: readonly ShareEntry[]): Promise<void> {
  if (entries.length === 0) return
  const plain = (pick: (entry: ShareEntry) => number | bigint | boolean) =>
    plainArray(entries.map(pick))
  await tx.run`
    with entries as (
      select * from unnest(
        ${plain((entry) => entry.businessId)}::bigint[], ${plain((entry) => entry.live)}::boolean[],
        ${plain((entry) => entry.id)}::bigint[], ${plain((entry) => entry.subaccountId)}::bigint[],
        ${plain((entry) => entry.transactionId)}::bigint[],
        ${plain((entry) => entry.amount_minor)}::bigint[],
        ${textArray(entries.map(({ currency }) => currency))}::text[],
        ${timeArray(entries.map(({ settleAt }) => settleAt))}::timestamptz[],
        ${timeArray(entries.map(({ now }) => now))}::timestamptz[]
      ) as t (business_id, live, id, subaccount_id, transaction_id, amount_minor, currency,
              settle_at, created_at)
    ), due as (
      update subaccounts a set settle_at = first.settle_at
      from (
        select business_id, live, subaccount_id as id, min(settle_at) as settle_at
        from entries group by business_id, live, subaccount_id
      ) as first
      where (a.business_id, a.live, a.id) = (first.business_id, first.live, first.id)
        and a.settle_at is null
    )
    insert into subaccount_entries
      (business_id, live, id, subaccount_id, kind, transaction_id, amount_minor, currency,
       created_at)
    select business_id, live, id, subaccount_id, 'share', transaction_id, amount_minor, currency,
      created_at
    from entries`
}
