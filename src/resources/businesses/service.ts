import type { Db, Tx } from '../../db/database.ts'
import {
  type CollectionRule,
  type FeeChannel,
  type FeeRules,
  printFees,
  readFees,
  readOwnFees,
  type TransferTier,
} from './fees.ts'
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

/** What becomes other; all else stays as it is. */
export interface FeeChange {
  /** Of this channel; of all channels without a rule of their own when absent. */
  channel?: FeeChannel
  /** Parts of the rule; null takes that of the channel away. */
  rule?: Partial<CollectionRule> | null
  transfers?: readonly TransferTier[]
}

/** Changes the fees of a business; `null` goes back to the defaults. As `feesOf`. */
export async function changeFees(
  tx: Tx,
  businessId: number,
  change: FeeChange | null,
  now: Date,
): Promise<BusinessFees | undefined> {
  const row = await lockFees(tx, businessId)
  if (!row) return undefined
  const own = change ? changed(row.fees, change) : {}
  const stored = Object.keys(own).length > 0 ? printFees(own) : null
  await updateFees(tx, businessId, stored, now)
  return { businessId, name: row.name, isDefault: stored === null, rules: readFees(stored) }
}

/** Only what was agreed with this business. */
function changed(fees: string | null, { channel, rule, transfers }: FeeChange): Partial<FeeRules> {
  const { collections, channels } = readFees(fees)
  const own = { ...readOwnFees(fees), ...(transfers && { transfers }) }
  if (rule === undefined) return own
  if (!channel) return { ...own, collections: { ...collections, ...rule } }

  const { [channel]: _, ...others } = own.channels ?? {}
  const mine = rule && { [channel]: { ...collections, ...channels[channel], ...rule } }
  const { channels: __, ...rest } = own
  const now = { ...others, ...mine }
  return Object.keys(now).length > 0 ? { ...rest, channels: now } : rest
}
