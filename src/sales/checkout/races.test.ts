import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { FAR_MS, statusesOf, times, untilDone } from '../../../test/concurrency.ts'
import { findings } from '../../../test/corruption/findings.ts'
import { startProxy } from '../../../test/db-proxy.ts'
import { asOwner, callerWith, startSecond, startServer } from '../../../test/harness.ts'
import { CHECKOUT, openShop, payer, refundsArrive, type Shop } from './checkout.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock, runJob } = server
const { choose } = payer(server)
const proxy = await startProxy(server.connection)
const far = await startSecond(server, { connection: proxy.connection, connectionsMax: 10 })

afterEach(async () => {
  proxy.slow(0)
  expect(await findings(server)).toEqual([])
})

const MINUTE_MS = 60_000

const rowsOf = async ({ businessId }: Shop) =>
  db.one<Record<string, number>>`
    select (select count(*) from checkouts where business_id = ${businessId}) as checkouts,
      (select count(*) from orders where business_id = ${businessId}) as orders,
      (select count(*) from transactions where business_id = ${businessId}) as transactions`

describe.each([
  ['near', server.url, 0, 200],
  ['far away', far.url, FAR_MS / 2, 60],
])('many checkouts at once, with a database that is %s', (_where, url, delayMs, many) => {
  const begin = ({ keys }: Shop, body: object) =>
    untilDone(() =>
      callerWith(url, keys.testSecret).post(CHECKOUT, {
        customerEmail: 'ada@example.com',
        ...body,
      }),
    )

  test('201 exactly ten times for the last ten units', { timeout: 90_000 }, async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 10 })
    proxy.slow(delayMs)
    const replies = await times(many, () => begin(shop, { products: [{ productId, quantity: 1 }] }))
    expect(statusesOf(replies)).toEqual({ '201': 10, '409 out_of_stock': many - 10 })
    expect(await rowsOf(shop)).toEqual({ checkouts: 10, orders: 10, transactions: 10 })
    expect(await shop.stock(productId)).toMatchObject({ reserved: 10, available: 0 })
  })

  test('201 once for one reference', { timeout: 90_000 }, async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 500 })
    proxy.slow(delayMs)
    const replies = await times(30, () =>
      begin(shop, { products: [{ productId, quantity: 1 }], reference: 'cart-0001' }),
    )
    expect(statusesOf(replies)).toEqual({ '201': 1, '409 checkout_reference_used': 29 })
    expect(await rowsOf(shop)).toEqual({ checkouts: 1, orders: 1, transactions: 1 })
    expect(await shop.stock(productId)).toMatchObject({ reserved: 1 })
  })

  test('201 as often as code, page and stock allow', { timeout: 90_000 }, async () => {
    const shop = await openShop(server)
    const [one, two] = [await shop.product({ quantity: 40 }), await shop.product({ quantity: 40 })]
    const pageId = await shop.page({ productIds: `${one},${two}`, maxPayments: 7 })
    await shop.discount({ maxUses: 12 })
    proxy.slow(delayMs)
    const replies = await times(40, (i) => {
      const [first, second] = i % 2 === 0 ? [one, two] : [two, one]
      const products = [first, second].map((productId) => ({ productId, quantity: 1 }))
      return begin(shop, { pageId, products, discountCode: 'TEN' })
    })
    const { '201': begun, ...refused } = statusesOf(replies)
    expect(begun).toBe(7)
    expect(Object.keys(refused).every((one) => /page_full|discount_refused/.test(one))).toBe(true)
    expect(await rowsOf(shop)).toMatchObject({ checkouts: 7, orders: 7 })
  })
})

test('503, also with a reference, while another transaction holds its code for long', async () => {
  const shop = await openShop(server)
  await shop.discount()
  const body = { amount: 1_000, discountCode: 'TEN' }
  const replies = await asOwner(server.name, async (client) => {
    await client.query('begin')
    await client.query(`select from discounts where business_id = ${shop.businessId} for update`)
    return times(3, (i) => shop.begin({ ...body, ...(i && { reference: `cart-000${i}` }) }))
  })
  expect(statusesOf(replies)).toEqual({ '503 database_unavailable': 3 })
})

