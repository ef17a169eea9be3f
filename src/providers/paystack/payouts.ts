import { aboutWord, beforeOrder, inconclusive, type Refusal } from '../connector/api.ts'
import type {
  BankAccount,
  Call,
  PayoutOrder,
  PayoutState,
  Payouts,
} from '../connector/http-connector.ts'
import type { Json } from '../connector/json.ts'
import type { Outcome, ProviderRefs, SentOrder } from '../connector/types.ts'
import { ACCOUNT_REFUSALS, send, unknownOrder } from './api.ts'

const BATCH_MAX = 100

export const payouts: Payouts = { batchMax: BATCH_MAX, payOut, payOutMany, lookUpPayout }

// -------------------------------------------------------------------------- recipients

const RECIPIENT_REFUSALS: readonly Refusal[] = [
  ...ACCOUNT_REFUSALS,
  [
    /^invalid_bank_code$|\b(?:unknown|invalid) bank\b|\bbank (?:code )?is invalid\b/i,
    { kind: 'refused', code: 'unknown_bank' },
  ],
  [/\bresolve account\b/i, { kind: 'refused', code: 'unknown_account' }],
  [/\baccount (?:details|number)\b.*\binvalid\b/i, { kind: 'refused', code: 'unknown_account' }],
]

/** Stores an account at Paystack, which answers the same recipient for the same account. */
function createRecipient(
  call: Call,
  { bank, accountNumber, accountName }: BankAccount,
  currency: string,
): Promise<Outcome<string>> {
  const body = {
    type: 'nuban',
    name: accountName ?? accountNumber,
    currency,
    account_number: accountNumber,
    bank_code: bank.code,
  }
  return send(
    call,
    { operation: 'POST /transferrecipient', body, isSafeToRepeat: true },
    (response) => {
      const code = response.text('data', 'recipient_code')
      return code ? { kind: 'done', value: code } : undefined
    },
    RECIPIENT_REFUSALS,
  )
}

/** Returns the order's recipient, or why the order could not be sent. */
async function recipientOf(call: Call, order: PayoutOrder): Promise<Outcome<string>> {
  if (order.recipient !== null) return { kind: 'done', value: order.recipient }
  const outcome = await createRecipient(call, order.to, order.currency)
  return outcome.kind === 'done' ? outcome : beforeOrder(outcome)
}

// ---------------------------------------------------------------------------- transfers

const UNKNOWN_RECIPIENT = /^invalid_transfer_recipient$|\brecipient\b.*\b(?:invalid|not found)\b/i

const TRANSFER_REFUSALS: readonly Refusal[] = [
  ...ACCOUNT_REFUSALS,
  [
    /^transfer_unavailable$|\bthird party payouts\b|\bdisable otp\b/i,
    { kind: 'notNow', code: 'feature_off' },
  ],
  [/\bexceed\w*\b.*\blimit\b|\blimit\b.*\bexceeded\b/i, { kind: 'notNow', code: 'limit_reached' }],
  [
    /\b(?:minimum|maximum) (?:transfer )?amount\b/i,
    { kind: 'refused', code: 'amount_out_of_range' },
  ],
  [UNKNOWN_RECIPIENT, { kind: 'refused', code: 'unknown_account' }],
]

async function payOut(call: Call, order: PayoutOrder): Promise<Outcome<PayoutState>> {
  const recipient = await recipientOf(call, order)
  if (recipient.kind !== 'done') return recipient
  const outcome = await transfer(call, order, recipient.value)
  const isRecipientGone = outcome.kind === 'refused' && outcome.code === 'unknown_account'
  if (order.recipient === null || !isRecipientGone) return outcome
  // Somebody deleted the recipient that we had stored. Nothing was ordered yet.
  return payOut(call, { ...order, recipient: null })
}

function transfer(
  call: Call,
  { reference, amount_minor, currency, narration }: PayoutOrder,
  recipient: string,
): Promise<Outcome<PayoutState>> {
  const body = {
    source: 'balance',
    amount: amount_minor,
    currency,
    recipient,
    reference,
    ...(narration !== null && { reason: narration }),
  }
  return send(
    call,
    { operation: 'POST /transfer', body },
    (response) => transferOutcome(response.at('data'), { reference }, recipient),
    TRANSFER_REFUSALS,
  )
}

async function payOutMany(
  call: Call,
  orders: readonly PayoutOrder[],
): Promise<Outcome<readonly Outcome<PayoutState>[]>> {
  const recipients: Outcome<string>[] = []
  for (const order of orders) recipients.push(await recipientOf(call, order))
  const sent = orders.flatMap((order, i) => {
    const recipient = recipients[i]!
    return recipient.kind === 'done' ? [{ order, recipient: recipient.value }] : []
  })
  const batch = sent.length > 0 ? await transferMany(call, sent) : NOBODY
  if (batch.kind !== 'done') return batch
  const value = orders.map(({ reference }, i) => {
    const recipient = recipients[i]!
    return recipient.kind === 'done' ? (batch.value.get(reference) ?? UNMENTIONED) : recipient
  })
  return { kind: 'done', value }
}

