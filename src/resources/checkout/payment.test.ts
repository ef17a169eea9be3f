import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { smtpAt, startMailServer } from '../../../test/mail-server.ts'
import { makeSplitPage } from '../transactions/testing.ts'
import { checkoutByCode, checkoutVersion, putAside } from './page-service.ts'
import {
  ACCOUNT,
  CHECKOUT,
  findings,
  openShop,
  payer,
  refundsArrive,
  type Shop,
} from './testing.ts'

const mails = await startMailServer()
const server = await startServer({ sweepers: false, smtp: smtpAt(mails.port) })
const { db, clock, sweep, url } = server
const { pages, view, choose } = payer(server)

afterEach(async () => {
  expect(await findings(server)).toEqual([])
})

const MINUTE_MS = 60_000

/** The payer dials, and the bank says so. */
async function approved(shop: Shop, reference: string) {
  const reply = await shop.post('/api/simulator/ussd', { reference, outcome: 'success' })
  expect([reply.status, reply.text]).toEqual([200, reply.text])
}

const goods = async (shop: Shop, quantity = 5) => {
  const productId = await shop.product({ quantity })
  return { productId, products: [{ productId, quantity: 2 }] }
}

describe('a payment in full', () => {
  test('makes it Paid: order, stock, discount, page, wallet, events', async () => {
    const shop = await openShop(server)
    const { productId, products } = await goods(shop)
    const pageId = await shop.page({ productIds: productId, maxPayments: 2 })
    const { id: discountId } = await shop.discount({ maxUses: 1 })
    const begun = await shop.begun({ pageId, products, discountCode: 'TEN' })
    expect(await shop.paid(begun.reference)).toMatchObject({ accepted: true })

    expect(await shop.seen(begun.reference)).toMatchObject({
      status: 'Successful',
      state: 'Paid',
      amount: 9000,
      paidAt: expect.any(String),
    })
    expect(await shop.order(begun.orderReference)).toMatchObject({
      status: 'Paid',
      discount: 1000,
      amount: 9000,
      paidAt: expect.any(String),
    })
    expect(await shop.stock(productId)).toEqual({ onHand: 3, reserved: 0, available: 3, sold: 2 })
    expect(await shop.pageCounts(pageId)).toEqual({
      checkouts: 1,
      open_checkouts: 0,
      payments: 1,
      amount_minor: 900_000n,
    })
    expect(await shop.eventsOf(begun.orderId)).toEqual(['order.created', 'order.paid'])
    expect(await shop.eventsOf(discountId)).toEqual([
      'discount.created',
      'discount.redeemed',
      'discount.exhausted',
    ])
    expect(await shop.transaction(begun.transactionId)).toMatchObject({
      status: 'Successful',
      channel: 'BANK_TRANSFER',
      netAmount: 9000 - 235,
      pageId,
      orderId: begun.orderId,
    })
    const again = await shop.begin({ pageId, products, discountCode: 'TEN' })
    expect([again.status, again.body.errors]).toEqual([400, { discountCode: ['exhausted'] }])
  })

  test('asks the payer for the fee on top where the payer bears it', async () => {
    const shop = await openShop(server)
    const begun = await shop.begun({ amount: 1000, feeBearer: 'customer' })
    const { body } = await shop.account(begun.reference)
    expect(body.data.amount).toBe(1015)
    expect(await shop.deposit(body.data.accountNumber, 1000)).toMatchObject({
      accepted: false,
      reason: 'amount_too_low',
    })
    expect(await shop.deposit(body.data.accountNumber, 1015)).toMatchObject({ accepted: true })
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Paid', amount: 1000 })
  })

  test('is made at once where nothing is due, without a transaction', async () => {
    const shop = await openShop(server)
    const { productId, products } = await goods(shop)
    await shop.discount({ code: 'ALL', value: 100 })
    const { body, status } = await shop.begin({ products, discountCode: 'ALL' })
    expect([status, body.data.status, body.data.state]).toEqual([201, 'Successful', 'Paid'])
    expect(body.data).toMatchObject({ amount: 0, transactionId: null })
    expect(await shop.stock(productId)).toMatchObject({ sold: 2, reserved: 0 })
    expect(await shop.eventsOf(body.data.orderId)).toEqual(['order.created', 'order.paid'])
    expect((await shop.account(body.data.reference)).status).toBe(409)
  })

  test('200 is verified by the reference of the checkout', async () => {
    const shop = await openShop(server)
    const { reference, transactionId } = await shop.begun({ amount: 100, reference: 'cart-8812' })
    await shop.paid(reference)
    const path = `/api/transaction-service/external/v1/transactions/verify/${reference}`
    expect((await shop.get(path)).body.data).toMatchObject({
      id: transactionId,
      status: 'Successful',
    })
    expect((await shop.live.get(path)).status).toBe(404)
    expect((await server.get(path)).status).toBe(404)
  })

  test('is shared as was frozen when it began, whatever the way that is chosen', async () => {
    const shop = await openShop(server)
    const { id: splitPageId, subaccounts } = await makeSplitPage(shop.post, [25, 15])
    const begun = await shop.begun({ amount: 1000, splitPageId, feeBearer: 'subaccounts' })
    const { reference } = await choose(begun, 'USSD')
    await approved(shop, reference)
    const { split, channel } = await shop.transaction(begun.transactionId)
    expect(channel).toBe('USSD')
    expect(split).toMatchObject([
      { subaccount: subaccounts[0], share: 25, amount: 250, fee: 9.38 },
      { subaccount: subaccounts[1], share: 15, amount: 150, fee: 5.62 },
    ])
  })

  test('of a subaccount leaves the business its percentage', async () => {
    const shop = await openShop(server)
    const { code, id } = await shop.subaccount({ percentage_charge: 2.5 })
    const begun = await shop.begun({ amount: 1000.01, subaccountCode: code })
    expect(begun).toMatchObject({ subaccountCode: code })
    await shop.paid(begun.reference)
    expect((await shop.transaction(begun.transactionId)).split).toMatchObject([
      { subaccount: id, subaccountCode: code, share: 97, amount: 975 },
    ])
  })
})

