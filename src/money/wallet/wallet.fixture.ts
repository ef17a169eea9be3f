import type { Database } from '../../db/database.ts'
import { balanceOf } from '../ledger-book/record.ts'

/**
 * The balances of a business's ledger accounts in minor units, by kind and, for the accounts of a
 * connection, its id: `wallet_available`, `provider_clearing 7`. Leaves out empty accounts and the
 * opening balance.
 */
export async function balancesIn(
  db: Database,
  { businessId }: { businessId: number },
): Promise<Record<string, number>> {
  const accounts = await db.many<{
    kind: string
    subject_id: number
    currency: string
    balance_minor: bigint
  }>`
    select kind, subject_id, currency, credits_minor - debits_minor as balance_minor
    from ledger_accounts where business_id = ${businessId} order by kind, subject_id`
  const opening = await db.maybe<{ amount_minor: bigint }>`
    select amount_minor from ledger_transfers
    where business_id = ${businessId} and kind = 'opening'`
  const opened = Number(opening?.amount_minor ?? 0)
  const balances = accounts.map((account) => {
    const name = `${account.kind} ${account.subject_id || ''}`.trim()
    const isOpened = ['wallet_available', 'provider_clearing 1'].includes(name)
    return [name, balanceOf(account).balanceMinor - (isOpened ? opened : 0)] as const
  })
  return Object.fromEntries(balances.filter(([, minor]) => minor !== 0))
}
