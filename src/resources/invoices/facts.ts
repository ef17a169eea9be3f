import type { Minor } from '../../lib/money.ts'
import type { InvoiceFacts, PaymentMade } from '../../pages/views.ts'
import type { Terms } from '../businesses/terms.ts'
import type { TransactionRow } from '../transactions/service.ts'
import { invoiceNumber } from './number.ts'
import type { InvoiceRow } from './queries.ts'
import { isOverdue, lineItemsOf } from './record.ts'
import type { InvoiceState } from './states.ts'

/** What an invoice says to its payer, on a page or on paper. */

interface Seen {
  row: InvoiceRow
  terms: Terms
  now: Date
}

type Facts = Omit<InvoiceFacts, 'status'> & { status: InvoiceState }

/** Overdue by the calendar of its business, at the moment that it is looked at. */
export function factsOf({ row, terms, now }: Seen): Facts {
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

export const paymentsOf = (received: TransactionRow[] | undefined, now: Date): PaymentMade[] =>
  (received ?? []).map((paid) => ({
    reference: paid.reference,
    channel: paid.channel,
    amountMinor: paid.paid_minor ?? paid.amount_minor,
    paidAt: paid.paid_at ?? now,
    kind: paid.excess_minor === paid.paid_minor ? 'Overpayment' : 'Payment',
    owedBackMinor: owedBackOf(paid),
    refundedMinor: paid.refunded_minor,
  }))

/** Refunds give first what was overpaid. */
const owedBackOf = ({ excess_minor, refunded_minor }: TransactionRow): Minor =>
  excess_minor > refunded_minor ? excess_minor - refunded_minor : 0n
