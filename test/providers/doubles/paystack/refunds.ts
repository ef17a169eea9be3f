import type { Answer, DoubleRequest } from '../double.ts'
import {
  type Account,
  customerJson,
  domainOf,
  INTEGRATION,
  isoOf,
  isWithin,
  listAnswer,
  ok,
  plainRefusal,
  type Refund,
  refuse,
} from './account.ts'
import { bankById } from './banks.ts'
import { transactionJson } from './charges.ts'

export function refundOperations(account: Account) {
  const find = (id: string | undefined) => account.refunds.find((one) => `${one.id}` === id)
  return {
    'POST /refund': (request: DoubleRequest) => create(account, request),
    'GET /refund/{id}': ({ params }: DoubleRequest) => {
      const found = find(params.id)
      return found
        ? ok('Refund retrieved', refundJson(account, found))
        : plainRefusal(404, 'Refund not found')
    },
    'GET /refund': (request: DoubleRequest) => {
      const { transaction } = request.query
      const rows = account.refunds
        .filter((one) => isWithin(one.createdAt, request))
        .filter((one) => !transaction || `${one.transaction.id}` === transaction)
      const toJson = (one: Refund) => refundJson(account, one)
      const failedRefundCount = rows.filter(({ status }) => status === 'failed').length
      return listAnswer(account, 'Refunds retrieved', rows.reverse(), request, toJson, {
        failedRefundCount,
      })
    },
    'POST /refund/retry_with_customer_details/{id}': ({ params, body }: DoubleRequest) => {
      const found = find(params.id)
      if (!found) return plainRefusal(404, 'Refund not found')
      if (found.status !== 'needs-attention') {
        const message = 'Invalid Refund state, refund status should be "needs-attention"'
        return refuse(422, message, 'invalid_params')
      }
      const { account_number: number, bank_id: bank } = body.refund_account_details
      if (!bankById(bank) || !/^\d{10}$/.test(number)) {
        return refuse(422, 'Refund account details are invalid', 'invalid_params')
      }
      setStatus(account, found, 'processing')
      const message = 'Refund retried and has been queued for processing'
      return ok(message, refundJson(account, found))
    },
  }
}

/** Paystack has no reference for refunds, and makes each one it is asked for. */
function create(account: Account, { body }: DoubleRequest): Answer {
  const { kit, transactions, refunds } = account
  const transaction = transactions.find(
    ({ id, reference }) => reference === body.transaction || `${id}` === body.transaction,
  )
  if (!transaction) return refuse(404, 'Transaction not found', 'transaction_not_found')
  if (transaction.paidAt === null) {
    return refuse(400, 'Transaction has not been paid', 'invalid_transaction_status')
  }
  if (body.currency !== undefined && body.currency !== transaction.currency) {
    return refuse(400, 'Currency does not match the transaction', 'invalid_params')
  }
  const taken = refunds
    .filter((one) => one.transaction === transaction && one.status !== 'failed')
    .reduce((sum, { amount }) => sum + amount, 0n)
  const left = transaction.paid - taken
  const amount = body.amount === undefined ? left : BigInt(body.amount)
  if (left === 0n) return refuse(400, 'Transaction has been fully reversed', 'transaction_reversed')
  if (amount <= 0n || amount > left) {
    return refuse(400, 'Refund amount cannot be more than transaction amount', 'invalid_amount')
  }
  const note = `Refund for transaction ${transaction.reference}`
  const refund: Refund = {
    id: kit.nextId(),
    transaction,
    amount,
    status: 'pending',
    deducted: 0n,
    dispute: null,
    customerNote: body.customer_note ?? note,
    merchantNote: body.merchant_note ?? `${note} by owner@shop.example`,
    createdAt: kit.clock.now(),
    updatedAt: kit.clock.now(),
  }
  refunds.push(refund)
  // Our note names the order; without one, every refund counts by itself.
  kit.books.execute(body.merchant_note ?? `refund ${refund.id}`)
  deduct(account, refund)
  notify(account, refund)
  const { integration, domain, currency, status, id } = refundJson(account, refund)
  return ok('Refund has been queued for processing', {
    transaction: transactionJson(account, transaction),
    integration,
    domain,
    currency,
    status,
    id,
    amount,
    channel: null,
    deducted_amount: refund.deducted,
    fully_deducted: refund.deducted === amount,
    merchant_note: refund.merchantNote,
    customer_note: refund.customerNote,
    refunded_by: 'owner@shop.example',
    expected_at: isoOf(refund.createdAt),
    createdAt: isoOf(refund.createdAt),
    updatedAt: isoOf(refund.updatedAt),
  })
}

