import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
import { notFound } from '../../lib/problem.ts'
import { MAIL_JOB, queueMails } from '../../mail/queue.ts'
import { abandonOpenAttempts } from '../../payments/attempts/attempt.ts'
import type { TransactionRow } from '../../payments/attempts/read.ts'
import type {
  Payable,
  PaymentApplication,
  ReceivedPayment,
  RefundedPayment,
} from '../../payments/attempts/settle.ts'
import { createRefund } from '../../payments/refunds/create.ts'
import { redeemDiscount, releaseDiscount, restoreDiscount } from '../discounts/service.ts'
import { cancelOrder, payOrder, refundOrder } from '../orders/service.ts'
import {
  countPagePayment,
  releasePagePlace,
  reservePagePlaceAgain,
} from '../payment-pages/service.ts'
import { deletedProduct, releaseStock, restock, sellStock } from '../products/stock/service.ts'
import { appliedBy, appliedByAll, CHECKOUT_PURPOSE, paymentsReceived, tenantOf } from './payable.ts'
import {
  type CheckoutRow,
  countFreeMail,
  lockCheckout,
  moveCheckout,
  selectCheckout,
  selectCheckoutById,
  selectDue,
  selectRelated,
} from './queries.ts'
import { urlOf } from './record.ts'
import { checkoutMachine, stateAt } from './schemas.ts'

type CloseDeps = Pick<Deps, 'ids'>

/**
 * Ends a locked, Open checkout without a payment: releases its discount, page place and goods,
 * cancels its order, and closes its open payment attempts. Returns undefined if the checkout has
 * already ended.
 */
export async function closeCheckout(
  tx: Tx,
  { ids }: CloseDeps,
  row: CheckoutRow,
  event: 'expire' | 'cancel',
  now: Date,
  cancelledBy: 'payer' | 'business' = 'business',
): Promise<CheckoutRow | undefined> {
  const tenant = tenantOf(row)
  const closed = await moveCheckout(tx, tenant, row.id, {
    ...checkoutMachine.moves[event],
    now,
    inTime: event === 'cancel',
    ...(event === 'cancel' && { cancelledBy }),
  })
  if (!closed) return undefined
  const { id, order_id, page_id, status } = closed
  if (order_id !== null) {
    await releaseDiscount(tx, tenant, { causeId: id, now })
    const hadPlace = page_id !== null && closed.payer_reserves !== false
    if (hadPlace) await releasePagePlace(tx, tenant, page_id)
    await releaseStock(tx, tenant, { causeId: id, now })
    await cancelOrder(tx, tenant, order_id, now)
  }
  const paidFor = { purpose: CHECKOUT_PURPOSE, purposeId: id }
  await abandonOpenAttempts(tx, ids, tenant, paidFor, now, `The checkout is ${status}`)
  return closed
}

/** Cancels a checkout on behalf of the business. Throws 409 unless it is Open. */
export async function cancelCheckout(
  tx: Tx,
  deps: CloseDeps,
  { businessId, live, now }: Tenant & { now: Date },
  id: number,
  cancelledBy: 'payer' | 'business' = 'business',
): Promise<CheckoutRow> {
  const row = await lockCheckout(tx, { businessId, live }, id)
  if (!row) throw notFound('checkout')
  const closed = await closeCheckout(tx, deps, row, 'cancel', now, cancelledBy)
  if (!closed) throw checkoutMachine.refused('cancel', stateAt(row, now))
  return closed
}

/** Cancels a checkout on behalf of its payer, if it is Open and no payment has arrived. */
export async function cancelByPayer(
  tx: Tx,
  deps: CloseDeps,
  { businessId, live, now }: Tenant & { now: Date },
  id: number,
): Promise<void> {
  const row = await lockCheckout(tx, { businessId, live }, id)
  if (row?.status !== 'Open') return
  if ((await paymentsReceived(tx, row)).length > 0) return
  await closeCheckout(tx, deps, row, 'cancel', now, 'payer')
}

