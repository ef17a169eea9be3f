import type { Db, Tx } from '../../db/database.ts'
import { type Deps, PAYOUTS_PAUSED_MS } from '../../deps.ts'
import { lastFour } from '../../encryption/account-numbers.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { writeRowNote } from '../../ledger/row-notes.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { addMs, type Clock } from '../../lib/clock.ts'
import { isTimeZone } from '../../lib/dates.ts'
import { type Fields, invalid, Problem, unavailable } from '../../lib/problem.ts'
import { askHolder } from '../../providers/account-holder.ts'
import { bankNamed } from '../../providers/banks/account-fields.ts'
import type { AccountHolder, Providers } from '../../providers/connector/types.ts'
import { forgetKeysOf } from '../keys/authenticate.ts'
import { startOfLimitDay } from './approval.ts'
import { protectedSettings } from './audit.ts'
import { changeSeries, getSeries, type Series } from './invoice-series.ts'
import { clockOffsetMs } from './payment-settings.ts'
import { scheduleColumns } from './payout-schedule.ts'
import {
  lockSettings,
  type SettingsRow,
  selectProfile,
  selectSettings,
  updateSettings,
} from './queries.ts'
import { changeLimits, profileRecord, settingsRecord } from './record.ts'
import { readRedirectSecret } from './redirect-secret.ts'
import type { SettingsChange } from './schemas.ts'
import { NO_NUMBER, settlementNumber, settlementNumberOf } from './settlement-account.ts'

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
 * dashboard.
 */
async function secretFor(
  db: Db,
  keyring: Deps['keyring'],
  caller: Caller,
  row: SettingsRow,
): Promise<string | null> {
  const { scopes, person } = caller
  const mayKnow = person === undefined && (scopes === null || scopes.includes('profile:write'))
  return mayKnow ? readRedirectSecret(db, keyring, caller, row) : null
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
  const { feeBearer, origins, virtualAccountPolicy, timeZone } = change
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
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