describe('the ways to pay', () => {
  test('the attempt of which nobody was told takes the way that is chosen', async () => {
    const shop = await openShop(server)
    const begun = await shop.begun({ amount: 5000 })
    expect((await view(begun.accessCode)).payment).toBeUndefined()
    expect((await shop.transaction(begun.transactionId)).channel).toBe('BANK_TRANSFER')
    const ussd = await choose(begun, 'USSD')
    expect(ussd).toMatchObject({ channel: 'USSD', outcome: 'Pending', amountMinor: 500_000n })
    expect(await shop.transaction(begun.transactionId)).toMatchObject({ channel: 'USSD' })

    const transfer = await choose(begun, 'BANK_TRANSFER')
    expect(transfer.reference).not.toBe(ussd.reference)
    expect(await shop.seen(begun.reference)).toMatchObject({
      transactionReference: transfer.reference,
    })
    // Going back shows the code that is open still.
    await putAside(db, await checkoutByCode(pages, begun.accessCode))
    expect((await view(begun.accessCode)).payment).toBeUndefined()
    expect((await choose(begun, 'USSD')).reference).toBe(ussd.reference)
    await approved(shop, ussd.reference)
    expect(await shop.seen(begun.reference)).toMatchObject({
      state: 'Paid',
      transactionId: begun.transactionId,
      status: 'Successful',
    })
  })

  test('409 for a way that is not offered', async () => {
    const shop = await openShop(server)
    const begun = await shop.begun({ amount: 100, channels: ['USSD', 'USSD'] })
    expect(begun).toMatchObject({ channels: ['USSD'] })
    const { status, body } = await shop.account(begun.reference)
    expect(status).toBe(409)
    expect(body.errorCode).toBe('channel_not_offered')
  })

  test('200 a decline leaves it open for another way', async () => {
    const shop = await openShop(server)
    const begun = await shop.begun({ amount: 5000 })
    const { reference } = await choose(begun, 'USSD')
    await shop.post('/api/simulator/ussd', { reference, outcome: 'failed' })
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Open', status: 'Failed' })
    expect((await view(begun.accessCode)).payment).toMatchObject({ outcome: 'Failed' })
    await shop.paid(begun.reference)
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Paid', status: 'Successful' })
  })
})

