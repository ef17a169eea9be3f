import { afterEach, describe, expect, test } from 'vitest'
import { times, untilDone } from '../../../test/concurrency.ts'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { ACCOUNT, goods, openShop } from './checkout.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock, runJob } = server

afterEach(async () => {
  expect(await findings(server)).toEqual([])
})

const MINUTE_MS = 60_000

describe('the virtual account', () => {
  test('200 opens a checkout and its account from an email address and an amount', async () => {
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

  test('200 returns the same account to twenty requests at once; another after it expired', async () => {
    const shop = await openShop(server)
    const { products } = await goods(shop)
    const { reference } = await shop.begun({ products, expiresInMinutes: 120 })
    const replies = await times(20, () =>
      untilDone(() => shop.account(reference, { expiresInMinutes: 15 })),
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

  test('keeps goods reserved and its checkout open until the account expires', async () => {
    const shop = await openShop(server)
    const { productId, products } = await goods(shop)
    const { reference } = await shop.begun({ products })
    const { body } = await shop.account(reference, { expiresInMinutes: 480 })
    clock.advance(400 * MINUTE_MS)
    await runJob('stock-expiry')
    await runJob('checkout-expiry')
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
