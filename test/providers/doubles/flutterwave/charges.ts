import type { Answer, DoubleRequest } from '../double.ts'
import { PAYER, type Sender } from '../payers.ts'
import {
  ACCOUNT_ID,
  type Account,
  amountOf,
  type Customer,
  customerJson,
  customerOf,
  feeOf,
  fromThousandths,
  isoOf,
  isTest,
  isWithin,
  listAnswer,
  nairaOf,
  nairaText,
  ok,
  type PaymentType,
  refuse,
  settledOf,
  type Transaction,
  type VirtualAccount,
  withFees,
} from './account.ts'
import { bankByCode, OWN_BANK } from './banks.ts'

export function chargeOperations(account: Account) {
  return {
    'POST /payments': (request: DoubleRequest) => openCheckout(account, request),
    'POST /charges': (request: DoubleRequest) => charge(account, request),
    'POST /virtual-account-numbers': (request: DoubleRequest) => openAccount(account, request),
    'GET /virtual-account-numbers/{order_ref}': ({ params }: DoubleRequest) => {
      const found = account.virtualAccounts.find(({ orderRef }) => orderRef === params.order_ref)
      if (!found) return refuse(404, 'Virtual account not found')
      return ok('Virtual account fetched', virtualAccountJson(account, found))
    },
    'GET /transactions/verify_by_reference': ({ query }: DoubleRequest) => {
      // Of several transactions with the same reference, it shows only the newest.
      const found = account.transactions.findLast(({ txRef }) => txRef === query.tx_ref)
      return found ? fetched(found) : unknownTransaction()
    },
    'GET /transactions/{id}/verify': ({ params }: DoubleRequest) => {
      const found = findTransaction(account, params.id)
      return found ? fetched(found) : unknownTransaction()
    },
    'GET /transactions': (request: DoubleRequest) => {
      const { tx_ref, status, currency } = request.query
      const rows = account.transactions
        .filter((one) => isWithin(one.createdAt, request))
        .filter((one) => !tx_ref || one.txRef === tx_ref)
        .filter((one) => !status || one.status === status)
        .filter((one) => !currency || one.currency === currency)
      return listAnswer('Transactions fetched', rows, request, transactionJson, true)
    },
    'POST /transactions/{id}/resend-hook': ({ params }: DoubleRequest) => {
      const found = findTransaction(account, params.id)
      if (!found || found.status === 'pending') return unknownTransaction()
      notify(account, found)
      return ok('hook sent successfully', 'hook sent')
    },
  }
}

export const unknownTransaction = (): Answer => refuse(400, 'No transaction was found for this id')

export const findTransaction = ({ transactions }: Account, id: string | undefined) =>
  transactions.find((one) => `${one.id}` === id)

const fetched = (found: Transaction): Answer =>
  ok('Transaction fetched successfully', { ...transactionJson(found), meta: metaJson(found) })

// ----------------------------------------------------------------------------- starting

const HOUR_MS = 3_600_000

/** What all ways to be paid have in common. The same `tx_ref` can be used again. */
interface Order {
  amount: bigint
  txRef: string
  customer: Customer
  meta: unknown
}

function orderOf(account: Account, request: DoubleRequest): Order | Answer {
  const { body } = request
  const amount = amountOf(request)
  if (amount === undefined) return refuse(400, 'amount must be a positive amount in naira')
  if (body.currency !== 'NGN') return refuse(400, `${body.currency} is not supported`)
  const email: unknown = body.email ?? body.customer?.email
  if (typeof email !== 'string' || !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email)) {
    return refuse(400, 'email must be a valid email')
  }
  if (!body.tx_ref) return refuse(400, 'tx_ref is required')
  const name = body.fullname ?? body.customer?.name
  const customer = customerOf(account, email, name, body.phone_number ?? body.customer?.phonenumber)
  return { amount, txRef: body.tx_ref, customer, meta: body.meta ?? null }
}

