import { bankOf } from '../banks/banks.ts'
import { dateOf, type Refusal } from '../connector/api.ts'
import type {
  Call,
  ChargeOrder,
  ChargeState,
  Collections,
  HostedPage,
  IncomingPayment,
  VirtualAccount,
} from '../connector/http-connector.ts'
import type { Json } from '../connector/json.ts'
import type { Outcome, SentOrder, UssdCode } from '../connector/types.ts'
import { ACCOUNT_REFUSALS, send, unknownOrder } from './api.ts'

export const collections: Collections = {
  openVirtualAccount,
  startUssd,
  openHostedPage,
  lookUpCharge,
}

const START_REFUSALS: readonly Refusal[] = [
  ...ACCOUNT_REFUSALS,
  [/^invalid_amount$|\binvalid amount\b/i, { kind: 'refused', code: 'amount_out_of_range' }],
  [/\bno active channel\b/i, { kind: 'notNow', code: 'feature_off' }],
  [
    /\bussd\b.*\b(?:unavailable|unsupported|not (?:available|supported))\b/i,
    { kind: 'refused', code: 'unsupported' },
  ],
]

const bodyOf = ({ reference, amount_minor, payer }: ChargeOrder) => ({
  email: payer.email,
  amount: amount_minor,
  reference,
})

/** Starts a charge. Its status in the response must be the one that is waited for. */
function start<T>(
  call: Call,
  order: ChargeOrder,
  how: Record<string, unknown>,
  read: (data: Json) => T | undefined,
): Promise<Outcome<T>> {
  const body = { ...bodyOf(order), ...how }
  return send(
    call,
    { operation: 'POST /charge', body },
    (response) => {
      const data = response.at('data')
      if (data.text('reference') !== order.reference) return undefined
      if (data.text('status') === 'failed') {
        return { kind: 'refused', code: 'declined', message: messageOf(data) }
      }
      const value = read(data)
      return value && { kind: 'done', value }
    },
    START_REFUSALS,
  )
}

function openVirtualAccount(
  call: Call,
  order: ChargeOrder & { accountName: string },
): Promise<Outcome<VirtualAccount>> {
  const bank_transfer = { account_expires_at: order.expiresAt.toISOString() }
  return start(call, order, { bank_transfer }, (data) => {
    const accountNumber = data.text('account_number')
    const accountName = data.text('account_name')
    const bankName = data.text('bank', 'name')
    if (!accountNumber || !accountName || !bankName) return undefined
    // Paystack changes times under 15 minutes and over 8 hours, so its own counts.
    const expiresAt = dateOf(data.text('account_expires_at'))
    return { accountNumber, accountName, bankCode: null, bankName, expiresAt }
  })
}

/** The banks that Paystack's description lists, by our codes. */
const USSD_TYPES: ReadonlyMap<string, string> = new Map([
  ['058', '737'],
  ['033', '919'],
  ['232', '822'],
  ['057', '966'],
])

export const USSD_BANKS = [...USSD_TYPES.keys()]

async function startUssd(
  call: Call,
  order: ChargeOrder & { bankCode: string | null },
): Promise<Outcome<readonly UssdCode[]>> {
  const { bankCode } = order
  const type = USSD_TYPES.get(bankCode ?? '')
  if (bankCode === null || type === undefined) {
    const message = 'Paystack creates USSD codes for single banks, and not for this one.'
    return { kind: 'refused', code: 'unsupported', message }
  }
  return start(call, order, { ussd: { type } }, (data) => {
    const ussdCode = data.text('ussd_code')
    if (!ussdCode || !/^\*[\d*]+#$/.test(ussdCode)) return undefined
    return [{ bankCode, bankName: bankOf(bankCode)?.name ?? bankCode, ussdCode }]
  })
}

function openHostedPage(
  call: Call,
  order: ChargeOrder & { returnUrl: string },
): Promise<Outcome<HostedPage>> {
  const { currency, returnUrl: callback_url } = order
  const body = { ...bodyOf(order), currency, callback_url, channels: ['card', 'bank'] }
  return send(
    call,
    { operation: 'POST /transaction/initialize', body },
    (response) => {
      const url = response.text('data', 'authorization_url')
      const isOurs = response.text('data', 'reference') === order.reference
      if (!isOurs || !url || !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return undefined
      return { kind: 'done', value: { url, expiresAt: null } }
    },
    START_REFUSALS,
  )
}

const UNKNOWN = unknownOrder('transaction')

/** Any other status is Pending, as are words that we do not know. */
const STATUSES: Readonly<Record<string, ChargeState['status']>> = {
  success: 'Successful',
  failed: 'Failed',
  reversed: 'Reversed',
}

function lookUpCharge(call: Call, { reference }: SentOrder): Promise<Outcome<ChargeState>> {
  const operation = 'GET /transaction/verify/{reference}'
  return send(
    call,
    { operation, params: { reference } },
    (body) => {
      const data = body.at('data')
      const word = data.text('status')
      if (!word || data.text('reference') !== reference) return undefined
      const status = statusOf(word, data.text('channel'))
      const isPaid = status === 'Successful' || status === 'Reversed'
      const payment = isPaid ? paymentOf(data) : undefined
      if (isPaid && !payment) return undefined
      const payments = payment ? [payment] : []
      const id = data.text('id')
      const value = { status, message: messageOf(data), payments }
      return { kind: 'done', value, refs: id ? { id } : {} }
    },
    UNKNOWN,
  )
}

/** Channels without a page, where a payer can try again after a payment has failed. */
const WITHOUT_PAGE: readonly (string | undefined)[] = ['bank_transfer', 'ussd']

function statusOf(word: string, channel: string | undefined): ChargeState['status'] {
  const status = STATUSES[word] ?? 'Pending'
  return status === 'Failed' && !WITHOUT_PAGE.includes(channel) ? 'Pending' : status
}

/** A charge takes one payment, whose amount can differ from the one that was asked for. */
function paymentOf(data: Json): IncomingPayment | undefined {
  const providerId = data.text('id')
  const { amount_minor, fee_minor } = paidAmounts(data)
  const currency = data.text('currency')
  const receivedAt = dateOf(data.text('paid_at') ?? data.text('paidAt'))
  if (!providerId || amount_minor === undefined || !currency || !receivedAt) return undefined
  const sender = senderOf(data.at('authorization'))
  return { providerId, amount_minor, currency, fee_minor, receivedAt, disposition: 'kept', sender }
}

/** If the payer pays Paystack's fee, it is in the amount, on top of what was asked for. */
export function paidAmounts(data: Json): {
  amount_minor: bigint | undefined
  fee_minor: bigint | null
} {
  const amount_minor = data.minor('amount')
  const fee_minor = data.minor('fees') ?? null
  const asked_minor = data.minor('requested_amount')
  const isOnTop =
    !!fee_minor && amount_minor !== undefined && amount_minor - fee_minor === asked_minor
  return isOnTop ? { amount_minor: asked_minor, fee_minor: 0n } : { amount_minor, fee_minor }
}

function senderOf(authorization: Json): IncomingPayment['sender'] {
  const name = authorization.text('sender_name') ?? null
  const bankName = authorization.text('sender_bank') ?? null
  // Often masked but for the last three digits.
  const [accountLast4 = null] =
    /\d{4}$/.exec(authorization.text('sender_bank_account_number') ?? '') ?? []
  return name || bankName || accountLast4 ? { name, bankName, accountLast4 } : null
}

const messageOf = (data: Json): string =>
  data.text('gateway_response') || data.text('message') || data.text('status') || ''
