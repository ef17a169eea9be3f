import type { Caller } from '../../lib/tenant.ts'
import type { Series } from '../invoices/series.ts'
import { major, pendingIn } from './limits.ts'
import type { ProfileRow, SettingsRow } from './queries.ts'

export const lastFour = (accountNumber: string): string => accountNumber.slice(-4)

/** Who the key belongs to (docs/CONTRACT.md, Profile and settings). */
export function profileRecord(row: ProfileRow, { live, partner, scopes, expiresAt }: Caller) {
  const { settlement_account_number: number, settlement_account_name: accountName } = row
  return {
    id: row.id,
    businessId: row.id,
    businessName: row.name,
    email: row.email,
    phone: row.phone,
    firstName: row.first_name,
    lastName: row.last_name,
    country: row.country,
    currency: row.currency,
    timeZone: row.time_zone,
    mode: live ? 'live' : 'test',
    status: row.status,
    accountVerified: accountName !== null,
    settlementAccount: number && {
      bankName: row.settlement_bank_name,
      accountNumber: lastFour(number),
      accountName,
    },
    // A public key does not get this far.
    key: { type: partner === undefined ? 'secret' : 'partner', scopes, expiresAt },
    createdAt: row.created_at,
    reference: row.reference,
  }
}

/** `redirectSecret` is for few: whoever has it signs as we do. */
export function settingsRecord(
  row: SettingsRow,
  { hasSecret, series }: { hasSecret: boolean; series: Series },
) {
  const { settlement_account_number: accountNumber, transfer_approval_above_minor: above } = row
  const daily = row.daily_approval_above_minor
  return {
    reference: row.reference,
    status: row.status,
    settlementAccount: accountNumber && {
      bankCode: row.settlement_bank_code,
      bankName: row.settlement_bank_name,
      accountNumber,
      accountName: row.settlement_account_name,
    },
    payoutsPausedUntil: row.payouts_paused_until,
    manualPayment: row.manual_payment === null ? null : JSON.parse(row.manual_payment),
    feeBearer: row.fee_bearer,
    origins: row.origins,
    transferApprovalAbove: major(above, row.currency),
    transferApprovalAboveMinor: above === null ? null : Number(above),
    dailyApprovalAbove: major(daily, row.currency),
    dailyApprovalAboveMinor: daily === null ? null : Number(daily),
    approvalSuspendedAt: row.approval_suspended_at,
    pendingApprovalChange: pendingIn(row),
    currency: row.currency,
    virtualAccountPolicy: row.virtual_account_policy,
    timeZone: row.time_zone,
    invoicePrefix: series.prefix,
    nextInvoiceNumber: series.nextNumber,
    redirectSecret: hasSecret ? row.redirect_secret : null,
    updatedAt: row.updated_at,
  }
}
