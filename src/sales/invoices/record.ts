import type { PaymentTerms } from '../../business/account/payment-settings.ts'
import { idsWhere, isOfCustomer, type PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'
import { queueText, type Searchable } from '../../db/text-search.ts'
import type { Deps } from '../../deps.ts'
import { kindsOf } from '../../events/catalogue.ts'
import { dayIn } from '../../lib/dates.ts'
import { invoiceNumber } from '../../lib/invoice-number.ts'
import { toAmount } from '../../lib/money.ts'
import { printToken } from '../../lib/tokens.ts'
import type { InvoiceFacts } from '../../pages/views.ts'
import type { ReceivedPayment } from '../../payments/attempts/read.ts'
import type { Channel } from '../../providers/connector/types.ts'
import type { InvoiceRow } from './queries.ts'
import { InvoiceRecord, type InvoiceState } from './schemas.ts'

/** What determines the URL of an invoice’s page and the ways to pay there. */
export type InvoiceRecordDeps = Pick<Deps, 'publicUrl' | 'providers'>

/**
 * Returns whether a connected channel can accept payment for the invoice. All known channels only
 * support naira.
 */
export const isPayableOnline = (
  channels: readonly Channel[],
  { currency }: Pick<InvoiceRow, 'currency'>,
): boolean => currency === 'NGN' && channels.length > 0

interface Shown extends Pick<InvoiceRecordDeps, 'publicUrl'> {
  /** The channels that the business can offer. */
  channels: readonly Channel[]
  timeZone: string
  now: Date
  payments: ReceivedPayment[]
}

/**
 * Returns whether the invoice is unpaid and its due date has passed in the business’s time zone.
 */
export function isOverdue(
  { status, due_date }: Pick<InvoiceRow, 'status' | 'due_date'>,
  timeZone: string,
  now: Date,
): boolean {
  if (due_date === null || (status !== 'Sent' && status !== 'PartiallyPaid')) return false
  return due_date < dayIn(timeZone, now)
}

export const tokenOf = ({ business_id, live, id, token }: InvoiceRow): string =>
  printToken({ businessId: business_id, live, id, secret: token })

/** Returns the URL of the page where an invoice is paid, for example in emails. */
export const pageUrlOf = ({ publicUrl }: Pick<Deps, 'publicUrl'>, row: InvoiceRow): string =>
  `${publicUrl}/i/${tokenOf(row)}`

/** Returns an invoice as the API and its events show it (docs/CONTRACT.md, Invoices). */
export function invoiceRecord(
  row: InvoiceRow,
  { publicUrl, channels, timeZone, now, payments }: Shown,
) {
  const { currency } = row
  const due_minor = row.status === 'Void' ? 0n : row.amount_minor - row.paid_minor
  const hostedUrl = pageUrlOf({ publicUrl }, row)
  return {
    reference: row.reference,
    id: row.id,
    invoiceNumber: invoiceNumber(row),
    status: row.status,
    customerEmail: row.customer_email,
    customerName: row.customer_name,
    customerPhone: row.customer_phone,
    amount: toAmount(row.amount_minor, currency),
    amountMinor: Number(row.amount_minor),
    amountPaid: toAmount(row.paid_minor, currency),
    amountPaidMinor: Number(row.paid_minor),
    amountDue: toAmount(due_minor, currency),
    amountDueMinor: Number(due_minor),
    currency,
    note: row.note,
    lineItems: lineItemsOf(row).map(({ name, quantity, unit_minor, amount_minor }) => ({
      name,
      quantity,
      unitAmount: toAmount(unit_minor, currency),
      unitAmountMinor: Number(unit_minor),
      amount: toAmount(amount_minor, currency),
      amountMinor: Number(amount_minor),
    })),
    dueDate: row.due_date,
    isOverdue: isOverdue(row, timeZone, now),
    allowPartialPayment: row.allow_partial_payment,
    hostedUrl,
    pdfUrl: `${hostedUrl}/pdf`,
    payableOnline: isPayableOnline(channels, row),
    emailStatus: row.email_status,
    sentAt: row.sent_at,
    viewedAt: row.viewed_at,
    paidAt: row.paid_at,
    voidedAt: row.voided_at,
    payments: payments.map(paymentRecord),
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function paymentRecord(payment: ReceivedPayment) {
  const { currency, excess_minor, paid_minor } = payment
  const isAllOwedBack = paid_minor !== null && excess_minor === paid_minor
  return {
    transactionId: payment.id,
    reference: payment.reference,
    channel: payment.channel,
    amount: toAmount(payment.amount_minor, currency),
    amountMinor: Number(payment.amount_minor),
    overpaidAmount: toAmount(excess_minor, currency),
    kind: isAllOwedBack ? 'overpayment' : 'payment',
    paidAt: payment.paid_at,
  }
}

export interface Line {
  name: string
  quantity: number
  unit_minor: bigint
  amount_minor: bigint
}

/** Returns the lines as they are stored: JSON text, with minor units as strings of digits. */
export const printLines = (lines: Line[]): string =>
  JSON.stringify(
    lines.map(({ name, quantity, unit_minor, amount_minor }) => [
      name,
      quantity,
      unit_minor.toString(),
      amount_minor.toString(),
    ]),
  )

/** Reads the stored lines. Null means an empty list. */
export function lineItemsOf({ line_items }: Pick<InvoiceRow, 'line_items'>): Line[] {
  if (line_items === null) return []
  const stored = JSON.parse(line_items) as [string, number, string, string][]
  return stored.map(([name, quantity, unit, amount]) => ({
    name,
    quantity,
    unit_minor: BigInt(unit),
    amount_minor: BigInt(amount),
  }))
}

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
      'An invoice was created. If the invoice is sent immediately, its status is already `Sent` and `invoice.sent` follows.',
    ],
    'invoice.sent': ['An invoice was sent, either on creation or later.'],
    'invoice.viewed': [
      'The payer opened the invoice page for the first time.',
      { emailStatus: 'Sent', viewedAt: '2026-11-02T10:05:12.004Z' },
    ],
    'invoice.partially_paid': [
      'Part of an invoice was paid.',
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
      'An invoice was paid in full or marked as paid.',
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
      'An invoice passed its due date before it was paid in full.',
      { isOverdue: true, emailStatus: 'Sent' },
    ],
    'invoice.voided': [
      'An invoice was voided and can no longer be paid.',
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

interface Seen {
  row: InvoiceRow
  terms: PaymentTerms
  now: Date
}

type Summary = Omit<InvoiceFacts, 'status'> & { status: InvoiceState }

/**
 * Summarises an invoice for pages, emails and PDFs. Whether it is overdue depends on the business’s
 * calendar at `now`.
 */
export function summaryOf({ row, terms, now }: Seen): Summary {
  return {
    number: invoiceNumber(row),
    reference: row.reference,
    status: row.status,
    ...(row.note && { note: row.note }),
    ...(row.customer_name && { customerName: row.customer_name }),
    lineItems: lineItemsOf(row).map(({ name, quantity, unit_minor, amount_minor }) => ({
      name,
      quantity,
      unitAmountMinor: unit_minor,
      amountMinor: amount_minor,
    })),
    amountMinor: row.amount_minor,
    paidMinor: row.paid_minor,
    dueMinor: row.amount_minor - row.paid_minor,
    currency: row.currency,
    ...(row.due_date && { dueDate: row.due_date }),
    isOverdue: isOverdue(row, terms.time_zone, now),
    createdAt: row.created_at,
    ...(row.paid_at && { paidAt: row.paid_at }),
  }
}

export const INVOICES: Searchable<InvoiceRow> = {
  kind: 'invoice',
  table: 'invoices',
  fields: ['customer_name', 'customer_email'],
  isQueued: true,
}

export const invoicePersonalData: PersonalData = {
  name: 'invoices',
  find: (db, customer) =>
    idsWhere(db, customer, { table: sql`invoices`, match: isOfCustomer(customer) }),
  async lock(db, customer, ids) {
    const rows = await db.many<{ id: number }>`
      select id from invoices
      where business_id = ${customer.businessId} and live = ${customer.live}
        and id = any(${ids}::bigint[]) and ${isOfCustomer(customer)}
      order by id for update`
    return rows.map(({ id }) => id)
  },
  open: {
    table: sql`invoices`,
    condition: sql`status in ('Sent', 'PartiallyPaid')`,
    words: 'invoices that are not paid yet: void them or wait for the payment',
  },
  async erase(tx, { businessId, live }, ids, pseudonym) {
    const count = await tx.run`
      update invoices set customer_email = ${pseudonym}, customer_name = null,
        customer_phone = null, note = null, metadata = null
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`
    for (const id of ids) await queueText(tx, { businessId, live }, INVOICES, id)
    return count
  },
}
