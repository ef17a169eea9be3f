import type { Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import type { NewEvent } from '../../events/append.ts'
import { newReference } from '../../lib/random.ts'
import { transactionEvent } from './events.ts'
import { insertTransaction, type TransactionRow } from './queries.ts'
import type { Order } from './start.ts'

export interface OfflinePayment extends Omit<Order, 'channel' | 'bankCode'> {
  note: string | null
  paidAt: Date
}

/**
 * Takes down a payment that did not come through us: Successful from the start, free of fees, and
 * without a movement in the ledger. Its event is for the caller to append, before those of what it
 * paid for.
 */
export async function recordOffline(
  tx: Tx,
  ids: Ids,
  { tenant, amount_minor, customer, note, paidAt, now, ...order }: OfflinePayment,
): Promise<{ row: TransactionRow; event: NewEvent }> {
  const row = await insertTransaction(tx, tenant, {
    id: await ids.next(tx),
    reference: newReference('TRX'),
    purpose: order.purpose,
    purpose_id: order.purposeId,
    status: 'Successful',
    channel: 'OFFLINE',
    amount_minor,
    fee_minor: 0n,
    fee_bearer: 'business',
    payable_minor: amount_minor,
    paid_minor: amount_minor,
    currency: order.currency,
    customer_email: customer.email,
    customer_name: customer.name,
    customer_phone: customer.phone,
    invoice_reference: order.invoiceReference,
    provider: 'offline',
    bank_code: null,
    message: note,
    paid_at: paidAt,
    expires_at: now,
    look_up_at: null,
    now,
  })
  if (!row) throw new Error('An open transaction stood in the way of one that is not open')
  return { row, event: transactionEvent('transaction.successful', row, tenant, now, []) }
}
