import { Type } from 'typebox'
import { kindsOf } from '../../events/kind.ts'

const text = Type.String()

const VerifiedAccount = Type.Object({
  reference: Type.String({ description: 'Of the settings, or of the subaccount.' }),
  status: text,
  bankCode: text,
  bankName: text,
  accountNumber: Type.String({ description: 'The last 4 digits, as accountNumberLast4.' }),
  accountNumberLast4: text,
  subject: Type.String({ description: 'Whose account it is: business or subaccount.' }),
  accountName: text,
})

const example = {
  reference: 'SUB_5dX2pF8tAy6lN9eZi1Ru',
  status: 'Verified',
  bankCode: '058',
  bankName: 'Guaranty Trust Bank',
  accountNumber: '6789',
  accountNumberLast4: '6789',
  subject: 'subaccount',
  accountName: 'ADA OBI',
}

export const accountEvents = kindsOf(
  { object: 'business or subaccount', schema: VerifiedAccount, example },
  {
    'account.verified': [
      'The bank said whose account it is: the settlement account of the business or of a subaccount.',
    ],
  },
)
