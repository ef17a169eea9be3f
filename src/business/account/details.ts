import type { Db, Tx } from '../../db/database.ts'
import { noteRow } from '../../ledger/watched.ts'
import { type Fields, invalid } from '../../lib/problem.ts'
import { isEmail, isOneLine } from '../../lib/schemas.ts'
import { watchedBusinesses } from '../audit-log/audit.ts'
import {
  type CollectionRule,
  type FeeChannel,
  type FeeRules,
  printFees,
  readFees,
  readOwnFees,
  type TransferTier,
} from './fees.ts'
import {
  lockDetails,
  lockFees,
  selectBusinesses,
  selectFees,
  updateDetails,
  updateFees,
  updateRequiresTwoFactor,
} from './queries.ts'

/** What is absent stays as it is; null or '' is taken away, but of the name. */
type DetailsChange = { [Field in keyof Details]?: Details[Field] | null | undefined }

const COLUMNS = {
  name: 'name',
  email: 'email',
  phone: 'phone',
  firstName: 'first_name',
  lastName: 'last_name',
} as const

/**
 * Changes what a business is called and how it is reached, and answers which fields changed. Its
 * country, currency and status are the operator's. Throws 400 naming what cannot be.
 */
export async function changeDetails(
  tx: Tx,
  businessId: number,
  change: DetailsChange,
  now: Date,
): Promise<string[]> {
  const before = await lockDetails(tx, businessId)
  const row = { ...before }
  for (const [field, column] of Object.entries(COLUMNS)) {
    const value = change[field as keyof Details]
    if (value === undefined) continue
    const text = value?.trim() ?? ''
    if (column === 'name') row.name = text
    else row[column] = text || null
  }
  const faults = faultsOf({
    name: row.name,
    email: row.email ?? undefined,
    phone: row.phone ?? undefined,
    firstName: row.first_name ?? undefined,
    lastName: row.last_name ?? undefined,
  })
  // What was stored by other means is not in question, as long as it stays.
  const asked = Object.entries(faults).filter(
    ([field]) => change[field as keyof Details] !== undefined,
  )
  if (asked.length > 0) throw invalid(Object.fromEntries(asked))
  const changed = Object.entries(COLUMNS).filter(([, column]) => row[column] !== before[column])
  if (changed.length > 0) await updateDetails(tx, businessId, row, now)
  return changed.map(([field]) => field)
}

/** Who a business is. */
export interface Details {
  /** 1..200 characters. */
  name: string
  email?: string | undefined
  phone?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
}

const PHONE = /^\+?[0-9 ()-]{5,24}$/

/** What is wrong with them, by their names; empty when nothing is. */
export function faultsOf({ name, email, phone, firstName, lastName }: Details): Fields {
  const faults: Fields = {}
  if (!isOneLine(name, 200)) faults.name = ['must have 1 to 200 characters, on one line']
  if (email !== undefined && !isEmail(email)) faults.email = ['must be an e-mail address']
  if (phone !== undefined && !PHONE.test(phone)) faults.phone = ['must be a phone number']
  for (const [field, value] of Object.entries({ firstName, lastName })) {
    if (value !== undefined && !isOneLine(value, 100)) {
      faults[field] = ['must have 1 to 100 characters, on one line']
    }
  }
  return faults
}

/**
 * Sets whether a business requires a second factor; only by a session that has one if it does.
 * Answers whether that changed anything.
 */
export async function setRequiresTwoFactor(
  tx: Tx,
  businessId: number,
  sessionId: number,
  required: boolean,
): Promise<boolean> {
  const changed = await updateRequiresTwoFactor(tx, businessId, sessionId, required)
  if (changed) await noteRow(tx, watchedBusinesses, { businessId, live: false }, businessId)
  return changed
}

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