describe('the virtual account', () => {
  test('200 opens a checkout and its account from an e-mail and an amount', async () => {
    const shop = await openShop(server)
    const pageId = await shop.page({ amountType: 'variable', amount: undefined })
    const asked = { email: 'bola@example.com', amount: 750, pageId, expiresInMinutes: 60 }
    const { status, body } = await shop.post(ACCOUNT, asked)
    expect(status).toBe(200)
    expect(body.data).toEqual({
      reference: expect.stringMatching(/^CHK_/),
      status: 'Pending',
      accountNumber: expect.stringMatching(/^\d{10}$/),
      accountName: 'Ada Ventures',
      bankName: 'Wema Bank',
      bankCode: '035',
      amount: 750,
      amountMinor: 75_000,
      currency: 'NGN',
      expiresAt: expect.any(String),
      transactionId: expect.any(Number),
      transactionReference: expect.stringMatching(/^TRX_/),
      accessCode: expect.any(String),
      authorizationUrl: expect.stringContaining('/checkout/'),
    })
    const ahead = Date.parse(body.data.expiresAt) - clock.now().getTime()
    expect(Math.abs(ahead - 60 * MINUTE_MS)).toBeLessThan(10_000)
    const { accessCode, reference } = body.data
    for (const key of [{ accessCode }, { reference }, { accessCode, reference }]) {
      expect((await shop.post(ACCOUNT, key)).body.data).toEqual(body.data)
    }
    expect((await shop.post(ACCOUNT.replace('/external', ''), asked)).status).toBe(404)
  })

  test('200 the same from twenty requests at once; another once its time is over', async () => {
    const shop = await openShop(server)
    const { products } = await goods(shop)
    const { reference } = await shop.begun({ products, expiresInMinutes: 120 })
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => shop.account(reference, { expiresInMinutes: 15 })),
    )
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    const first = replies[0]!.body.data.accountNumber
    clock.advance(16 * MINUTE_MS)
    const second = (await shop.account(reference)).body.data.accountNumber
    expect(second).not.toBe(first)
    expect(await shop.deposit(first, 10_000)).toMatchObject({ reason: 'account_expired' })
    expect(await shop.deposit(second, 10_000)).toMatchObject({ accepted: true })
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from virtual_accounts where business_id = ${shop.businessId}`
    expect(n).toBe(2)
  })

  test('200 once for one Idempotency-Key', async () => {
    const shop = await openShop(server)
    const asked = { email: 'bola@example.com', amount: 750 }
    const key = { 'idempotency-key': 'va-1' }
    const [one, two] = [await shop.post(ACCOUNT, asked, key), await shop.post(ACCOUNT, asked, key)]
    expect(two.text).toBe(one.text)
    expect(two.headers.get('idempotent-replayed')).toBe('true')
  })

  test('keeps goods aside, and its checkout open, for as long as it lives', async () => {
    const shop = await openShop(server)
    const { productId, products } = await goods(shop)
    const { reference } = await shop.begun({ products })
    const { body } = await shop.account(reference, { expiresInMinutes: 480 })
    clock.advance(400 * MINUTE_MS)
    await sweep('stock-expiry')
    await sweep('checkout-expiry')
    expect(await shop.stock(productId)).toMatchObject({ reserved: 2 })
    expect(await shop.deposit(body.data.accountNumber, 10_000)).toMatchObject({ accepted: true })
  })

  test.each([
    [{}, 'email'],
    [{ email: 'bola@example.com' }, 'amount'],
    [{ email: 'bola', amount: 10 }, 'email'],
    [{ email: 'bola@example.com', amount: 0 }, 'amount'],
    [{ email: 'bola@example.com', amount: 10, expiresInMinutes: 14 }, 'expiresInMinutes'],
    [{ email: 'bola@example.com', amount: 10, expiresInMinutes: 481 }, 'expiresInMinutes'],
    [{ email: 'bola@example.com', amount: 10, expiresInMinutes: 20.5 }, 'expiresInMinutes'],
  ])('400 for %j, as text', async (body, field) => {
    const shop = await openShop(server)
    const reply = await shop.post(ACCOUNT, body)
    expect([reply.status, Object.keys(reply.body).sort()]).toEqual([
      400,
      ['error', 'errorCode', 'requestId'],
    ])
    expect(reply.body.error).toContain(field)
  })
})

describe('too much, too little, too late, twice', () => {
  test('too much, too little and a second deposit go back by the policy', async () => {
    const shop = await openShop(server)
    const { reference } = await shop.begun({ amount: 1000 })
    const { body } = await shop.account(reference)
    const { accountNumber } = body.data
    expect(await shop.deposit(accountNumber, 999)).toMatchObject({ reason: 'amount_too_low' })
    expect(await shop.deposit(accountNumber, 1001)).toMatchObject({ reason: 'amount_too_high' })
    expect(await shop.deposit(accountNumber, 1000)).toMatchObject({ accepted: true })
    expect(await shop.deposit(accountNumber, 1000)).toMatchObject({ reason: 'already_paid' })
  })

  test('too much that the business takes is owed back', async () => {
    const shop = await openShop(server, { settings: { virtualAccountPolicy: 'accept_over' } })
    const begun = await shop.begun({ amount: 1000 })
    await shop.paid(begun.reference, 1200)
    expect(await shop.transaction(begun.transactionId)).toMatchObject({ overpaidAmount: 200 })
    expect(await view(begun.accessCode)).toMatchObject({
      status: 'Paid',
      owed: { amountMinor: 20_000n, state: 'Kept' },
    })
  })

  test('a part is sent back also where the business takes parts of invoices', async () => {
    const shop = await openShop(server, { settings: { virtualAccountPolicy: 'accept_partial' } })
    const { id: splitPageId } = await makeSplitPage(shop.post, [50])
    const { products } = await goods(shop)
    const begun = await shop.begun({ products, splitPageId })
    expect(await shop.paid(begun.reference, 0.01)).toMatchObject({
      accepted: false,
      reason: 'amount_too_low',
    })
    const { body } = await shop.account(begun.reference)
    expect(body.data.amount).toBe(10_000)
    expect(await shop.deposit(body.data.accountNumber, 10_000)).toMatchObject({ accepted: true })
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Paid', status: 'Successful' })
    expect((await shop.transaction(body.data.transactionId)).split).toMatchObject([
      { amount: 5000 },
    ])
  })

  test('twice, by two ways: the second is kept as an overpayment', async () => {
    const shop = await openShop(server)
    const { products, productId } = await goods(shop)
    const begun = await shop.begun({ products })
    const ussd = await choose(begun, 'USSD')
    const { body } = await shop.account(begun.reference)
    expect(await shop.deposit(body.data.accountNumber, 10_000)).toMatchObject({ accepted: true })
    await approved(shop, ussd.reference)
    expect(await shop.transaction(begun.transactionId)).toMatchObject({
      status: 'Successful',
      overpaidAmount: 10_000,
    })
    expect(await shop.seen(begun.reference)).toMatchObject({
      transactionId: body.data.transactionId,
    })
    expect(await shop.stock(productId)).toMatchObject({ sold: 2, reserved: 0 })
    expect(await shop.eventsOf(begun.orderId)).toEqual(['order.created', 'order.paid'])
    // Giving the second back leaves the order as it is.
    await shop.refund(begun.transactionId)
    await refundsArrive(server)
    expect(await shop.order(begun.orderReference)).toMatchObject({ status: 'Paid' })
    expect(await view(begun.accessCode)).toMatchObject({ owed: { state: 'Refunded' } })
  })

  const late = async (shop: Shop, body: Record<string, unknown>) => {
    const begun = await shop.begun({ ...body, expiresInMinutes: 10 })
    const { reference } = await choose(begun, 'USSD')
    clock.advance(11 * MINUTE_MS)
    await sweep('transaction-expiry')
    await sweep('checkout-expiry')
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Expired' })
    return { begun, approve: () => approved(shop, reference) }
  }

  test('too late is as good as in time while all is still to be had', async () => {
    const shop = await openShop(server)
    const { productId, products } = await goods(shop)
    const pageId = await shop.page({ productIds: productId, maxPayments: 1 })
    await shop.discount({ maxUses: 1 })
    const { begun, approve } = await late(shop, { pageId, products, discountCode: 'TEN' })
    await approve()
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Paid', status: 'Successful' })
    expect(await shop.transaction(begun.transactionId)).toMatchObject({ late: true })
    expect(await shop.order(begun.orderReference)).toMatchObject({ status: 'Paid' })
    expect(await shop.stock(productId)).toEqual({ onHand: 3, reserved: 0, available: 3, sold: 2 })
    expect(await shop.pageCounts(pageId)).toMatchObject({ open_checkouts: 0, payments: 1 })
  })

  interface Scarce {
    stock?: number
    maxUses?: number
    maxPayments?: number
  }
  test.each<[string, Scarce]>([
    ['the goods are gone', { stock: 2 }],
    ['the discount is used up', { maxUses: 1 }],
    ['the page has had its payments', { maxPayments: 1 }],
  ])(
    'too late goes back by itself when %s',
    async (_title, { stock = 9, maxUses, maxPayments }) => {
      const shop = await openShop(server)
      const { productId, products } = await goods(shop, stock)
      const pageId = await shop.page({ productIds: productId, ...(maxPayments && { maxPayments }) })
      await shop.discount({ ...(maxUses && { maxUses }) })
      const body = { pageId, products, discountCode: 'TEN' }
      const { begun, approve } = await late(shop, body)
      const other = await shop.begun(body)
      await shop.paid(other.reference)
      const before = await shop.stock(productId)
      await approve()

      expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Expired' })
      expect(await shop.order(begun.orderReference)).toMatchObject({ status: 'Cancelled' })
      expect(await shop.stock(productId)).toEqual(before)
      expect(await view(begun.accessCode)).toMatchObject({
        status: 'Expired',
        owed: { amountMinor: 900_000n, state: 'Refunding' },
      })
      await refundsArrive(server)
      expect(await shop.transaction(begun.transactionId)).toMatchObject({
        status: 'Refunded',
        late: true,
        refundedAmount: 9000,
      })
      expect(await view(begun.accessCode)).toMatchObject({ owed: { state: 'Refunded' } })
    },
  )
})

describe('refunds', () => {
  test('a full one gives goods, discount and files back; a part of it nothing', async () => {
    const shop = await openShop(server)
    const { productId, products } = await goods(shop)
    const { id: discountId } = await shop.discount({ maxUses: 1 })
    const begun = await shop.begun({ products, discountCode: 'TEN' })
    await shop.paid(begun.reference)
    await shop.refund(begun.transactionId, 4000)
    await refundsArrive(server)
    expect(await shop.order(begun.orderReference)).toMatchObject({ status: 'Paid' })
    await shop.refund(begun.transactionId)
    await refundsArrive(server)
    expect(await shop.order(begun.orderReference)).toMatchObject({ status: 'Refunded' })
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Paid', status: 'Refunded' })
    expect(await shop.stock(productId)).toEqual({ onHand: 5, reserved: 0, available: 5, sold: 0 })
    expect(await shop.eventsOf(begun.orderId)).toEqual([
      'order.created',
      'order.paid',
      'order.refunded',
    ])
    expect((await shop.eventsOf(discountId)).length).toBe(3)
    expect(await shop.begun({ products, discountCode: 'TEN' })).toMatchObject({ state: 'Open' })
    expect(await view(begun.accessCode)).toMatchObject({ isRefunded: true, downloads: [] })
  })
})

describe('files', () => {
  test('are the buyer’s once it is paid, on the page, in the order and in the letter', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ name: 'E-book', type: 'digital', price: 2000 })
    await upload(shop, productId)
    const begun = await shop.begun({ products: [{ productId, quantity: 1 }], customerName: 'Ada' })
    expect((await view(begun.accessCode)).downloads).toEqual([])
    await shop.paid(begun.reference)
    const { downloads } = await shop.order(begun.orderReference)
    expect(downloads).toMatchObject([{ productId, name: 'book.pdf', bytes: 9, status: 'Active' }])
    const [shown] = (await view(begun.accessCode)).downloads
    expect(downloads[0].url).toBe(`http://127.0.0.1${shown!.path}`)
    expect(await (await fetch(url + shown!.path)).text()).toBe('%PDF-1.7\n')

    const before = mails.received.length
    await sweep('mail')
    const received = mails.received.slice(before).map(({ mail }) => mail)
    const sent = received.find(({ text }) => text?.includes(downloads[0].url))!
    const letter = sent.text
    expect(sent.subject).toBe('[Test] Receipt: ₦2,000.00 paid to Ada Ventures')
    expect(sent.html).toContain(downloads[0].url)
    expect(letter).toContain(downloads[0].url)
    expect(letter).toContain(`http://127.0.0.1/receipt/${begun.accessCode}`)
    expect(letter).toContain('E-book (1 × ₦2,000.00): ₦2,000.00')

    await shop.refund(begun.transactionId)
    await refundsArrive(server)
    expect((await fetch(url + shown!.path)).status).toBe(410)
    expect((await shop.order(begun.orderReference)).downloads).toMatchObject([
      { status: 'Revoked' },
    ])
  })
})

