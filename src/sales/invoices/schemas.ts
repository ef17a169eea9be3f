import { type Static, type TSchema, Type } from 'typebox'
import { machine } from '../../lib/machine.ts'
import { dateRange, paging, sorting } from '../../lib/paging.ts'
import {
  Amount,
  Email,
  Envelope,
  inMajorUnits,
  Metadata,
  Nullable,
  NullableTimestamp,
  OneLine,
  PageOf,
  StoredMetadata,
  Timestamp,
  TimestampText,
} from '../../lib/schemas.ts'

export const INVOICE_STATES = ['Draft', 'Sent', 'PartiallyPaid', 'Paid', 'Void'] as const
export type InvoiceState = (typeof INVOICE_STATES)[number]

/**
 * Overdue is not a state: it means that the due date has passed.
 *
 *   Draft ─send→ Sent ─pay_part→ PartiallyPaid ─pay_rest→ Paid
 *     │           │ └────────────pay_rest──────────────────↑
 *     └───────────┴──────void──────┴→ Void
 */
export const invoiceMachine = machine({
  noun: 'invoice',
  initial: ['Draft', 'Sent'],
  states: INVOICE_STATES,
  moves: {
    // Sending an invoice again doesn’t change its state, but sends another email.
    send: { from: ['Draft', 'Sent', 'PartiallyPaid'], to: 'Sent' },
    remind: { from: ['Sent', 'PartiallyPaid'], to: 'Sent' },
    // Marked by hand, for money that did not come through Tradepost.
    mark_paid: { from: ['Sent', 'PartiallyPaid'], to: 'Paid' },
    pay_part: { from: ['Sent', 'PartiallyPaid'], to: 'PartiallyPaid' },
    pay_rest: { from: ['Sent', 'PartiallyPaid'], to: 'Paid' },
    void: { from: ['Draft', 'Sent', 'PartiallyPaid'], to: 'Void' },
  },
})

const CURRENCY_SAYS = 'must be a currency code such as NGN'
const Currency = Type.String({ pattern: '^[A-Z]{3}$', default: 'NGN', 'x-says': CURRENCY_SAYS })

const Phone = Type.String({
  pattern: '^\\+?[0-9 ()-]{5,24}$',
  'x-says': 'must be a phone number',
})

const LineItem = Type.Object({
  name: OneLine(200),
  quantity: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  unitAmount: Amount({ zero: true, description: 'Price of one unit.' }),
})

const DueDate = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'YYYY-MM-DD, or a full ISO 8601 date and time; only the day is used.',
  examples: ['2026-12-31'],
})

const linesOf = <T extends TSchema>(line: T) =>
  Type.Array(line, { minItems: 1, maxItems: 100, description: 'Must add up to amount.' })

const Note = Type.String({ maxLength: 2000 })
const CustomerName = OneLine(200)

export const NewInvoice = Type.Object({
  customerEmail: Email(),
  amount: Amount(),
  note: Type.Optional(Note),
  sendImmediately: Type.Boolean({
    default: true,
    description: 'false keeps the invoice as a Draft.',
  }),
  customerName: Type.Optional(CustomerName),
  customerPhone: Type.Optional(Phone),
  currency: Currency,
  dueDate: Type.Optional(DueDate),
  lineItems: Type.Optional(linesOf(LineItem)),
  allowPartialPayment: Type.Boolean({ default: false }),
  metadata: Type.Optional(Metadata),
})
export type NewInvoice = Static<typeof NewInvoice>

// The invoice’s row determines the currency, and so the number of decimals.
const AmountOfInvoice = Type.Unsafe<number | string>({
  type: ['number', 'string'],
  description: inMajorUnits('In the currency of the invoice.'),
})

const LineOfInvoice = Type.Object({ ...LineItem.properties, unitAmount: AmountOfInvoice })

const cleared = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

/** Changes only the given fields; null clears a field. */
export const UpdateInvoice = Type.Object({
  customerEmail: Type.Optional(Email()),
  amount: Type.Optional(AmountOfInvoice),
  note: cleared(Note),
  customerName: cleared(CustomerName),
  customerPhone: cleared(Phone),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', 'x-says': CURRENCY_SAYS })),
  dueDate: cleared(DueDate),
  lineItems: cleared(linesOf(LineOfInvoice)),
  allowPartialPayment: Type.Optional(Type.Boolean()),
  metadata: cleared(Metadata),
})
export type UpdateInvoice = Static<typeof UpdateInvoice>

export const MarkPaid = Type.Object({
  amount: Type.Optional(AmountOfInvoice),
  note: Type.Optional(Type.String({ maxLength: 500 })),
  paidAt: Type.Optional({
    ...TimestampText,
    description: 'A day in the business’s time zone or an ISO 8601 instant; defaults to now.',
  }),
})
export type MarkPaid = Static<typeof MarkPaid>

export const InvoiceReference = Type.Object({ reference: Type.String({ maxLength: 64 }) })

const filters = {
  ...sorting,
  ...dateRange,
  status: Type.Optional(
    Type.String({ maxLength: 20, description: `${INVOICE_STATES.join(', ')} or Overdue.` }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'An id, an invoice number, or part of the customer’s name or email address.',
    }),
  ),
}

export const InvoiceFilters = Type.Object(filters)
export type InvoiceFilters = Static<typeof InvoiceFilters>

export const InvoiceQuery = Type.Object({ ...paging, ...filters })
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
  kind: Type.String({
    description: 'overpayment if the whole payment has to be refunded, otherwise payment.',
  }),
  paidAt: NullableTimestamp,
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
  amountPaidMinor: Type.Integer(),
  amountDue: money,
  amountDueMinor: Type.Integer(),
  currency: text,
  note: Nullable(text),
  lineItems: Type.Array(
    Type.Object({
      name: text,
      quantity: Type.Integer(),
      unitAmount: money,
      unitAmountMinor: Type.Integer(),
      amount: money,
      amountMinor: Type.Integer(),
    }),
  ),
  dueDate: Nullable(text),
  isOverdue: Type.Boolean(),
  allowPartialPayment: Type.Boolean(),
  hostedUrl: text,
  payableOnline: Type.Boolean({
    description: 'Whether the invoice can be paid at hostedUrl through a connected channel.',
  }),
  pdfUrl: text,
  emailStatus: Nullable(text),
  sentAt: NullableTimestamp,
  viewedAt: NullableTimestamp,
  paidAt: NullableTimestamp,
  voidedAt: NullableTimestamp,
  payments: Type.Array(Payment),
  metadata: StoredMetadata,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const OneInvoice = Envelope(InvoiceRecord)
export const InvoiceList = PageOf(InvoiceRecord)
