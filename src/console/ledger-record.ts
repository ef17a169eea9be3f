import type { Db } from '../db/database.ts'
import { toAmount } from '../lib/money.ts'
import type { Caller } from '../lib/tenant.ts'
import { codesOf, type SubaccountCode } from '../resources/subaccounts/service.ts'
import { causeKey, referencesOf } from '../resources/wallet/ledger.ts'
import { growsByDebits } from './ledger-filter.ts'
import { may } from './may.ts'
import type { AccountRow } from './queries-accounts.ts'
import { selectNames } from './queries-causes.ts'
import type { MoveRow } from './queries-ledger.ts'
import { SCREENS } from './screens.ts'

/** An account as it is named: what it is, and whose where it is a subaccount's. */
export interface NamedAccount {
  kind: string
  subaccount: { code: string; name: string } | null
}

export interface MoveRecord {
  id: number
  reference: string
  kind: string
  amount: number
  amountMinor: number
  currency: string
  /** Whose balance fell, and whose rose. */
  from: NamedAccount
  to: NamedAccount
  /** Without a name where the role may not see what it is. */
  cause: { type: string; id: number; reference: string | null; name: string | null }
  createdAt: Date
}

/** Movements as they are shown: with the names of their accounts, and what caused them. */
export async function moveRecords(
  db: Db,
  caller: Caller,
  rows: readonly MoveRow[],
): Promise<MoveRecord[]> {
  const ids = rows
    .flatMap((row) => [row.debit_subject, row.credit_subject])
    .filter((id) => id !== 0)
  const names = await codesOf(db, caller, [...new Set(ids)])
  const references = await referencesOf(db, caller, rows)
  const called = await namesOf(db, caller, rows)
  return rows.map((row) => ({
    id: row.id,
    reference: `LED_${row.id}`,
    kind: row.kind,
    amount: toAmount(row.amount_minor, row.currency),
    amountMinor: Number(row.amount_minor),
    currency: row.currency,
    from: accountNamed(row.debit_kind, names.get(row.debit_subject)),
    to: accountNamed(row.credit_kind, names.get(row.credit_subject)),
    cause: {
      type: row.cause_type,
      id: row.cause_id,
      reference: references.get(causeKey(row)) ?? null,
      name: called.get(causeKey(row)) ?? null,
    },
    createdAt: row.created_at,
  }))
}

/** What people call what caused these: one query for each type that the role may see. */
async function namesOf(
  db: Db,
  caller: Caller,
  rows: readonly MoveRow[],
): Promise<Map<string, string | null>> {
  const names = new Map<string, string | null>()
  for (const [type, caused] of Map.groupBy(rows, ({ cause_type }) => cause_type)) {
    const scope = SCREENS[type]?.scope
    if (!scope || !may(caller, scope)) continue
    const ids = [...new Set(caused.map(({ cause_id }) => cause_id))]
    for (const { id, name } of await selectNames(db, caller, type, ids)) {
      names.set(causeKey({ cause_type: type, cause_id: id }), name)
    }
  }
  return names
}

export const accountNamed = (kind: string, of: SubaccountCode | undefined): NamedAccount => ({
  kind,
  subaccount: of ? { code: of.reference, name: of.business_name } : null,
})

/** A balance as people take it: what is at the provider is there, and not owed. */
export function balanceOf({
  kind,
  currency,
  balance_minor,
}: Pick<AccountRow, 'kind' | 'currency' | 'balance_minor'>) {
  const minor = growsByDebits(kind) ? -balance_minor : balance_minor
  return { currency, balance: toAmount(minor, currency), balanceMinor: Number(minor) }
}
