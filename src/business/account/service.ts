import { randomBytes } from 'node:crypto'
import type { Db, Tx } from '../../db/database.ts'
import { type Deps, PAYOUTS_PAUSED_MS } from '../../deps.ts'
import { lastFour } from '../../encryption/account-numbers.ts'
import type { EncryptedColumn } from '../../encryption/columns.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { writeRowNote } from '../../ledger/row-notes.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { addMs, type Clock } from '../../lib/clock.ts'
import { timeZoneNamed } from '../../lib/dates.ts'
import { type Fields, invalid, Problem, unavailable } from '../../lib/problem.ts'
import { isEmail, isOneLine } from '../../lib/schemas.ts'
import { askHolder } from '../../providers/account-holder.ts'
import { bankNamed } from '../../providers/banks/banks.ts'
import type { AccountHolder, Providers } from '../../providers/connector/types.ts'
import { protectedBusinesses } from '../audit-log/audit.ts'
import { forgetKeysOf } from '../keys/authenticate.ts'
import { startOfLimitDay } from './approval.ts'
import { protectedSettings } from './audit.ts'
import { changeSeries, getSeries, type Series } from './invoice-series.ts'
import {
  type CollectionRule,
  clockOffsetMs,
  type FeeChannel,
  type FeeRules,
  printFees,
  readFees,
  readOwnFees,
  type TransferTier,
} from './payment-settings.ts'
import {
  NO_NUMBER,
  scheduleColumns,
  settlementNumber,
  settlementNumberOf,
} from './payout-schedule.ts'
import {
  lockDetails,
  lockFees,
  lockSettings,
  type SettingsRow,
  selectBusinesses,
  selectFees,
  selectOldSecrets,
  selectProfile,
  selectRedirectSecrets,
  selectSettings,
  updateDetails,
  updateFees,
  updateOldSecret,
  updateRedirectSecret,
  updateRequiresTwoFactor,
  updateSettings,
} from './queries.ts'
import { changeLimits, profileRecord, settingsRecord } from './record.ts'
import type { SettingsChange } from './schemas.ts'

export async function getProfile(db: Db, caller: Caller) {
  return profileRecord(await selectProfile(db, caller), caller)
}

export async function getSettings({ db, keyring }: Pick<Deps, 'db' | 'keyring'>, caller: Caller) {
  const [row, series] = await Promise.all([selectSettings(db, caller), getSeries(db, caller)])
  return shown(db, keyring, caller, row, series)
}

const shown = async (db: Db, keyring: Keyring, caller: Caller, row: SettingsRow, series: Series) =>
  settingsRecord(row, {
    accountNumber: await settlementNumberOf(db, keyring, caller, row),
    secret: await secretFor(db, keyring, caller, row),
    series,
  })

/**
 * Keys that can change settings receive the secret. Members only see it on request, in the
 * dashboard. Partners never receive it, because it would stay valid after their access ends.
 */
async function secretFor(
  db: Db,
  keyring: Deps['keyring'],
  caller: Caller,
  row: SettingsRow,
): Promise<string | null> {
  const { scopes, person, partner } = caller
  const isKey = person === undefined && partner === undefined
  const mayKnow = isKey && (scopes === null || scopes.includes('profile:write'))
  return mayKnow ? readRedirectSecret(db, keyring, caller, row) : null
}

/** Returns whether the business has changed its time zone since `at`. */
export async function hasMovedSince(db: Db, tenant: Tenant, at: Date): Promise<boolean> {
  const { day_began_at: movedAt } = await selectSettings(db, tenant)
  return movedAt !== null && movedAt > at
}

/** Returns the origins that payers can return to. */
export const redirectOriginsOf = async (db: Db, tenant: Tenant): Promise<string[]> =>
  (await selectSettings(db, tenant)).origins

/**
 * Thrown if the change names a new account before its holder has been looked up; the lookup must
 * happen outside the transaction.
 */
export class HolderUnknown extends Error {}

/**
 * Changes the fields in `change`. A new `settlementAccount` requires its `holder`: without one,
 * throws HolderUnknown and stores nothing.
 */
