import type { Tx } from '../../db/database.ts'
import { MAIL_SWEEPER, queueMails } from '../../mail/queue.ts'
import { termsOf } from '../businesses/terms.ts'
import type { Deps } from '../deps.ts'
import type { Purpose, Receipt, Received } from '../transactions/purposes.ts'
import { type InvoiceRow, lockById, selectInvoiceById, updatePaid } from './queries.ts'
import { changedEvent } from './service.ts'
import { invoiceMachine } from './states.ts'

type SettleDeps = Pick<Deps, 'publicUrl' | 'providers' | 'ids' | 'nudge'>

/**
 * What a payment does to its invoice: adds to it as far as it is due. Nothing of it is kept by an
 * invoice that is Paid, Void or still a Draft; the whole is then an overpayment.
 */
export function invoicePurpose(deps: SettleDeps): Purpose {
  async function receive(tx: Tx, receipt: Receipt): Promise<Received> {
    const { tenant, transaction, amount_minor, now } = receipt
    const nothing = { kept_minor: 0n, events: [] }
    if (amount_minor <= 0n) return nothing
    const { from } = invoiceMachine.moves.pay_rest
    const row = await updatePaid(tx, tenant, transaction.purpose_id, { amount_minor, from, now })
    if (!row) {
      // Whoever paid for nothing hears it from us, and not from their next bank statement.
      const ended = await selectInvoiceById(tx, tenant, transaction.purpose_id)
      if (ended) await mailReceipt(tx, deps, receipt, ended)
      return nothing
    }
    const { time_zone } = await termsOf(tx, tenant)
    const type = row.status === 'Paid' ? 'invoice.paid' : 'invoice.partially_paid'
    const { publicUrl, providers } = deps
    const shown = { publicUrl, providers, timeZone: time_zone }
    await mailReceipt(tx, deps, receipt, row)
    return {
      kept_minor: row.kept_minor,
      events: [await changedEvent(tx, shown, type, row, now)],
    }
  }
  return { lock: lockById, receive }
}

/**
 * Queues the customer's receipt, which says what of the payment is owed back. It is about the
 * payment: an invoice can have several.
 */
export async function mailReceipt(
  tx: Tx,
  { ids, nudge }: SettleDeps,
  { tenant, transaction, now: at }: Pick<Receipt, 'tenant' | 'transaction' | 'now'>,
  { id: invoiceId, customer_email: to }: InvoiceRow,
): Promise<void> {
  const about = { subjectType: 'transaction', subjectId: transaction.id, data: { invoiceId } }
  await queueMails(tx, ids, [{ ...tenant, kind: 'receipt', ...about, to, at }])
  tx.after(() => nudge(MAIL_SWEEPER))
}