function openCheckout(account: Account, request: DoubleRequest): Answer {
  const order = orderOf(account, request)
  if ('status' in order) return order
  const { kit, checkouts } = account
  const { redirect_url: redirectUrl, payment_options = 'card,banktransfer,ussd,account' } =
    request.body
  const token = (kit.nextId() * 7_919 + 1e9).toString(36)
  const options = payment_options.split(/[,\s]+/)
  checkouts.push({ ...order, token, redirectUrl, options, state: 'open' })
  return ok('Hosted Link', { link: `${kit.dashboardUrl()}/v3/hosted/pay/${token}` })
}

function charge(account: Account, request: DoubleRequest): Answer {
  const { query, body } = request
  const order = orderOf(account, request)
  if ('status' in order) return order
  if (query.type === 'ussd') return startUssd(account, order, body.account_bank)
  if (query.type !== 'bank_transfer') return refuse(400, `${query.type} charges are not enabled`)
  if (body.is_permanent) return refuse(400, 'a charge cannot have a permanent account')
  const lastsMs = (body.expires ?? 3_600) * 1_000
  const opened = addAccount(account, order, { lastsMs, narration: body.narration })
  // There is no transaction yet, so the answer has no `data`.
  const authorization = {
    transfer_reference: opened.flwRef,
    transfer_account: opened.number,
    transfer_bank: OWN_BANK,
    account_expiration: opened.expiresAt!.getTime(),
    transfer_note: noteOf(opened),
    transfer_amount: nairaText(withFees(account, order.amount)),
    mode: 'banktransfer',
  }
  const answer = { status: 'success', message: 'Charge initiated', meta: { authorization } }
  return { status: 200, body: answer }
}

function startUssd(account: Account, order: Order, bankCode: string | undefined): Answer {
  const code = bankByCode(bankCode ?? '')?.ussd
  if (!code) return refuse(400, 'USSD is not available for this bank')
  const started = addTransaction(account, order, 'ussd', withFees(account, order.amount))
  const note = `${code}${started.id}#`
  started.ussdNote = note
  return ok(
    'Charge initiated',
    {
      ...transactionJson(started),
      fraud_status: 'ok',
      charge_type: 'normal',
      payment_code: `${started.id}`,
    },
    { meta: { authorization: { mode: 'ussd', note } } },
  )
}

function openAccount(account: Account, request: DoubleRequest): Answer {
  const { body } = request
  const isPermanent = body.is_permanent === true
  if (isPermanent && !isTest(account) && !/^\d{11}$/.test(body.bvn ?? '')) {
    return refuse(400, 'bvn is required for a permanent account')
  }
  if (!isPermanent && amountOf(request) === undefined) return refuse(400, 'amount is required')
  const name = [body.firstname, body.lastname].filter(Boolean).join(' ') || undefined
  const customer = customerOf(account, body.email, name, body.phonenumber)
  const amount = amountOf(request) ?? 0n
  const order = { amount, txRef: body.tx_ref, customer, meta: null }
  const opened = addAccount(account, order, {
    lastsMs: isPermanent ? null : HOUR_MS,
    narration: body.narration,
    uses: body.frequency,
  })
  return ok('Virtual account created', virtualAccountJson(account, opened))
}

/** Bank accounts that no two orders share. */
function addAccount(
  account: Account,
  { amount, txRef, customer, meta }: Order,
  given: { lastsMs: number | null; narration: string | undefined; uses?: number | undefined },
): VirtualAccount {
  const { kit, virtualAccounts } = account
  const id = kit.nextId()
  const createdAt = kit.clock.now()
  const { lastsMs } = given
  const opened: VirtualAccount = {
    number: `78${String(id).padStart(8, '0')}`,
    txRef,
    flwRef: `FLW-${id}`,
    orderRef: `URF_${id}_${id * 7}`,
    customer,
    narration: given.narration ?? customer.name,
    amount: lastsMs === null ? null : amount,
    expiresAt: lastsMs === null ? null : new Date(createdAt.getTime() + lastsMs),
    usesLeft: given.uses ?? Number.POSITIVE_INFINITY,
    meta,
    createdAt,
  }
  virtualAccounts.push(opened)
  return opened
}

