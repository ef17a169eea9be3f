import type { Db, Tx } from '../../db/database.ts'
import { plainArray } from '../../db/pg-arrays.ts'
import { sql } from '../../db/sql.ts'
import { NUMBER_COLUMNS, type StoredNumber } from '../../encryption/account-numbers.ts'
import type { EncryptedRow, EncryptedValue, ValuesQuery } from '../../encryption/columns.ts'
import { isEncryptedWith } from '../../encryption/keyring.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'

interface BusinessRow {
  id: number
  reference: string
  name: string
  email: string | null
  phone: string | null
  first_name: string | null
  last_name: string | null
  country: string
  currency: string
  status: 'Active' | 'Suspended'
  created_at: Date
}

export interface ProfileRow extends BusinessRow {
  time_zone: string
  settlement_bank_name: string | null
  account_last4: string | null
  settlement_account_name: string | null
}

export function selectProfile(db: Db, { businessId, live }: Tenant) {
  return db.one<ProfileRow>`
    select b.id, b.reference, b.name, b.email, b.phone, b.first_name, b.last_name, b.country,
           b.currency, s.time_zone, b.status, s.settlement_bank_name,
           coalesce(s.account_last4, right(s.account_number_plain, 4)) as account_last4,
           s.settlement_account_name, b.created_at
    from businesses b join business_settings s on s.business_id = b.id
    where b.id = ${businessId} and s.live = ${live}`
}

/** The settlement account has its number in the columns of a `StoredNumber`. */
export interface SettingsRow extends StoredNumber {
  reference: string
  status: 'Active' | 'Suspended'
  currency: string
  time_zone: string
  /** The start, in the previous time zone, of the day on which `time_zone` last changed. */
  day_began_at: Date | null
  settlement_bank_code: string | null
  settlement_bank_name: string | null
  settlement_account_name: string | null
  /** Whether the business has, or has ever had, a settlement account. */
  settlement_had_account: boolean
  payouts_paused_until: Date | null
  payout_schedule: 'manual' | 'daily' | 'weekly'
  /** When the next payout of the schedule is due; null for `manual`. */
  payout_at: Date | null
  /** JSON. Null if there are no instructions. */
  manual_payment: string | null
  fee_bearer: 'business' | 'customer' | 'subaccounts'
  origins: string[]
  transfer_approval_above_minor: Minor | null
  daily_approval_above_minor: Minor | null
  approval_suspended_at: Date | null
  /** The pending change to these limits, awaiting a second person. */
  approval_wanted_at: Date | null
  approval_wanted_by: number | null
  approval_wanted_name: string | null
  approval_wanted_transfer_minor: Minor | null
  approval_wanted_daily_minor: Minor | null
  virtual_account_policy: 'exact' | 'accept_over' | 'accept_partial'
  redirect_secret_encrypted: Buffer | null
  /** A secret from before secrets were encrypted. */
  redirect_secret_plain: string | null
  event_sequence: number
  updated_at: Date
}

const columns = sql`b.reference, b.status, b.currency, s.time_zone, s.day_began_at,
  s.settlement_bank_code, s.settlement_bank_name, ${NUMBER_COLUMNS}, s.settlement_account_name,
  s.settlement_had_account, s.payouts_paused_until, s.payout_schedule, s.payout_at,
  s.manual_payment, s.fee_bearer, s.origins, s.transfer_approval_above_minor,
  s.daily_approval_above_minor, s.approval_suspended_at, s.approval_wanted_at,
  s.approval_wanted_by, s.approval_wanted_name, s.approval_wanted_transfer_minor,
  s.approval_wanted_daily_minor, s.virtual_account_policy, s.redirect_secret_encrypted,
  s.redirect_secret_plain, s.event_sequence, s.updated_at`

const rowOf = ({ businessId, live }: Tenant) => sql`
  business_settings s join businesses b on b.id = s.business_id
  where s.business_id = ${businessId} and s.live = ${live}`

export function selectSettings(db: Db, tenant: Tenant) {
  return db.one<SettingsRow>`select ${columns} from ${rowOf(tenant)}`
}

export function lockSettings(tx: Tx, tenant: Tenant) {
  return tx.one<SettingsRow>`select ${columns} from ${rowOf(tenant)} for update of s`
}