/**
 * Expires checkouts that have not been paid in time. A payment that arrives at the same moment is
 * either processed first or finds that the checkout has ended.
 */
export function checkoutExpiryJob(deps: CloseDeps): Job {
  return {
    name: 'checkout-expiry',
    everyMs: 5_000,
    followsTestClock: true,
    async run(db, now, only) {
      const due = await selectDue(db, now, only ?? null, JOB_ROWS_MAX)
      let ended = 0
      for (const { business_id: businessId, live, id } of due) {
        const isEnded = await db.transaction(async (tx) => {
          const row = await lockCheckout(tx, { businessId, live }, id)
          // The expiry may have been extended since the checkout was selected.
          if (!row || row.expires_at > now) return false
          return (await closeCheckout(tx, deps, row, 'expire', now)) !== undefined
        })
        if (isEnded) ended++
      }
      return ended
    },
  }
}

type SettleDeps = Pick<Deps, 'ids' | 'clock' | 'providers' | 'publicUrl' | 'nudge'>

const NOTHING: PaymentApplication = { applied_minor: 0n, events: [] }

/** Applies payments to checkouts, as docs/design/checkout.md describes. */
export function checkoutPayable(deps: SettleDeps): Payable {
  return {
    isSoldWhole: true,

    async lock(tx, tenant, id) {
      await lockCheckout(tx, tenant, id)
    },
    receive: (tx, payment) => receive(tx, deps, payment),
    refunded: (tx, refund) => onRefund(tx, deps, refund),
    async transactionOf(db, tenant, reference) {
      const row = await selectCheckout(db, tenant, reference)
      if (!row) return undefined
      return (await selectRelated(db, tenant, row.id)).transaction_reference ?? undefined
    },
    async pageUrl(db, tenant, id) {
      const row = await selectCheckoutById(db, tenant, id)
      return row && urlOf(deps.publicUrl, row)
    },
  }
}

/**
 * Applies a payment to its checkout. The first payment in full makes the checkout Paid; partial
 * payments count towards that if the business accepts them. Any further payment is an overpayment,
 * which the merchant can refund. A late payment is treated as if it were on time if everything is
 * still available. Otherwise, it is refunded.
 */
async function receive(
  tx: Tx,
  deps: SettleDeps,
  payment: ReceivedPayment,
): Promise<PaymentApplication> {
  const { tenant, transaction, amount_minor, now } = payment
  const row = await selectCheckoutById(tx, tenant, transaction.purpose_id)
  if (!row || row.status === 'Paid' || amount_minor <= 0n) return NOTHING
  const isOpen = row.status === 'Open'
  const due_minor = row.amount_minor - appliedByAll(await paymentsReceived(tx, row), transaction.id)
  if (amount_minor < due_minor) {
    return isOpen ? { applied_minor: amount_minor, events: [] } : refundWhole(deps, payment)
  }
  const done = await completeCheckout(tx, deps, row, { transaction, now })
  if (done) return { applied_minor: due_minor, events: done.events }
  // The reservation ended before the checkout did, and another payer now has the goods.
  if (isOpen) await closeCheckout(tx, deps, row, 'expire', now)
  return refundWhole(deps, payment)
}

/** Does not apply the payment, and refunds it once it is in the ledger. */
const refundWhole = (
  deps: SettleDeps,
  { tenant, transaction, now }: ReceivedPayment,
): PaymentApplication => ({
  ...NOTHING,
  async afterwards(tx) {
    const reason = 'Paid after the items were no longer available'
    await createRefund(tx, deps, { ...tenant, now }, { transactionId: transaction.id, reason })
  },
})

/**
 * Makes the goods and the discount of a checkout available again, once all of its payments have
 * been refunded in full. After a lost dispute, the payer usually keeps the goods.
 */
