import { isCurrency } from '../../lib/money.ts'
import { bankOf } from '../banks/banks.ts'
import { dateOf, inconclusive, type Refusal } from '../connector/api.ts'
import type {
  Call,
  ChargeOrder,
  ChargeState,
  Collections,
  HostedPage,
  IncomingPayment,
  VirtualAccount,
} from '../connector/http-connector.ts'
import { type Json, majorNumber } from '../connector/json.ts'
import type { Outcome, SentOrder, UssdCode } from '../connector/types.ts'
import {
  ACCOUNT_REFUSALS,
  AMOUNT_REFUSAL,
  allRows,
  type Page,
  pageOf,
  pageQuery,
  send,
} from './api.ts'

export const collections: Collections = {
  openVirtualAccount,
  startUssd,
  openHostedPage,
  lookUpCharge,
}

const START_REFUSALS: readonly Refusal[] = [...ACCOUNT_REFUSALS, AMOUNT_REFUSAL]

const bodyOf = ({ reference, amount_minor, currency, payer }: ChargeOrder) => ({
  tx_ref: reference,
  amount: majorNumber(amount_minor, currency),
  currency,
  email: payer.email,
  ...(payer.name !== null && { fullname: payer.name }),
  ...(payer.phone !== null && { phone_number: payer.phone }),
})

const LEAST_SECONDS = 60

/** The narration becomes the account's name, which is not in the response. */
function openVirtualAccount(
  call: Call,
  order: ChargeOrder & { accountName: string },
): Promise<Outcome<VirtualAccount>> {
  const { accountName, expiresAt, amount_minor, currency } = order
  const seconds = Math.ceil((expiresAt.getTime() - call.now.getTime()) / 1_000)
  const body = {
    ...bodyOf(order),
    narration: accountName,
    is_permanent: false,
    expires: Math.max(seconds, LEAST_SECONDS),
  }
  return send(
    call,
    { operation: 'POST /charges', query: { type: 'bank_transfer' }, body },
    (response): Outcome<VirtualAccount> | undefined => {
      const opened = response.at('meta', 'authorization')
      const accountNumber = opened.text('transfer_account')
      const bankName = opened.text('transfer_bank')
      if (!accountNumber || !bankName) return undefined
      const asked_minor = opened.major(currency, 'transfer_amount') ?? amount_minor
      if (asked_minor !== amount_minor) return FEES_ON_TOP
      const expiration = opened.text('account_expiration')
      const value = { accountNumber, accountName, bankCode: null, bankName }
      return { kind: 'done', value: { ...value, expiresAt: momentOf(expiration) } }
    },
    START_REFUSALS,
  )
}

/** Payers are shown the amount of the charge, so they would pay too little. */
const FEES_ON_TOP: Outcome<never> = {
  kind: 'notNow',
  code: 'feature_off',
  message:
    'Flutterwave asks payers for another amount than Tradepost shows them. Choose in its ' +
    "Settings, Business preferences, that you pay Flutterwave's fees.",
}

/** In milliseconds, or as ISO 8601 has it. */
const momentOf = (text = ''): Date | null =>
  /^\d{12,14}$/.test(text) ? new Date(Number(text)) : dateOf(text)

const USSD_REFUSALS: readonly Refusal[] = [
  ...START_REFUSALS,
  [
    /\bbank\b.*\b(?:invalid|unknown|not (?:found|supported))\b/i,
    { kind: 'refused', code: 'unknown_bank' },
  ],
  [/\b(?:invalid|unknown|unsupported) bank\b/i, { kind: 'refused', code: 'unknown_bank' }],
  [
    /\bussd\b.*\bnot (?:available|supported)\b.*\bbank\b/i,
    { kind: 'refused', code: 'unknown_bank' },
  ],
]

