import type { Db } from '../../db/database.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { amountsOf, type Minor, toAmount } from '../../lib/money.ts'
import { notFound } from '../../lib/problem.ts'
import {
  type MoveRow,
  selectAccounts,
  selectEntry,
  selectJournal,
  selectSteps,
  selectSubaccountAccounts,
  sumSubaccounts,
} from './queries.ts'
import { accountNamed, balanceOf, type MoveRecord, moveRecords } from './record.ts'

/**
 * Returns a movement with everything that was posted with it, the total debits and credits of each
 * account, and the other journals with the same cause. Throws 404.
 */
export async function getEntry(db: Db, caller: Caller, reference: string) {
  const id = Number(/^LED_(\d{1,15})$/.exec(reference)?.[1] ?? 0)
  const entry = await selectEntry(db, caller, id)
  if (!entry) throw notFound('ledger_entry')
  const rows = await selectJournal(db, caller, entry.journal_id)
  const records = await moveRecords(db, caller, rows)
  const at = rows.findIndex((row) => row.id === id)
  const { cause_type: type, cause_id } = rows[at]!
  const steps = await selectSteps(db, caller, { type, id: cause_id })
  return {
    ...records[at]!,
    verb: rows[at]!.verb,
    sealed: entry.seal === null ? null : { number: entry.seal, at: entry.sealed_at },
    moves: records,
    total: toAmount(
      rows.reduce((sum, { amount_minor }) => sum + amount_minor, 0n),
      rows[0]!.currency,
    ),
    sums: sumsOf(rows, records),
    steps: steps.map((step) => ({
      reference: `LED_${step.entry_id}`,
      verb: step.verb,
      createdAt: step.created_at,
      isThis: step.id === entry.journal_id,
    })),
  }
}

/** Returns each account's total debits and credits, in order of appearance. */
function sumsOf(rows: readonly MoveRow[], records: readonly MoveRecord[]) {
  const sums = new Map<number, Sum>()
  const add = (id: number, account: MoveRecord['from'], debit: Minor, credit: Minor) => {
    const sum = sums.get(id) ?? { account, debit: 0n, credit: 0n }
    sums.set(id, { account, debit: sum.debit + debit, credit: sum.credit + credit })
  }
  for (const [i, row] of rows.entries()) {
    const { from, to } = records[i]!
    add(row.debit_account_id, from, row.amount_minor, 0n)
    add(row.credit_account_id, to, 0n, row.amount_minor)
  }
  const { currency } = rows[0]!
  return [...sums.values()].map(({ account, debit, credit }) => ({
    account,
    ...amountsOf(currency, { debit, credit }),
  }))
}

interface Sum {
  account: MoveRecord['from']
  /** The totals in minor units. */
  debit: Minor
  credit: Minor
}

/** How many subaccounts are listed. Every subaccount's own screen links to its entries. */
const SUBACCOUNTS_SHOWN = 100

/**
 * Lists the business's accounts with their balances. Subaccounts share one row, which shows how
 * many there are; the first few by name are listed separately.
 */
export async function listAccounts(db: Db, tenant: Tenant) {
  const [own, together, subaccounts] = await Promise.all([
    selectAccounts(db, tenant, undefined),
    sumSubaccounts(db, tenant),
    selectSubaccountAccounts(db, tenant, SUBACCOUNTS_SHOWN),
  ])
  return {
    accounts: [
      ...own.map((account) => ({
        ...accountNamed(account, undefined),
        count: 1,
        ...balanceOf(account),
      })),
      ...together.map(({ count, ...sum }) => ({
        kind: 'subaccount',
        subaccount: null,
        connection: null,
        count,
        ...balanceOf({ kind: 'subaccount', ...sum }),
      })),
    ],
    subaccounts: subaccounts.map((row) => ({
      ...accountNamed(row, row),
      ...balanceOf(row),
    })),
  }
}