export async function updateSettings(tx: Tx, { businessId, live }: Tenant, row: SettingsRow) {
  await tx.run`
    update business_settings
    set time_zone = ${row.time_zone},
        day_began_at = ${row.day_began_at},
        settlement_bank_code = ${row.settlement_bank_code},
        settlement_bank_name = ${row.settlement_bank_name},
        account_encrypted = ${row.account_encrypted},
        account_hash = ${row.account_hash},
        account_last4 = ${row.account_last4},
        account_number_plain = ${row.account_number_plain},
        settlement_account_name = ${row.settlement_account_name},
        settlement_had_account = ${row.settlement_had_account},
        payouts_paused_until = ${row.payouts_paused_until},
        payout_schedule = ${row.payout_schedule},
        payout_at = ${row.payout_at},
        manual_payment = ${row.manual_payment},
        fee_bearer = ${row.fee_bearer},
        origins = ${row.origins},
        transfer_approval_above_minor = ${row.transfer_approval_above_minor},
        daily_approval_above_minor = ${row.daily_approval_above_minor},
        approval_wanted_at = ${row.approval_wanted_at},
        approval_wanted_by = ${row.approval_wanted_by},
        approval_wanted_name = ${row.approval_wanted_name},
        approval_wanted_transfer_minor = ${row.approval_wanted_transfer_minor},
        approval_wanted_daily_minor = ${row.approval_wanted_daily_minor},
        virtual_account_policy = ${row.virtual_account_policy},
        event_sequence = ${row.event_sequence},
        updated_at = ${row.updated_at}
    where business_id = ${businessId} and live = ${live}`
}

/** Payouts of the same business, and changes of its settings, wait until the transaction ends. */
export function lockForPayout(tx: Tx, tenant: Tenant) {
  return tx.one<SettingsRow>`select ${columns} from ${rowOf(tenant)} for no key update of s`
}

/** Selects the tenants whose next payout is due. */
export function selectDuePayouts(db: Db, now: Date, only: number | null, limit: number) {
  return db.many<{ business_id: number; live: boolean }>`
    select business_id, live from business_settings
    where payout_at <= ${now}
      and (${only}::bigint is null or (business_id = ${only} and not live))
    order by payout_at limit ${limit}`
}

export function updatePayoutAt(db: Db, { businessId, live }: Tenant, now: Date, at: Date) {
  return db.run`
    update business_settings set payout_at = ${at}
    where business_id = ${businessId} and live = ${live} and payout_at <= ${now}`
}

type NewBusinessRow = Omit<BusinessRow, 'country' | 'currency' | 'status'>

/**
 * Lets only one business be created at a time on Citus, where two would wait for each other: tables
 * that each machine has a copy of are written in turn.
 */
export async function lockCreation(tx: Tx): Promise<void> {
  if (tx.isDivided) await tx.run`select pg_advisory_xact_lock(hashtextextended('creation', 0))`
}

export async function insertBusiness(tx: Tx, row: NewBusinessRow): Promise<void> {
  const { created_at: at } = row
  await tx.run`
    insert into businesses
      (id, reference, name, email, phone, first_name, last_name, created_at, updated_at)
    values (${row.id}, ${row.reference}, ${row.name}, ${row.email}, ${row.phone},
            ${row.first_name}, ${row.last_name}, ${at}, ${at})`
}

export const insertSettings = (
  tx: Tx,
  { businessId, live }: Tenant,
  redirectSecret: Buffer,
  now: Date,
) =>
  tx.run`
    insert into business_settings
      (business_id, live, redirect_secret_encrypted, created_at, updated_at)
    values (${businessId}, ${live}, ${redirectSecret}, ${now}, ${now})`

const IDENTITY = sql`id, reference, name, email, phone, first_name, last_name, country, currency,
  status, created_at`

/** Oldest first. */
export function selectBusinesses(db: Db) {
  return db.many<BusinessRow>`select ${IDENTITY} from businesses order by id`
}

interface FeesRow {
  name: string
  fees: string | null
}

export function selectFees(db: Db, businessId: number) {
  return db.maybe<FeesRow>`
    select name, fee_rules::text as fees from businesses where id = ${businessId}`
}

export function lockFees(tx: Tx, businessId: number) {
  return tx.maybe<FeesRow>`
    select name, fee_rules::text as fees from businesses where id = ${businessId} for update`
}

export async function updateFees(tx: Tx, businessId: number, fees: string | null, now: Date) {
  await tx.run`
    update businesses set fee_rules = ${fees}::jsonb, updated_at = ${now} where id = ${businessId}`
}

type DetailsRow = Pick<BusinessRow, 'name' | 'email' | 'phone' | 'first_name' | 'last_name'>

export const lockDetails = (tx: Tx, businessId: number) =>
  tx.one<DetailsRow>`
    select name, email, phone, first_name, last_name from businesses
    where id = ${businessId} for no key update`

