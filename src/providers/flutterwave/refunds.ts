import {
  aboutWord,
  beforeLookUp,
  beforeOrder,
  inconclusive,
  type Refusal,
} from '../connector/api.ts'
import type { Call, RefundOrder, RefundState, Refunds } from '../connector/http-connector.ts'
import { type Json, majorNumber } from '../connector/json.ts'
import type { Outcome, SentOrder } from '../connector/types.ts'
import { ACCOUNT_REFUSALS, allRows, CURRENCY, type Page, pageOf, pageQuery, send } from './api.ts'
import { collections, listTransactions } from './charges.ts'

/**
 * Flutterwave does not take our reference for a refund, and makes a refund for each request. Our
 * reference is in the comment, by which a refund whose response was lost is found.
 */
export const refunds: Refunds = { refund, lookUpRefund }

const REFUSALS: readonly Refusal[] = [
  ...ACCOUNT_REFUSALS,
  [/\balready (?:been )?(?:fully )?refunded\b/i, { kind: 'refused', code: 'not_refundable' }],
  [
    /\b(?:not|cannot) be refunded\b|\bonly\b.*\bcan be refunded\b/i,
    { kind: 'refused', code: 'not_refundable' },
  ],
  [
    /\bamount\b.*\b(?:(?:more|greater|higher) than|exceeds?)\b/i,
    { kind: 'refused', code: 'amount_out_of_range' },
  ],
]

async function refund(call: Call, order: RefundOrder): Promise<Outcome<RefundState>> {
  const known = order.paymentId ?? order.charge.refs.id
  const payment = known ? ({ kind: 'done', value: known } as const) : await paidId(call, order)
  if (payment.kind !== 'done') return beforeOrder(payment)
  const outcome = await request(call, order, payment.value)
  if (outcome.kind !== 'refused' || outcome.code === 'bad_request') return outcome
  // What leaves too little can be this very refund, if it was sent before.
  const found = await findRefund(call, order.reference, [payment.value])
  if (found.kind === 'done' || found.kind === 'unknown') return found
  const isAbsent = found.kind === 'refused' && found.code === 'unknown_order'
  return isAbsent ? outcome : inconclusive(found.message)
}

function request(
  call: Call,
  { reference, amount_minor, currency }: RefundOrder,
  id: string,
): Promise<Outcome<RefundState>> {
  return send(
    call,
    {
      operation: 'POST /transactions/{id}/refund',
      params: { id },
      body: { amount: majorNumber(amount_minor, currency), comments: reference },
    },
    (response) => {
      const data = response.at('data')
      return data.text('tx_id') === id ? refundOutcome(data) : undefined
    },
    REFUSALS,
  )
}

/** Returns the id of the payment for a charge. */
async function paidId(call: Call, { charge }: RefundOrder): Promise<Outcome<string>> {
  const outcome = await collections.lookUpCharge(call, charge)
  if (outcome.kind !== 'done') return outcome
  const [first] = outcome.value.payments
  if (first) return { kind: 'done', value: first.providerId }
  const message = 'Flutterwave has no payment for this charge.'
  return { kind: 'refused', code: 'not_refundable', message }
}

async function lookUpRefund(
  call: Call,
  sent: SentOrder & { charge: SentOrder },
): Promise<Outcome<RefundState>> {
  const { id } = sent.refs
  return id === undefined ? lookUpByComment(call, sent) : lookUpById(call, id)
}

const lookUpById = (call: Call, id: string): Promise<Outcome<RefundState>> =>
  send(call, { operation: 'GET /refunds/{id}', params: { id } }, (response) => {
    const data = response.at('data')
    return data.text('id') === id ? refundOutcome(data) : undefined
  })

