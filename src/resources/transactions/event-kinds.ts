import { Type } from 'typebox'
import { type EventKind, kindsOf } from '../../events/kind.ts'
import { Moment, Nullable } from '../../lib/schemas.ts'
import { TransactionRecord } from './schemas-read.ts'

const MADE_AT = '2026-11-02T10:10:05.120Z'
const PAID_AT = '2026-11-02T10:12:41.318Z'

const begun = { status: 'Pending', at: MADE_AT, message: null }

/** Raised once, with where it went and why. */
const moved = (status: string, message: string) => ({
  status,
  message,
  timeline: [begun, { status, at: PAID_AT, message }],
})

const paid = { paidAmount: 15000.5, paidAt: PAID_AT }

const example = {
  id: 40977,
  reference: 'TRX_9aT3mC6pXv1uK8eWq2Gh',
  amount: 15000.5,
  amountMinor: 1500050,
  fees: 225.01,
  netAmount: 14775.49,
  feeBearer: 'business',
  currency: 'NGN',
  channel: 'BANK_TRANSFER',
  status: 'Pending',
  gatewayResponse: null,
  message: null,
  customer: { id: null, email: 'ada@example.com', name: 'Ada Obi', phone: null },
  customerId: null,
  pageId: null,
  splitPageId: null,
  orderId: null,
  invoiceReference: 'INV_4kQ9sYw7Zb2hN1xR8dLm',
  businessId: 1025,
  ipAddress: null,
  location: null,
  split: [],
  paidAmount: null,
  overpaidAmount: 0,
  refundedAmount: 0,
  late: false,
  paidAt: null,
  expiresAt: '2026-11-02T10:40:05.120Z',
  metadata: null,
  timeline: [begun],
  createdAt: MADE_AT,
}

const ofTransactions = kindsOf(
  { object: 'transaction', schema: TransactionRecord, example },
  {
    'transaction.pending': ['A payer began to pay.'],
    'transaction.successful': [
      'A payment came in. One that comes after its time has `late`.',
      { ...moved('Successful', 'Transfer received'), ...paid },
    ],
    'transaction.failed': [
      'The bank or the payer’s provider declined a payment.',
      moved('Failed', 'Declined'),
    ],
    'transaction.abandoned': [
      'Nobody paid in time, or what was to be paid is not any more.',
      moved('Abandoned', 'Not paid in time'),
    ],
    'transaction.reversed': [
      'The bank took a payment back, as after a lost chargeback.',
      { ...moved('Reversed', 'Chargeback lost'), ...paid },
    ],
  },
)

const text = Type.String()

const account = {
  reference: Type.String({ description: 'Of the transaction.' }),
  status: Type.String({ description: 'Open, Paid or Expired' }),
  transactionId: Type.Integer(),
  accountNumber: text,
  accountName: text,
  bankName: text,
  bankCode: text,
  amount: Type.Number({ description: 'What is to be transferred.' }),
  amountMinor: Type.Integer(),
  currency: text,
  expiresAt: Moment,
}
const Account = Type.Object(account)

const RejectedDeposit = Type.Object({
  ...account,
  receivedAmount: Type.Number(),
  reason: Nullable(
    Type.String({
      description:
        'amount_too_low, amount_too_high, account_expired, already_paid or wrong_currency',
    }),
  ),
  receivedAmountMinor: Type.Integer(),
  receivedCurrency: Type.String(),
  depositReference: Type.String({ description: 'The provider’s reference of the deposit.' }),
  sender: Type.Unsafe<object | null>({
    type: ['object', 'null'],
    properties: {
      accountName: { type: ['string', 'null'] },
      accountNumber: { type: ['string', 'null'] },
      bankName: { type: ['string', 'null'] },
    },
    description: 'Who sent it; null where the bank does not say.',
  }),
})

const open = {
  reference: 'TRX_9aT3mC6pXv1uK8eWq2Gh',
  status: 'Open',
  transactionId: 40977,
  accountNumber: '9912345678',
  accountName: 'Ada Ventures',
  bankName: 'Simulator Bank',
  bankCode: '999',
  amount: 15000.5,
  amountMinor: 1500050,
  currency: 'NGN',
  expiresAt: '2026-11-02T10:40:05.120Z',
}

const ofAccounts = kindsOf(
  { object: 'virtual_account', schema: Account, example: open },
  {
    'virtual_account.created': ['An account was opened for one payment.'],
    'virtual_account.expired': [
      'The account of a payment was closed before it was paid.',
      { status: 'Expired' },
    ],
  },
)

const ofDeposits = kindsOf(
  { object: 'virtual_account', schema: RejectedDeposit, example: open },
  {
    'bank.transfer.rejected': [
      'A deposit into the account of a payment was sent back.',
      {
        receivedAmount: 12000,
        receivedAmountMinor: 1200000,
        receivedCurrency: 'NGN',
        reason: 'amount_too_low',
        depositReference: 'DEP_7hK2mX9qLs4vB1cN6tRw',
        sender: null,
      },
    ],
  },
)

export const transactionEvents: EventKind[] = [...ofTransactions, ...ofAccounts, ...ofDeposits]
