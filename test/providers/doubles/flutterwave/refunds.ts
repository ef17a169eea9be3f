import type { Answer, DoubleRequest } from '../double.ts'
import {
  ACCOUNT_ID,
  type Account,
  amountOf,
  available,
  deduct,
  isoOf,
  isWithin,
  listAnswer,
  nairaOf,
  ok,
  type Refund,
  type RefundStatus,
  refuse,
  takeBack,
  unsettled,
} from './account.ts'
import { findTransaction, unknownTransaction } from './charges.ts'

export function refundOperations(account: Account) {
  return {
    'POST /transactions/{id}/refund': (request: DoubleRequest) => create(account, request),
    'GET /refunds/{id}': ({ params }: DoubleRequest) => {
      const found = account.refunds.find(({ id }) => `${id}` === params.id)
      return found ? ok('Refund fetched', refundJson(found)) : refuse(404, 'Refund not found')
    },
    'GET /refunds': (request: DoubleRequest) => {
      const { id, flw_ref, status, currency } = request.query
      const rows = account.refunds
        .filter((one) => isWithin(one.createdAt, request))
        .filter((one) => !id || `${one.transaction.id}` === id)
        .filter((one) => !flw_ref || one.transaction.flwRef === flw_ref)
        .filter((one) => !status || one.status === status)
        .filter((one) => !currency || one.transaction.currency === currency)
      return listAnswer('Refunds fetched', rows, request, refundJson)
    },
  }
}

/** Flutterwave has no reference for refunds, and makes each one it is asked for. */
function create(account: Account, request: DoubleRequest): Answer {
  const { kit, refunds } = account
  const { params, body } = request
  const transaction = findTransaction(account, params.id)
  if (!transaction) return unknownTransaction()
  if (transaction.status !== 'successful') {
    return refuse(400, 'Only a successful transaction can be refunded')
  }
  const left = refunds
    .filter((one) => one.transaction === transaction && one.status !== 'failed')
    .reduce((sum, { amount }) => sum - amount, transaction.charged)
  const amount = body?.amount === undefined ? left : amountOf(request)
  if (amount === undefined) return refuse(400, 'amount must be a positive amount in naira')
  if (amount > left || left === 0n) {
    return refuse(400, 'Refund amount is more than what is left of the transaction')
  }
  if (available(account) < amount && unsettled(account) < amount) {
    return refuse(400, 'Insufficient funds to refund this transaction')
  }
  const refund: Refund = {
    id: kit.nextId(),
    transaction,
    amount,
    status: 'completed',
    comment: body?.comments ?? null,
    deduction: null,
    createdAt: kit.clock.now(),
  }
  refunds.push(refund)
  // Our comment names the order; without one, every refund counts by itself.
  kit.books.execute(refund.comment ?? `refund ${refund.id}`)
  take(account, refund)
  notify(account, refund)
  return ok('Transaction refund initiated', {
    id: refund.id,
    account_id: ACCOUNT_ID,
    tx_id: transaction.id,
    flw_ref: transaction.flwRef,
    wallet_id: 74_639,
    amount_refunded: nairaOf(amount),
    status: refund.status,
    destination: 'payment_source',
    meta: { source: refund.deduction!.source },
    created_at: isoOf(refund.createdAt),
  })
}

export function refundsOf(account: Account) {
  return {
    settle(id: string, status: RefundStatus): void {
      const found = account.refunds.find((one) => `${one.id}` === id)
      if (!found) throw new Error(`Flutterwave has no refund ${id}`)
      found.status = status
      if (status === 'failed') giveBack(account, found)
      else take(account, found)
      notify(account, found)
    },
  }
}

/** Takes the amount, once; the fees of the payment are not returned. */
function take(account: Account, refund: Refund): void {
  if (refund.deduction) return
  refund.deduction = deduct(account, 'refund', refund.amount)
  account.kit.books.enter({ ...entryOf(refund), kind: 'refund', amount_minor: -refund.amount })
}

function giveBack(account: Account, refund: Refund): void {
  if (!refund.deduction) return
  takeBack(account, refund.deduction)
  refund.deduction = null
  account.kit.books.enter({ ...entryOf(refund), kind: 'reversal', amount_minor: refund.amount })
}

const entryOf = ({ id, transaction, comment }: Refund) => ({
  reference: comment,
  providerId: `${id}`,
  currency: transaction.currency,
})

/** These notices have neither an event nor the fields' usual names. */
function notify({ kit }: Account, { id, transaction, amount, status }: Refund): void {
  kit.notices.notify('refund', {
    id,
    AmountRefunded: nairaOf(amount),
    status,
    FlwRef: transaction.flwRef,
    TransactionId: transaction.id,
  })
}

/** Other names than in the answer to the request: `transaction_id` here is `tx_id` there. */
function refundJson({ id, transaction, amount, status, comment, deduction, createdAt }: Refund) {
  return {
    id,
    account_id: ACCOUNT_ID,
    transaction_id: transaction.id,
    flw_ref: transaction.flwRef,
    amount_refunded: nairaOf(amount),
    status,
    comment,
    settlement_id: deduction?.settlement ? `${deduction.settlement.id}` : 'N/A',
    meta: JSON.stringify({ source: deduction?.source ?? 'availablebalance' }),
    created_at: isoOf(createdAt),
  }
}