/** Looks at the refunds of all payments for the charge, as it may have had several. */
async function lookUpByComment(
  call: Call,
  { reference, charge }: SentOrder & { charge: SentOrder },
): Promise<Outcome<RefundState>> {
  const transactions = await listTransactions(call, charge.reference)
  if (transactions.kind !== 'done') return beforeLookUp(transactions, UNKNOWN_CHARGE)
  const ids = new Set(transactions.value.map(({ payment }) => payment.providerId))
  if (charge.refs.id !== undefined) ids.add(charge.refs.id)
  if (ids.size === 0) return inconclusive(UNKNOWN_CHARGE)
  return findRefund(call, reference, [...ids])
}

/** Finds a refund of one of these transactions by its comment. */
async function findRefund(
  call: Call,
  reference: string,
  ids: readonly string[],
): Promise<Outcome<RefundState>> {
  const found: Refund[] = []
  for (const id of ids) {
    const listed = await listRefunds(call, id)
    if (listed.kind !== 'done') return beforeLookUp(listed, UNKNOWN_CHARGE)
    found.push(...listed.value)
  }
  const mine = found.filter(({ comment }) => comment === reference)
  const [only] = mine
  if (only && mine.length === 1) return only.outcome
  if (only) return inconclusive('Several refunds at Flutterwave have the reference of this one.')
  if (found.some(({ comment }) => comment === null)) {
    return inconclusive('Flutterwave has a refund of this charge without a comment.')
  }
  const message = 'Flutterwave has no refund with this reference.'
  return { kind: 'refused', code: 'unknown_order', message }
}

const UNKNOWN_CHARGE = 'Flutterwave does not know the payment of this refund.'

interface Refund {
  comment: string | null
  outcome: Outcome<RefundState>
}

/** `id` is the transaction's. A list of other transactions' refunds was not filtered. */
const listRefunds = (call: Call, id: string): Promise<Outcome<readonly Refund[]>> =>
  allRows(async (cursor): Promise<Outcome<Page<Refund>>> => {
    const query = { id, ...pageQuery(cursor) }
    return send(
      call,
      { operation: 'GET /refunds', query },
      (body): Outcome<Page<Refund>> | undefined => {
        const page = pageOf(body, cursor, (row) => {
          const outcome = refundOutcome(row)
          const transaction = row.text('transaction_id')
          const comment = row.text('comment')?.trim() || null
          return outcome && transaction ? { transaction, comment, outcome } : undefined
        })
        if (!page?.rows.every(({ transaction }) => transaction === id)) {
          return page && inconclusive("Flutterwave listed other transactions' refunds.")
        }
        return { kind: 'done', value: page }
      },
    )
  })

// -------------------------------------------------------------------------------- state

/** `completed` means that it was taken, and the longer words say how it was paid. */
const STATUSES: Readonly<Record<string, 'Pending' | 'Successful' | 'Failed'>> = {
  new: 'Pending',
  pending: 'Pending',
  completed: 'Pending',
  'completed-bank-transfer': 'Successful',
  'completed-momo': 'Successful',
  'completed-mpgs': 'Successful',
  'completed-offline': 'Successful',
  'completed-preauth': 'Successful',
  // Documented as a filter of the list, beside "completed".
  successful: 'Successful',
  failed: 'Failed',
}

/** Words that we do not know are Pending. */
export const refundStatus = (word: string): 'Pending' | 'Successful' | 'Failed' =>
  STATUSES[word] ?? 'Pending'

const MESSAGES: Readonly<Record<ReturnType<typeof refundStatus>, string>> = {
  Pending: 'Flutterwave is processing the refund.',
  Successful: 'The refund was paid.',
  Failed: 'The refund failed at Flutterwave.',
}

function refundOutcome(data: Json): Outcome<RefundState> | undefined {
  const id = data.text('id')
  const word = data.text('status')
  const amount_minor = data.major(CURRENCY, 'amount_refunded')
  if (!id || !word || amount_minor === undefined) return undefined
  const status = refundStatus(word)
  const deducted_minor = status === 'Failed' ? null : amount_minor
  const about = aboutWord(word, Object.hasOwn(STATUSES, word))
  const value = { status, message: MESSAGES[status], amount_minor, deducted_minor, ...about }
  return { kind: 'done', value, refs: { id } }
}
