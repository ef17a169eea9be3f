import type { Db, Tx } from '../../db/database.ts'
import { type CollectionRule, type FeeRules, printFees, readFees, readOwnFees } from './fees.ts'
import { lockFees, selectBusinesses, selectFees, updateFees } from './queries.ts'

/** Every business of this server, oldest first; for its operator alone. */
export async function listBusinesses(db: Db) {
  const rows = await selectBusinesses(db)
  return rows.map((row) => ({
    businessId: row.id,
    reference: row.reference,
    name: row.name,
    status: row.status,
    email: row.email,
    phone: row.phone,
    firstName: row.first_name,
    lastName: row.last_name,
    country: row.country,
    currency: row.currency,
    createdAt: row.created_at,
  }))
}

/** What the operator takes of a business, and whether that is its own rule or the default. */
export interface BusinessFees {
  businessId: number
  name: string
  isDefault: boolean
  rules: FeeRules
}

/** Undefined for a business that is not there. */
export async function feesOf(db: Db, businessId: number): Promise<BusinessFees | undefined> {
  const row = await selectFees(db, businessId)
  if (!row) return undefined
  const { name, fees } = row
  return { businessId, name, isDefault: fees === null, rules: readFees(fees) }
}

/** Changes parts of the rule for collections; `null` goes back to the defaults. As `feesOf`. */
export async function changeFees(
  tx: Tx,
  businessId: number,
  change: Partial<CollectionRule> | null,
  now: Date,
): Promise<BusinessFees | undefined> {
  const row = await lockFees(tx, businessId)
  if (!row) return undefined
  const { collections } = readFees(row.fees)
  const own = { ...readOwnFees(row.fees), collections: { ...collections, ...change } }
  const stored = change && printFees(own)
  await updateFees(tx, businessId, stored, now)
  return { businessId, name: row.name, isDefault: stored === null, rules: readFees(stored) }
}
