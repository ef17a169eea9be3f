import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { postHold, type Through, voidHold } from '../../ledger/ledger.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { conflict, notFound } from '../../lib/problem.ts'
import { MAIL_JOB, queueMails } from '../../mail/queue.ts'
import { walletDebited } from '../../money/wallet/service.ts'
import { cancelUnsent } from '../../provider-orders/statements.ts'
import { findTransaction } from '../attempts/read.ts'
import { transactionMachine } from '../attempts/schemas.ts'
import { lockTransaction, lockWithPayable, type Payables } from '../attempts/settle.ts'
import { changeShareBalances } from './allocation.ts'
import { refundMails } from './mails.ts'
import {
  addRefunded,
  moveRefund,
  type PaymentRow,
  type RefundRow,
  type RefundShareRow,
  returnToPayment,
  selectRefund,
  sharesOf,
} from './queries.ts'
import { refundEvent, refundRecord } from './record.ts'
import { refundMachine } from './schemas.ts'

export type FinishDeps = Pick<Deps, 'ids' | 'nudge'> & { payables: Payables }

interface End {
  /** The provider's human-readable message. */
  message: string | null
  now: Date
}

/**
 * Ends a successful refund exactly once: the refund, its payment, the payable, the ledger and the
 * events change together. Returns undefined if the refund has already ended.
 */
export async function processRefund(
  tx: Tx,
  { ids, nudge, payables }: FinishDeps,
  { id, transaction_id, business_id: businessId, live }: RefundRow,
  { message, now, through }: End & { through: Through },
): Promise<RefundRow | undefined> {
  const tenant = { businessId, live }
  const payment = await lockWithPayable(tx, payables, tenant, transaction_id)
  const { from, to } = refundMachine.moves.succeed
  const change = { from, to, message, now, hasEvent: true }
  const row = await moveRefund(tx, tenant, id, change)
  if (!row) return undefined

  const { amount_minor } = row
  const gone_minor = payment.refunded_minor + amount_minor + payment.reversed_minor
  const isFull = gone_minor >= payment.paid_minor!
  const move = movesOn(payment, isFull)
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
  return row
}

/** A payment that a dispute has reversed stays Reversed. */
function movesOn({ status }: PaymentRow, isFull: boolean) {
  if (status === 'Reversed') return { from: [status], to: status }
  return transactionMachine.moves[isFull ? 'refund_rest' : 'refund_part']
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
  if (!transaction) return []
  return paidFor.refunded(tx, { tenant, transaction, isFull, cause: 'refund', now })
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
  { message, now, move = 'fail' }: End & { move?: 'fail' | 'cancel' },
): Promise<RefundRow | undefined> {
  const tenant = { businessId, live }
  await lockTransaction(tx, tenant, transactionId)
  const { from, to } = refundMachine.moves[move]
  const change = { from, to, message, now, hasEvent: true }
  const row = await moveRefund(tx, tenant, id, change)
  if (!row) return undefined

  const { amount_minor, currency } = row
  await returnToPayment(tx, tenant, { id: transactionId, amount_minor, now })
  const shares = (await sharesOf(tx, tenant, [id])).get(id) ?? []
  const back = shares.map(({ subaccount_id: subaccountId, amount_minor }) => ({
    businessId,
    live,
    transactionId,
    refundId: id,
    currency,
    now,
    subaccountId,
    amount_minor,
  }))
  await changeShareBalances(tx, ids, 'refund_failed', back)
  await voidHold(tx, ids, tenant, { cause: { type: 'refund', id }, now })
  await appendEvents(tx, ids, [refundEvent('refund.failed', row, shares, now)])
  return row
}

/**
 * Cancels a refund that no provider has been sent, and returns its money. Throws `refund_not_found`
 * (404), `refund_state` (409) in any other state, and `refund_sent` (409) if a provider may already
 * have it.
 */
export async function cancelRefund(
  tx: Tx,
  { ids }: Pick<FinishDeps, 'ids'>,
  caller: Caller,
  reference: string,
) {
  const { now } = caller
  const found = await selectRefund(tx, caller, reference)
  if (!found) throw notFound('refund')
  // A process that claims the order to send it also locks the order first.
  if (await cancelUnsent(tx, caller, { kind: 'refund', id: found.id, now })) {
    const message = 'Cancelled before it was sent'
    const row = await failRefund(tx, { ids }, found, { message, now, move: 'cancel' })
    if (!row) throw new Error(`The refund ${reference} has an open order, but has ended`)
    return refundRecord(row, (await sharesOf(tx, caller, [row.id])).get(row.id) ?? [])
  }
  const { status } = (await selectRefund(tx, caller, reference)) ?? found
  const { from } = refundMachine.moves.cancel
  if (!from.some((state) => state === status)) throw refundMachine.refused('cancel', status)
  const message = 'A provider may already have this refund, so it can no longer be cancelled.'
  throw conflict('refund_sent', message)
}
