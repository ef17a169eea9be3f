import type { Answer, DoubleRequest } from '../double.ts'
import { PAYER, type Sender } from '../payers.ts'
import {
  type Account,
  codeOf,
  customerJson,
  customerOf,
  type DedicatedAccount,
  domainOf,
  isoOf,
  isWithin,
  listAnswer,
  ok,
  plainRefusal,
  refuse,
  type Transaction,
} from './account.ts'
import { OWN_BANK } from './banks.ts'

export function chargeOperations(account: Account) {
  return {
    'POST /charge': (request: DoubleRequest) => charge(account, request),
    'GET /charge/{reference}': ({ params }: DoubleRequest) => {
      const found = findTransaction(account, params.reference!)
      if (!found) return plainRefusal(404, 'Transaction not found')
      return ok('Reference check successful', transactionJson(account, found))
    },
    'POST /transaction/initialize': (request: DoubleRequest) => initialize(account, request),
    'GET /transaction/verify/{reference}': ({ params }: DoubleRequest) => {
      const found = findTransaction(account, params.reference!)
      if (!found) return unknownTransaction()
      return ok('Verification successful', transactionJson(account, found))
    },
    'GET /transaction': (request: DoubleRequest) => {
      const { status, virtual_account_number: number, customer_code: code } = request.query
      const rows = account.transactions
        .filter((one) => isWithin(one.createdAt, request))
        .filter((one) => !status || one.status === status)
        .filter((one) => !number || one.account?.number === number)
        .filter((one) => !code || one.customer.code === code)
      const toJson = (one: Transaction) => transactionJson(account, one)
      const total_volume = rows.reduce((sum, { paid }) => sum + paid, 0n)
      return listAnswer(account, 'Transactions retrieved', rows.reverse(), request, toJson, {
        total_volume,
      })
    },
    'GET /transaction/{id}': ({ params }: DoubleRequest) => {
      const found = account.transactions.find(({ id }) => `${id}` === params.id)
      if (!found) return plainRefusal(404, 'Transaction not found')
      return ok('Transaction retrieved', transactionJson(account, found))
    },
  }
}

export const unknownTransaction = (): Answer =>
  refuse(
    400,
    'Transaction reference not found.',
    'transaction_not_found',
    "Ensure that you're passing the reference of a transaction that exists on this integration",
  )

export const findTransaction = ({ transactions }: Account, reference: string) =>
  transactions.find((one) => one.reference === reference)

// ----------------------------------------------------------------------------- starting

const MINUTE_MS = 60_000
/** Paystack changes other times without a word. */
const ACCOUNT_LASTS_MS = { least: 15 * MINUTE_MS, most: 8 * 60 * MINUTE_MS }

function charge(account: Account, request: DoubleRequest): Answer {
  const { body } = request
  const { settings, kit } = account
  const wrong = wrongCharge(account, body)
  if (wrong) return wrong
  const now = kit.clock.now()
  if (body.bank_transfer) {
    const asked = new Date(body.bank_transfer.account_expires_at ?? now).getTime()
    const { least, most } = ACCOUNT_LASTS_MS
    const lastsMs = Math.min(Math.max(asked - now.getTime(), least), most)
    const expiresAt = new Date(now.getTime() + lastsMs)
    const number = newAccountNumber(account)
    const opened = add(account, body, 'bank_transfer', { account: { number, expiresAt } })
    kit.clock.after(lastsMs, () => {
      if (opened.status === 'pending') fail(opened, 'Transfer not received')
    })
    return ok('Charge attempted', {
      reference: opened.reference,
      status: 'pending_bank_transfer',
      display_text: 'Please make a transfer to the account specified',
      account_name: 'PAYSTACK CHECKOUT',
      account_number: number,
      bank: OWN_BANK,
      account_expires_at: isoOf(expiresAt),
    })
  }
  if (body.ussd) {
    const { type } = body.ussd
    if (!settings.ussdTypes.includes(type)) {
      return refuse(400, `USSD is not available for ${type}`, 'invalid_params')
    }
    const ussdCode = `*${type}*33*4*${kit.nextId()}#`
    const started = add(account, body, 'ussd', { ussdCode })
    return ok('Charge attempted', {
      reference: started.reference,
      status: 'pay_offline',
      display_text: `Please dial ${ussdCode} on your mobile phone to complete the transaction`,
      ussd_code: ussdCode,
    })
  }
  return refuse(400, 'Charge type is not supported', 'invalid_params')
}

