import type { Database, Db, Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { notFound } from '../../lib/problem.ts'
import { abandonOpenAttempts } from '../../payments/attempts/attempt.ts'
import { paymentsReceivedFor, readReceived } from '../../payments/attempts/read.ts'
import {
  INVOICE_PURPOSE,
  type InvoiceRow,
  invoicesByReference,
  lockInvoice,
  selectInvoice,
  type WholeRow,
} from './queries.ts'
import { type InvoiceRecordDeps, invoiceRecord } from './record.ts'
import { invoiceMachine } from './schemas.ts'

export type { InvoiceRow } from './queries.ts'
export { INVOICE_PURPOSE } from './queries.ts'

export type InvoiceDeps = Pick<Deps, 'ids' | 'publicUrl' | 'providers' | 'nudge'>

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

export async function changedEvent(
  db: Db,
  { publicUrl, providers, timeZone }: InvoiceRecordDeps & { timeZone: string },
  type: string,
  row: InvoiceRow,
  now: Date,
): Promise<NewEvent> {
  const tenant = { businessId: row.business_id, live: row.live }
  const payments =
    (await paymentsReceivedFor(db, tenant, INVOICE_PURPOSE, [row.id])).get(row.id) ?? []
  const channels = await providers.channels(tenant, db)
  const record = invoiceRecord(row, { publicUrl, channels, timeZone, now, payments })
  return invoiceEvent(type, row, record, now)
}

export async function getInvoice(
  db: Database,
  deps: InvoiceRecordDeps,
  caller: Caller,
  reference: string,
) {
  const [row] = await invoicesByReference(db).add({ tenant: caller, reference })
  if (!row) throw notFound('invoice')
  return (await wholeRecordsOf(deps, caller, [row]))[0]!
}

export async function lockInvoiceRecord(
  tx: Tx,
  deps: InvoiceRecordDeps,
  caller: Caller,
  reference: string,
) {
  const row = await lockInvoice(tx, caller, reference)
  if (!row) throw notFound('invoice')
  return recordOf(tx, deps, caller, row)
}

/**
 * Returns the parts that an edit or another transition can change. The delivery of emails is not
 * one of them.
 */
export const editablePartOf = (invoice: ReturnType<typeof invoiceRecord>) => [
  invoice.status,
  invoice.customerEmail,
  invoice.customerName,
  invoice.customerPhone,
  invoice.amountMinor,
  invoice.currency,
  invoice.note,
  invoice.lineItems,
  invoice.dueDate,
  invoice.allowPartialPayment,
  invoice.metadata,
]

/**
 * Returns the objects that emails about an invoice refer to: the invoice and its payments. Throws
 * 404.
 */
export async function mailsOfInvoice(db: Db, tenant: Tenant, reference: string) {
  const row = await selectInvoice(db, tenant, reference)
  if (!row) throw notFound('invoice')
  const paidBy = readReceived(row.received).map(({ id }) => id)
  return { type: INVOICE_PURPOSE, id: row.id, paidBy }
}

export async function recordOf(
  db: Db,
  { publicUrl, providers }: InvoiceRecordDeps,
  caller: Caller,
  row: InvoiceRow,
) {
  const received = await paymentsReceivedFor(db, caller, INVOICE_PURPOSE, [row.id])
  const channels = await providers.channels(caller, db)
  const payments = received.get(row.id) ?? []
  return invoiceRecord(row, { ...caller, publicUrl, channels, payments })
}

/** Like `recordOf`, for rows that already contain the payments. */
export async function wholeRecordsOf(
  { publicUrl, providers }: InvoiceRecordDeps,
  caller: Caller,
  rows: readonly WholeRow[],
) {
  const channels = await providers.channels(caller)
  const shown = { ...caller, publicUrl, channels }
  return rows.map((row) => invoiceRecord(row, { ...shown, payments: readReceived(row.received) }))
}

/** Appends the event for a transition and returns the record after it. */
export async function recordEvent(
  tx: Tx,
  deps: Pick<Deps, 'ids'> & InvoiceRecordDeps,
  caller: Caller,
  type: string,
  row: InvoiceRow,
) {
  const record = await recordOf(tx, deps, caller, row)
  await appendEvents(tx, deps.ids, [invoiceEvent(type, row, record, caller.now)])
  return record
}

/**
 * Returns the error for a transition that matched no row: the invoice does not exist, or its state
 * forbids the transition.
 */
export async function refusal(
  db: Db,
  tenant: Tenant,
  reference: string,
  event: keyof typeof invoiceMachine.moves,
) {
  const row = await selectInvoice(db, tenant, reference)
  return row ? invoiceMachine.refused(event, row.status) : notFound('invoice')
}

/** Closes the open payment attempts of an invoice that can no longer be paid. */
export const closeOpenAttempts = (
  tx: Tx,
  { ids }: Pick<InvoiceDeps, 'ids'>,
  { businessId, live, now }: Caller,
  { id, status }: InvoiceRow,
) =>
  abandonOpenAttempts(
    tx,
    ids,
    { businessId, live },
    { purpose: INVOICE_PURPOSE, purposeId: id },
    now,
    `The invoice is ${status}`,
  )
