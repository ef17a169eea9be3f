import { expect, test } from 'vitest'
import { times } from './concurrency.ts'
import { startProxy } from './db-proxy.ts'
import { startSecond, startServer } from './harness.ts'

const SALES = '/api/payment-service/external/v1'
const MONEY = '/api/transaction-service/external/v1'
const USER = '/api/user-service/external/v1'
const PRODUCT = { name: 'Ankara shirt', price: 15_000, quantity: 1_000 }
const CUSTOMER = { customerEmail: 'ada@example.com', amount: 5_000 }
const CHARGE = { amount: 4_000, channel: 'USSD' }

const first = await startServer({ jobs: false })
const proxy = await startProxy(first.connection)
/** Its statements are counted. The request log would add some of its own. */
const server = await startSecond(first, {
  connection: proxy.connection,
  requestLog: { days: 0 },
})

async function made(path: string, body: object) {
  const reply = await first.post(path, body)
  expect(reply.status, reply.text).toBeLessThan(300)
  return reply.body.data
}

const { productId } = await made(`${SALES}/products/create-product`, PRODUCT)
const invoice = await made(`${SALES}/invoices`, CUSTOMER)
const CHECKOUT = { customerEmail: 'ada@example.com', products: [{ productId, quantity: 1 }] }
const checkout = await made(`${SALES}/initialize-checkout`, CHECKOUT)
const ACCOUNT = { bankCode: '058', accountNumber: '0123456785' }
const transfer = await made(`${MONEY}/transfers`, { amount: 1_000, ...ACCOUNT })
const TRANSFERS = `businessId=${first.business.businessId}&page=1&limit=20`
const paid = await paidInvoice()
const { transactionId } = paid.payments[0]
const REFUND = { transactionId, amount: 100 }
await made(`${MONEY}/refunds`, REFUND)

async function paidInvoice() {
  const { reference, hostedUrl } = await made(`${SALES}/invoices`, CUSTOMER)
  const page = first.url + new URL(hostedUrl).pathname
  const body = new URLSearchParams({ channel: 'BANK_TRANSFER' })
  await fetch(`${page}/pay`, { method: 'POST', body, redirect: 'manual' })
  const accountNumber = /\b99\d{8}\b/.exec(await (await fetch(page)).text())![0]
  await made('/api/simulator/deposit', { accountNumber, amount: CUSTOMER.amount })
  return (await first.get(`${SALES}/invoices/${reference}`)).body.data
}

const get = (path: string) => () => server.get(path)
const post = (path: string, body: object) => () => server.post(path, body)

let names = 0
/** Another product with this name would get its slug in a second statement. */
const createProduct = () =>
  server.post(`${SALES}/products/create-product`, { ...PRODUCT, name: `Shirt ${++names}` })

/** The most statements for one request, including `begin` and `commit`. */
const BUDGETS: [name: string, most: number, ask: () => ReturnType<typeof server.get>][] = [
  ['get a product', 1, get(`${SALES}/products/get-product-details?productId=${productId}`)],
  ['get an invoice', 1, get(`${SALES}/invoices/${invoice.reference}`)],
  ['get a paid invoice', 1, get(`${SALES}/invoices/${paid.reference}`)],
  ['get a transaction', 1, get(`${MONEY}/fetch/${transactionId}`)],
  ['get a checkout', 2, get(`${SALES}/initialize-checkout/${checkout.reference}`)],
  ['get an order', 4, get(`${MONEY}/orders/${checkout.orderReference}`)],
  ['get a transfer', 1, get(`${MONEY}/transfers/${transfer.reference}`)],
  ['get the profile', 1, get(`${USER}/profile`)],
  ['get the balance', 1, get(`${USER}/wallet/balance`)],
  ['list products', 1, get(`${SALES}/products/get-products`)],
  ['list invoices', 1, get(`${SALES}/invoices`)],
  ['list transactions', 1, get(`${MONEY}/transactions`)],
  ['list checkouts', 2, get(`${SALES}/initialize-checkout`)],
  ['list orders', 4, get(`${MONEY}/orders`)],
  ['list transfers', 1, get(`${MONEY}/transfer/get-transfer-list?${TRANSFERS}`)],
  ['list refunds', 3, get(`${MONEY}/refunds`)],
  ['list discounts', 1, get(`${SALES}/products/get-discount-codes`)],
  ['list settlements', 1, get(`${MONEY}/settlements`)],
  ['list events', 1, get(`${USER}/events`)],
  ['create a product', 1, createProduct],
  ['create an invoice', 1, post(`${SALES}/invoices`, CUSTOMER)],
  ['initialize a checkout', 3, post(`${SALES}/initialize-checkout`, CHECKOUT)],
  ['charge by USSD', 4, post(`${MONEY}/transaction-with-ussd`, CHARGE)],
  ['request a transfer', 10, post(`${MONEY}/transfers`, { amount: 10, ...ACCOUNT })],
  ['request a refund', 9, post(`${MONEY}/refunds`, { ...REFUND, amount: 1 })],
]

/** Some requests also look up their key again, or reserve ids for later ones. */
const TRIES = 6

test.each(BUDGETS)('2xx: %s', async (_name, most, ask) => {
  let fewest: string[] | undefined
  for (let i = 0; i < TRIES && (fewest?.length ?? most + 1) > most; i++) {
    proxy.takeStatements()
    const reply = await ask()
    expect(reply.status, reply.text).toBeLessThan(300)
    const taken = proxy.takeStatements()
    if (fewest === undefined || taken.length < fewest.length) fewest = taken
  }
  expect(fewest!.length, fewest!.join('\n\n')).toBeLessThanOrEqual(most)
})

const transfers = (i: number) => server.post(`${MONEY}/transfers`, { amount: 10 + i, ...ACCOUNT })
const refunds = (i: number) =>
  server.post(`${MONEY}/refunds`, { ...REFUND, amount: (100 + i) / 100 })

/** The first few statements can be of fewer requests than arrive meanwhile. */
const BATCHES = 5

test.each([
  ['transfers', transfers],
  ['refunds', refunds],
])('201 for 64 %s at once, in few statements', async (_name, ask) => {
  await ask(0)
  // Meanwhile, all of the requests arrive.
  proxy.slow(20)
  proxy.takeStatements()
  const replies = await times(64, ask)
  const taken = proxy.takeStatements()
  proxy.slow(0)
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
  expect(taken.length, taken.join('\n\n')).toBeLessThanOrEqual(BATCHES * 10)
})