function initialize(account: Account, { body }: DoubleRequest): Answer {
  const wrong = wrongCharge(account, body)
  if (wrong) return wrong
  const accessCode = codeOf('ac', account.kit.nextId()).slice(3)
  const { reference } = add(account, body, 'card', {
    status: 'abandoned',
    gatewayResponse: 'The transaction was not completed',
    hosted: {
      accessCode,
      callbackUrl: body.callback_url ?? null,
      channels: body.channels ?? ['card', 'bank'],
    },
  })
  return ok('Authorization URL created', {
    authorization_url: `${account.kit.dashboardUrl()}/checkout/${accessCode}`,
    access_code: accessCode,
    reference,
  })
}

// biome-ignore lint/suspicious/noExplicitAny: the description has proved it
function wrongCharge(account: Account, body: any): Answer | undefined {
  const { email, amount, reference, currency = 'NGN' } = body
  if (!/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email)) {
    return refuse(400, 'Invalid Email Address Passed', 'invalid_email_address')
  }
  if (amount <= 0) return refuse(400, 'Invalid Amount Sent', 'invalid_amount')
  if (currency !== 'NGN') {
    return refuse(403, 'Currency not supported by merchant', 'unsupported_currency')
  }
  if (reference !== undefined && !/^[A-Za-z0-9.=-]+$/.test(reference)) {
    return refuse(400, 'Invalid characters in reference', 'invalid_reference')
  }
  if (reference !== undefined && findTransaction(account, reference)) {
    return refuse(400, 'Duplicate Transaction Reference', 'duplicate_reference')
  }
  return undefined
}

/** Bank accounts that no two of a double's charges share. */
const newAccountNumber = ({ kit }: Account) => `12${String(kit.nextId()).padStart(8, '0')}`

function add(
  account: Account,
  // biome-ignore lint/suspicious/noExplicitAny: the description has proved it
  { email, amount, reference, metadata }: any,
  channel: Transaction['channel'],
  given: Partial<Transaction>,
): Transaction {
  const { kit, transactions } = account
  const id = 2n ** 53n + BigInt(kit.nextId())
  const added: Transaction = {
    id,
    reference: reference ?? codeOf('T', Number(id % 1_000_000n)),
    channel,
    status: 'pending',
    gatewayResponse: 'Transaction in progress',
    requested: BigInt(amount),
    paid: 0n,
    fees: null,
    currency: 'NGN',
    customer: customerOf(account, email),
    metadata: metadata ?? '',
    createdAt: kit.clock.now(),
    paidAt: null,
    account: null,
    ussdCode: null,
    hosted: null,
    sender: null,
    settlement: null,
    ...given,
  }
  transactions.push(added)
  return added
}

// ------------------------------------------------------------------------------- paying

/** Takes the money of a transaction, once. */
function succeed(
  account: Account,
  transaction: Transaction,
  amount: bigint,
  sender?: Sender,
): void {
  const { kit } = account
  if (transaction.status === 'success' || transaction.status === 'reversed') return
  const { reference, currency } = transaction
  Object.assign(transaction, {
    status: 'success',
    gatewayResponse: 'Approved',
    paid: amount,
    fees: feeOf(amount),
    paidAt: kit.clock.now(),
    sender: sender ?? null,
  })
  const entry = { reference, providerId: `${transaction.id}`, currency }
  kit.books.enter({ ...entry, kind: 'charge', amount_minor: amount })
  kit.books.enter({ ...entry, kind: 'fee', amount_minor: -transaction.fees! })
  const data = transactionJson(account, transaction)
  kit.notices.notify('charge.success', { event: 'charge.success', data })
}

function fail(transaction: Transaction, gatewayResponse: string): void {
  if (transaction.status === 'success' || transaction.status === 'reversed') return
  Object.assign(transaction, { status: 'failed', gatewayResponse })
}

/** 1.5 % and ₦100 from ₦2,500, at most ₦2,000, and VAT of 7.5 %; fractions are rounded up. */
function feeOf(amount: bigint): bigint {
  const share = (amount * 15n + 999n) / 1_000n + (amount >= 250_000n ? 10_000n : 0n)
  const fee = share > 200_000n ? 200_000n : share
  return fee + (fee * 75n + 999n) / 1_000n
}

