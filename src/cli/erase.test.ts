import { describe, expect, test } from 'vitest'
import { findings } from '../../test/corruption/findings.ts'
import { sessionsWaiting, startServer } from '../../test/harness.ts'
import { addHold } from '../business/holds/service.ts'
import { endpointAt } from '../developers/webhooks/webhooks.fixture.ts'
import { ENQUIRE, PROCESS, TOP_UP } from '../money/bills/bills.fixture.ts'
import { insertCalls } from '../providers/calls/queries.ts'
import { connect } from '../providers/providers.fixture.ts'
import { openShop, type Shop } from '../sales/checkout/checkout.fixture.ts'
import { commandsOn } from './cli.fixture.ts'

const server = await startServer({ jobs: false })
const { db, name } = server
const { json, tradepost } = commandsOn(name)

const INVOICES = '/api/payment-service/external/v1/invoices'
const EMAIL = 'Ada.Obi@example.com'
const BOLA = { customerEmail: 'bola@example.com' }
const ADA = { customerEmail: EMAIL, customerName: 'Adaeze Obiora', customerPhone: '+2348012345678' }
/** What must not be found anywhere afterwards, in lower case. */
const TRACES = ['ada.obi', 'adaeze obiora', '8012345678', 'broad street of ada', 'from-ada']

/** Tables that are emptied after a day, and the memory of the simulator, which is not ours. */
const OUTSIDE = /^(idempotency_keys|simulator_\w+)$/

