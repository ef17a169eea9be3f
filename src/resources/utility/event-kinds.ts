import { Type } from 'typebox'
import { kindsOf } from '../../events/kind.ts'
import { Moment, Nullable, NullableMoment } from '../../lib/schemas.ts'

const text = Type.String()

const UtilityPayment = Type.Object({
  id: Type.Integer(),
  reference: text,
  paymentReference: text,
  transactionId: text,
  status: Type.String({ description: 'Pending, Successful or Failed' }),
  customerId: text,
  customerName: Nullable(text),
  packageSlug: text,
  billerName: text,
  category: text,
  amount: Type.Number(),
  amountMinor: Type.Integer(),
  fee: Type.Number({ description: 'On top of the amount.' }),
  currency: text,
  message: Nullable(text),
  completedAt: NullableMoment,
  createdAt: Moment,
})

const ENDED_AT = '2026-11-07T16:30:02.140Z'

const example = {
  id: 41500,
  reference: 'UTL_5oI8bQ2fLj7wZ0pKg3Cf',
  paymentReference: 'light-2026-11',
  transactionId: 'UTL_5oI8bQ2fLj7wZ0pKg3Cf',
  status: 'Pending',
  customerId: '04123456789',
  customerName: 'ADA OBI',
  packageSlug: 'ikeja-electric-prepaid',
  billerName: 'Ikeja Electric',
  category: 'electricity',
  amount: 5000,
  amountMinor: 500000,
  fee: 0,
  currency: 'NGN',
  message: null,
  completedAt: null,
  createdAt: '2026-11-07T16:30:00.000Z',
}

export const utilityEvents = kindsOf(
  { object: 'utility_payment', schema: UtilityPayment, example },
  {
    'utility.pending': ['The provider has not said yet whether it sold something.'],
    'utility.successful': [
      'Airtime, data, electricity, television or an exam was bought.',
      { status: 'Successful', completedAt: ENDED_AT },
    ],
    'utility.failed': [
      'Nothing was bought, and the wallet has its money back.',
      { status: 'Failed', message: 'The meter is unknown', completedAt: ENDED_AT },
    ],
  },
)
