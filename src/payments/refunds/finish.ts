import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { postHold, type Through, voidHold } from '../../ledger/ledger.ts'
import type { Tenant } from '../../lib/caller.ts'
import { MAIL_JOB, queueMails } from '../../mail/queue.ts'
import { walletDebited } from '../../money/wallet/service.ts'
import { findTransaction } from '../attempts/read.ts'
import type { Payables } from '../attempts/settle.ts'
import { transactionMachine } from '../attempts/states.ts'
import { changeShareBalances } from './allocation.ts'
import { refundMails } from './mails.ts'
import {
  addRefunded,
  lockPayment,
  moveRefund,
  type PaymentRow,
  type RefundRow,
  type RefundShareRow,
  returnToPayment,
  selectPayment,
  sharesOf,
} from './queries.ts'
import { refundEvent } from './record.ts'
import { refundMachine } from './states.ts'

export type FinishDeps = Pick<Deps, 'ids' | 'nudge'> & { payables: Payables }

interface End {
  /** The provider's human-readable message. */
  message: string | null
  now: Date
}

/**
 * Ends a successful refund exactly once: the refund, its payment, the payable, the ledger and the
 * events change together. Does nothing if the refund has already ended.
 */
export async function processRefund(
  tx: Tx,
  { ids, nudge, payables }: FinishDeps,
  { id, transaction_id, business_id: businessId, live }: RefundRow,
  { message, now, through }: End & { through: Through },
): Promise<void> {
  const tenant = { businessId, live }
  const payment = await lockWithPayable(tx, payables, tenant, transaction_id)
  const { from, to } = refundMachine.moves.succeed
  const change = { from, to, message, now, isTold: true }
  const row = await moveRefund(tx, tenant, id, change)
  if (!row) return

  const { amount_minor } = row
  const isFull = payment.refunded_minor + amount_minor === payment.paid_minor
  const move = transactionMachine.moves[isFull ? 'refund_rest' : 'refund_part']
  await addRefunded(tx, tenant, { ...move, id: payment.id, amount_minor, now })
  const shares = (await sharesOf(tx, tenant, [id])).get(id) ?? []
  const heard = await notifyPayable(tx, payables, tenant, payment, isFull, now)
  const wallet = await payOut(tx, ids, tenant, row, shares, { now, through })
  await appendEvents(tx, ids, [
    refundEvent('refund.processed', row, shares, now),
    ...heard,
    ...wallet,
  ])
  await queueMails(tx, ids, refundMails(payment, row, now))
  tx.after(() => nudge(MAIL_JOB))
}

/** All code must lock in this order: the payable, the payment, its refunds, the ledger. */
async function lockWithPayable(
  tx: Tx,
  payables: Payables,
  tenant: Tenant,
  id: number,
): Promise<PaymentRow> {
  const found = await selectPayment(tx, tenant, { id })
  if (found) await payables[found.purpose]?.lock(tx, tenant, found.purpose_id)
  const payment = await lockPayment(tx, tenant, { id })
  if (!payment) throw new Error(`The refunded transaction ${id} does not exist`)
  return payment
}

async function notifyPayable(
  tx: Tx,
  payables: Payables,
  tenant: Tenant,
  { purpose, reference }: PaymentRow,
  isFull: boolean,
  now: Date,
): Promise<NewEvent[]> {
  const paidFor = payables[purpose]
  if (!paidFor?.refunded) return []
  const transaction = await findTransaction(tx, tenant, reference)
  return transaction ? paidFor.refunded(tx, { tenant, transaction, isFull, now }) : []
}

/** Pays out the held amount. The wallet's event contains only the wallet's part. */
async function payOut(
  tx: Tx,
  ids: Deps['ids'],
  tenant: Tenant,
  { id, reference, amount_minor, excess_minor, currency }: RefundRow,
  shares: readonly RefundShareRow[],
  { now, through }: { now: Date; through: Through },
): Promise<NewEvent[]> {
  const shared_minor = shares.reduce((sum, share) => sum + share.amount_minor, 0n)
  const own_minor = amount_minor - excess_minor - shared_minor
  const wallet = { kind: 'wallet_available', currency } as const
  const { event: account } = await postHold(tx, ids, tenant, {
    cause: { type: 'refund', id },
    now,
    through,
    parts: [{ amount_minor, kind: 'refund' }],
    ...(own_minor > 0n && { eventOn: wallet }),
  })
  if (!account) return []
  const source = { type: 'refund', reference }
  return [walletDebited({ account, amount_minor: own_minor, currency, source }, tenant, now)]
}

/** Returns the money of a failed refund to everyone it was taken from, exactly once. */
export async function failRefund(
  tx: Tx,
  { ids }: Pick<FinishDeps, 'ids'>,
  { id, transaction_id: transactionId, business_id: businessId, live }: RefundRow,
  { message, now }: End,
): Promise<void> {
  const tenant = { businessId, live }
  await lockPayment(tx, tenant, { id: transactionId })
  const { from, to } = refundMachine.moves.fail
  const change = { from, to, message, now, isTold: true }
  const row = await moveRefund(tx, tenant, id, change)
  if (!row) return

  const { amount_minor, currency } = row
  await returnToPayment(tx, tenant, { id: transactionId, amount_minor, now })
  const shares = (await sharesOf(tx, tenant, [id])).get(id) ?? []
  if (shares.length > 0) {
    const of = { transactionId, kind: 'refund_failed', refundId: id, currency, now } as const
    const giving = shares.map((share) => ({
      subaccountId: share.subaccount_id,
      amount_minor: share.amount_minor,
    }))
    await changeShareBalances(tx, ids, tenant, of, giving)
  }
  await voidHold(tx, ids, tenant, { cause: { type: 'refund', id }, now })
  await appendEvents(tx, ids, [refundEvent('refund.failed', row, shares, now)])
}