/** Where a row of the business contains a trace of the customer: `table: trace`. */
async function tracesOf(businessId: number): Promise<string[]> {
  const tables = await db.many<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'business_id' order by 1`
  const found: string[] = []
  for (const { name } of tables.filter(({ name }) => !OUTSIDE.test(name))) {
    const rows = await rowsOf(name, businessId)
    const traces = TRACES.filter((trace) => rows.some((row) => row.includes(trace)))
    found.push(...traces.map((trace) => `${name}: ${trace}`))
  }
  return found
}

async function rowsOf(table: string, businessId: number): Promise<string[]> {
  return db.withClient(async (client) => {
    const { rows } = await client.query(
      `select lower(t::text) as text from ${table} t where business_id = $1`,
      [businessId],
    )
    return rows.map(({ text }) => text)
  })
}

async function runJobs(): Promise<void> {
  await server.runJob('mail')
  await server.runJob('search-texts')
  await server.app.requestLog.flush()
  for (const job of ['ledger-seal', 'digest-seal']) while ((await server.runJob(job)) > 0);
}

/** Everything that one customer does in a shop. */
async function buy(shop: Shop, customer: typeof ADA | typeof BOLA, own: string) {
  const invoice = await shop.post(INVOICES, {
    ...customer,
    amount: 700,
    note: `A note from-${own}`,
    metadata: { who: `from-${own}` },
  })
  expect(invoice.status).toBe(201)
  const paid = await shop.post(`${INVOICES}/${invoice.body.data.reference}/mark-paid`)
  expect(paid.status).toBe(200)
  const productId = await shop.product({ quantity: 5 })
  await shop.deliveryFee(productId, 'Lagos', '500')
  const { reference, transactionId, orderReference } = await shop.begun({
    ...customer,
    products: [{ productId, quantity: 1 }],
    deliveryLocation: 'Lagos',
    deliveryAddress: `Broad Street of ${own}`,
    discountCode: 'TEN',
    metadata: { who: `from-${own}` },
  })
  await shop.paid(reference)
  await shop.refund(transactionId, 100)
  await server.runJob('refund-orders')
  server.clock.advance(1_000)
  await server.runJob('simulator')
  const found = await shop.get(`${INVOICES}?search=${encodeURIComponent(customer.customerEmail)}`)
  expect(found.status).toBe(200)
  return { invoice: invoice.body.data.reference as string, orderReference }
}

async function newShop() {
  const shop = await openShop(server)
  await shop.discount({ maxUsesPerCustomer: 5 })
  await endpointAt(server, { url: 'https://shop.example', businessId: shop.businessId })
  return { shop, of: ['--business', String(shop.businessId)] }
}

const ledgerOf = (businessId: number) =>
  db.many`
    select id, kind, debits_minor, credits_minor from ledger_accounts
    where business_id = ${businessId} order by id`

describe('tradepost erase', () => {
  test('leaves no trace of the customer, and everything else as it is', async () => {
    const { shop, of } = await newShop()
    const { businessId } = shop
    const { invoice, orderReference } = await buy(shop, ADA, 'ada')
    await buy(shop, BOLA, 'bola')
    await runJobs()
    const before = await tracesOf(businessId)
    expect(before).toEqual(
      expect.arrayContaining([
        ...['checkouts: from-ada', 'events: adaeze obiora', 'invoice_texts: ada.obi'],
        ...[
          'invoices: adaeze obiora',
          'mails: ada.obi',
          'orders: broad street of ada',
          'request_log: 8012345678',
        ],
        ...['search_texts: adaeze obiora', 'transaction_texts: ada.obi', 'transactions: ada.obi'],
      ]),
    )
    const ledger = await ledgerOf(businessId)
    const others = () => db.one`
      select (select count(*) from invoices where customer_email = 'bola@example.com'),
        (select count(*) from events
          where business_id = ${businessId} and data like '%bola@example.com%') as events`
    const bola = await others()

    const erased = await json('erase', ...of, '--customer', EMAIL)
    expect(erased).toEqual({
      businessId,
      pseudonym: expect.stringMatching(/^erased-\w{16}@erased\.invalid$/),
      records: expect.objectContaining({ invoices: 1, orders: 1, checkouts: 1, refunds: 1 }),
    })
    await runJobs()
    expect(await tracesOf(businessId)).toEqual([])
    expect(await ledgerOf(businessId)).toEqual(ledger)
    const senders = await db.many`
      select sender is null as "isErased" from deposits where business_id = ${businessId}`
    expect(senders).toEqual(expect.arrayContaining([{ isErased: true }, { isErased: false }]))
    expect(await others()).toEqual(bola)
    expect(await findings(server)).toEqual([])

    const { data } = (await shop.get(`${INVOICES}/${invoice}`)).body
    expect(data).toMatchObject({ customerEmail: erased.pseudonym, customerName: null, amount: 700 })
    expect(await shop.order(orderReference)).toMatchObject({
      customer: { email: erased.pseudonym, name: null, phone: null },
    })
    const search = async (text: string) =>
      (await shop.get(`${INVOICES}?search=${encodeURIComponent(text)}`)).body.data.length
    expect([await search('ada.obi'), await search(erased.pseudonym)]).toEqual([0, 1])
    const log = await db.many`
      select action, object, detail from audit_log where business_id = ${businessId}`
    expect(log).toEqual([
      {
        action: 'customer.erase',
        object: erased.pseudonym,
        detail: 'Erased the personal data of a customer',
      },
    ])
    const again = await tradepost('erase', ...of, '--customer', EMAIL)
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('no records')])
  })

  test('removes what providers were asked about the customer, and who a bill was for', async () => {
    const { shop, of } = await newShop()
    const { businessId } = shop
    const tenant = { businessId, live: false }
    const bill = { ...TOP_UP, customerId: '08012345678', email: EMAIL, phoneNumber: '08012345678' }
    await shop.post(ENQUIRE, bill)
    expect((await shop.post(PROCESS, bill)).status).toBe(200)
    for (const job of ['bill-orders', 'simulator', 'bill-orders']) {
      await server.runJob(job)
      server.clock.advance(60_000)
    }
    const { reference, transactionId } = await shop.begun({ ...ADA, amount: 500 })
    await shop.paid(reference)
    const connection_id = await connect(server, businessId)
    const call = {
      business_id: businessId,
      live: false,
      connection_id,
      attempt: 1,
      duration_ms: 5,
      call_class: 'order',
      operation: 'POST /charges',
      status: 200,
      outcome: 'response',
      kind: null,
      subject_id: null,
      path: '/charges',
      request: null,
      response: '{}',
      at: server.clock.now(),
    }
    const [about, list, other] = [1, 2, 3]
    await insertCalls(db, [
      { ...call, id: about, kind: 'charge', subject_id: transactionId, request: '"Adaeze Obiora"' },
      { ...call, id: list, path: `/charges?email=${encodeURIComponent(EMAIL)}`, response: EMAIL },
      { ...call, id: other, path: '/charges?page=2', request: '"bola@example.com"' },
    ])
    await runJobs()
    expect(await tracesOf(businessId)).toEqual(
      expect.arrayContaining(['provider_calls: adaeze obiora', 'utility_payments: 8012345678']),
    )

    const erased = await json('erase', ...of, '--customer', EMAIL)
    expect(erased.records).toMatchObject({ utilityPayments: 1, providerCalls: 2 })
    await runJobs()
    server.clock.advance(31 * 60_000)
    await server.runJob('utility-enquiries')
    expect(await tracesOf(businessId)).toEqual([])
    const calls = await db.many`
      select id, path, request, status from provider_calls
      where business_id = ${tenant.businessId} order by id`
    expect(calls).toEqual([
      { id: about, path: '/charges', request: null, status: 200 },
      { id: list, path: '/charges', request: null, status: 200 },
      { id: other, path: '/charges?page=2', request: '"bola@example.com"', status: 200 },
    ])
    expect(await findings(server)).toEqual([])
  })

  test('removes the address from the Idempotency-Key of a logged request', async () => {
    const { shop, of } = await newShop()
    const { businessId } = shop
    const body = { customerEmail: BOLA.customerEmail, amount: 700 }
    for (const key of [`order-${EMAIL}`, 'order-bola']) {
      expect((await shop.post(INVOICES, body, { 'idempotency-key': key })).status).toBe(201)
    }
    await runJobs()
    expect(await tracesOf(businessId)).toEqual(['request_log: ada.obi'])
    const erased = await json('erase', ...of, '--customer', EMAIL)
    expect(erased.records).toMatchObject({ requests: 1 })
    expect(await tracesOf(businessId)).toEqual([])
    const keys = await db.many`
      select idempotency_key as key from request_log
      where business_id = ${businessId} and operation = 'create_invoice' order by at, id`
    expect(keys).toEqual([{ key: null }, { key: 'order-bola' }])
  })

  test('refuses while something is not finished, and while the customer is on hold', async () => {
    const { shop, of } = await newShop()
    const { body } = await shop.post(INVOICES, { ...ADA, amount: 700 })
    await shop.begun({ ...ADA, amount: 5_000 })
    const refused = await tradepost('erase', ...of, '--customer', EMAIL)
    expect(refused.status).toBe(1)
    for (const words of ['not paid yet: void them', '(1)', 'open checkouts', 'emails that have']) {
      expect(refused.stderr).toContain(words)
    }
    await shop.post(`${INVOICES}/${body.data.reference}/void`)
    server.clock.advance(31 * 86_400_000)
    for (const job of ['mail', 'transaction-expiry', 'checkout-expiry']) await server.runJob(job)
    await json('hold', 'add', ...of, '--customer', EMAIL, '--reason', 'A police request')
    const held = await tradepost('erase', ...of, '--customer', EMAIL)
    expect([held.status, held.stderr]).toEqual([1, expect.stringContaining('A police request')])
    await json('hold', 'remove', ...of, '--customer', EMAIL)
    expect(await json('erase', ...of, '--customer', EMAIL)).toMatchObject({
      records: { invoices: 1, checkouts: 1 },
    })
    expect(await findings(server)).toEqual([])
  })

  test('erases nothing that is put on hold at the same moment', async () => {
    const { shop, of } = await newShop()
    const { body } = await shop.post(INVOICES, { ...ADA, amount: 700 })
    await shop.post(`${INVOICES}/${body.data.reference}/void`)
    await runJobs()
    const held = { businessId: shop.businessId, customer: EMAIL.toLowerCase() }
    const erasing = await db.transaction(async (tx) => {
      await addHold(tx, server.ids, held, 'A court order', server.clock.now())
      const ended = tradepost('erase', ...of, '--customer', EMAIL)
      await Promise.race([ended, waiting()])
      return { ended }
    })
    expect(await erasing.ended).toMatchObject({ status: 1 })
    const { data } = (await shop.get(`${INVOICES}/${body.data.reference}`)).body
    expect(data.customerEmail).toBe(EMAIL)
  })

  const waiting = () => expect.poll(() => sessionsWaiting(name), { timeout: 20_000 }).toBe(1)
})