export async function changeSettings(
  tx: Tx,
  { ids, keyring, people, clock }: Pick<Deps, 'ids' | 'keyring' | 'people' | 'clock'>,
  caller: Caller,
  change: SettingsChange,
  holder: AccountHolder | undefined,
) {
  const before = await lockSettings(tx, caller)
  const account = await accountColumns(tx, keyring, before, change, caller, holder)
  const row: SettingsRow = {
    ...before,
    ...valuesOf(change),
    ...(await dayOf(tx, clock, caller, before, change)),
    ...manualPaymentOf(before, change, caller),
    ...(await changeLimits(tx, people, caller, before, change)),
    ...(await scheduleColumns(tx, caller, before, change)),
    ...account,
    event_sequence: before.event_sequence + (account.settlement_account_name ? 1 : 0),
    updated_at: caller.now,
  }
  await updateSettings(tx, caller, row)
  await writeRowNote(tx, protectedSettings, caller, caller.businessId)
  const { invoicePrefix: prefix, nextInvoiceNumber: nextNumber } = change
  const series = await changeSeries(tx, caller, { prefix, nextNumber })
  if (account.settlement_account_name) {
    await appendEvents(tx, ids, [accountVerified(row, caller, caller.now)])
  }
  if (account.payouts_paused_until) await tellOfPause(tx, people, caller, before, row)
  tx.after(() => forgetKeysOf(caller.businessId))
  return shown(tx, keyring, caller, row, series)
}

/**
 * Returns the columns to change for a new or removed account; empty if the account stays the same.
 */
async function accountColumns(
  tx: Tx,
  keyring: Keyring,
  before: SettingsRow,
  { settlementAccount: wanted }: SettingsChange,
  caller: Caller,
  holder: AccountHolder | undefined,
): Promise<Partial<SettingsRow>> {
  const { live, now } = caller
  if (wanted === undefined) return {}
  if (wanted === null) {
    return {
      settlement_bank_code: null,
      settlement_bank_name: null,
      ...NO_NUMBER,
      settlement_account_name: null,
    }
  }
  const { accountNumber } = wanted
  const { code: bankCode, name } = bankNamed(wanted.bankCode, 'settlementAccount.bankCode')
  const known = await settlementNumberOf(tx, keyring, caller, before)
  if (before.settlement_bank_code === bankCode && known === accountNumber) return {}
  if (!holder) throw new HolderUnknown('The account holder must be looked up first')
  return {
    settlement_bank_code: bankCode,
    settlement_bank_name: name,
    ...(await settlementNumber(tx, keyring, caller, accountNumber)),
    settlement_account_name: holder.accountName,
    settlement_had_account: true,
    ...(live &&
      before.settlement_had_account && { payouts_paused_until: addMs(now, PAYOUTS_PAUSED_MS) }),
  }
}

/**
 * If the time zone changes, returns the start of the current day, which then ends in the new zone.
 */
async function dayOf(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  before: SettingsRow,
  { timeZone }: SettingsChange,
): Promise<Partial<SettingsRow>> {
  if (timeZone === undefined || timeZone === before.time_zone) return {}
  // Uses the current time: the request may be from before midnight, while transfers sent since then
  // count towards the new day.
  const now = addMs(clock.now(), await clockOffsetMs(tx, caller))
  return { day_began_at: startOfLimitDay(before, now) }
}

/** The owners must find out, because the change might be unauthorised. */
const tellOfPause = (
  tx: Tx,
  people: Deps['people'],
  { businessId, live }: Caller,
  before: SettingsRow,
  after: SettingsRow,
): Promise<void> =>
  people.emailOwners(
    tx,
    { businessId, live },
    {
      what: 'payout_account_changed',
      of: null,
      before: before.account_last4 ?? (lastFour(before.account_number_plain ?? '') || null),
      after: `${after.settlement_bank_name}, ${after.account_last4}`,
      until: after.payouts_paused_until!.toISOString(),
    },
  )

/** These instructions tell customers where to send money, so only an owner can set them. */
function manualPaymentOf(
  before: SettingsRow,
  { manualPayment: given }: SettingsChange,
  { person }: Caller,
): Partial<SettingsRow> {
  if (given === undefined) return {}
  const manual_payment = given && printManual(given)
  if (manual_payment === before.manual_payment) return {}
  if (!person) {
    const message = 'Payment instructions can only be changed in the dashboard, by an owner.'
    throw new Problem('forbidden', 'people_only', message)
  }
  if (person.role !== 'owner') {
    throw new Problem('forbidden', 'owner_needed', 'Only an owner can change payment instructions.')
  }
  return { manual_payment }
}

const printManual = ({
  bankName,
  accountNumber,
  accountName,
  instructions = null,
}: NonNullable<SettingsChange['manualPayment']>): string =>
  JSON.stringify({ bankName, accountNumber, accountName, instructions })

function valuesOf(change: SettingsChange): Partial<SettingsRow> {
  const { feeBearer, origins, virtualAccountPolicy } = change
  const timeZone = change.timeZone && timeZoneNamed(change.timeZone)
  if (change.timeZone !== undefined && !timeZone) {
    throw invalid({ timeZone: ['must be a time zone such as Africa/Lagos'] })
  }
  return {
    ...(feeBearer && { fee_bearer: feeBearer }),
    ...(origins && { origins: readOrigins(origins) }),
    ...(virtualAccountPolicy && { virtual_account_policy: virtualAccountPolicy }),
    ...(timeZone && { time_zone: timeZone }),
  }
}

