import type { Db, Tx } from '../../db/database.ts'
import {
  type EncryptedNumber,
  encryptNumber,
  numberColumn,
  numberIn,
} from '../../encryption/account-numbers.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import { writeRowNote } from '../../ledger/row-notes.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addDays, dayIn, startOfDay } from '../../lib/dates.ts'
import { conflict } from '../../lib/problem.ts'
import { paysOutByItself } from '../../providers/connections.ts'
import { protectedSettings } from './audit.ts'
import { lockForPayout, type SettingsRow, selectSettings, updatePayoutAt } from './queries.ts'
import type { SettingsChange } from './schemas.ts'

export type PayoutSchedule = SettingsRow['payout_schedule']

/** What decides about a business's own payouts. */
export interface PayoutTerms {
  schedule: PayoutSchedule
  /** When the next payout of the schedule is due. */
  at: Date | null
  timeZone: string
  currency: string
  pausedUntil: Date | null
  account: {
    bankCode: string
    bankName: string
    accountNumber: string
    accountName: string | null
  } | null
}

/**
 * Returns the start of the next day after `now` or, for a weekly schedule, of the next Monday, in a
 * time zone; null for `manual`.
 */
export function nextPayoutAt(schedule: PayoutSchedule, timeZone: string, now: Date): Date | null {
  if (schedule === 'manual') return null
  const today = dayIn(timeZone, now)
  const days = schedule === 'daily' ? 1 : daysToMonday(today)
  return startOfDay(addDays(today, days), timeZone)
}

/** From 1 to 7. */
const daysToMonday = (day: string): number => 7 - ((new Date(day).getUTCDay() + 6) % 7)

/**
 * Returns the schedule's columns after a change. Throws `automatic_settlement` (409) if a provider
 * already pays out by itself.
 */
export async function scheduleColumns(
  tx: Tx,
  tenant: Tenant & { now: Date },
  before: SettingsRow,
  { payoutSchedule, timeZone }: Pick<SettingsChange, 'payoutSchedule' | 'timeZone'>,
): Promise<Partial<SettingsRow>> {
  const schedule = payoutSchedule ?? before.payout_schedule
  const zone = timeZone ?? before.time_zone
  const isNew = schedule !== before.payout_schedule
  if (!isNew && zone === before.time_zone) return {}
  if (isNew && schedule !== 'manual') await refuseAutomatic(tx, tenant)
  return { payout_schedule: schedule, payout_at: nextPayoutAt(schedule, zone, tenant.now) }
}

/** Throws `automatic_settlement` (409) if a provider already pays out by itself. */
export async function refuseAutomatic(db: Db, tenant: Tenant): Promise<void> {
  if (!(await paysOutByItself(db, tenant))) return
  throw conflict(
    'automatic_settlement',
    'A provider already pays this business’s money out by itself. Turn that off at the provider, ' +
      'and then in the settings of its connection.',
  )
}

export async function payoutTermsOf(db: Db, keyring: Keyring, tenant: Tenant) {
  return termsOf(db, keyring, tenant, await selectSettings(db, tenant))
}

/**
 * Returns the same as `payoutTermsOf`. Other payouts, and changes of these settings, wait until
 * this transaction ends.
 */
export async function lockPayoutTerms(tx: Tx, keyring: Keyring, tenant: Tenant) {
  return termsOf(tx, keyring, tenant, await lockForPayout(tx, tenant))
}

async function termsOf(
  db: Db,
  keyring: Keyring,
  tenant: Tenant,
  row: SettingsRow,
): Promise<PayoutTerms> {
  const accountNumber = await settlementNumberOf(db, keyring, tenant, row)
  const { settlement_bank_code: bankCode, settlement_bank_name: bankName } = row
  return {
    schedule: row.payout_schedule,
    at: row.payout_at,
    timeZone: row.time_zone,
    currency: row.currency,
    pausedUntil: row.payouts_paused_until,
    account:
      accountNumber === null || bankCode === null
        ? null
        : {
            bankCode,
            bankName: bankName ?? bankCode,
            accountNumber,
            accountName: row.settlement_account_name,
          },
  }
}

/** Moves a payout that was due at `now` to another time. */
export const postponePayout = (db: Db, tenant: Tenant, { now, to }: { now: Date; to: Date }) =>
  updatePayoutAt(db, tenant, now, to)

export { selectDuePayouts } from './queries.ts'

const TABLE = 'business_settings'

export const settlementAccountNumbers = numberColumn({
  table: TABLE,
  idColumn: 'business_id',
  encrypted: (tx, { businessId, live }) =>
    writeRowNote(tx, protectedSettings, { businessId, live }, businessId),
})

export const NO_NUMBER = {
  account_encrypted: null,
  account_hash: null,
  account_last4: null,
  account_number_plain: null,
}

/** Returns the columns for the number of a business's settlement account. */
export const settlementNumber = async (
  tx: Tx,
  keyring: Keyring,
  { businessId, live }: Tenant,
  number: string,
): Promise<EncryptedNumber & { account_number_plain: null }> => ({
  ...(await encryptNumber(tx, keyring, TABLE, { businessId, live, id: businessId }, number)),
  account_number_plain: null,
})

/** Returns the number of a business's settlement account; null if it has none. */
export async function settlementNumberOf(
  db: Db,
  keyring: Keyring,
  { businessId, live }: Tenant,
  row: SettingsRow,
): Promise<string | null> {
  if (row.account_encrypted === null && row.account_number_plain === null) return null
  return numberIn(db, keyring, TABLE, { ...row, businessId, live, id: businessId })
}
