import { randomUUID } from 'node:crypto'
import type { Agent as HttpAgent } from 'node:http'
import { send } from '../request.ts'
import { answerOf, answerOfError, compareReplay, type Entry, type Violation } from './journal.ts'

/* The requests of the load, and how each of them is found again in the database. */

const SALES = '/api/payment-service/external/v1'
const MONEY = '/api/transaction-service/external/v1'
const SIMULATOR = '/api/simulator'
const ACCOUNT_PATH = `${SALES}/payment-pages/initiate-initialize-checkout-dynamic-virtual-account`

/** The pieces of the product that sells out. */
export const SCARCE_PIECES = 25
const REQUEST_MS = 40_000

export interface Client {
  url: string
  key: string
  agent: HttpAgent
}

/** What the load knows of the business. */
export interface Shop {
  client: Client
  random(): number
  /** Two products: one that sells out, and one that does not. */
  scarce: string
  plenty: string
  entries: Entry[]
  /** Payments that can be refunded, and accounts that nobody has paid into. */
  payments: number[]
  accounts: string[]
  seenAccounts: Set<string>
  violations: Violation[]
  /** How many responses had each status. */
  statuses: Map<string, number>
  /** Sets of equal requests that were sent at the same time. */
  races: number
}

interface Kind {
  path: string
  body(shop: Shop, marker: string): object | undefined
  /** Keeps what later requests need. */
  learn?(shop: Shop, body: Body): void
  referenceOf?(body: Body): string
  /** False for a first response that a repeat may change. */
  isFinal?(body: Body): boolean
  /** Selects `marker` and `reference` of all rows of a business. */
  rows: string
}

// biome-ignore lint/suspicious/noExplicitAny: a response of any operation
type Body = any

const emailOf = (marker: string) => `${marker}@payer.example`
const NUMBER = /\d+$/

export const KINDS: Readonly<Record<string, Kind>> = {
  invoice: {
    path: `${SALES}/invoices`,
    body: (_, note) => ({ customerEmail: 'ada@example.com', amount: 1_500, note }),
    referenceOf: (body) => body.data.reference,
    rows: 'select note as marker, reference from invoices where business_id = $1',
  },
  charge: {
    path: `${MONEY}/transaction-with-ussd`,
    // Its own number is all that a caller can give it.
    body: (_, marker) => ({
      channel: 'USSD',
      amount: 400,
      orderId: Number(NUMBER.exec(marker)![0]),
    }),
    learn: (shop, body) => void shop.payments.push(body.data.transactionId),
    referenceOf: (body) => body.data.reference,
    isFinal: (body) => body.data.ussdCode !== null,
    rows: `select 'charge-' || order_id as marker, reference from transactions
      where business_id = $1 and purpose = 'charge'`,
  },
  checkout: {
    path: `${SALES}/initialize-checkout`,
    body: ({ scarce, plenty, random }, marker) => ({
      customerEmail: emailOf(marker),
      products: [{ productId: random() < 0.5 ? scarce : plenty, quantity: 1 }],
    }),
    referenceOf: (body) => body.data.reference,
    rows: `select split_part(customer_email, '@', 1) as marker, reference from checkouts
      where business_id = $1 and customer_email like 'checkout-%'`,
  },
  transfer: {
    path: `${MONEY}/transfers`,
    body: (_, narration) => ({
      amount: 10,
      bankCode: '058',
      accountNumber: '0123456785',
      narration,
    }),
    referenceOf: (body) => body.data.reference,
    rows: 'select narration as marker, reference from transfers where business_id = $1',
  },
  refund: {
    path: `${MONEY}/refunds`,
    body({ payments, random }, reason) {
      if (payments.length === 0) return undefined
      const transactionId = payments[Math.floor(random() * payments.length)]
      return { transactionId, amount: 150, reason }
    },
    referenceOf: (body) => body.data.reference,
    rows: 'select reason as marker, reference from refunds where business_id = $1',
  },
  bill: {
    path: `${SALES}/utility/transactions/process-payment`,
    body: (_, marker) => ({
      customerId: '08031234567',
      packageSlug: 'mtn-airtime-top-up',
      amount: 100,
      email: emailOf(marker),
    }),
    referenceOf: (body) => body.responseData.reference,
    // A purchase that is still pending may be decided by the time of the repeat.
    isFinal: (body) => body.responseCode === '00',
    rows: `select split_part(email, '@', 1) as marker, payment_reference as reference
      from utility_payments where business_id = $1`,
  },
  account: {
    path: ACCOUNT_PATH,
    body: (_, marker) => ({ email: emailOf(marker), amount: 700 }),
    learn({ accounts, seenAccounts }, { data: { accountNumber } }) {
      // Equal responses name the same account, and the simulator can give a number twice.
      if (accountNumber === null || seenAccounts.has(accountNumber)) return
      seenAccounts.add(accountNumber)
      accounts.push(accountNumber)
    },
    referenceOf: (body) => body.data.reference,
    isFinal: (body) => body.data.accountNumber !== null,
    rows: `select split_part(customer_email, '@', 1) as marker, reference from checkouts
      where business_id = $1 and customer_email like 'account-%'`,
  },
  deposit: {
    path: `${SIMULATOR}/deposit`,
    body({ accounts }) {
      const accountNumber = accounts.shift()
      return accountNumber === undefined ? undefined : { accountNumber, amount: 700 }
    },
    rows: `select 'deposit-' || account_number as marker, null as reference from deposits
      where business_id = $1`,
  },
}

