import { type Static, Type } from 'typebox'
import { Amount, Moment, Nullable, RecordId } from '../../lib/schemas.ts'
import { sameBy, spelt } from '../../lib/spellings.ts'
import { BankName, bankSpellings } from '../banks/named.ts'

const COORDINATES = '^-?\\d{1,2}(?:\\.\\d{1,15})?, ?-?\\d{1,3}(?:\\.\\d{1,15})?$'

/** Whether `isLive` says so, in any of its spellings. */
export const isTrue = (isLive: boolean | 0 | 1 | 'true' | 'false'): boolean =>
  ['true', '1'].includes(String(isLive))

/** `POST transaction-with-ussd`. */
export const UssdBody = spelt(
  Type.Object({
    channel: Type.Enum(['USSD']),
    amount: Amount(),
    pageId: Type.Optional(
      RecordId('A split page, whose subaccounts share the payment, or a payment page.'),
    ),
    orderId: Type.Optional(RecordId('A number of your own, kept and given back.')),
    businessId: Type.Optional(RecordId('Yours: the key says whose it is.')),
    customerId: Type.Optional(RecordId('A number of your own, kept and given back.')),
    fees: Type.Optional(
      Amount({
        zero: true,
        description: 'The fee of this payment, which the payer pays on top; 0 is allowed.',
      }),
    ),
    ipAddress: Type.Optional(
      Type.String({ maxLength: 45, description: 'Of the payer, IPv4 or IPv6.' }),
    ),
    message: Type.Optional(Type.String({ maxLength: 500 })),
    location: Type.Optional(
      Type.String({
        maxLength: 50,
        pattern: COORDINATES,
        'x-says': 'must be latitude,longitude in degrees, such as 6.4541,3.3947',
        examples: ['6.4541,3.3947'],
      }),
    ),
    isLive: Type.Optional(
      sameBy(
        Type.Unsafe<boolean | 0 | 1 | 'true' | 'false'>({
          enum: [true, false, 0, 1, 'true', 'false'],
          'x-says': 'must be true or false',
          description: 'Must agree with the key.',
        }),
        isTrue,
      ),
    ),
    bankCode: Type.Optional({
      ...BankName,
      description: 'The payer’s bank; `ussdCode` is then the code of this bank.',
    }),
  }),
  bankSpellings('bankCode'),
)
export type UssdRequest = Static<typeof UssdBody>

const UssdBank = Type.Object({
  bankCode: Type.String(),
  bankName: Type.String(),
  ussdCode: Type.String(),
})

/** The contract’s body: these two keys at the top. */
export const UssdAnswer = Type.Object({
  data: Type.Object({
    reference: Type.String(),
    transactionId: Type.Integer(),
    status: Type.String(),
    ussdCode: Nullable(
      Type.String({
        description: 'Of the bank asked for, else of the first; null until it comes.',
      }),
    ),
    ussdBanks: Type.Array(UssdBank),
    amount: Type.Number(),
    amountMinor: Type.Integer(),
    fees: Type.Number(),
    payable: Type.Number({
      description: 'What the payer is asked for, fees on top where they are.',
    }),
    currency: Type.String(),
    expiresAt: Moment,
    instructions: Type.String({ description: 'For the payer.' }),
  }),
  transactionIdForSession: Type.Integer({ description: 'The transaction’s id.' }),
})
