import type { Move, TenantJournal } from '../../ledger/ledger.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { Division } from './division.ts'
import type { TransactionRow } from './queries.ts'
import type { ShareRow } from './queries-shares.ts'
import { sumOf } from './sharing.ts'

/** What a payment does to the books, and what the business gets of it. */
export interface Entered {
  journal: TenantJournal
  /** What is new in the wallet; nothing when all of it went to subaccounts, fee or payer. */
  funded_minor: Minor
  /** What is new of subaccounts, the part of the fee that each bears taken off. */
  shared: { subaccountId: number; amount_minor: Minor }[]
}

/** The journal of a payment that came in, divided and shared out. */
export function entered(
  tenant: Tenant,
  { id, currency }: Pick<TransactionRow, 'id' | 'currency'>,
  division: Moved,
  shares: readonly Taken[],
  now: Date,
): Entered {
  const funded_minor = division.wallet_minor - division.fee_minor - netOfShares(shares)
  return {
    journal: {
      tenant,
      cause: { type: 'transaction', id },
      verb: 'settle',
      now,
      moves: settlementMoves(currency, division, shares),
      ...(funded_minor > 0n && { eventOn: { kind: 'wallet_available', currency } }),
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

type Moved = Pick<Division, 'wallet_minor' | 'fee_minor' | 'excess_minor'>
type Taken = Pick<ShareRow, 'subaccount_id' | 'amount_minor' | 'fee_minor'>

const netOfShares = (shares: readonly Taken[]) =>
  sumOf(shares.map(({ amount_minor, fee_minor }) => amount_minor - fee_minor))

/**
 * Provider → wallet what is the business's, provider → subaccount each share, wallet and subaccount
 * → fees what each bears of the fee, and provider → refunds what is owed back.
 */
export function settlementMoves(
  currency: string,
  { wallet_minor, fee_minor, excess_minor }: Moved,
  shares: readonly Taken[],
): Move[] {
  const provider = { kind: 'provider_clearing', currency } as const
  const wallet = { kind: 'wallet_available', currency } as const
  const fees = { kind: 'fees', currency } as const
  const own_minor = wallet_minor - sumOf(shares.map((share) => share.amount_minor))
  const ownFee_minor = fee_minor - sumOf(shares.map((share) => share.fee_minor))
  return [
    { debit: provider, credit: wallet, amount_minor: own_minor, kind: 'charge' },
    ...shares.flatMap(({ subaccount_id: subjectId, ...share }): Move[] => {
      const theirs = { kind: 'subaccount', currency, subjectId } as const
      return [
        { debit: provider, credit: theirs, amount_minor: share.amount_minor, kind: 'share' },
        { debit: theirs, credit: fees, amount_minor: share.fee_minor, kind: 'fee' },
      ]
    }),
    { debit: wallet, credit: fees, amount_minor: ownFee_minor, kind: 'fee' },
    {
      debit: provider,
      credit: { kind: 'refunds', currency },
      amount_minor: excess_minor,
      kind: 'overpayment',
    },
  ]
}
