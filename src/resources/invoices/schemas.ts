import { type Static, Type } from 'typebox'
import { dateRange, paging, sorting } from '../../lib/paging.ts'
import {
  Amount,
  Email,
  Envelope,
  Metadata,
  Moment,
  Nullable,
  NullableMoment,
  PageOf,
} from '../../lib/schemas.ts'
import { INVOICE_STATES } from './states.ts'

const Currency = Type.String({
  pattern: '^[A-Z]{3}$',
  default: 'NGN',
  'x-says': 'must be a currency code such as NGN',
})

const Phone = Type.String({
  pattern: '^\\+?[0-9 ()-]{5,24}$',
  'x-says': 'must be a phone number',
})

const LineItem = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  quantity: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  unitAmount: Amount({ zero: true, description: 'Price of one, in major units.' }),
})

export const NewInvoice = Type.Object({
  customerEmail: Email(),
  amount: Amount(),
  note: Type.Optional(Type.String({ maxLength: 2000 })),
  sendImmediately: Type.Boolean({ default: true, description: 'false keeps it a Draft.' }),
  customerName: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  customerPhone: Type.Optional(Phone),
  currency: Currency,
  dueDate: Type.Optional(
    Type.String({
      pattern: '^\\d{4}-\\d{2}-\\d{2}$',
      'x-says': 'must be a day as YYYY-MM-DD',
      examples: ['2026-12-31'],
    }),
  ),
  lineItems: Type.Optional(
    Type.Array(LineItem, { minItems: 1, maxItems: 100, description: 'Must add up to amount.' }),
  ),
  allowPartialPayment: Type.Boolean({ default: false }),
  metadata: Type.Optional(Metadata),
})
export type NewInvoice = Static<typeof NewInvoice>

export const InvoiceReference = Type.Object({ reference: Type.String({ maxLength: 64 }) })

export const InvoiceQuery = Type.Object({
  ...paging,
  ...sorting,
  ...dateRange,
  status: Type.Optional(
    Type.String({ maxLength: 20, description: `${INVOICE_STATES.join(', ')} or Overdue.` }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'An id, an invoice number, or part of the customer’s name or e-mail.',
    }),
  ),
})
export type InvoiceQuery = Static<typeof InvoiceQuery>

const text = Type.String()
const money = Type.Number()

const Payment = Type.Object({
  transactionId: Type.Integer(),
  reference: text,
  channel: text,
  amount: money,
  amountMinor: Type.Integer(),
  overpaidAmount: money,
  kind: Type.String({ description: 'payment, or overpayment for what is owed back.' }),
  paidAt: NullableMoment,
})

export const InvoiceRecord = Type.Object({
  reference: text,
  id: Type.Integer(),
  invoiceNumber: text,
  status: text,
  customerEmail: text,
  customerName: Nullable(text),
  customerPhone: Nullable(text),
  amount: money,
  amountMinor: Type.Integer(),
  amountPaid: money,
  amountDue: money,
  currency: text,
  note: Nullable(text),
  lineItems: Type.Array(
    Type.Object({ name: text, quantity: Type.Integer(), unitAmount: money, amount: money }),
  ),
  dueDate: Nullable(text),
  isOverdue: Type.Boolean(),
  allowPartialPayment: Type.Boolean(),
  hostedUrl: text,
  pdfUrl: text,
  emailStatus: Nullable(text),
  sentAt: NullableMoment,
  viewedAt: NullableMoment,
  paidAt: NullableMoment,
  voidedAt: NullableMoment,
  payments: Type.Array(Payment),
  metadata: Type.Unsafe<Record<string, unknown> | null>({
    type: ['object', 'null'],
    additionalProperties: true,
  }),
  createdAt: Moment,
  updatedAt: Moment,
})

export const OneInvoice = Envelope(InvoiceRecord)
export const InvoiceList = PageOf(InvoiceRecord)
