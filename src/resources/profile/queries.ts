import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'

export interface ProfileRow {
  id: number
  reference: string
  name: string
  email: string | null
  phone: string | null
  first_name: string | null
  last_name: string | null
  country: string
  currency: string
  time_zone: string
  status: 'Active' | 'Suspended'
  settlement_bank_name: string | null
  settlement_account_number: string | null
  settlement_account_name: string | null
  created_at: Date
}

export function selectProfile(db: Db, { businessId, live }: Tenant) {
  return db.one<ProfileRow>`
    select b.id, b.reference, b.name, b.email, b.phone, b.first_name, b.last_name, b.country,
           b.currency, s.time_zone, b.status, s.settlement_bank_name, s.settlement_account_number,
           s.settlement_account_name, b.created_at
    from businesses b join business_settings s on s.business_id = b.id
    where b.id = ${businessId} and s.live = ${live}`
}

export interface SettingsRow {
  reference: string
  status: 'Active' | 'Suspended'
  currency: string
  time_zone: string
  settlement_bank_code: string | null
  settlement_bank_name: string | null
  settlement_account_number: string | null
  settlement_account_name: string | null
  /** It has, or had, a settlement account. */
  settlement_had_account: boolean
  payouts_paused_until: Date | null
  /** JSON text; null for none. */
  manual_payment: string | null
  fee_bearer: 'business' | 'customer' | 'subaccounts'
  origins: string[]
  transfer_approval_above_minor: Minor | null
  daily_approval_above_minor: Minor | null
  approval_suspended_at: Date | null
  /** A change of these limits that waits for a second person. */
  approval_wanted_at: Date | null
  approval_wanted_by: number | null
  approval_wanted_name: string | null
  approval_wanted_transfer_minor: Minor | null
  approval_wanted_daily_minor: Minor | null
  virtual_account_policy: 'exact' | 'accept_over' | 'accept_partial'
  redirect_secret: string
  event_sequence: number
  updated_at: Date
}

const columns = sql`b.reference, b.status, b.currency, s.time_zone, s.settlement_bank_code,
  s.settlement_bank_name, s.settlement_account_number, s.settlement_account_name,
  s.settlement_had_account, s.payouts_paused_until, s.manual_payment, s.fee_bearer,
  s.origins, s.transfer_approval_above_minor, s.daily_approval_above_minor, s.approval_suspended_at,
  s.approval_wanted_at, s.approval_wanted_by, s.approval_wanted_name,
  s.approval_wanted_transfer_minor, s.approval_wanted_daily_minor,
  s.virtual_account_policy, s.redirect_secret,
  s.event_sequence, s.updated_at`

const rowOf = ({ businessId, live }: Tenant) => sql`
  business_settings s join businesses b on b.id = s.business_id
  where s.business_id = ${businessId} and s.live = ${live}`

export function selectSettings(db: Db, tenant: Tenant) {
  return db.one<SettingsRow>`select ${columns} from ${rowOf(tenant)}`
}

/** Keeps others from changing them until the transaction ends. */
export function lockSettings(tx: Tx, tenant: Tenant) {
  return tx.one<SettingsRow>`select ${columns} from ${rowOf(tenant)} for update of s`
}

export async function updateSettings(tx: Tx, { businessId, live }: Tenant, row: SettingsRow) {
  await tx.run`
    update business_settings
    set time_zone = ${row.time_zone},
        settlement_bank_code = ${row.settlement_bank_code},
        settlement_bank_name = ${row.settlement_bank_name},
        settlement_account_number = ${row.settlement_account_number},
        settlement_account_name = ${row.settlement_account_name},
        settlement_had_account = ${row.settlement_had_account},
        payouts_paused_until = ${row.payouts_paused_until},
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
