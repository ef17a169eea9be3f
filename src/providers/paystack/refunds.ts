import { aboutWord, beforeLookUp, inconclusive, type Refusal } from '../connector/api.ts'
import type {
  BankAccount,
  Call,
  RefundOrder,
  RefundState,
  Refunds,
} from '../connector/http-connector.ts'
import type { Json } from '../connector/json.ts'
import type { Outcome, SentOrder } from '../connector/types.ts'
import { ACCOUNT_REFUSALS, nextPage, pageQuery, send } from './api.ts'
import { collections } from './charges.ts'

/**
 * Paystack takes no reference for a refund, and makes another refund for each request. Our
 * reference is in the note to the merchant, by which a refund whose response was lost is found.
 */
export const refunds: Refunds = { refund, lookUpRefund, retryRefund }

const REFUSALS: readonly Refusal[] = [
  ...ACCOUNT_REFUSALS,
  [
    /^transaction_reversed$|\bfully reversed\b|\bhas not been paid\b/i,
    { kind: 'refused', code: 'not_refundable' },
  ],
  [
    /\brefund amount\b.*\b(?:more|greater) than\b/i,
    { kind: 'refused', code: 'amount_out_of_range' },
  ],
]

async function refund(call: Call, order: RefundOrder): Promise<Outcome<RefundState>> {
  const outcome = await request(call, order)
  if (outcome.kind !== 'refused' || outcome.code === 'bad_request') return outcome
  // What leaves too little can be this very refund, if it was sent before.
  const found = await lookUpByNote(call, { ...order, charge: paymentOf(order) })
  if (found.kind === 'done' || found.kind === 'unknown') return found
  const isAbsent = found.kind === 'refused' && found.code === 'unknown_order'
  return isAbsent ? outcome : inconclusive(found.message)
}

/** Paystack has a transaction for each payment, so a payment's id is that of its transaction. */
const paymentOf = ({ charge, paymentId }: RefundOrder): SentOrder =>
  paymentId === null ? charge : { ...charge, refs: { id: paymentId } }

function request(call: Call, order: RefundOrder): Promise<Outcome<RefundState>> {
  const { reference, amount_minor, currency, reason } = order
  const payment = paymentOf(order)
  const body = {
    transaction: payment.refs.id ?? payment.reference,
    amount: amount_minor,
    currency,
    merchant_note: reference,
    ...(reason && { customer_note: reason }),
  }
  return send(
    call,
    { operation: 'POST /refund', body },
    (response) => refundOutcome(response.at('data')),
    REFUSALS,
  )
}

async function lookUpRefund(
  call: Call,
  sent: SentOrder & { charge: SentOrder },
): Promise<Outcome<RefundState>> {
  const { id } = sent.refs
  return id === undefined ? lookUpByNote(call, sent) : lookUpById(call, id)
}

function lookUpById(call: Call, id: string): Promise<Outcome<RefundState>> {
  return send(call, { operation: 'GET /refund/{id}', params: { id } }, (response) => {
    const data = response.at('data')
    return data.text('id') === id ? refundOutcome(data) : undefined
  })
}

/** More refunds than one charge has. */
const PAGES_MAX = 5

async function lookUpByNote(
  call: Call,
  { reference, charge }: Pick<RefundOrder, 'reference' | 'charge'>,
): Promise<Outcome<RefundState>> {
  const transaction = await transactionOf(call, charge)
  if (transaction.kind !== 'done') return beforeLookUp(transaction, UNKNOWN_CHARGE)
  // By number, because a list that goes on meanwhile can have a refund on two pages.
  const found = new Map<string, Outcome<RefundState>>()
  let cursor: string | null = null
  for (let page = 1; page <= PAGES_MAX; page++) {
    const outcome = await refundPage(call, transaction.value, reference, cursor)
    if (outcome.kind !== 'done') return beforeLookUp(outcome, UNKNOWN_CHARGE)
    for (const { id, outcome: one } of outcome.value.refunds) found.set(id, one)
    cursor = outcome.value.next
    if (cursor === null) break
  }
  const [only] = found.values()
  if (only && found.size === 1) return only
  if (only) return inconclusive('Several refunds at Paystack have the reference of this one.')
  if (cursor !== null) return inconclusive('Paystack lists too many refunds to find this one.')
  const message = 'Paystack has no refund with this reference.'
  return { kind: 'refused', code: 'unknown_order', message }
}