type Batch = ReadonlyMap<string, Outcome<PayoutState>>

const NOBODY: Outcome<Batch> = { kind: 'done', value: new Map() }

const UNMENTIONED = inconclusive(
  "The response to the batch does not have this transfer's reference.",
)

async function transferMany(
  call: Call,
  all: readonly { order: PayoutOrder; recipient: string }[],
): Promise<Outcome<Batch>> {
  const transfers = all.map(({ order, recipient }) => ({
    amount: order.amount_minor,
    recipient,
    reference: order.reference,
    ...(order.narration !== null && { reason: order.narration }),
  }))
  const currencies = new Set(all.map(({ order }) => order.currency))
  const [currency] = currencies
  if (all.length > BATCH_MAX || currencies.size > 1) {
    const message = `A batch has up to ${BATCH_MAX} transfers of one currency.`
    return { kind: 'refused', code: 'bad_request', message }
  }
  const outcome = await send<Batch>(
    call,
    { operation: 'POST /transfer/bulk', body: { source: 'balance', currency, transfers } },
    (response) => batchOutcome(response, all),
    TRANSFER_REFUSALS,
  )
  // A batch is refused as a whole, without saying which transfer is wrong: this ends none of them.
  return outcome.kind === 'refused' ? { ...outcome, code: 'bad_request' } : outcome
}

function batchOutcome(
  response: Json,
  all: readonly { order: PayoutOrder; recipient: string }[],
): Outcome<Batch> | undefined {
  const rows = response.list('data')
  if (!rows) return undefined
  const found = all.flatMap(({ order: { reference }, recipient }) => {
    const mine = rows.filter((row) => row.text('reference') === reference)
    const outcome = mine.length === 1 && transferOutcome(mine[0]!, { reference }, recipient)
    return outcome ? [[reference, outcome] as const] : []
  })
  return { kind: 'done', value: new Map(found) }
}

const UNKNOWN = unknownOrder('transfer')

function lookUpPayout(call: Call, sent: SentOrder): Promise<Outcome<PayoutState>> {
  const { reference } = sent
  return send(
    call,
    { operation: 'GET /transfer/verify/{reference}', params: { reference } },
    (response) => {
      const data = response.at('data')
      return transferOutcome(data, sent, data.text('recipient', 'recipient_code'))
    },
    UNKNOWN,
  )
}

// -------------------------------------------------------------------------------- state

/** Words that we do not know are Pending. */
const STATUSES: Readonly<Record<string, PayoutState['status']>> = {
  pending: 'Pending',
  received: 'Pending',
  success: 'Successful',
  failed: 'Failed',
  // Nobody entered the one-time password.
  abandoned: 'Failed',
  otp: 'Blocked',
  // The business's server was asked to approve it, and did not respond.
  blocked: 'Failed',
  rejected: 'Rejected',
}

const ACTION =
  'Confirm the transfer in the Paystack dashboard with the one-time password. To send later ' +
  'transfers without one, turn off the confirmation of transfers in the preferences there.'

const MESSAGES: Readonly<Record<PayoutState['status'], string>> = {
  Pending: 'Paystack is sending the transfer.',
  Successful: 'The transfer was paid.',
  Failed: 'The transfer failed at Paystack.',
  Blocked: 'The transfer is waiting at Paystack for a person.',
  Rejected: 'Paystack rejected the transfer.',
  Returned: 'The transfer was paid, and the bank returned the money.',
}

type Sent = Pick<SentOrder, 'reference' | 'state'>

/** The bank can reverse a transfer that was never paid, and one that was. */
function statusOf(word: string, { state }: Sent): PayoutState['status'] {
  if (word !== 'reversed') return STATUSES[word] ?? 'Pending'
  return state === 'Successful' || state === 'Returned' ? 'Returned' : 'Failed'
}

function transferOutcome(
  data: Json,
  sent: Sent,
  recipient: string | undefined,
): Outcome<PayoutState> | undefined {
  const word = data.text('status')
  if (!word || data.text('reference') !== sent.reference) return undefined
  const status = statusOf(word, sent)
  const isKnown = word === 'reversed' || Object.hasOwn(STATUSES, word)
  // Before the end, a fee of 0 can mean that none is known yet.
  const isPaid = status === 'Successful' || status === 'Returned'
  const value = {
    status,
    message: data.text('gateway_response') || MESSAGES[status],
    fee_minor: (isPaid ? data.minor('fee_charged') : undefined) ?? null,
    amount_minor: data.minor('amount') ?? null,
    currency: data.text('currency') ?? null,
    ...aboutWord(word, isKnown),
    ...(status === 'Blocked' && { action: ACTION }),
    ...(recipient !== undefined && { recipient }),
  }
  return { kind: 'done', value, refs: refsOf(data) }
}

function refsOf(data: Json): ProviderRefs {
  const id = data.text('id')
  const session = data.text('session', 'id')
  return { ...(id !== undefined && { id }), ...(session !== undefined && { session }) }
}
