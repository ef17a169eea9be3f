import type { Db, Tx } from '../../db/database.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { dayIn } from '../../lib/dates.ts'
import { isDescending, pageOf, rangeOf } from '../../lib/paging.ts'
import { invalid, notFound } from '../../lib/problem.ts'
import type { Caller, Tenant } from '../../lib/tenant.ts'
import type { Deps } from '../deps.ts'
import { receivedFor } from '../transactions/service.ts'
import {
  countInvoices,
  type InvoiceFilter,
  type InvoiceRow,
  selectInvoice,
  selectInvoices,
  updateSent,
  updateVoid,
} from './queries.ts'
import { invoiceRecord } from './record.ts'
import type { InvoiceQuery } from './schemas.ts'
import { INVOICE_STATES, type InvoiceState, invoiceMachine } from './states.ts'

export const INVOICE_PURPOSE = 'invoice'

export type InvoiceDeps = Pick<Deps, 'ids' | 'publicUrl'>

export const invoiceEvent = (type: string, row: InvoiceRow, data: object, at: Date): NewEvent => ({
  businessId: row.business_id,
  live: row.live,
  type,
  objectType: 'invoice',
  objectId: row.id,
  sequence: row.event_sequence,
  data,
  at,
})

/** The event of a row that was just changed, with the payments it had. */
export async function changedEvent(
  db: Db,
  { publicUrl, timeZone }: { publicUrl: string; timeZone: string },
  type: string,
  row: InvoiceRow,
  now: Date,
): Promise<NewEvent> {
  const tenant = { businessId: row.business_id, live: row.live }
  const payments = (await receivedFor(db, tenant, INVOICE_PURPOSE, [row.id])).get(row.id) ?? []
  return invoiceEvent(type, row, invoiceRecord(row, { publicUrl, timeZone, now, payments }), now)
}

/** One invoice by its reference. */
export async function getInvoice(
  db: Db,
  { publicUrl }: InvoiceDeps,
  caller: Caller,
  reference: string,
) {
  const row = await selectInvoice(db, caller, reference)
  if (!row) throw notFound('invoice')
  return recordOf(db, publicUrl, caller, row)
}

async function recordOf(db: Db, publicUrl: string, caller: Caller, row: InvoiceRow) {
  const received = await receivedFor(db, caller, INVOICE_PURPOSE, [row.id])
  return invoiceRecord(row, { publicUrl, ...caller, payments: received.get(row.id) ?? [] })
}

/** One page of invoices with its meta. */
export async function listInvoices(
  db: Db,
  { publicUrl }: InvoiceDeps,
  caller: Caller,
  query: InvoiceQuery,
) {
  const filter = filterOf(caller, query)
  const [found, counted] = await Promise.all([
    selectInvoices(db, caller, filter),
    countInvoices(db, caller, filter),
  ])
  const { rows, meta } = pageOf(found, query, counted)
  const received = await receivedFor(
    db,
    caller,
    INVOICE_PURPOSE,
    rows.map(({ id }) => id),
  )
  const records = rows.map((row) =>
    invoiceRecord(row, { publicUrl, ...caller, payments: received.get(row.id) ?? [] }),
  )
  return { records, meta }
}

function filterOf(caller: Caller, query: InvoiceQuery): InvoiceFilter {
  const { status: wanted, search, sort } = query
  const status = wanted === undefined ? undefined : statusOf(wanted)
  return {
    status: status === 'Overdue' ? undefined : status,
    overdueOn: status === 'Overdue' ? dayIn(caller.timeZone, caller.now) : undefined,
    search: searchOf(search?.trim()),
    range: rangeOf(query, caller.timeZone),
    descending: isDescending(sort),
    page: query,
  }
}

function statusOf(wanted: string): InvoiceState | 'Overdue' {
  const known = [...INVOICE_STATES, 'Overdue'] as const
  const status = known.find((name) => name.toLowerCase() === wanted.toLowerCase())
  if (!status) throw invalid({ status: [`must be one of ${known.join(', ')}`] })
  return status
}

/** All digits are an id, INV-… an invoice number, anything else a part of a name or e-mail. */
function searchOf(search: string | undefined): InvoiceFilter['search'] {
  if (!search) return undefined
  const [, digits] = /^(?:INV-)?(\d{1,15})$/i.exec(search) ?? []
  return digits ? { id: Number(digits) } : { text: search }
}

/** Sends a Draft, or mails again what is out already. */
export async function sendInvoice(tx: Tx, deps: InvoiceDeps, caller: Caller, reference: string) {
  const { from } = invoiceMachine.moves.send
  const row = await updateSent(tx, caller, reference, from, caller.now)
  if (!row) throw await refusal(tx, caller, reference, 'send')
  return told(tx, deps, caller, 'invoice.sent', row)
}

/** Ends an invoice that nobody is to pay any more. What was paid on it stays with the business. */
export async function voidInvoice(tx: Tx, deps: InvoiceDeps, caller: Caller, reference: string) {
  const { from } = invoiceMachine.moves.void
  const row = await updateVoid(tx, caller, reference, from, caller.now)
  if (!row) throw await refusal(tx, caller, reference, 'void')
  return told(tx, deps, caller, 'invoice.voided', row)
}

async function told(
  tx: Tx,
  { ids, publicUrl }: InvoiceDeps,
  caller: Caller,
  type: string,
  row: InvoiceRow,
) {
  const record = await recordOf(tx, publicUrl, caller, row)
  await appendEvents(tx, ids, [invoiceEvent(type, row, record, caller.now)])
  return record
}

/** Why a move found no row: there is none, or it is in a state that does not allow it. */
async function refusal(
  db: Db,
  tenant: Tenant,
  reference: string,
  event: keyof typeof invoiceMachine.moves,
) {
  const row = await selectInvoice(db, tenant, reference)
  return row ? invoiceMachine.refused(event, row.status) : notFound('invoice')
}