const UNKNOWN_CHARGE = 'Paystack does not know the payment of this refund.'

async function transactionOf(call: Call, charge: SentOrder): Promise<Outcome<string>> {
  if (charge.refs.id !== undefined) return { kind: 'done', value: charge.refs.id }
  const outcome = await collections.lookUpCharge(call, charge)
  if (outcome.kind !== 'done') return outcome
  const id = outcome.refs?.id
  return id === undefined ? { kind: 'unknown', reason: 'unreadable' } : { kind: 'done', value: id }
}

function refundPage(
  call: Call,
  transaction: string,
  reference: string,
  cursor: string | null,
): Promise<Outcome<{ refunds: FoundRefund[]; next: string | null }>> {
  const query = { transaction, ...pageQuery(cursor) }
  return send(call, { operation: 'GET /refund', query }, (body) => {
    const rows = body.list('data')
    const mine = rows
      ?.filter((row) => row.text('merchant_note')?.trim() === reference)
      .map((row) => ({ id: row.text('id') ?? '', outcome: refundOutcome(row) }))
    const next = nextPage(body, cursor)
    if (!mine?.every(isReadable) || next === undefined) return undefined
    return { kind: 'done', value: { refunds: mine, next } }
  })
}

interface FoundRefund {
  id: string
  outcome: Outcome<RefundState>
}

const isReadable = (one: { id: string; outcome: unknown }): one is FoundRefund =>
  one.outcome !== undefined

const RETRY_REFUSALS: readonly Refusal[] = [
  // It was retried already, perhaps by a request whose response was lost.
  [/\binvalid refund state\b/i, { kind: 'unknown', reason: 'inconclusive' }],
  [/\baccount details\b.*\binvalid\b/i, { kind: 'refused', code: 'unknown_account' }],
]

async function retryRefund(
  call: Call,
  { refs: { id }, currency }: SentOrder,
  { bank, accountNumber }: BankAccount,
): Promise<Outcome<RefundState>> {
  if (id === undefined || currency === null) {
    return { kind: 'refused', code: 'bad_request', message: "Paystack's id is not known yet." }
  }
  if (bank.id === null) {
    const message = "Paystack's number for this bank is not known."
    return { kind: 'refused', code: 'unknown_bank', message }
  }
  const refund_account_details = { currency, account_number: accountNumber, bank_id: bank.id }
  return send(
    call,
    {
      operation: 'POST /refund/retry_with_customer_details/{id}',
      params: { id },
      body: { refund_account_details },
    },
    (response) => refundOutcome(response.at('data')),
    RETRY_REFUSALS,
  )
}

// -------------------------------------------------------------------------------- state

/** Words that we do not know are Pending. */
const STATUSES: Readonly<Record<string, RefundState['status']>> = {
  pending: 'Pending',
  processing: 'Pending',
  processed: 'Successful',
  failed: 'Failed',
  'needs-attention': 'NeedsAttention',
}

const MESSAGES: Readonly<Record<RefundState['status'], string>> = {
  Pending: 'Paystack is processing the refund.',
  Successful: 'The refund was paid.',
  Failed: 'The refund failed at Paystack.',
  NeedsAttention: "Paystack needs the payer's bank account to pay the refund.",
}

function refundOutcome(data: Json): Outcome<RefundState> | undefined {
  const word = data.text('status')
  const id = data.text('id')
  if (!word || !id) return undefined
  const status = STATUSES[word] ?? 'Pending'
  const deducted_minor = data.minor('deducted_amount')
  const value = {
    status,
    message: MESSAGES[status],
    amount_minor: data.minor('amount') ?? null,
    currency: data.text('currency') ?? null,
    // 0 until the money is taken.
    deducted_minor: deducted_minor || null,
    ...aboutWord(word, Object.hasOwn(STATUSES, word)),
  }
  return { kind: 'done', value, refs: { id } }
}
