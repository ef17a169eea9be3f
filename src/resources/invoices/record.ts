import { dayIn } from '../../lib/dates.ts'
import { toAmount } from '../../lib/money.ts'
import { printToken } from '../../lib/page-token.ts'
import type { Deps } from '../deps.ts'
import type { TransactionRow } from '../transactions/service.ts'
import { invoiceNumber } from './number.ts'
import type { InvoiceRow } from './queries.ts'

/** What an address of a payer's page, and what can be paid there, depend on. */
export interface ShownBy {
  publicUrl: string
  providers: Pick<Deps['providers'], 'channels'>
}

/** Whether a channel is connected that can take the invoice; the rails we know move naira only. */
export const isPayableOnline = (
  providers: ShownBy['providers'],
  { live, currency }: Pick<InvoiceRow, 'live' | 'currency'>,
): boolean => currency === 'NGN' && providers.channels(live).length > 0

/** What a record shows beyond its row. */
export interface Shown extends ShownBy {
  timeZone: string
  now: Date
  payments: TransactionRow[]
}

/** Past its due date, in the days of the business, and still to be paid. */
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

/** An invoice as the API and its events show it (docs/CONTRACT.md, Invoices). */
export function invoiceRecord(
  row: InvoiceRow,
  { publicUrl, providers, timeZone, now, payments }: Shown,
) {
  const { currency } = row
  const due_minor = row.status === 'Void' ? 0n : row.amount_minor - row.paid_minor
  const hostedUrl = `${publicUrl}/i/${tokenOf(row)}`
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
    payableOnline: isPayableOnline(providers, row),
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

function paymentRecord(payment: TransactionRow) {
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

/** Lines as they are stored: JSON text, with the minor units as digits. */
export const printLines = (lines: Line[]): string =>
  JSON.stringify(
    lines.map(({ name, quantity, unit_minor, amount_minor }) => [
      name,
      quantity,
      unit_minor.toString(),
      amount_minor.toString(),
    ]),
  )

/** The lines as they were stored; none is an empty list. */
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
