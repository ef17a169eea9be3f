import { printPercentage } from '../../lib/percent.ts'
import { bankId } from '../../providers/banks.ts'
import type { SubaccountRow } from './queries.ts'

/** A subaccount as the API and its events show it (docs/CONTRACT.md, Subaccounts). */
export const subaccountRecord = (row: SubaccountRow) => ({
  reference: row.reference,
  status: row.status,
  id: row.id,
  business_name: row.business_name,
  account_number: row.account_number,
  percentage_charge: printPercentage(row.charge_basis_points),
  currency: row.currency,
  bank: row.bank_code === null ? null : bankId({ code: row.bank_code }),
  account_name: row.account_name,
  subaccount_code: row.reference,
  bankCode: row.bank_code,
  bankName: row.bank_name,
  verified: row.verified,
  bankAccountName: row.holder_name,
  payoutsBlocked: row.bank_code === null ? 'bank_missing' : row.payouts_blocked,
  payoutsBlockedFrom: row.payouts_blocked_from,
  payoutsPausedUntil: row.payouts_paused_until,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
