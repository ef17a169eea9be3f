import type { Db } from '../db/database.ts'
import type { Tenant } from '../lib/tenant.ts'
import { accountNamed, balanceOf } from './ledger-record.ts'
import { selectOwnAccounts, selectSubaccountAccounts, sumSubaccounts } from './queries-accounts.ts'

/** So many can be chosen from; of others the screen of the subaccount leads to their entries. */
const SUBACCOUNTS_SHOWN = 100

/**
 * What the business has in which account. Subaccounts are one row together, with their number, and
 * the first of them by name beside it.
 */
export async function listAccounts(db: Db, tenant: Tenant) {
  const [own, together, subaccounts] = await Promise.all([
    selectOwnAccounts(db, tenant, undefined),
    sumSubaccounts(db, tenant),
    selectSubaccountAccounts(db, tenant, SUBACCOUNTS_SHOWN),
  ])
  return {
    accounts: [
      ...own.map((account) => ({ kind: account.kind, count: 1, ...balanceOf(account) })),
      ...together.map(({ count, ...sum }) => ({
        kind: 'subaccount',
        count,
        ...balanceOf({ kind: 'subaccount', ...sum }),
      })),
    ],
    subaccounts: subaccounts.map((row) => ({
      ...accountNamed(row.kind, row),
      ...balanceOf(row),
    })),
  }
}
