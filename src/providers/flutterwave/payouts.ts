import { isCurrency } from '../../lib/money.ts'
import { aboutWord, inconclusive, type Refusal } from '../connector/api.ts'
import type { Call, PayoutOrder, PayoutState, Payouts } from '../connector/http-connector.ts'
import { type Json, majorNumber } from '../connector/json.ts'
import type { NotNowCode, Outcome, SentOrder } from '../connector/types.ts'
import { ACCOUNT_REFUSALS, AMOUNT_REFUSAL, type Page, pageOf, send } from './api.ts'

const BATCH_MAX = 100

export const payouts: Payouts = { batchMax: BATCH_MAX, payOut, payOutMany, lookUpPayout }

/** In the test environment, this end of a reference lets a transfer succeed. */
const SANDBOX_END = '_PMCK'

const sentReference = ({ connection }: Call, reference: string): string =>
  connection.environment === 'sandbox' ? `${reference}${SANDBOX_END}` : reference

/** Returns our reference from Flutterwave's. None of ours ends like that. */
export const ourReference = (theirs: string): string =>
  theirs.endsWith(SANDBOX_END) ? theirs.slice(0, -SANDBOX_END.length) : theirs

const REFUSALS: readonly Refusal[] = [
  ...ACCOUNT_REFUSALS,
  AMOUNT_REFUSAL,
  [/\baccount resolve failed\b/i, { kind: 'refused', code: 'unknown_account' }],
  [
    /\b(?:invalid|unknown) account(?: (?:number|details))?\s*(?:$|[.,;:!])/i,
    { kind: 'refused', code: 'unknown_account' },
  ],
  [/\baccount (?:number )?is invalid\b/i, { kind: 'refused', code: 'unknown_account' }],
  [
    /\b(?:invalid|unknown) bank(?: (?:code|name))?\s*(?:$|[.,;:!])/i,
    { kind: 'refused', code: 'unknown_bank' },
  ],
  [/\bbank (?:code )?is (?:invalid|not supported)\b/i, { kind: 'refused', code: 'unknown_bank' }],
]

const bodyOf = (call: Call, { reference, amount_minor, currency, to, narration }: PayoutOrder) => ({
  account_number: to.accountNumber,
  amount: majorNumber(amount_minor, currency),
  currency,
  reference: sentReference(call, reference),
  ...(narration !== null && { narration }),
})

function payOut(call: Call, order: PayoutOrder): Promise<Outcome<PayoutState>> {
  const { bank, accountName } = order.to
  const body = {
    ...bodyOf(call, order),
    account_bank: bank.code,
    debit_currency: order.currency,
    ...(accountName !== null && { beneficiary_name: accountName }),
  }
  return send(
    call,
    { operation: 'POST /transfers', body },
    (response) => {
      const transfer = transferOf(response.at('data'))
      return transfer?.reference === order.reference ? outcomeOf(transfer, null) : undefined
    },
    REFUSALS,
  )
}

/** The response has only the batch's id. The transfers are looked up by their references. */
async function payOutMany(
  call: Call,
  orders: readonly PayoutOrder[],
): Promise<Outcome<readonly Outcome<PayoutState>[]>> {
  if (orders.length > BATCH_MAX) {
    const message = `A batch has up to ${BATCH_MAX} transfers.`
    return { kind: 'refused', code: 'bad_request', message }
  }
  if (orders.length === 0) return { kind: 'done', value: [] }
  const bulk_data = orders.map((order) => ({
    ...bodyOf(call, order),
    bank_code: order.to.bank.code,
  }))
  const outcome = await send<readonly Outcome<PayoutState>[]>(
    call,
    { operation: 'POST /bulk-transfers', body: { title: 'Transfers', bulk_data } },
    (response) => {
      if (!response.text('data', 'id')) return undefined
      const value = orders.map(() => ({ kind: 'done', value: QUEUED }) as const)
      return { kind: 'done', value }
    },
    REFUSALS,
  )
  // A batch is refused as a whole, without saying which transfer is wrong: this ends none of them.
  return outcome.kind === 'refused' ? { ...outcome, code: 'bad_request' } : outcome
}

// ----------------------------------------------------------------------------- lookups

const UNKNOWN: readonly Refusal[] = [
  [/\btransfer\b.*\bnot found\b|\bno transfer\b/i, { kind: 'refused', code: 'unknown_order' }],
]

function lookUpPayout(call: Call, sent: SentOrder): Promise<Outcome<PayoutState>> {
  const { id } = sent.refs
  return id === undefined ? lookUpByReference(call, sent) : lookUpById(call, sent, id)
}

