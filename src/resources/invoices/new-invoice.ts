import { parseDay } from '../../lib/dates.ts'
import { isCurrency, type Minor, parseAmount, printMinor } from '../../lib/money.ts'
import { newTokenSecret } from '../../lib/page-token.ts'
import { invalid } from '../../lib/problem.ts'
import { newReference } from '../../lib/random.ts'
import type { Caller } from '../../lib/tenant.ts'
import type { InvoiceRow } from './queries.ts'
import { type Line, printLines } from './record.ts'
import { firstStep } from './schedule.ts'
import type { NewInvoice } from './schemas.ts'

/** The row of a request; throws 400 naming what does not fit together. */
export function newInvoice(id: number, caller: Caller, request: NewInvoice): InvoiceRow {
  const { currency, sendImmediately, lineItems } = request
  if (!isCurrency(currency)) throw invalid({ currency: ['must be an ISO 4217 currency code'] })
  const dueDate =
    request.dueDate === undefined
      ? undefined
      : parseDay(request.dueDate, caller.timeZone, 'dueDate')
  const amount_minor = parseAmount(request.amount, currency)
  const lines = lineItems && linesOf(lineItems, currency, amount_minor)
  return {
    business_id: caller.businessId,
    live: caller.live,
    id,
    // The statement that writes it takes its number.
    number: null,
    number_prefix: null,
    reference: newReference('INV'),
    token: newTokenSecret(),
    status: sendImmediately ? 'Sent' : 'Draft',
    customer_email: request.customerEmail,
    customer_name: request.customerName ?? null,
    customer_phone: request.customerPhone ?? null,
    amount_minor,
    paid_minor: 0n,
    currency,
    note: request.note ?? null,
    line_items: lines ? printLines(lines) : null,
    due_date: dueDate ?? null,
    allow_partial_payment: request.allowPartialPayment,
    metadata: request.metadata === undefined ? null : JSON.stringify(request.metadata),
    email_status: sendImmediately ? 'Queued' : null,
    sent_at: sendImmediately ? caller.now : null,
    viewed_at: null,
    paid_at: null,
    voided_at: null,
    reminded_at: null,
    ...stepOf(caller, { sendImmediately, dueDate }),
    event_sequence: sendImmediately ? 2 : 1,
    created_at: caller.now,
    updated_at: caller.now,
  }
}

type Stepped = { sendImmediately: boolean; dueDate: string | undefined }

/** A Draft is not on its way yet. */
const stepOf = ({ timeZone, now }: Caller, { sendImmediately, dueDate }: Stepped) =>
  firstStep({ dueDate: sendImmediately && dueDate ? dueDate : null, timeZone }, now)

function linesOf(
  items: NonNullable<NewInvoice['lineItems']>,
  currency: string,
  amount_minor: Minor,
): Line[] {
  const lines = items.map(({ name, quantity, unitAmount }, i) => {
    const field = `lineItems.${i}.unitAmount`
    const unit_minor = parseAmount(unitAmount, currency, { field, zero: true })
    return { name, quantity, unit_minor, amount_minor: unit_minor * BigInt(quantity) }
  })
  const sum_minor = lines.reduce((sum, line) => sum + line.amount_minor, 0n)
  if (sum_minor !== amount_minor) {
    const sum = printMinor(sum_minor, currency)
    throw invalid({ lineItems: [`add up to ${sum}, not to amount`] })
  }
  return lines
}
