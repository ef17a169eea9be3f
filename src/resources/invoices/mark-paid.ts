import type { Tx } from '../../db/database.ts'
import { appendEvents } from '../../events/append.ts'
import { parseMoment } from '../../lib/dates.ts'
import { type Minor, parseAmount, printMinor } from '../../lib/money.ts'
import { invalid, notFound } from '../../lib/problem.ts'
import type { Caller } from '../../lib/tenant.ts'
import { recordOffline } from '../transactions/offline.ts'
import { type InvoiceRow, lockInvoice, updatePaid } from './queries.ts'
import type { MarkPaid } from './schemas.ts'
import {
  changedEvent,
  closeWaysToPay,
  INVOICE_PURPOSE,
  type InvoiceDeps,
  recordOf,
} from './service.ts'
import { mailReceipt } from './settle.ts'
import { type InvoiceState, invoiceMachine } from './states.ts'

/**
 * Takes down money that the business got by itself, in cash or into its own account: a
 * transaction of the channel OFFLINE, free of fees, that touches neither ledger nor wallet. A part
 * is taken also where the payer may not choose one, since it is what happened; more than is due is
 * 400.
 */
export async function markPaid(
  tx: Tx,
  deps: InvoiceDeps,
  caller: Caller,
  reference: string,
  request: MarkPaid,
) {
  const { ids, publicUrl, providers } = deps
  const { from } = invoiceMachine.moves.mark_paid
  const row = await lockInvoice(tx, caller, reference)
  if (!row) throw notFound('invoice')
  if (!isIn(from, row.status)) throw invoiceMachine.refused('mark_paid', row.status)
  const amount_minor = amountOf(row, request)
  const paidAt = paidAtOf(caller, request)

  const transaction = await recordOffline(tx, ids, {
    tenant: caller,
    purpose: INVOICE_PURPOSE,
    purposeId: row.id,
    invoiceReference: row.reference,
    amount_minor,
    currency: row.currency,
    customer: { email: row.customer_email, name: row.customer_name, phone: row.customer_phone },
    note: request.note ?? null,
    paidAt,
    now: caller.now,
  })
  const paid = await updatePaid(tx, caller, row.id, { amount_minor, from, now: caller.now, paidAt })
  if (paid?.kept_minor !== amount_minor) throw new Error(`${reference} took less than was due`)
  await mailReceipt(
    tx,
    deps,
    { tenant: caller, transaction: transaction.row, now: caller.now },
    paid,
  )
  const shown = { publicUrl, providers, timeZone: caller.timeZone }
  const type = paid.status === 'Paid' ? 'invoice.paid' : 'invoice.partially_paid'
  await appendEvents(tx, ids, [
    transaction.event,
    await changedEvent(tx, shown, type, paid, caller.now),
  ])
  if (paid.status === 'Paid') await closeWaysToPay(tx, { ids }, caller, paid)
  return recordOf(tx, deps, caller, paid)
}

const isIn = (states: readonly InvoiceState[], state: InvoiceState) => states.includes(state)

function amountOf({ amount_minor, paid_minor, currency }: InvoiceRow, { amount }: MarkPaid): Minor {
  const due_minor = amount_minor - paid_minor
  if (amount === undefined) return due_minor
  const given_minor = parseAmount(amount, currency)
  if (given_minor <= due_minor) return given_minor
  throw invalid({ amount: [`is more than the ${printMinor(due_minor, currency)} that is due`] })
}

function paidAtOf({ timeZone, now }: Caller, { paidAt }: MarkPaid): Date {
  if (paidAt === undefined) return now
  const at = parseMoment(paidAt, timeZone, 'paidAt')
  if (at > now) throw invalid({ paidAt: ['must not be in the future'] })
  return at
}