async function upload(shop: Shop, productId: string) {
  const { keys } = shop
  const data = new FormData()
  data.append('productId', productId)
  data.append('file', new Blob(['%PDF-1.7\n']), 'book.pdf')
  const path = '/api/payment-service/external/v1/products/add-digital-download-files'
  const headers = { authorization: `Bearer ${keys.testSecret}` }
  const response = await fetch(url + path, { method: 'POST', body: data, headers })
  expect(response.status).toBe(200)
}

describe('the way back', () => {
  test('200 is signed with the secret of the settings, once it has ended', async () => {
    const shop = await openShop(server)
    const callbackUrl = 'https://shop.example.com/thanks?cart=7&status=fake'
    const begun = await shop.begun({ amount: 100, callbackUrl })
    expect((await view(begun.accessCode)).returnUrl).toBeUndefined()
    await shop.paid(begun.reference)
    const back = new URL((await view(begun.accessCode)).returnUrl!)
    expect(back.origin + back.pathname).toBe('https://shop.example.com/thanks')
    const sent = Object.fromEntries(back.searchParams)
    const { cart, reference, status, timestamp, signature } = sent
    expect([cart, reference, status]).toEqual(['7', begun.reference, 'Successful'])
    const settings = await shop.get('/api/user-service/external/v1/profile/settings')
    const { redirectSecret } = settings.body.data
    const signed = `${reference}.${status}.${timestamp}`
    expect(signature).toBe(createHmac('sha256', redirectSecret).update(signed).digest('hex'))
    expect(back.searchParams.getAll('status')).toEqual(['Successful'])
  })

  test('200 leads to the page’s address where the checkout has none', async () => {
    const shop = await openShop(server)
    const pageId = await shop.page({ redirectUrl: 'https://page.example.com/done' })
    const begun = await shop.begun({ pageId })
    await shop.post(`${CHECKOUT}/${begun.reference}/cancel`)
    const { returnUrl } = await view(begun.accessCode)
    expect(returnUrl).toContain('https://page.example.com/done?reference=CHK_')
    expect(returnUrl).toContain('status=Abandoned')
  })
})

describe('what the payer sees', () => {
  test('the version changes with each step, and not without one', async () => {
    const shop = await openShop(server)
    const begun = await shop.begun({ amount: 100 })
    const seen = new Set<string>()
    const look = async () => {
      const version = await checkoutVersion(pages, begun.accessCode)
      expect((await view(begun.accessCode)).version).toBe(version)
      seen.add(version)
    }
    await look()
    await look()
    expect(seen.size).toBe(1)
    await choose(begun, 'USSD')
    await look()
    await choose(begun, 'BANK_TRANSFER')
    await look()
    await shop.paid(begun.reference)
    await look()
    await shop.refund((await shop.seen(begun.reference)).transactionId)
    await look()
    await refundsArrive(server)
    await look()
    expect(seen.size).toBe(6)
  })

  test('404 for a code with another end', async () => {
    const shop = await openShop(server)
    const { accessCode } = await shop.begun({ amount: 100 })
    const other = accessCode.slice(0, -1) + (accessCode.endsWith('a') ? 'b' : 'a')
    for (const code of [other, 'x', accessCode.replace('t-', 'l-')]) {
      await expect(checkoutByCode(pages, code)).rejects.toMatchObject({ kind: 'not_found' })
    }
  })
})
