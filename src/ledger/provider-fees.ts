import type { Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'
import { type AccountRef, clearingOf, walletOf } from './accounts.ts'
import { type Cause, type Move, postJournals } from './posting.ts'
import { selectBookedFees } from './queries.ts'

/** The connection through which money moved, and what its provider took for that. */
export interface Through {
  connectionId: number
  /** Null until the provider says. Fees are never calculated. */
  fee_minor?: Minor | null | undefined
  /** Default: the business. */
  feesPaidBy?: 'business' | 'operator' | undefined
}

/** The kind of the moves, and the verb of a journal that has only these. */
const PROVIDER_FEE = 'provider_fee'

/**
 * Returns the moves for a provider's fee; none if it is not known. The fee leaves what the provider
 * holds for the business. If the business pays it, the wallet pays as much of it as the journal
 * adds to the wallet (`gained_minor`), so that a payment that belongs to subaccounts still settles.
 * The job `recoveries` takes the rest from the wallet.
 */
export function providerFeeMoves(
  through: Through,
  currency: string,
  gained_minor: Minor = 0n,
): Move[] {
  const { connectionId, fee_minor } = through
  if (!fee_minor) return []
  const fees: AccountRef = { kind: 'provider_fees', subjectId: connectionId, currency }
  const clearing = clearingOf(connectionId, currency)
  const paid_minor = feeFromWallet(through, gained_minor)
  return [
    { debit: fees, credit: clearing, amount_minor: fee_minor, kind: PROVIDER_FEE },
    { debit: walletOf(currency), credit: fees, amount_minor: paid_minor, kind: PROVIDER_FEE },
  ]
}

/** Returns the part of a provider's fee that the wallet pays at once. */
export function feeFromWallet({ fee_minor, feesPaidBy }: Through, gained_minor: Minor): Minor {
  if (!fee_minor || feesPaidBy === 'operator') return 0n
  return fee_minor < gained_minor ? fee_minor : gained_minor
}

/**
 * Books a fee that the provider named after the record had ended. Returns false if there is no fee,
 * or if a fee of this record has been booked before.
 */
export async function bookProviderFee(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  { through, currency, ...of }: { cause: Cause; through: Through; currency: string; now: Date },
): Promise<boolean> {
  const moves = providerFeeMoves(through, currency)
  if (moves.length === 0) return false
  const booked = await selectBookedFees(tx, tenant, through.connectionId, [of.cause])
  if (booked.length > 0) return false
  const [posted] = await postJournals(tx, ids, [{ ...of, tenant, verb: PROVIDER_FEE, moves }])
  return posted !== undefined
}
