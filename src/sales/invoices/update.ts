import type { Tx } from '../../db/database.ts'
import { queueText } from '../../db/text-search.ts'
import type { Caller } from '../../lib/caller.ts'
import { canonical } from '../../lib/json.ts'
import { toAmount } from '../../lib/money.ts'
import { conflict, type Fields, notFound } from '../../lib/problem.ts'
import { newInvoice, requirePayable } from './create.ts'
import { type Content, type InvoiceRow, lockInvoice, updateContent, updateVoid } from './queries.ts'
import { INVOICES, lineItemsOf } from './record.ts'
import {
  type InvoiceState,
  invoiceMachine,
  type NewInvoice,
  type UpdateInvoice,
} from './schemas.ts'
import { closeOpenAttempts, type InvoiceDeps, recordEvent, recordOf, refusal } from './service.ts'

const FIELDS: Record<keyof Content, keyof UpdateInvoice> = {
  customer_email: 'customerEmail',
  customer_name: 'customerName',
  customer_phone: 'customerPhone',
  amount_minor: 'amount',
  currency: 'currency',
  note: 'note',
  line_items: 'lineItems',
  due_date: 'dueDate',
  allow_partial_payment: 'allowPartialPayment',
  metadata: 'metadata',
}
const COLUMNS = Object.keys(FIELDS) as (keyof Content)[]

/** The customer has already seen a sent invoice, so only these fields of it can still change. */
const ONCE_SENT: readonly (keyof Content)[] = ['note', 'due_date']

const EDITABLE: Record<InvoiceState, readonly (keyof Content)[]> = {
  Draft: COLUMNS,
  Sent: ONCE_SENT,
  PartiallyPaid: ONCE_SENT,
  Paid: [],
  Void: [],
}

/**
 * Changes the given fields; null clears an optional field. Throws 400 unless the result could also
 * have been created as a new invoice, and 409 naming each field that can no longer change. Giving a
 * field its current value is not a change. The catalogue has no event for this.
 */
export async function updateInvoice(
  tx: Tx,
  deps: InvoiceDeps,
  caller: Caller,
  reference: string,
  request: UpdateInvoice,
) {
  const row = await lockInvoice(tx, caller, reference)
  if (!row) throw notFound('invoice')
  const wanted = newInvoice(row.id, caller, merged(row, request))
  const changed = COLUMNS.filter((column) => !isSame(column, row, wanted))
  const refused = changed.filter((column) => !EDITABLE[row.status].includes(column))
  if (refused.length > 0) throw notAnyMore(row.status, refused)
  if (changed.includes('currency')) await requirePayable(tx, caller, wanted.currency)
  if (changed.length === 0) return recordOf(tx, deps, caller, row)

  const { next_step, next_step_at } = changed.includes('due_date') ? wanted : row
  const content = { ...wanted, next_step, next_step_at }
  const updated = await updateContent(tx, caller, row.id, content, caller.now)
  if (changed.includes('customer_name') || changed.includes('customer_email')) {
    await queueText(tx, caller, INVOICES, row.id)
  }
  return recordOf(tx, deps, caller, updated)
}

/** Returns the request that would create the invoice as it is after the update. */
function merged(row: InvoiceRow, request: UpdateInvoice): NewInvoice {
  const whole = { ...requestOf(row), ...request }
  const given = Object.entries(whole).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(given) as NewInvoice
}

function requestOf(row: InvoiceRow) {
  const { currency } = row
  const lines = lineItemsOf(row).map(({ name, quantity, unit_minor }) => ({
    name,
    quantity,
    unitAmount: toAmount(unit_minor, currency),
  }))
  return {
    customerEmail: row.customer_email,
    amount: toAmount(row.amount_minor, currency),
    note: row.note,
    // Only a sent invoice has a schedule.
    sendImmediately: row.status !== 'Draft',
    customerName: row.customer_name,
    customerPhone: row.customer_phone,
    currency,
    dueDate: row.due_date,
    lineItems: row.line_items === null ? null : lines,
    allowPartialPayment: row.allow_partial_payment,
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
  }
}

function isSame(column: keyof Content, row: InvoiceRow, wanted: InvoiceRow): boolean {
  if (column !== 'metadata' || row.metadata === null || wanted.metadata === null) {
    return row[column] === wanted[column]
  }
  return canonical(JSON.parse(row.metadata)) === canonical(JSON.parse(wanted.metadata))
}

function notAnyMore(status: InvoiceState, refused: (keyof Content)[]) {
  const fields: Fields = {}
  for (const column of refused)
    fields[FIELDS[column]] = [`can no longer change because the invoice is ${status}`]
  const names = Object.keys(fields).join(', ')
  return conflict(
    'invoice_state',
    `The invoice is ${status}, so ${names} can no longer change.`,
    fields,
  )
}

/**
 * Voids an invoice, which can then no longer be paid. The business keeps what has been paid so far.
 * Later payments are returned to the payer.
 */
export async function voidInvoice(tx: Tx, deps: InvoiceDeps, caller: Caller, reference: string) {
  const { from } = invoiceMachine.moves.void
  const row = await updateVoid(tx, caller, reference, from, caller.now)
  if (!row) throw await refusal(tx, caller, reference, 'void')
  const record = await recordEvent(tx, deps, caller, 'invoice.voided', row)
  await closeOpenAttempts(tx, deps, caller, row)
  return record
}