const lookUpById = (call: Call, sent: SentOrder, id: string): Promise<Outcome<PayoutState>> =>
  send(
    call,
    { operation: 'GET /transfers/{id}', params: { id } },
    (response) => {
      const transfer = transferOf(response.at('data'))
      if (!transfer) return undefined
      if (transfer.reference === sent.reference) return outcomeOf(transfer, sent)
      return inconclusive("Flutterwave showed another order's transfer.")
    },
    UNKNOWN,
  )

/** A list that has other transfers was not filtered, so ours can be on a later page. */
function lookUpByReference(call: Call, sent: SentOrder): Promise<Outcome<PayoutState>> {
  const query = { reference: sentReference(call, sent.reference) }
  return send(
    call,
    { operation: 'GET /transfers', query },
    (body): Outcome<PayoutState> | undefined => {
      const page: Page<Transfer> | undefined = pageOf(body, null, transferOf)
      if (!page) return undefined
      const mine = page.rows.filter(({ reference }) => reference === sent.reference)
      const [only] = mine
      if (only && mine.length === 1) return outcomeOf(only, sent)
      if (only) return inconclusive('Several transfers at Flutterwave have this reference.')
      if (page.rows.length > 0) return inconclusive('Flutterwave listed other transfers.')
      const message = 'Flutterwave has no transfer with this reference.'
      return { kind: 'refused', code: 'unknown_order', message }
    },
  )
}

// -------------------------------------------------------------------------------- state

interface Transfer {
  id: string
  reference: string
  word: string
  message: string
  amount_minor: bigint
  currency: string
  fee_minor: bigint | null
  waitsForApproval: boolean
}

function transferOf(data: Json): Transfer | undefined {
  const id = data.text('id')
  const reference = data.text('reference')
  const word = data.text('status')
  const currency = data.text('currency')
  if (!id || !reference || !word || !currency || !isCurrency(currency)) return undefined
  const amount_minor = data.major(currency, 'amount')
  if (amount_minor === undefined) return undefined
  const message = data.text('complete_message') ?? ''
  const waitsForApproval =
    data.text('requires_approval') === '1' && data.text('is_approved') === '0'
  const fee_minor = data.major(currency, 'fee') ?? null
  const transfer = { id, reference: ourReference(reference), word, message, amount_minor }
  return { ...transfer, currency, fee_minor, waitsForApproval }
}

const MESSAGES: Readonly<Record<PayoutState['status'], string>> = {
  Pending: 'Flutterwave is sending the transfer.',
  Successful: 'The transfer was paid.',
  Failed: 'The transfer failed at Flutterwave.',
  Blocked: 'The transfer is waiting at Flutterwave for a person.',
  Rejected: 'Flutterwave rejected the transfer.',
  Returned: 'The transfer was paid, and the bank returned the money.',
}

const QUEUED: PayoutState = { status: 'Pending', message: MESSAGES.Pending }

const ACTION = 'Approve the transfer in the Flutterwave dashboard.'

/** `sent` is null in the response to the order itself. */
function outcomeOf(transfer: Transfer, sent: SentOrder | null): Outcome<PayoutState> {
  const { id, word, message, amount_minor, currency, fee_minor } = transfer
  const status = statusOf(transfer, sent)
  const notNow = status === 'Failed' ? reasonOf(message) : undefined
  const value: PayoutState = {
    status,
    message: message || MESSAGES[status],
    amount_minor,
    currency,
    // A failed transfer gives its fee back.
    fee_minor: status === 'Successful' ? fee_minor : null,
    ...aboutWord(word, KNOWN.includes(word)),
    ...(status === 'Blocked' && { action: ACTION }),
    ...(notNow && { notNow }),
  }
  return { kind: 'done', value, refs: { id } }
}

const KNOWN: readonly string[] = ['NEW', 'PENDING', 'SUCCESSFUL', 'FAILED']

/** Words that we do not know are Pending. */
function statusOf(
  { word, waitsForApproval }: Transfer,
  sent: SentOrder | null,
): PayoutState['status'] {
  if (word === 'SUCCESSFUL') return 'Successful'
  // Flutterwave has no word for a transfer that the bank returns.
  if (word === 'FAILED') return wasPaid(sent) ? 'Returned' : 'Failed'
  return word === 'NEW' && waitsForApproval ? 'Blocked' : 'Pending'
}

const wasPaid = (sent: SentOrder | null): boolean =>
  sent?.state === 'Successful' || sent?.state === 'Returned'

/** Too little money is not refused: the transfer is taken, fails, and its reference is used up. */
const reasonOf = (message: string): NotNowCode | undefined =>
  /\binsufficient (?:\w+ )?(?:funds?|balance)\b/i.test(message)
    ? 'insufficient_provider_balance'
    : undefined
