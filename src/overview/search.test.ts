import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { allChecks } from '../audit.ts'
import { memberOf } from '../business/people/people.fixture.ts'
import { runAudit } from '../ledger/audit.ts'
import { openDisputedShop } from '../payments/disputes/disputes.fixture.ts'

const server = await startServer({ jobs: false })
const { db } = server
const INVOICES = '/api/payment-service/external/v1/invoices'
const SUBACCOUNTS = '/api/transaction-service/external/v1/subaccounts'

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

interface Hit {
  kind: string
  title: string
  detail: string
  path: string
}

async function shop() {
  const { businessId, keys } = await server.newBusiness()
  const { post, put } = server.as(keys.testSecret)
  const owner = await memberOf(server, 'owner', businessId)
  const bill = async (customer: object, isPaid = false) => {
    const { body } = await post(INVOICES, { amount: 1_500, ...customer })
    const reference = body.data.reference as string
    if (isPaid) expect((await post(`${INVOICES}/${reference}/mark-paid`)).status).toBe(200)
    return reference
  }
  const find = async (q: string) => {
    const { status, body } = await owner.get(`/console/search?q=${encodeURIComponent(q)}`)
    expect(status).toBe(200)
    return body.data as Hit[]
  }
  return { businessId, post, put, owner, bill, find }
}

const ada = { customerName: 'Ada Obi', customerEmail: 'Ada.Obi@example.com' }

