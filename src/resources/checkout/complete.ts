import type { Tx } from '../../db/database.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { MAIL_SWEEPER, queueMails } from '../../mail/queue.ts'
import type { Deps } from '../deps.ts'
import { payOrder } from '../orders/service.ts'
import { countPagePayment, retakePagePlace } from '../payment-pages/service.ts'
import { keepDiscount } from '../products/discounts/uses.ts'
import { sellStock } from '../products/inventory/stock.ts'
import type { TransactionRow } from '../transactions/service.ts'
import { tenantOf } from './paid-for.ts'
import { type CheckoutRow, moveCheckout } from './queries.ts'
import { countFreeMail } from './queries-payer.ts'
import { checkoutMachine } from './states.ts'

type CompleteDeps = Pick<Deps, 'ids' | 'clock' | 'publicUrl' | 'nudge'>

interface Payment {
  /** Null where nothing was to be paid. */
  transaction: TransactionRow | null
  now: Date
}

export interface Completed {
  row: CheckoutRow
  events: NewEvent[]
  /** Tells the events, for whoever has none of a payment to put them after. */
  tell(): Promise<void>
}

/**
 * Hands over what a checkout was for, which is paid in full and held by the transaction: its goods
 * are sold, its discount is used, its page has one payment more, its order is Paid. What was given
 * back after its time is taken again. Undefined when some of it is not to be had any more: then
 * nothing was done.
 */
export async function complete(
  tx: Tx,
  deps: CompleteDeps,
  row: CheckoutRow,
  { transaction, now }: Payment,
): Promise<Completed | undefined> {
  if (row.order_id !== null && !(await taken(tx, deps, row, now))) return undefined
  const tenant = tenantOf(row)
  const { from, to } = checkoutMachine.moves[row.status === 'Open' ? 'pay' : 'pay_late']
  const paidBy = transaction ? { paidBy: transaction.id } : {}
  const paid = await moveCheckout(tx, tenant, row.id, { from, to, now, ...paidBy })
  if (!paid) throw new Error(`The checkout ${row.id} was ${row.status}, and is not`)
  const events: NewEvent[] = []
  if (row.order_id !== null) {
    events.push(
      ...(await payOrder(tx, deps, tenant, row.order_id, { checkout: row, transaction, now })),
    )
  }
  if (transaction || (await mayMail(tx, deps, paid.customer_email))) {
    await mailReceipt(tx, deps, paid, now)
  }
  return { row: paid, events, tell: () => appendEvents(tx, deps.ids, events) }
}

/** All that was put aside, or nothing. */
async function taken(tx: Tx, { ids }: CompleteDeps, row: CheckoutRow, now: Date): Promise<boolean> {
  await tx.query({ text: 'savepoint goods', values: [] })
  if (await takeEach(tx, ids, row, now)) return true
  await tx.query({ text: 'rollback to savepoint goods', values: [] })
  return false
}

/** In the order in which everybody locks: discount, page, stock. */
async function takeEach(tx: Tx, ids: Deps['ids'], row: CheckoutRow, now: Date): Promise<boolean> {
  const tenant = tenantOf(row)
  const moment = { causeId: row.id, now }
  if (!(await keepDiscount(tx, ids, tenant, moment))) return false
  if (row.page_id !== null) {
    const hasPlace = row.status === 'Open' && row.payer_reserves !== false
    if (!hasPlace && !(await retakePagePlace(tx, tenant, row.page_id))) return false
    await countPagePayment(tx, tenant, row.page_id, row.amount_minor)
  }
  return (await sellStock(tx, ids, tenant, moment)).length === 0
}

/** Anybody can have one sent to anybody by a form that costs nothing. */
const FREE_MAILS_AN_HOUR = 3

/** By the clock of the server, as businesses with clocks of their own share the count. */
async function mayMail(tx: Tx, { clock }: CompleteDeps, to: string): Promise<boolean> {
  const { mails } = await countFreeMail(tx, to.toLowerCase(), clock.now())
  return mails <= FREE_MAILS_AN_HOUR
}

/** Queues the customer's receipt. */
async function mailReceipt(
  tx: Tx,
  { ids, nudge }: CompleteDeps,
  { id, customer_email: to, ...row }: CheckoutRow,
  at: Date,
): Promise<void> {
  const { business_id: businessId, live } = row
  const about = { subjectType: 'checkout', subjectId: id, to, at }
  await queueMails(tx, ids, [{ businessId, live, kind: 'order_receipt', ...about }])
  tx.after(() => nudge(MAIL_SWEEPER))
}