async function onRefund(
  tx: Tx,
  deps: SettleDeps,
  { tenant, transaction, isFull, cause, now }: RefundedPayment,
): Promise<NewEvent[]> {
  if (!isFull) return []
  const row = await selectCheckoutById(tx, tenant, transaction.purpose_id)
  if (row?.status !== 'Paid' || row.order_id === null) return []
  const received = await paymentsReceived(tx, row)
  if (received.some((one) => appliedBy(one) > 0n)) return []
  const moment = { causeId: row.id, now }
  const events = await refundOrder(tx, deps, tenant, row.order_id, now)
  if (!events) return []
  if (cause === 'dispute') return events
  await restoreDiscount(tx, tenant, moment)
  await restock(tx, tenant, moment)
  return events
}

type CompleteDeps = Pick<Deps, 'ids' | 'clock' | 'publicUrl' | 'nudge'>

interface Payment {
  /** Null if nothing was due. */
  transaction: TransactionRow | null
  now: Date
}

interface Completed {
  row: CheckoutRow
  events: NewEvent[]
  /** Appends the events, if the caller has no payment event to append first. */
  tell(): Promise<void>
}

/**
 * Completes a locked checkout that is fully paid: sells its goods, uses its discount, counts the
 * payment on its page and marks its order Paid. Reserves again what was released when the checkout
 * expired. If anything is no longer available, changes nothing and returns undefined.
 */
export async function completeCheckout(
  tx: Tx,
  deps: CompleteDeps,
  row: CheckoutRow,
  { transaction, now }: Payment,
): Promise<Completed | undefined> {
  if (row.order_id !== null && !(await takeGoods(tx, deps, row, now))) return undefined
  const tenant = tenantOf(row)
  const { from, to } = checkoutMachine.moves[row.status === 'Open' ? 'pay' : 'pay_late']
  const paidBy = transaction ? { paidBy: transaction.id } : {}
  const paid = await moveCheckout(tx, tenant, row.id, { from, to, now, ...paidBy })
  if (!paid) throw new Error(`Checkout ${row.id} is no longer ${row.status}`)
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

/** Takes everything that the checkout needs or, if anything is missing, nothing. */
async function takeGoods(
  tx: Tx,
  { ids }: CompleteDeps,
  row: CheckoutRow,
  now: Date,
): Promise<boolean> {
  await tx.query({ text: 'savepoint goods', values: [] })
  if (await takeEach(tx, ids, row, now)) return true
  await tx.query({ text: 'rollback to savepoint goods', values: [] })
  return false
}

/** Takes locks in the same order as everywhere else: discount, page, stock, products. */
async function takeEach(tx: Tx, ids: Deps['ids'], row: CheckoutRow, now: Date): Promise<boolean> {
  const tenant = tenantOf(row)
  const moment = { causeId: row.id, now }
  if (!(await redeemDiscount(tx, ids, tenant, moment))) return false
  if (row.page_id !== null) {
    const hasPlace = row.status === 'Open' && row.payer_reserves !== false
    if (!hasPlace && !(await reservePagePlaceAgain(tx, tenant, row.page_id))) return false
    await countPagePayment(tx, tenant, row.page_id, row.amount_minor)
  }
  if ((await sellStock(tx, ids, tenant, moment)).length > 0) return false
  // The files of a deleted product are only kept for the orders that are still open.
  return row.status === 'Open' || (await deletedProduct(tx, tenant, row.id)) === undefined
}

/** Without this limit, anyone could use a free form to send receipts to any email address. */
const FREE_MAILS_AN_HOUR = 3

/** Uses the server’s clock, because businesses with different test clocks share the count. */
async function mayMail(tx: Tx, { clock }: CompleteDeps, to: string): Promise<boolean> {
  const { mails } = await countFreeMail(tx, to.toLowerCase(), clock.now())
  return mails <= FREE_MAILS_AN_HOUR
}

async function mailReceipt(
  tx: Tx,
  { ids, nudge }: CompleteDeps,
  { id, customer_email: to, ...row }: CheckoutRow,
  at: Date,
): Promise<void> {
  const { business_id: businessId, live } = row
  const about = { subjectType: 'checkout', subjectId: id, to, at }
  await queueMails(tx, ids, [{ businessId, live, kind: 'order_receipt', ...about }])
  tx.after(() => nudge(MAIL_JOB))
}