describe('GET /console/search', () => {
  test('200 finds by part of a name or email address, before and after indexing', async () => {
    const { bill, find, post } = await shop()
    const reference = await bill(ada, true)
    await post(SUBACCOUNTS, {
      business_name: 'Obi Fabrics',
      account_number: '0000000100',
      percentage_charge: 0,
    })
    const kinds = async (q: string) => (await find(q)).map(({ kind }) => kind).toSorted()
    const all = ['Customer', 'Invoice', 'Payment', 'Subaccount']
    expect(await kinds('obi')).toEqual(all)
    await server.runJob('search-texts')
    expect(await kinds('OBI')).toEqual(all)
    expect(await find('da.obi@')).toContainEqual({
      kind: 'Invoice',
      title: 'Ada Obi',
      detail: expect.stringMatching(/^₦1,500.00 · Paid · INV-\d{6}$/),
      path: `invoices/${reference}`,
    })
    expect(await find('da.obi@')).toContainEqual({
      kind: 'Customer',
      title: 'Ada Obi',
      detail: 'ada.obi@example.com',
      path: 'customers/ada.obi%40example.com',
    })
    expect(await find('nobody')).toEqual([])
  })

  test('200 leads to a page by its id, as in its screen’s URL', async () => {
    const { find, post } = await shop()
    const pages = '/api/transaction-service/external/v1/payment-pages'
    const made = await post(pages, { title: 'Harvest fair', amountType: 'variable' })
    expect(made.status).toBe(200)
    const { id } = made.body.data
    expect(await find('harvest')).toEqual([
      expect.objectContaining({ kind: 'Payment page', path: `pages/${id}` }),
    ])
  })

  test('200 finds by the whole reference, listed first', async () => {
    const { bill, find, post } = await shop()
    const reference = await bill(ada)
    expect(await find(` ${reference} `)).toEqual([expect.objectContaining({ kind: 'Invoice' })])
    const sent = await post('/api/transaction-service/external/v1/transfers', {
      amount: 100,
      bankCode: '058',
      accountNumber: '0000000001',
    })
    const [hit] = await find(sent.body.data.reference)
    expect(hit).toMatchObject({
      kind: 'Transfer',
      path: `transfers/${sent.body.data.reference}`,
    })
  })

  test('200 finds an invoice by its number, with the prefix or digits only', async () => {
    const { bill, find, owner, put } = await shop()
    await put('/api/user-service/external/v1/profile/settings', { nextInvoiceNumber: 113 })
    const reference = await bill(ada)
    await bill(ada)
    const { body } = await owner.get(`${INVOICES}/${reference}`)
    const number: string = body.data.invoiceNumber
    const digits = number.replace(/\D/g, '')
    for (const text of [number, number.toLowerCase(), digits, digits.slice(1)]) {
      const [first] = await find(text)
      expect(first, text).toMatchObject({
        kind: 'Invoice',
        title: 'Ada Obi',
        detail: `₦1,500.00 · Sent · ${number}`,
        path: `invoices/${reference}`,
      })
    }
  })

  test('200 finds by an amount, a phone number and the start of a reference', async () => {
    const { bill, find } = await shop()
    await bill({ ...ada, customerPhone: '0803 123 4567', amount: 70_001.5 }, true)
    const kinds = async (q: string) => (await find(q)).map(({ kind }) => kind)
    for (const text of ['70001.50', '70,001.5', '₦70,001.50', 'NGN 70001.5']) {
      expect(await kinds(text), text).toEqual(expect.arrayContaining(['Invoice', 'Payment']))
    }
    for (const text of ['08031234567', '+234 803 123 4567', '1234567']) {
      expect(await kinds(text), text).toEqual(expect.arrayContaining(['Invoice', 'Payment']))
    }
    expect(await find('70002')).toEqual([])
    const payment = (await find('70001.5')).find(({ kind }) => kind === 'Payment')!
    const [, name] = payment.path.split('/')
    expect(await find(name!.slice(0, 8))).toEqual([
      expect.objectContaining({ kind: 'Payment', path: payment.path }),
    ])
  })

  test('200 finds transfers by their recipient and account number', async () => {
    const { find, post } = await shop()
    const sent = await post('/api/transaction-service/external/v1/transfers', {
      amount: 100,
      bankCode: '058',
      accountNumber: '0000000001',
      narration: 'Wages of November',
    })
    const { reference, accountName } = sent.body.data
    const path = `transfers/${reference}`
    for (const text of [accountName.split(' ')[0].toLowerCase(), '0000000001', '0001', 'wages']) {
      expect(await find(text), text).toContainEqual(
        expect.objectContaining({ kind: 'Transfer', title: accountName, path }),
      )
    }
  })

  test('200 finds discounts, endpoints, keys and events by their names', async () => {
    const { businessId, owner, find, post } = await shop()
    const service = '/api/payment-service/external/v1/products/add-discount-code'
    const code = await post(service, { code: 'HARVEST10', type: 'percentage', value: 10 })
    const hook = await post('/api/user-service/external/v1/webhooks', {
      url: 'http://127.0.0.1:9/harvest-hook',
      description: 'Of the shop',
    })
    expect([code.status, hook.status]).toEqual([200, 201])
    const key = await owner.post('/console/keys', { label: 'Harvest app' })
    expect(key.status).toBe(200)
    const found = await find('arvest')
    expect(found.map(({ kind, title }) => `${kind} ${title}`).toSorted()).toEqual([
      'API key Harvest app',
      'Discount HARVEST10',
      'Webhook http://127.0.0.1:9/harvest-hook',
    ])
    expect(found.find(({ kind }) => kind === 'API key')).toMatchObject({ path: 'keys' })
    expect(await find('the SHOP')).toMatchObject([{ kind: 'Webhook' }])
    const { reference } = await db.one<{ reference: string }>`
      select reference from events where business_id = ${businessId} order by id limit 1`
    expect(await find(reference)).toMatchObject([{ kind: 'Event', path: `events/${reference}` }])
    const viewer = await memberOf(server, 'viewer', businessId)
    const seen = await viewer.get('/console/search?q=arvest')
    expect(seen.body.data).toMatchObject([{ kind: 'Discount' }])
    expect((await viewer.get(`/console/search?q=${reference}`)).body.data).toEqual([])
    await owner.post(`/console/keys/${key.body.data.reference}/revoke`)
    expect(await find('harvest app')).toEqual([])
  })

  test('200 finds a dispute by its reason or its number, and shows it as activity', async () => {
    const { paid, dispute, owner } = await openDisputedShop(server)
    const reference = await dispute(await paid(900), { reason: 'Nothing has arrived' })
    const find = async (q: string) => (await owner.get(`/console/search?q=${q}`)).body.data
    const hit = {
      kind: 'Dispute',
      title: 'Nothing has arrived',
      detail: `₦900.00 · Open · ${reference}`,
      path: `disputes/${reference}`,
    }
    expect(await find('has%20arrived')).toEqual([hit])
    const { provider_id } = await db.one<{ provider_id: string }>`
      select provider_id from disputes where reference = ${reference}`
    expect(await find(provider_id)).toEqual([hit])
    const { activity } = (await owner.get('/console/overview')).body.data
    const line = { type: 'dispute.opened', who: 'ada@example.com', path: hit.path }
    expect(activity).toContainEqual(expect.objectContaining(line))
  })

  test('200 shows at most twelve, only what the role can read and never another business’s', async () => {
    const [one, other] = [await shop(), await shop()]
    for (let i = 0; i < 8; i++) await one.bill({ ...ada, customerEmail: `a${i}@obi.example` }, true)
    const found = await one.find('obi')
    expect(found.length).toBeLessThanOrEqual(12)
    expect(new Set(found.map(({ kind }) => kind))).toEqual(
      new Set(['Customer', 'Invoice', 'Payment']),
    )
    expect(await other.find('obi')).toEqual([])
    one.owner.choose(one.businessId, 'live')
    expect(await one.find('obi')).toEqual([])
    const sent = await one.post('/api/transaction-service/external/v1/transfers', {
      amount: 100,
      bankCode: '058',
      accountNumber: '0000000001',
    })
    const support = await memberOf(server, 'support', one.businessId)
    const path = `/console/search?q=${sent.body.data.reference}`
    expect((await support.get(path)).body.data).toEqual([])
  })

  test.each(['', 'q=', 'q=a', `q=${'a'.repeat(101)}`])('400 for %j', async (query) => {
    const { owner } = await shop()
    expect((await owner.get(`/console/search?${query}`)).status).toBe(400)
  })

  test('200 treats special characters of the database as text', async () => {
    const { bill, find } = await shop()
    await bill({ ...ada, customerName: '50% of_it' })
    expect(await find('%_')).toEqual([])
    expect((await find('0% of_')).length).toBeGreaterThan(0)
    for (const q of ["';--", '\\\\', '🙂🙂', 'İi']) expect(await find(q)).toEqual([])
  })
})