export function payerOf(account: Account) {
  const { kit, transactions, dedicated } = account

  return {
    /**
     * Sends money to an account of Paystack's. Returns `kept`, or `returned` if Paystack sends it
     * back: another amount than the charge's, or an account that is closed.
     */
    transferTo(number: string, amount_minor: bigint, from: Sender = PAYER): 'kept' | 'returned' {
      const permanent = dedicated.find((one) => one.number === number)
      if (permanent) {
        succeed(account, depositOn(permanent, amount_minor), amount_minor, from)
        return 'kept'
      }
      const open = transactions.find((one) => one.account?.number === number)
      if (!open) throw new Error(`Paystack has no account ${number}`)
      if (open.status !== 'pending') return 'returned'
      if (open.requested === amount_minor) {
        succeed(account, open, amount_minor, from)
        return 'kept'
      }
      const { international_format_phone: _, ...customer } = customerJson(open.customer)
      const at = isoOf(open.customer.createdAt)
      kit.notices.notify('bank.transfer.rejected', {
        event: 'bank.transfer.rejected',
        data: {
          bank_transfer: {
            amount: `${amount_minor}`,
            message: 'incorrect amount sent',
            message_type: 'INCORRECT_AMOUNT',
            transaction_id: `${open.id}`,
          },
          customer: { ...customer, domain: domainOf(account), createdAt: at, updatedAt: at },
        },
      })
      return 'returned'
    },
    /** Dials a USSD code, and approves or declines. */
    dial(ussdCode: string, approves = true): void {
      const found = transactions.find((one) => one.ussdCode === ussdCode)
      if (!found) throw new Error(`no charge has the code ${ussdCode}`)
      if (approves) succeed(account, found, found.requested)
      else fail(found, 'Declined')
    },
    /** Pays on the hosted page, so many times as with two tabs. Returns where it leads. */
    payHosted(
      url: string,
      approves = true,
      times = 1,
      channel: 'card' | 'bank' = 'card',
    ): string | undefined {
      const accessCode = new URL(url).pathname.split('/').at(-1)!
      let location: string | undefined
      for (let i = 0; i < times; i++) location = this.submit(accessCode, approves, channel)
      return location
    },
    /** What the hosted page's form does. Returns the address to go to, or nothing to stay. */
    submit(accessCode: string, approves: boolean, channel: 'card' | 'bank'): string | undefined {
      const found = transactions.find((one) => one.hosted?.accessCode === accessCode)
      if (!found) throw new Error(`there is no hosted page ${accessCode}`)
      if (found.status !== 'success') found.channel = channel
      if (!approves) {
        fail(found, 'Declined')
        return undefined
      }
      succeed(account, found, found.requested)
      const { callbackUrl } = found.hosted!
      if (callbackUrl === null) return undefined
      const address = new URL(callbackUrl)
      address.searchParams.set('trxref', found.reference)
      address.searchParams.set('reference', found.reference)
      return address.href
    },
  }

  /** Each payment into a permanent account is a transaction with a reference of Paystack's. */
  function depositOn({ customer, number }: DedicatedAccount, amount: bigint): Transaction {
    return add(account, { email: customer.email, amount }, 'dedicated_nuban', {
      account: { number, expiresAt: null },
    })
  }
}

// -------------------------------------------------------------------------------- shape

export function transactionJson(account: Account, transaction: Transaction) {
  const { status, channel, requested, paid, createdAt, paidAt } = transaction
  return {
    id: transaction.id,
    domain: domainOf(account),
    status,
    reference: transaction.reference,
    receipt_number: null,
    amount: paidAt ? paid : requested,
    message: null,
    gateway_response: transaction.gatewayResponse,
    paid_at: isoOf(paidAt),
    created_at: isoOf(createdAt),
    channel,
    currency: transaction.currency,
    ip_address: '127.0.0.1',
    metadata: transaction.metadata,
    log: null,
    fees: transaction.fees,
    fees_split: null,
    authorization: paidAt ? authorizationJson(transaction) : {},
    customer: customerJson(transaction.customer),
    plan: null,
    split: {},
    order_id: null,
    paidAt: isoOf(paidAt),
    createdAt: isoOf(createdAt),
    requested_amount: requested,
    pos_transaction_data: null,
    source: null,
    fees_breakdown: null,
    connect: null,
    transaction_date: isoOf(createdAt),
    plan_object: {},
    subaccount: {},
  }
}

function authorizationJson({ channel, sender, account, id }: Transaction) {
  const isTransfer = channel === 'bank_transfer' || channel === 'dedicated_nuban'
  const last4 = sender ? `X${sender.accountNumber.slice(-3)}` : '4081'
  return {
    authorization_code: codeOf('AUTH', Number(id % 1_000_000n)),
    bin: isTransfer ? '008XXX' : '408408',
    last4,
    exp_month: '12',
    exp_year: '2030',
    channel,
    card_type: isTransfer ? 'transfer' : 'visa ',
    bank: isTransfer ? null : 'TEST BANK',
    country_code: 'NG',
    brand: isTransfer ? 'Managed Account' : 'visa',
    reusable: false,
    signature: null,
    account_name: null,
    ...(isTransfer && {
      sender_country: 'NG',
      sender_bank: null,
      sender_bank_account_number: `XXXXXXX${sender?.accountNumber.slice(-3)}`,
      sender_name: sender?.name ?? null,
      narration: 'Transfer',
    }),
    ...(channel === 'dedicated_nuban' && {
      receiver_bank_account_number: account!.number,
      receiver_bank: OWN_BANK.name,
    }),
  }
}