/**
 * Returns each origin once, as browsers write it: in lower case, and without the default port of
 * its scheme.
 */
function readOrigins(texts: readonly string[]): string[] {
  const faults: Fields = {}
  const origins = texts.map((text, i) => {
    const url = /^https?:\/\/[^/?#@\\\s]+\/?$/i.test(text) ? URL.parse(text) : null
    if (url) return url.origin
    faults[`origins.${i}`] = ['must be an origin such as https://shop.example.com']
    return ''
  })
  if (Object.keys(faults).length > 0) throw invalid(faults)
  return [...new Set(origins)]
}

const accountVerified = (row: SettingsRow, tenant: Tenant, at: Date): NewEvent => ({
  businessId: tenant.businessId,
  live: tenant.live,
  type: 'account.verified',
  objectType: 'business',
  objectId: tenant.businessId,
  sequence: row.event_sequence,
  data: {
    reference: row.reference,
    status: 'Verified',
    bankCode: row.settlement_bank_code,
    bankName: row.settlement_bank_name,
    accountNumber: row.account_last4,
    accountNumberLast4: row.account_last4,
    subject: 'business',
    accountName: row.settlement_account_name,
  },
  at,
})

/**
 * Looks up the account holder. Throws 400 if there isn't one, and 503 if the bank did not respond.
 */
export async function lookUpHolder(
  providers: Providers,
  tenant: Tenant,
  { bankCode, accountNumber }: { bankCode: number | string; accountNumber: string },
): Promise<AccountHolder> {
  const { code } = bankNamed(bankCode, 'settlementAccount.bankCode')
  const outcome = await askHolder(providers, tenant, { bankCode: code, accountNumber })
  if (outcome.kind === 'done') return outcome.value
  if (outcome.kind === 'refused') {
    const field = outcome.code === 'unknown_bank' ? 'bankCode' : 'accountNumber'
    throw invalid({ [`settlementAccount.${field}`]: [`was rejected: ${outcome.message}`] })
  }
  throw unavailable(
    'account_not_resolved',
    'The bank did not confirm the account holder. Nothing was changed.',
  )
}

/** Absent fields stay as they are; null or '' removes the value, except for the name. */
type DetailsChange = {
  [Field in keyof BusinessDetails]?: BusinessDetails[Field] | null | undefined
}

const DETAIL_COLUMNS = {
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
  for (const [field, column] of Object.entries(DETAIL_COLUMNS)) {
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
  const changed = Object.entries(DETAIL_COLUMNS).filter(
    ([, column]) => row[column] !== before[column],
  )
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
  const own = change ? ownFeesAfter(row.fees, change) : {}
  const stored = Object.keys(own).length > 0 ? printFees(own) : null
  await updateFees(tx, businessId, stored, now)
  return { businessId, name: row.name, isDefault: stored === null, rules: readFees(stored) }
}

/** Returns only the fees agreed with this business. */
function ownFeesAfter(
  fees: string | null,
  { channel, rule, transfers }: FeeChange,
): Partial<FeeRules> {
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

const aboutRedirectSecret = ({ businessId, live }: Tenant) =>
  `business_settings.redirect_secret ${businessId} ${live ? 'live' : 'test'}`

export const newRedirectSecret = (tx: Tx, keyring: Keyring, tenant: Tenant): Promise<Buffer> =>
  keyring.encrypt(tx, aboutRedirectSecret(tenant), `rsec_${randomBytes(32).toString('hex')}`)

/** Returns the secret used to sign the URLs that payers return to. */
export const redirectSecretOf = async (db: Db, keyring: Keyring, tenant: Tenant) =>
  readRedirectSecret(db, keyring, tenant, await selectSettings(db, tenant))

async function readRedirectSecret(
  db: Db,
  keyring: Keyring,
  tenant: Tenant,
  row: Pick<SettingsRow, 'redirect_secret_encrypted' | 'redirect_secret_plain'>,
): Promise<string> {
  const { redirect_secret_encrypted: encrypted, redirect_secret_plain: plain } = row
  return encrypted ? keyring.decrypt(db, aboutRedirectSecret(tenant), encrypted) : plain!
}

const redirectSecretRow = <T extends Tenant>(row: T) => ({
  ...row,
  about: aboutRedirectSecret(row),
})

export const redirectSecrets: EncryptedColumn = {
  name: 'business_settings.redirect_secret_encrypted',
  select: async (db, wanted) => (await selectRedirectSecrets(db, wanted)).map(redirectSecretRow),
  update: updateRedirectSecret,
  old: {
    select: async (db, limit) => (await selectOldSecrets(db, limit)).map(redirectSecretRow),
    update: updateOldSecret,
  },
}
