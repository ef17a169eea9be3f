import type { Db } from '../../db/database.ts'
import { isCurrency, type Minor, parseAmount, toAmount } from '../../lib/money.ts'
import { invalid } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { transferFee } from '../businesses/fees.ts'
import { type Terms, termsOf } from '../businesses/terms.ts'
import type { TransferCostQuery } from './schemas.ts'

/**
 * What a transfer of an amount comes to by the terms of a business: asked beforehand and taken
 * alike, so that nobody is shown another fee than the one that is taken.
 */
export function costOf(
  { fee_rules, transfer_approval_above_minor: above_minor, currency: own }: Terms,
  amount_minor: Minor,
  currency: string,
): { fee_minor: Minor; needsApproval: boolean } {
  return {
    fee_minor: transferFee(fee_rules, amount_minor, currency),
    // The limit is in the business's currency; nobody has agreed to any amount of another one.
    needsApproval: above_minor !== null && (amount_minor > above_minor || currency !== own),
  }
}

/** The same for somebody who asks; moves nothing. Throws 400 for a currency that there is not. */
export async function transferCost(db: Db, tenant: Tenant, query: TransferCostQuery) {
  const { currency } = query
  if (!isCurrency(currency)) throw invalid({ currency: ['must be an ISO 4217 currency code'] })
  const amount_minor = parseAmount(query.amount, currency)
  const { fee_minor, needsApproval } = costOf(await termsOf(db, tenant), amount_minor, currency)
  const total_minor = amount_minor + fee_minor
  return {
    amount: toAmount(amount_minor, currency),
    amountMinor: Number(amount_minor),
    fee: toAmount(fee_minor, currency),
    feeMinor: Number(fee_minor),
    total: toAmount(total_minor, currency),
    totalMinor: Number(total_minor),
    currency,
    needsApproval,
  }
}
