import type { Db } from '../../db/database.ts'
import { parseAmount, toAmount } from '../../lib/money.ts'
import type { Caller } from '../../lib/tenant.ts'
import { requireCarried } from '../../providers/currencies.ts'
import { wouldNeedApproval } from '../approval/rule.ts'
import { transferFee } from '../businesses/fees.ts'
import { termsOf } from '../businesses/terms.ts'
import type { Deps } from '../deps.ts'
import type { TransferCostQuery } from './schemas.ts'

/**
 * What a transfer of an amount would come to now; moves nothing. Throws 400 for a currency that
 * there is not.
 */
export async function transferCost(
  { db, people }: { db: Db; people: Deps['people'] },
  caller: Caller,
  query: TransferCostQuery,
) {
  const { currency } = query
  requireCarried(currency)
  const amount_minor = parseAmount(query.amount, currency)
  const { fee_rules } = await termsOf(db, caller)
  const fee_minor = transferFee(fee_rules, amount_minor, currency)
  const total_minor = amount_minor + fee_minor
  return {
    amount: toAmount(amount_minor, currency),
    amountMinor: Number(amount_minor),
    fee: toAmount(fee_minor, currency),
    feeMinor: Number(fee_minor),
    total: toAmount(total_minor, currency),
    totalMinor: Number(total_minor),
    currency,
    needsApproval: await wouldNeedApproval(db, people, caller, { amount_minor, currency }),
  }
}
