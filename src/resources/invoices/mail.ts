import type { Tx } from '../../db/database.ts'
import { MAIL_SWEEPER, type MailKind, queueMails } from '../../mail/queue.ts'
import type { Deps } from '../deps.ts'
import type { InvoiceRow } from './queries.ts'

type QueueDeps = Pick<Deps, 'ids' | 'nudge'>

/** Queues a mail to the customer about an invoice, in the transaction that gives the cause. */
export async function mailCustomer(
  tx: Tx,
  { ids, nudge }: QueueDeps,
  kind: MailKind,
  row: InvoiceRow,
  at: Date,
): Promise<void> {
  const { business_id: businessId, live, id, customer_email: to } = row
  await queueMails(tx, ids, [
    { businessId, live, kind, subjectType: 'invoice', subjectId: id, to, at },
  ])
  tx.after(() => nudge(MAIL_SWEEPER))
}

/** Queues the receipt of a payment; its subject is the transaction. */
export async function mailReceipt(
  tx: Tx,
  { ids, nudge }: QueueDeps,
  row: InvoiceRow,
  transactionId: number,
  at: Date,
): Promise<void> {
  const { business_id: businessId, live, id, customer_email: to } = row
  const about = { subjectType: 'transaction', subjectId: transactionId }
  const data = { invoiceId: id }
  await queueMails(tx, ids, [{ businessId, live, kind: 'receipt', ...about, to, data, at }])
  tx.after(() => nudge(MAIL_SWEEPER))
}
