import type { Db, Tx } from '../../db/database.ts'
import { writeRowNote } from '../../ledger/row-notes.ts'
import { type Fields, invalid } from '../../lib/problem.ts'
import { isEmail, isOneLine } from '../../lib/schemas.ts'
import { protectedBusinesses } from '../audit-log/audit.ts'
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

/** Absent fields stay as they are; null or '' removes the value, except for the name. */
type DetailsChange = {
  [Field in keyof BusinessDetails]?: BusinessDetails[Field] | null | undefined
}

const COLUMNS = {
  name: 'name',
  email: 'email',
  phone: 'phone',
  firstName: 'first_name',
  lastName: 'last_name',
} as const

/**
 * Changes a business's name and contact details, and returns the changed fields. Only the operator
 * can change its country, currency and status. Throws 400 naming the invalid fields.
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
    const value = change[field as keyof BusinessDetails]
    if (value === undefined) continue
    const text = value?.trim() ?? ''
    if (column === 'name') row.name = text
    else row[column] = text || null
  }
  const faults = detailErrors({
    name: row.name,
    email: row.email ?? undefined,
    phone: row.phone ?? undefined,
    firstName: row.first_name ?? undefined,
    lastName: row.last_name ?? undefined,
  })
  // Checks only the fields in the request, because other stored values may break these rules.
  const asked = Object.entries(faults).filter(
    ([field]) => change[field as keyof BusinessDetails] !== undefined,
  )
  if (asked.length > 0) throw invalid(Object.fromEntries(asked))
  const changed = Object.entries(COLUMNS).filter(([, column]) => row[column] !== before[column])
  if (changed.length > 0) await updateDetails(tx, businessId, row, now)
  return changed.map(([field]) => field)
}

export interface BusinessDetails {
  /** 1 to 200 characters. */
  name: string
  email?: string | undefined
  phone?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
}

const PHONE = /^\+?[0-9 ()-]{5,24}$/

/** Returns the errors in the details, by field. Empty if there are none. */
export function detailErrors({ name, email, phone, firstName, lastName }: BusinessDetails): Fields {
  const faults: Fields = {}
  if (!isOneLine(name, 200)) faults.name = ['must be a single line of 1 to 200 characters']
  if (email !== undefined && !isEmail(email)) faults.email = ['must be an email address']
  if (phone !== undefined && !PHONE.test(phone)) faults.phone = ['must be a phone number']
  for (const [field, value] of Object.entries({ firstName, lastName })) {
    if (value !== undefined && !isOneLine(value, 100)) {
      faults[field] = ['must be a single line of 1 to 100 characters']
    }
  }
  return faults
}

/**
 * Sets whether a business requires two-factor authentication. Only a session with a second factor
 * can switch this on. Returns whether the setting changed.
 */
export async function setRequiresTwoFactor(
  tx: Tx,
  businessId: number,
  sessionId: number,
  required: boolean,
): Promise<boolean> {
  const changed = await updateRequiresTwoFactor(tx, businessId, sessionId, required)
  if (changed) await writeRowNote(tx, protectedBusinesses, { businessId, live: false }, businessId)
  return changed
}

/** Lists every business on this server, oldest first. Only for the operator. */
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

/** The operator's fees for a business: those agreed with it or the default. */
export interface BusinessFees {
  businessId: number
  name: string
  isDefault: boolean
  rules: FeeRules
}

/** Returns undefined if the business does not exist. */
export async function feesOf(db: Db, businessId: number): Promise<BusinessFees | undefined> {
  const row = await selectFees(db, businessId)
  if (!row) return undefined
  const { name, fees } = row
  return { businessId, name, isDefault: fees === null, rules: readFees(fees) }
}

/** Absent fields stay the same. */
export interface FeeChange {
  /** The channel to change; if absent, all channels without their own rule. */
  channel?: FeeChannel
  /** The parts of the rule to change; null removes the channel's rule. */
  rule?: Partial<CollectionRule> | null
  transfers?: readonly TransferTier[]
}

/** Changes a business's fees; `null` restores the defaults. Returns the fees after the change. */
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

/** Returns only the fees agreed with this business. */
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
