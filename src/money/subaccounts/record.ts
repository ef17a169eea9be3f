import { kindsOf } from '../../events/catalogue.ts'
import { printPercentage } from '../../lib/money.ts'
import { bankId } from '../../providers/banks/banks.ts'
import type { SubaccountRow } from './queries.ts'
import { SubaccountRecord } from './schemas.ts'

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

const MADE_AT = '2026-11-01T12:00:00.000Z'

const example = {
  reference: 'SUB_5dX2pF8tAy6lN9eZi1Ru',
  status: 'Active',
  id: 40120,
  business_name: 'Obi Tailors',
  account_number: '0123456789',
  percentage_charge: 12.5,
  currency: 'NGN',
  bank: 58,
  account_name: 'ADA OBI',
  subaccount_code: 'SUB_5dX2pF8tAy6lN9eZi1Ru',
  bankCode: '058',
  bankName: 'Guaranty Trust Bank',
  verified: true,
  bankAccountName: 'ADA OBI',
  payoutsBlocked: null,
  payoutsBlockedFrom: null,
  payoutsPausedUntil: null,
  createdAt: MADE_AT,
  updatedAt: MADE_AT,
}

export const subaccountEvents = kindsOf(
  { object: 'subaccount', schema: SubaccountRecord, example },
  {
    'subaccount.created': ['A subaccount was created.'],
    'subaccount.updated': [
      'A subaccount was changed, deactivated or reactivated.',
      { status: 'Inactive', updatedAt: '2026-11-05T07:45:00.000Z' },
    ],
    'settlement.blocked': [
      'Payouts to a subaccount are blocked until its bank account is corrected or confirmed.',
      {
        account_name: 'ADA OBI',
        bankAccountName: 'CHINEDU EZE',
        verified: false,
        payoutsBlocked: 'name_mismatch',
      },
    ],
  },
)
