import { kindsOf } from '../../events/kind.ts'
import { SubaccountRecord } from './schemas.ts'

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
      'A subaccount was changed, deactivated or activated again.',
      { status: 'Inactive', updatedAt: '2026-11-05T07:45:00.000Z' },
    ],
    'settlement.blocked': [
      'Nothing is paid out to a subaccount until its bank account is corrected or confirmed.',
      {
        account_name: 'ADA OBI',
        bankAccountName: 'CHINEDU EZE',
        verified: false,
        payoutsBlocked: 'name_mismatch',
      },
    ],
  },
)