let count = 0

/** Sends a request of a kind, and notes it. Returns false if there is nothing to refund or pay. */
export async function sendNew(shop: Shop, name: string): Promise<boolean> {
  const kind = KINDS[name]!
  count += 1
  const numbered = `${name}-${count}`
  const body = kind.body(shop, numbered)
  if (body === undefined) return false
  // An account is paid once, and there is nothing else to recognise a deposit by.
  const marker =
    'accountNumber' in body && name === 'deposit' ? `${name}-${body.accountNumber}` : numbered
  const entry: Entry = {
    kind: name,
    marker,
    key: randomUUID(),
    path: kind.path,
    body,
    sent: 0,
    answer: 'unknown',
    status: 0,
    text: '',
    isFinal: false,
  }
  shop.entries.push(entry)
  if (shop.random() < 0.1) await race(shop, entry)
  else await attempt(shop, entry)
  return true
}

/** Sends the same request three times at once. All successful responses must be the same. */
async function race(shop: Shop, entry: Entry): Promise<void> {
  shop.races += 1
  const copies = Array.from({ length: 3 }, () => ({ ...entry }))
  await Promise.all(copies.map((copy) => attempt(shop, copy)))
  const done = copies.filter(({ answer }) => answer === 'done')
  const unknown = copies.filter(({ answer }) => answer === 'unknown')
  // The one that says most.
  const [best = copies[0]!] = [...done, ...unknown]
  Object.assign(entry, best, { sent: 3 })
  for (const one of done) {
    if (best.isFinal && one.isFinal) {
      shop.violations.push(...compareReplay(best, one.status, one.text))
    }
  }
}

/** Sends a request with its key, for the first time or again, and notes the response. */
export async function attempt(shop: Shop, entry: Entry): Promise<void> {
  // If an earlier one may have arrived, a response that this one did nothing decides nothing.
  const mayHaveArrived = entry.sent > 0 && entry.answer === 'unknown'
  entry.sent += 1
  const kind = KINDS[entry.kind]!
  try {
    const reply = await post(shop.client, entry)
    const { status, text, body, headers } = reply
    // Where the contract has no other place for a code, it is in `error`.
    const code = [body?.errorCode, body?.error].find((one) => typeof one === 'string')
    note(shop, `${status}${code ? ` ${code.toLowerCase()}` : ''}`)
    Object.assign(entry, { status, text, answer: answerOf(status, code) })
    if (status === 503 && !headers.has('retry-after')) {
      shop.violations.push({ promise: 'P8', what: `a 503 without Retry-After: ${entry.kind}` })
    }
    if (mayHaveArrived && entry.answer === 'unavailable') entry.answer = 'unknown'
    if (entry.answer !== 'done') return
    entry.isFinal = kind.isFinal?.(body) ?? true
    entry.reference = kind.referenceOf?.(body)
    kind.learn?.(shop, body)
  } catch (error) {
    note(shop, 'no response')
    entry.answer = mayHaveArrived ? 'unknown' : answerOfError(error)
  }
}

function note({ statuses }: Shop, what: string): void {
  statuses.set(what, (statuses.get(what) ?? 0) + 1)
}

/** Sends a request of the journal once more, and returns what came back. */
export const post = (client: Client, { path, body, key }: Pick<Entry, 'path' | 'body' | 'key'>) =>
  withTimeout(
    send(client.url + path, {
      method: 'POST',
      agent: client.agent,
      headers: {
        authorization: `Bearer ${client.key}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(body),
    }),
  )

/** A stopped server keeps a connection open for ever. */
async function withTimeout<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('no response in time')), REQUEST_MS)
  work.catch(() => {})
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