export const updateDetails = (tx: Tx, businessId: number, row: DetailsRow, now: Date) =>
  tx.run`
    update businesses
    set name = ${row.name}, email = ${row.email}, phone = ${row.phone},
        first_name = ${row.first_name}, last_name = ${row.last_name}, updated_at = ${now}
    where id = ${businessId}`

export interface BrandingRow {
  business_id: number
  shown_name: string | null
  support_email: string | null
  support_phone: string | null
  website: string | null
  address: string | null
  /** `#0b7a4b` */
  accent_color: string | null
  logo_key: string
  logo_sha256: Buffer | null
  logo_type: 'image/png' | 'image/jpeg' | null
  logo_width: number | null
  logo_height: number | null
  logo_bytes: number | null
  updated_at: Date
}

const COLUMNS = sql`business_id, shown_name, support_email, support_phone, website, address,
  accent_color, logo_key, logo_sha256, logo_type, logo_width, logo_height, logo_bytes, updated_at`

export const selectBranding = (db: Db, businessId: number) =>
  db.maybe<BrandingRow>`
    select ${COLUMNS} from business_branding where business_id = ${businessId}`

/** Creates the row if there is none, and locks it until the transaction ends. */
export async function lockBranding(tx: Tx, businessId: number, logoKey: string, now: Date) {
  await tx.run`
    insert into business_branding (business_id, logo_key, created_at, updated_at)
    values (${businessId}, ${logoKey}, ${now}, ${now})
    on conflict (business_id) do nothing`
  return tx.one<BrandingRow>`
    select ${COLUMNS} from business_branding where business_id = ${businessId} for update`
}

export const updateBranding = (tx: Tx, row: BrandingRow) =>
  tx.run`
    update business_branding
    set shown_name = ${row.shown_name}, support_email = ${row.support_email},
        support_phone = ${row.support_phone}, website = ${row.website},
        address = ${row.address}, accent_color = ${row.accent_color},
        logo_sha256 = ${row.logo_sha256}, logo_type = ${row.logo_type},
        logo_width = ${row.logo_width}, logo_height = ${row.logo_height},
        logo_bytes = ${row.logo_bytes}, updated_at = ${row.updated_at}
    where business_id = ${row.business_id}`

/** Finds the branding by the secret prefix of a logo's URL. */
export const selectByLogoKey = (db: Db, key: string) =>
  db.maybe<BrandingRow>`select ${COLUMNS} from business_branding where logo_key = ${key}`

export type OwnDetails = Pick<BusinessRow, 'name' | 'email' | 'phone'>

/** Selects the details that payers see if the branding doesn't override them. */
export const selectOwnDetails = (db: Db, businessId: number) =>
  db.one<OwnDetails>`select name, email, phone from businesses where id = ${businessId}`

/** The approval limits, and the columns that determine when the day they cover started. */
export type LimitsRow = Pick<
  SettingsRow,
  | 'currency'
  | 'time_zone'
  | 'day_began_at'
  | 'transfer_approval_above_minor'
  | 'daily_approval_above_minor'
  | 'approval_suspended_at'
>

const LIMITS = sql`b.currency, s.time_zone, s.day_began_at, s.transfer_approval_above_minor,
  s.daily_approval_above_minor, s.approval_suspended_at`

const limitsOf = (tenant: Tenant) => sql`select ${LIMITS} from ${rowOf(tenant)}`

export const selectLimits = (db: Db, tenant: Tenant) => db.one<LimitsRow>`${limitsOf(tenant)}`

/** Selects the limits of several tenants, in an order in which they can be locked. */
export const selectLimitsOfAll = (db: Db, tenants: readonly Tenant[]) =>
  db.many<LimitsRow & { business_id: number; live: boolean }>`
    select i.business_id, i.live, ${LIMITS}
    from unnest(
      ${plainArray(tenants.map(({ businessId }) => businessId))}::bigint[],
      ${plainArray(tenants.map(({ live }) => live))}::boolean[]
    ) as i (business_id, live)
    join business_settings s on s.business_id = i.business_id and s.live = i.live
    join businesses b on b.id = s.business_id
    order by i.business_id, i.live`

/**
 * Returns the same as `selectLimits`. Transactions that add to the day's total, or that change when
 * the day started, wait until this one ends.
 */
export const lockLimits = (tx: Tx, tenant: Tenant) =>
  tx.one<LimitsRow>`${limitsOf(tenant)} for no key update of s`

/**
 * Selects the total, without fees, of the transfers and bills since a given moment that were sent
 * or are pending.
 */