describe('the end of a checkout', () => {
  test('has one winner when payment, expiry and cancellation coincide', {
    timeout: 60_000,
  }, async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 100 })
    const pageId = await shop.page({ productIds: productId })
    const job = server.app.jobs.find(({ name }) => name === 'checkout-expiry')!
    // By this server's clock, which is ahead, the checkout has expired. By that of the server that
    // receives the requests, it has not.
    const expire = () => job.run(db, new Date(clock.now().getTime() + 16 * MINUTE_MS))
    const states: string[] = []
    for (let round = 0; round < 30; round++) {
      const products = [{ productId, quantity: 1 }]
      const { reference } = await shop.begun({ pageId, products, expiresInMinutes: 5 })
      const { body } = await shop.account(reference, { expiresInMinutes: 15 })
      const deposit = { accountNumber: body.data.accountNumber, amount: 5000 }
      // Each of them is first in some rounds; in the first three rounds, it wins.
      const work = [
        () => untilDone(() => shop.post('/api/simulator/deposit', deposit)),
        () => untilDone(() => shop.post(`${CHECKOUT}/${reference}/cancel`)),
        expire,
      ] as const
      const won = round < 3 ? work[round]!() : undefined
      await won
      const begin = async <T>(one: () => Promise<T>, place: number) => {
        if (won && place === round) return won as Promise<T>
        if (!won) await sleep(2 * ((round + place) % 3))
        return one()
      }
      const [paid, cancelled] = await Promise.all([
        begin(work[0], 0),
        begin(work[1], 1),
        begin(work[2], 2),
      ])
      const { accepted } = paid.body.data
      const { state } = await shop.seen(reference)
      const wasCancelled = cancelled.status === 200
      expect(accepted).toBe(state === 'Paid')
      if (!accepted) expect(wasCancelled).toBe(state === 'Cancelled')
      // A payment that was in progress when the checkout was cancelled counts as late.
      else if (wasCancelled) {
        expect(await shop.transaction(body.data.transactionId)).toMatchObject({ late: true })
      }
      if (round === 2) expect(cancelled.body.errorCode).toBe('checkout_state')
      states.push(state)
    }
    // The payment after the expiry counts as late.
    expect(states.slice(0, 3)).toEqual(['Paid', 'Cancelled', 'Paid'])
    const sold = states.filter((state) => state === 'Paid').length
    expect(await shop.stock(productId)).toMatchObject({ reserved: 0, sold, onHand: 100 - sold })
    expect(await shop.pageCounts(pageId)).toMatchObject({ open_checkouts: 0, payments: sold })
  })

  test('200 late payments for the last units: as many as there are; the rest is refunded', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 12 })
    const products = [{ productId, quantity: 1 }]
    const begun = await times(12, () => shop.begun({ products, expiresInMinutes: 10 }))
    await times(12, (i) => choose(begun[i]!, 'USSD'))
    clock.advance(11 * MINUTE_MS)
    await runJob('checkout-expiry')
    await times(7, () => shop.begun({ products }))
    await times(12, async (i) => {
      const { transactionReference: reference } = await shop.seen(begun[i]!.reference)
      const success = { reference, outcome: 'success' }
      const reply = await untilDone(() => shop.post('/api/simulator/ussd', success))
      expect([reply.status, reply.text]).toEqual([200, reply.text])
    })
    await refundsArrive(server)
    const states = await times(12, async (i) => (await shop.seen(begun[i]!.reference)).status)
    expect(states.filter((status) => status === 'Successful')).toHaveLength(5)
    expect(states.filter((status) => status === 'Refunded')).toHaveLength(7)
    expect(await shop.stock(productId)).toMatchObject({ sold: 5, reserved: 7, available: 0 })
  })
})
