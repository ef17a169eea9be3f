import type { Database } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'
import {
  type AccountRef,
  type Cause,
  clearingOf,
  type TenantJournal,
  type Through,
} from './ledger.ts'

export async function newTenant(db: Database, ids: Ids, live = false): Promise<Tenant> {
  const businessId = await ids.next()
  const now = new Date()
  await db.run`
    insert into businesses (id, reference, name, created_at, updated_at)
    values (${businessId}, ${`BUS_${businessId}`}, 'Ada Ventures', ${now}, ${now})`
  return { businessId, live }
}

export const wallet = (currency = 'NGN'): AccountRef => ({ kind: 'wallet_available', currency })
export const fees = (currency = 'NGN'): AccountRef => ({ kind: 'fees', currency })
export const refunds = (currency = 'NGN'): AccountRef => ({ kind: 'refunds', currency })
/** The simulator. */
export const through: Through = { connectionId: 1 }
export const provider = (currency = 'NGN'): AccountRef => clearingOf(through.connectionId, currency)
export const subaccount = (subjectId: number, currency = 'NGN'): AccountRef => ({
  kind: 'subaccount',
  subjectId,
  currency,
})

export const transfer = (id: number): Cause => ({ type: 'transfer', id })

/** A deposit, all of which goes into the wallet. */
export function funding(
  tenant: Tenant,
  id: number,
  amount_minor: Minor,
  currency = 'NGN',
): TenantJournal {
  const move = {
    debit: provider(currency),
    credit: wallet(currency),
    amount_minor,
    kind: 'deposit',
  }
  return { tenant, cause: { type: 'deposit', id }, verb: 'fund', now: new Date(), moves: [move] }
}