export function refundsOf(account: Account) {
  return {
    settle(id: string, status: Refund['status']): void {
      const found = account.refunds.find((one) => `${one.id}` === id)
      if (!found) throw new Error(`Paystack has no refund ${id}`)
      setStatus(account, found, status)
    },
  }
}

function setStatus(account: Account, refund: Refund, status: Refund['status']): void {
  const { kit, refunds } = account
  refund.status = status
  refund.updatedAt = kit.clock.now()
  if (status === 'failed') giveBack(account, refund)
  else deduct(account, refund)
  const { transaction } = refund
  const returned = refunds
    .filter((one) => one.transaction === transaction && one.status === 'processed')
    .reduce((sum, { amount }) => sum + amount, 0n)
  transaction.status = returned === transaction.paid ? 'reversed' : 'success'
  notify(account, refund)
}

/** Takes the amount from the balance; the fees are not returned. A short balance waits. */
function deduct({ kit }: Account, refund: Refund): void {
  if (refund.deducted > 0n || kit.books.balance_minor('NGN') < refund.amount) return
  refund.deducted = refund.amount
  kit.books.enter({ ...entryOf(refund), kind: 'refund', amount_minor: -refund.amount })
}

function giveBack({ kit }: Account, refund: Refund): void {
  if (refund.deducted === 0n) return
  kit.books.enter({ ...entryOf(refund), kind: 'reversal', amount_minor: refund.deducted })
  refund.deducted = 0n
}

const entryOf = ({ id, transaction, merchantNote }: Refund) => ({
  reference: merchantNote,
  providerId: `${id}`,
  currency: transaction.currency,
})

/** Some of these notices have the amount as text, and only one has an id. */
function notify(account: Account, refund: Refund): void {
  const { status, amount, transaction } = refund
  const { first_name, last_name, email } = customerJson(transaction.customer)
  const isText = status === 'pending' || status === 'processing' || status === 'processed'
  account.kit.notices.notify(`refund.${status}`, {
    event: `refund.${status}`,
    data: {
      status,
      transaction_reference: transaction.reference,
      refund_reference: status === 'processed' ? `13${refund.id}` : null,
      amount: isText ? `${amount}` : amount,
      currency: transaction.currency,
      processor: 'instant-transfer',
      customer: { first_name, last_name, email },
      integration: INTEGRATION,
      domain: domainOf(account),
      ...(status === 'needs-attention' && {
        id: `${refund.id}`,
        customer_note: refund.customerNote,
        merchant_note: refund.merchantNote,
      }),
    },
  })
}

function refundJson(account: Account, refund: Refund) {
  const { transaction, amount, status, deducted } = refund
  const isProcessed = status === 'processed'
  return {
    integration: INTEGRATION,
    transaction: transaction.id,
    dispute: refund.dispute?.id ?? null,
    settlement: null,
    id: refund.id,
    domain: domainOf(account),
    currency: transaction.currency,
    amount,
    status,
    refunded_at: isProcessed ? isoOf(refund.updatedAt) : null,
    refunded_by: 'owner@shop.example',
    customer_note: refund.customerNote,
    merchant_note: refund.merchantNote,
    deducted_amount: deducted,
    fully_deducted: deducted === amount,
    createdAt: isoOf(refund.createdAt),
    updatedAt: isoOf(refund.updatedAt),
    expected_at: isoOf(refund.createdAt),
    bank_reference: null,
    channel: null,
    transaction_reference: transaction.reference,
    reason: status.toUpperCase(),
    customer: customerJson(transaction.customer),
    refund_type: amount === transaction.paid ? 'full' : 'partial',
    transaction_amount: transaction.paid,
    initiated_by: 'owner@shop.example',
    refund_channel: 'migs',
    session_id: null,
    reversed_at: null,
    collect_account_number: status === 'needs-attention',
  }
}