function addTransaction(
  account: Account,
  { amount, txRef, customer, meta }: Order,
  type: PaymentType,
  charged: bigint,
): Transaction {
  const { kit, transactions } = account
  const id = kit.nextId()
  const added: Transaction = {
    id,
    txRef,
    flwRef: `flwm3s4m0c${id}`,
    type,
    status: 'pending',
    processorResponse: 'Transaction in progress',
    amount,
    charged,
    currency: 'NGN',
    customer,
    narration: 'Shop',
    meta,
    sender: null,
    ussdNote: null,
    settlement: null,
    createdAt: kit.clock.now(),
  }
  transactions.push(added)
  return added
}

// ------------------------------------------------------------------------------- paying

/** Takes the money of a transaction, once. */
function succeed(account: Account, transaction: Transaction): void {
  if (transaction.status === 'successful') return
  const { books } = account.kit
  const { id, txRef, charged, currency } = transaction
  end(account, transaction, 'successful', 'Approved by Financial Institution')
  const entry = { reference: txRef, providerId: `${id}`, currency }
  books.enter({ ...entry, kind: 'charge', amount_minor: charged })
  books.enter({ ...entry, kind: 'fee', amount_minor: settledOf(charged) - charged })
}

function fail(account: Account, transaction: Transaction): void {
  if (transaction.status === 'pending') end(account, transaction, 'failed', 'Declined')
}

function end(
  account: Account,
  transaction: Transaction,
  status: Transaction['status'],
  processorResponse: string,
): void {
  Object.assign(transaction, { status, processorResponse })
  notify(account, transaction)
}

const EVENT_TYPES: Readonly<Record<PaymentType, string>> = {
  card: 'CARD_TRANSACTION',
  bank_transfer: 'BANK_TRANSFER_TRANSACTION',
  ussd: 'USSD_TRANSACTION',
  account: 'ACCOUNT_TRANSACTION',
}

/** Failures too are notified as `charge.completed`. */
function notify(account: Account, transaction: Transaction): void {
  const { amount_settled: _, ...data } = transactionJson(transaction)
  account.kit.notices.notify('charge.completed', {
    event: 'charge.completed',
    data,
    meta_data: metaJson(transaction),
    'event.type': EVENT_TYPES[transaction.type],
  })
}

export function payerOf(account: Account) {
  const { kit, transactions, virtualAccounts, checkouts } = account

  return {
    /**
     * Sends money to an account of Flutterwave's. Any amount is kept, as often as somebody sends
     * it. Returns `returned` if the account has expired.
     */
    transferTo(number: string, amount_minor: bigint, from: Sender = PAYER): 'kept' | 'returned' {
      const found = virtualAccounts.find((one) => one.number === number)
      if (!found) throw new Error(`Flutterwave has no account ${number}`)
      const { expiresAt, amount } = found
      if (found.usesLeft <= 0 || (expiresAt && expiresAt <= kit.clock.now())) return 'returned'
      found.usesLeft -= 1
      const isExact = amount !== null && amount_minor === withFees(account, amount)
      const order = { ...found, amount: isExact ? amount : withoutFees(account, amount_minor) }
      const deposit = addTransaction(account, order, 'bank_transfer', amount_minor)
      Object.assign(deposit, { sender: from, flwRef: `100004${deposit.id}` })
      succeed(account, deposit)
      return 'kept'
    },
    /** Dials a USSD code, and approves or declines. */
    dial(note: string, approves = true): void {
      const found = transactions.find(({ ussdNote }) => ussdNote === note)
      if (!found) throw new Error(`no charge has the code ${note}`)
      if (approves) succeed(account, found)
      else fail(account, found)
    },
    /**
     * Pays on the hosted page, twice if there are two tabs, for example: each time creates another
     * transaction. Returns where it leads.
     */
    payHosted(
      url: string,
      approves = true,
      times = 1,
      type: PaymentType = 'card',
    ): string | undefined {
      const token = new URL(url).pathname.split('/').at(-1)!
      let location: string | undefined
      for (let i = 0; i < times; i++) location = this.submit(token, approves, type)
      return location
    },
    /** What the hosted page's form does. Returns the address to go to, or nothing to stay. */
    submit(token: string, approves: boolean, type: PaymentType): string | undefined {
      const found = checkouts.find((one) => one.token === token)
      if (!found) throw new Error(`there is no hosted page ${token}`)
      const paid = addTransaction(account, found, type, withFees(account, found.amount))
      if (!approves) {
        if (found.state === 'open') found.state = 'declined'
        fail(account, paid)
        return undefined
      }
      found.state = 'paid'
      if (type === 'bank_transfer') paid.sender = PAYER
      succeed(account, paid)
      const status = type === 'card' ? 'successful' : 'completed'
      return returnTo(found, { status, transaction_id: `${paid.id}` })
    },
    /** Leaves the hosted page. Returns where that leads. */
    cancel(token: string): string {
      const found = checkouts.find((one) => one.token === token)
      if (!found) throw new Error(`there is no hosted page ${token}`)
      return returnTo(found, { status: 'cancelled' })
    },
  }
}