async function startUssd(
  call: Call,
  order: ChargeOrder & { bankCode: string | null },
): Promise<Outcome<readonly UssdCode[]>> {
  const { bankCode } = order
  const bank = bankCode === null ? undefined : bankOf(bankCode)
  if (!bank) {
    const message = 'Flutterwave creates USSD codes for single banks, and not for this one.'
    return { kind: 'refused', code: 'unsupported', message }
  }
  // The banks that have USSD codes have the same codes at Flutterwave.
  const body = { ...bodyOf(order), account_bank: bank.code }
  return send(
    call,
    { operation: 'POST /charges', query: { type: 'ussd' }, body },
    (response) => {
      const ussdCode = response.text('meta', 'authorization', 'note')
      const id = response.text('data', 'id')
      const isOurs = response.text('data', 'tx_ref') === order.reference
      if (!isOurs || !id || !ussdCode || !/^\*[\d*]+#$/.test(ussdCode)) return undefined
      const value = [{ bankCode: bank.code, bankName: bank.name, ussdCode }]
      return { kind: 'done', value, refs: { id } }
    },
    USSD_REFUSALS,
  )
}

function openHostedPage(
  call: Call,
  order: ChargeOrder & { returnUrl: string },
): Promise<Outcome<HostedPage>> {
  const { reference, amount_minor, currency, payer, description, returnUrl } = order
  const customer = {
    email: payer.email,
    ...(payer.name !== null && { name: payer.name }),
    ...(payer.phone !== null && { phonenumber: payer.phone }),
  }
  const body = {
    tx_ref: reference,
    amount: majorNumber(amount_minor, currency),
    currency,
    redirect_url: returnUrl,
    payment_options: 'card,account',
    customer,
    customizations: { title: description },
  }
  return send(
    call,
    { operation: 'POST /payments', body },
    (response) => {
      const url = response.text('data', 'link')
      if (!url || !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return undefined
      return { kind: 'done', value: { url, expiresAt: null } }
    },
    START_REFUSALS,
  )
}

// ----------------------------------------------------------------------------- lookups

/** One try to pay. A charge can have several, each with the charge's reference. */
interface Transaction {
  reference: string
  status: 'Pending' | 'Successful' | 'Failed'
  message: string
  payment: IncomingPayment
}

const NO_TRANSACTION: readonly Refusal[] = [
  [
    /\bno transaction\b|\btransaction\b.*\bnot found\b/i,
    { kind: 'refused', code: 'unknown_order' },
  ],
]

/**
 * Nobody has paid yet if there is no transaction. A lookup by reference shows only one of several,
 * so all of them are listed, and each one that was paid is a payment.
 */
async function lookUpCharge(call: Call, sent: SentOrder): Promise<Outcome<ChargeState>> {
  const { reference, refs } = sent
  const shown = await findTransaction(call, sent)
  if (shown.kind === 'refused' && shown.code === 'unknown_order') {
    return { kind: 'done', value: { status: 'Pending', message: shown.message, payments: [] } }
  }
  if (shown.kind !== 'done') return shown
  const listed = await listTransactions(call, reference)
  if (listed.kind !== 'done') return listed
  const byId = new Map([...listed.value, shown.value].map((one) => [one.payment.providerId, one]))
  const all = [...byId.values()]
  const paid = all.filter(({ status }) => status === 'Successful')
  const payments = paid
    .map(({ payment }) => payment)
    .sort((one, other) => one.receivedAt.getTime() - other.receivedAt.getTime())
  const [first] = payments
  if (first) {
    const value = { status: 'Successful', message: paid[0]!.message, payments } as const
    return { kind: 'done', value, refs: { id: first.providerId } }
  }
  // A USSD code fails for good. After a page or an account, the payer can try again.
  const isOver = refs.id !== undefined && all.every(({ status }) => status === 'Failed')
  const status = isOver ? 'Failed' : 'Pending'
  return { kind: 'done', value: { status, message: shown.value.message, payments } }
}

async function findTransaction(call: Call, sent: SentOrder): Promise<Outcome<Transaction>> {
  const { reference, refs } = sent
  if (refs.id === undefined) return verify(call, reference, undefined)
  const outcome = await verify(call, reference, refs.id)
  const isUnknown = outcome.kind === 'refused' && outcome.code === 'unknown_order'
  return isUnknown ? verify(call, reference, undefined) : outcome
}

const verify = (
  call: Call,
  reference: string,
  id: string | undefined,
): Promise<Outcome<Transaction>> =>
  send(
    call,
    id === undefined
      ? { operation: 'GET /transactions/verify_by_reference', query: { tx_ref: reference } }
      : { operation: 'GET /transactions/{id}/verify', params: { id } },
    (response): Outcome<Transaction> | undefined => {
      const found = transactionOf(response.at('data'))
      if (!found) return undefined
      if (found.reference === reference) return { kind: 'done', value: found }
      return inconclusive("Flutterwave showed another charge's transaction.")
    },
    NO_TRANSACTION,
  )

/** Lists the transactions of a charge. A list that shows others too is read up to those. */
export const listTransactions = (
  call: Call,
  reference: string,
): Promise<Outcome<readonly Transaction[]>> =>
  allRows(async (cursor): Promise<Outcome<Page<Transaction>>> => {
    const query = { tx_ref: reference, ...pageQuery(cursor) }
    return send(call, { operation: 'GET /transactions', query }, (body) => {
      const page = pageOf(body, cursor, transactionOf)
      const mine = page?.rows.filter((row) => row.reference === reference)
      const isMixed = page && mine && mine.length < page.rows.length
      return (
        page && mine && { kind: 'done', value: { rows: mine, next: isMixed ? null : page.next } }
      )
    })
  })

const STATUSES: Readonly<Record<string, Transaction['status']>> = {
  successful: 'Successful',
  failed: 'Failed',
}

/** Words that we do not know are Pending. */
function transactionOf(row: Json): Transaction | undefined {
  const providerId = row.text('id')
  const reference = row.text('tx_ref')
  const word = row.text('status')
  const currency = row.text('currency')
  if (!providerId || !reference || !word || !currency || !isCurrency(currency)) return undefined
  const amount_minor = row.major(currency, 'amount')
  const receivedAt = dateOf(row.text('created_at'))
  if (amount_minor === undefined || !receivedAt) return undefined
  const payment: IncomingPayment = {
    providerId,
    amount_minor,
    currency,
    fee_minor: feeOf(row, amount_minor, currency),
    receivedAt,
    disposition: 'kept',
    sender: senderOf(row.at('meta')),
  }
  const message = row.text('processor_response') || word
  return { reference, status: STATUSES[word] ?? 'Pending', message, payment }
}

/** Of a bank transfer, and only if a single transaction is shown. */
function senderOf(meta: Json): IncomingPayment['sender'] {
  const name = meta.text('originatorname') ?? null
  const [accountLast4 = null] = /\d{4}$/.exec(meta.text('originatoraccountnumber') ?? '') ?? []
  if (name === null && accountLast4 === null) return null
  return { name, bankName: meta.text('bankname') ?? null, accountLast4 }
}

/**
 * What is not settled is the fee. `app_fee` is less, because VAT is not in it, and is also there if
 * the payer pays the fee on top. Nothing is settled while the amount is not known.
 */
export function feeOf(row: Json, amount_minor: bigint, currency: string): bigint | null {
  const settled_minor = row.major(currency, 'amount_settled')
  if (!settled_minor || settled_minor > amount_minor) return null
  return amount_minor - settled_minor
}