describe('GET /console/customers', () => {
  test('200 lists customers who paid, were billed or ordered, most recent first', async () => {
    const { bill, owner } = await shop()
    await bill(ada, true)
    await bill({ ...ada, customerEmail: 'ada.obi@EXAMPLE.com', customerName: 'Ada N. Obi' })
    await bill({ customerEmail: 'bola@example.com' })
    const { body } = await owner.get('/console/customers')
    expect(body.meta).toMatchObject({ total: 2, page: 1, hasNext: false })
    expect(body.data).toEqual([
      expect.objectContaining({ email: 'bola@example.com', name: null, payments: 0, paid: 0 }),
      {
        email: 'ada.obi@example.com',
        name: 'Ada N. Obi',
        phone: null,
        payments: 1,
        invoices: 2,
        orders: 0,
        paid: 1_500,
        paidMinor: 150_000,
        currency: 'NGN',
        firstAt: expect.any(String),
        lastAt: expect.any(String),
      },
    ])
    const second = (await owner.get('/console/customers?limit=1&page=2')).body
    expect(second.data).toEqual([body.data[1]])
    const found = (await owner.get('/console/customers?search=N.%20o')).body.data
    expect(found.map(({ email }: { email: string }) => email)).toEqual(['ada.obi@example.com'])
  })

  test('200 leaves out those who only opened a checkout, and shows phone and invoice number', async () => {
    const { post, owner, bill, businessId } = await shop()
    await bill({ ...ada, customerPhone: '08031234567' }, true)
    const sent = await post('/api/payment-service/external/v1/initialize-checkout', {
      amount: 700,
      customerEmail: 'only@looked.example',
    })
    expect(sent.status).toBe(201)
    const { rows } = await db.one<{ rows: number }>`select count(*) as rows from transactions
      where business_id = ${businessId} and customer_email = 'only@looked.example'`
    expect(rows).toBe(1)
    const { data, meta } = (await owner.get('/console/customers')).body
    expect([meta.total, data.length]).toEqual([1, 1])
    expect(data[0]).toMatchObject({ name: 'Ada Obi', phone: '08031234567' })
    const one = (await owner.get('/console/customers/ada.obi%40example.com')).body.data
    expect(one.lastInvoices[0].number).toMatch(/^INV-\d{6}$/)
    // Their payment still links to their page.
    expect((await owner.get('/console/customers/only%40looked.example')).status).toBe(200)
  })

  test('200 shows a customer with their activity; 404 for an unknown one and another business’s', async () => {
    const [one, other] = [await shop(), await shop()]
    const paid = await one.bill(ada, true)
    // An email address that contains the other belongs to another customer.
    await one.bill({ customerEmail: 'not.ada.obi@example.com' })
    await server.runJob('search-texts')
    const path = '/console/customers/Ada.Obi%40example.com'
    const { status, body } = await one.owner.get(path)
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      email: 'ada.obi@example.com',
      payments: 1,
      invoices: 1,
      lastPayments: [{ status: 'Successful', channel: 'OFFLINE', amount: 1_500 }],
      lastInvoices: [{ reference: paid, status: 'Paid', channel: null }],
      lastOrders: [],
    })
    const answers = [await other.owner.get(path), await one.owner.get('/console/customers/no@no')]
    expect(answers.map((answer) => answer.body.errorCode)).toEqual(
      answers.map(() => 'customer_not_found'),
    )
    one.owner.choose(one.businessId, 'live')
    expect((await one.owner.get(path)).status).toBe(404)
    expect((await server.get(path)).status).toBe(401)
  })
})
