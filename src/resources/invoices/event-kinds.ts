import { kindsOf } from '../../events/kind.ts'
import { InvoiceRecord } from './schemas.ts'

const HOSTED = 'https://pay.example.com/i/1tr5q-Yw7kQ2v9'
const MADE_AT = '2026-11-02T09:30:00.000Z'
const PAID_AT = '2026-11-02T10:12:41.318Z'

const example = {
  reference: 'INV_4kQ9sYw7Zb2hN1xR8dLm',
  id: 40961,
  invoiceNumber: 'INV-040961',
  status: 'Sent',
  customerEmail: 'ada@example.com',
  customerName: 'Ada Obi',
  customerPhone: null,
  amount: 15000.5,
  amountMinor: 1500050,
  amountPaid: 0,
  amountPaidMinor: 0,
  amountDue: 15000.5,
  amountDueMinor: 1500050,
  currency: 'NGN',
  note: 'Thank you',
  lineItems: [
    {
      name: 'Ankara shirt',
      quantity: 1,
      unitAmount: 15000.5,
      unitAmountMinor: 1500050,
      amount: 15000.5,
      amountMinor: 1500050,
    },
  ],
  dueDate: '2026-11-16',
  isOverdue: false,
  allowPartialPayment: false,
  hostedUrl: HOSTED,
  payableOnline: true,
  pdfUrl: `${HOSTED}/pdf`,
  emailStatus: 'Queued',
  sentAt: MADE_AT,
  viewedAt: null,
  paidAt: null,
  voidedAt: null,
  payments: [],
  metadata: null,
  createdAt: MADE_AT,
  updatedAt: MADE_AT,
}

const payment = (amount: number, amountMinor: number) => ({
  transactionId: 40977,
  reference: 'TRX_9aT3mC6pXv1uK8eWq2Gh',
  channel: 'BANK_TRANSFER',
  amount,
  amountMinor,
  overpaidAmount: 0,
  kind: 'payment',
  paidAt: PAID_AT,
})

export const invoiceEvents = kindsOf(
  { object: 'invoice', schema: InvoiceRecord, example },
  {
    'invoice.created': [
      'An invoice was created. One that is sent at once is `Sent` already, and `invoice.sent` follows.',
    ],
    'invoice.sent': ['An invoice was sent, when it was created or later.'],
    'invoice.viewed': [
      'The payer opened the page of an invoice for the first time.',
      { emailStatus: 'Sent', viewedAt: '2026-11-02T10:05:12.004Z' },
    ],
    'invoice.partially_paid': [
      'A part of an invoice was paid.',
      {
        status: 'PartiallyPaid',
        allowPartialPayment: true,
        amountPaid: 5000,
        amountPaidMinor: 500000,
        amountDue: 10000.5,
        amountDueMinor: 1000050,
        payments: [payment(5000, 500000)],
        updatedAt: PAID_AT,
      },
    ],
    'invoice.paid': [
      'All of an invoice was paid, or it was marked as paid.',
      {
        status: 'Paid',
        amountPaid: 15000.5,
        amountPaidMinor: 1500050,
        amountDue: 0,
        amountDueMinor: 0,
        paidAt: PAID_AT,
        payments: [payment(15000.5, 1500050)],
        updatedAt: PAID_AT,
      },
    ],
    'invoice.overdue': [
      'The due date of an invoice passed before all of it was paid.',
      { isOverdue: true, emailStatus: 'Sent' },
    ],
    'invoice.voided': [
      'An invoice was voided: it is not to be paid any more.',
      {
        status: 'Void',
        amountDue: 0,
        amountDueMinor: 0,
        voidedAt: '2026-11-03T08:00:00.000Z',
        updatedAt: '2026-11-03T08:00:00.000Z',
      },
    ],
  },
)
