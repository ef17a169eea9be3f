import { kindsOf } from '../../events/kind.ts'
import { UtilityRecord } from './schemas.ts'

const MADE_AT = '2026-11-07T16:30:00.000Z'
const ENDED_AT = '2026-11-07T16:30:02.140Z'

const begun = { status: 'Pending', at: MADE_AT, message: null }

const ended = (status: string, message: string) => ({
  status,
  vendStatus: status,
  timeline: [begun, { status, at: ENDED_AT, message }],
  completedAt: ENDED_AT,
})

const example = {
  transactionId: 41500,
  reference: 'UTL_5oI8bQ2fLj7wZ0pKg3Cf',
  paymentReference: 'light-2026-11',
  status: 'Pending',
  vendStatus: 'Pending',
  customerId: '04123456789',
  customerName: 'ADA OBI',
  packageSlug: 'ikedc-prepaid',
  packageName: 'Ikeja Electric (IKEDC), prepaid',
  billerSlug: 'ikedc',
  billerName: 'Ikeja Electric (IKEDC)',
  category: 'electricity',
  amount: 5000,
  amountMinor: 500000,
  fee: 0,
  total: 5000,
  totalMinor: 500000,
  currency: 'NGN',
  channel: null,
  phoneNumber: null,
  email: null,
  accountNumber: null,
  token: null,
  pins: [],
  pinDetails: [],
  failureReason: null,
  timeline: [begun],
  createdAt: MADE_AT,
  completedAt: null,
}

export const utilityEvents = kindsOf(
  { object: 'utility_payment', schema: UtilityRecord, example },
  {
    'utility.pending': ['A utility payment was begun: its money is held, and the biller is asked.'],
    'utility.successful': [
      'Airtime, data, electricity, television or a pin was bought.',
      {
        ...ended('Successful', 'Delivered'),
        token: { value: '4417-0032-9921-5508-1746', units: 23.8 },
      },
    ],
    'utility.failed': [
      'Nothing was bought, and the wallet has its money back.',
      {
        ...ended('Failed', 'The biller refused this customer'),
        failureReason: 'The biller refused this customer',
      },
    ],
  },
)