function returnTo(
  { redirectUrl, txRef }: { redirectUrl: string; txRef: string },
  { status, ...more }: { status: string; transaction_id?: string },
): string {
  const address = new URL(redirectUrl)
  const all = { status, tx_ref: txRef, ...more }
  for (const [name, value] of Object.entries(all)) address.searchParams.set(name, value)
  return address.href
}

const withoutFees = ({ settings }: Account, charged: bigint) =>
  settings.feesPaidBy === 'payer' ? settledOf(charged) : charged

// -------------------------------------------------------------------------------- shape

function transactionJson(transaction: Transaction) {
  const { id, type, status, charged, createdAt, customer } = transaction
  return {
    id,
    tx_ref: transaction.txRef,
    flw_ref: transaction.flwRef,
    device_fingerprint: 'N/A',
    amount: nairaOf(transaction.amount),
    currency: transaction.currency,
    charged_amount: nairaOf(charged),
    app_fee: fromThousandths(feeOf(charged)),
    merchant_fee: 0,
    processor_response: transaction.processorResponse,
    auth_model: type === 'card' ? 'PIN' : type.toUpperCase(),
    ip: '127.0.0.1',
    narration: transaction.narration,
    status,
    payment_type: type,
    created_at: isoOf(createdAt),
    account_id: ACCOUNT_ID,
    amount_settled: status === 'successful' ? nairaOf(settledOf(charged)) : null,
    customer: customerJson(customer),
    ...(type === 'card' && {
      card: {
        first_6digits: '553188',
        last_4digits: '2950',
        issuer: 'MASTERCARD CREDIT',
        country: 'NIGERIA NG',
        type: 'MASTERCARD',
        expiry: '09/32',
      },
    }),
  }
}

function metaJson({ sender, meta }: Transaction) {
  if (!sender) return meta
  return {
    ...(meta as object | null),
    originatorname: sender.name,
    originatoraccountnumber: sender.accountNumber,
    bankname: 'Access Bank',
    originatoramount: 'N/A',
  }
}

const noteOf = ({ narration }: VirtualAccount) => `Please make a bank transfer to ${narration}`

/** The types of some fields depend on whether the account is permanent. */
function virtualAccountJson(account: Account, opened: VirtualAccount) {
  const { amount, expiresAt, usesLeft, createdAt } = opened
  return {
    response_code: '02',
    response_message: 'Transaction in progress',
    flw_ref: opened.flwRef,
    order_ref: opened.orderRef,
    account_number: opened.number,
    account_status: 'active',
    bank_name: OWN_BANK,
    note: noteOf(opened),
    frequency: Number.isFinite(usesLeft) ? usesLeft : 'N/A',
    created_at: expiresAt ? createdAt.getTime() : isoOf(createdAt).slice(0, 19).replace('T', ' '),
    expiry_date: expiresAt ? expiresAt.getTime() : 'N/A',
    amount: amount === null ? null : nairaText(withFees(account, amount)),
  }
}
