import type { Tx } from '../../db/database.ts'
import type { Caller } from '../../lib/tenant.ts'
import { MAIL_SWEEPER, queueMails } from '../../mail/queue.ts'
import { type InvoiceRow, updateSent, updateStep } from './queries.ts'
import { firstStep } from './schedule.ts'
import { type InvoiceDeps, refusal, told } from './service.ts'
import { invoiceMachine } from './states.ts'

/** Sends a Draft, or mails again what is out already. */
export async function sendInvoice(tx: Tx, deps: InvoiceDeps, caller: Caller, reference: string) {
  const { from } = invoiceMachine.moves.send
  const row = await updateSent(tx, caller, reference, from, caller.now)
  if (!row) throw await refusal(tx, caller, reference, 'send')
  await mailInvoice(tx, deps, caller, 'invoice_again', row)
  if (row.next_step === null && row.due_date !== null) {
    const plan = { dueDate: row.due_date, timeZone: caller.timeZone }
    await updateStep(tx, caller, row.id, firstStep(plan, caller.now))
  }
  return told(tx, deps, caller, 'invoice.sent', row)
}

/** Queues a mail about an invoice to its customer. */
export async function mailInvoice(
  tx: Tx,
  { ids, nudge }: InvoiceDeps,
  { now }: Pick<Caller, 'now'>,
  kind: 'invoice_again' | 'invoice_reminder',
  { business_id, live, id, customer_email }: InvoiceRow,
): Promise<void> {
  const about = { subjectType: 'invoice', subjectId: id, to: customer_email, at: now }
  await queueMails(tx, ids, [{ businessId: business_id, live, kind, ...about }])
  tx.after(() => nudge(MAIL_SWEEPER))
}
