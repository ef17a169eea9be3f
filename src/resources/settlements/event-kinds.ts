import { kindsOf } from '../../events/kind.ts'
import { SettlementRecord } from './schemas.ts'

const MADE_AT = '2026-11-03T00:00:05.000Z'
const PAID_AT = '2026-11-03T00:00:07.211Z'

export const settlementEvents = kindsOf(
  {
    object: 'settlement',
    schema: SettlementRecord,
    example: {
      id: 41100,
      reference: 'STL_6gA9sI1wDb7oR3hCf5Ux',
      status: 'Paid',
      subaccount: 40120,
      subaccountCode: 'SUB_5dX2pF8tAy6lN9eZi1Ru',
      business_name: 'Obi Tailors',
      amount: 5910.2,
      amountMinor: 591020,
      currency: 'NGN',
      count: 3,
      bankCode: '058',
      bankName: 'Guaranty Trust Bank',
      accountNumber: '0123456789',
      accountName: 'ADA OBI',
      failureReason: null,
      timeline: [
        { status: 'Pending', at: MADE_AT, message: null },
        { status: 'Paid', at: PAID_AT, message: null },
      ],
      paidAt: PAID_AT,
      createdAt: MADE_AT,
    },
  },
  { 'settlement.paid': ['What a subaccount had earned was paid out to it.'] },
)