export async function selectSpent(
  db: Db,
  { businessId, live }: Tenant,
  currency: string,
  since: Date,
): Promise<Minor> {
  const { spent_minor } = await db.one<{ spent_minor: Minor }>`
    select coalesce(sum(amount_minor), 0)::bigint as spent_minor from (
      select amount_minor from transfers
      where business_id = ${businessId} and live = ${live} and currency = ${currency}
        and created_at >= ${since} and status not in ('Failed', 'Rejected')
      union all
      select amount_minor from utility_payments
      where business_id = ${businessId} and live = ${live} and currency = ${currency}
        and created_at >= ${since} and status <> 'Failed'
    ) spent`
  return spent_minor
}

/** Returns whether the limits applied until now. */
export async function updateSuspended(
  tx: Tx,
  { businessId, live }: Tenant,
  now: Date,
): Promise<boolean> {
  const changed = await tx.run`
    update business_settings set approval_suspended_at = ${now}
    where business_id = ${businessId} and live = ${live} and approval_suspended_at is null`
  return changed > 0
}

export function updateResumed(tx: Tx, { businessId, live }: Tenant) {
  return tx.run`
    update business_settings set approval_suspended_at = null
    where business_id = ${businessId} and live = ${live} and approval_suspended_at is not null`
}

/** Locks the limit change that was requested at `at` and is waiting for a second person. */
export function lockLimitChange(tx: Tx, { businessId, live }: Tenant, at: Date) {
  return tx.maybe<{ approval_wanted_by: number }>`
    select approval_wanted_by from business_settings
    where business_id = ${businessId} and live = ${live} and approval_wanted_at = ${at}
    for update`
}

export function applyLimitChange(tx: Tx, { businessId, live }: Tenant, now: Date) {
  return tx.run`
    update business_settings
    set transfer_approval_above_minor = approval_wanted_transfer_minor,
      daily_approval_above_minor = approval_wanted_daily_minor, updated_at = ${now}
    where business_id = ${businessId} and live = ${live}`
}

export function clearLimitChange(tx: Tx, { businessId, live }: Tenant) {
  return tx.run`
    update business_settings
    set approval_wanted_at = null, approval_wanted_by = null, approval_wanted_name = null,
      approval_wanted_transfer_minor = null, approval_wanted_daily_minor = null
    where business_id = ${businessId} and live = ${live}`
}

export function countPendingApprovals(db: Db, { businessId, live }: Tenant) {
  return db.one<{ transfers: number; has_change: boolean }>`
    select
      (select count(*) from (
        select from transfers
        where business_id = ${businessId} and live = ${live} and status = 'Unverified'
        limit 100) waiting) as transfers,
      (select approval_wanted_at is not null from business_settings
        where business_id = ${businessId} and live = ${live}) as has_change`
}

/** Returns whether the setting changed. */
export const updateRequiresTwoFactor = async (
  tx: Tx,
  businessId: number,
  sessionId: number,
  required: boolean,
): Promise<boolean> =>
  (await tx.run`
    update businesses set requires_two_factor = ${required}
    where id = ${businessId} and requires_two_factor <> ${required}
      and (not ${required}::boolean or exists (
        select 1 from sessions s join people p on p.id = s.person_id
        left join passkeys k on k.credential_id = s.passkey_id and k.person_id = s.person_id
        where s.id = ${sessionId}
          and (p.totp_secret is not null or k.credential_id is not null)))`) > 0

/** `id` is that of the business. */
const SETTINGS_KEY = sql`business_id as "businessId", live, business_id as id`

export const selectRedirectSecrets = (db: Db, { keyId, after, limit }: ValuesQuery) =>
  db.many<EncryptedRow & { value: Buffer }>`
    select ${SETTINGS_KEY}, redirect_secret_encrypted as value from business_settings
    where (business_id, live) > (${after.businessId}, ${after.live})
      and ${isEncryptedWith(sql`redirect_secret_encrypted`, keyId)}
    order by business_id, live limit ${limit}`

export const updateRedirectSecret = (tx: Tx, row: EncryptedValue, value: Buffer) =>
  tx.run`
    update business_settings set redirect_secret_encrypted = ${value}
    where business_id = ${row.businessId} and live = ${row.live}
      and redirect_secret_encrypted = ${row.value}`

export const selectOldSecrets = (db: Db, limit: number) =>
  db.many<EncryptedRow & { text: string }>`
    select ${SETTINGS_KEY}, redirect_secret_plain as text from business_settings
    where redirect_secret_plain is not null limit ${limit}`

export const updateOldSecret = (tx: Tx, { businessId, live }: Tenant, value: Buffer) =>
  tx.run`
    update business_settings
    set redirect_secret_encrypted = ${value}, redirect_secret_plain = null
    where business_id = ${businessId} and live = ${live} and redirect_secret_plain is not null`
