import pg from 'pg'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { counted, statusesOf, times, untilDone } from '../../../test/concurrency.ts'
import { findings } from '../../../test/corruption/findings.ts'
import { asOwner, callerWith, startSecond, startServer } from '../../../test/harness.ts'
import { otherProcess } from '../../../test/processes.ts'
import { CHECKOUT, ORDERS, openShop, payer, type Shop } from './checkout.fixture.ts'
import { checkoutBatch, checkoutCreator } from './start.ts'

const server = await startServer({ jobs: false })
const { db } = server
/** However slow this machine is, its requests do not give up before a test has ended a lock. */
const patient = await startSecond(server, {
  connectionsMax: 10,
  lockMs: 8_000,
  connectMs: 15_000,
})

afterEach(async () => {
  expect(await findings(server)).toEqual([])
})

const one = (productId: string, more: object = {}) => ({
  products: [{ productId, quantity: 1 }],
  ...more,
})

const rowsOf = ({ businessId }: Shop) =>
  db.one<Record<string, number>>`
    select (select count(*) from checkouts where business_id = ${businessId}) as checkouts,
      (select count(*) from orders where business_id = ${businessId}) as orders,
      (select count(*) from order_lines where business_id = ${businessId}) as lines,
      (select count(*) from transactions where business_id = ${businessId}) as transactions,
      (select count(*) from stock_reservations where business_id = ${businessId}) as reservations,
      (select count(*) from events where business_id = ${businessId}
        and type in ('order.created', 'transaction.pending')) as events`

/** The rows of as many checkouts with one line each. */
const rowsFor = (many: number) => ({
  checkouts: many,
  orders: many,
  lines: many,
  transactions: many,
  reservations: many,
  events: 2 * many,
})

describe('buyers of one product at once', () => {
  test('201 for 40 of 64 buyers of 40 units', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 40, lowStockThreshold: 5 })
    const replies = await times(64, () => shop.begin(one(productId)))
    expect(statusesOf(replies)).toEqual({ '201': 40, '409 out_of_stock': 24 })
    expect(await shop.stock(productId)).toMatchObject({ reserved: 40, available: 0 })
    expect(await rowsOf(shop)).toEqual(rowsFor(40))
    expect(replies.find(({ status }) => status === 409)?.body).toMatchObject({
      message: 'Not enough in stock: Shirt (0 left).',
      errors: { products: ['Shirt has 0 left'] },
    })
    const types = ['product.created', 'product.low_stock', 'product.out_of_stock']
    expect(await shop.eventsOf(Number(productId))).toEqual(types)
    const [low] = await db.many<{ data: string }>`
      select data from events where business_id = ${shop.businessId} and type = ${types[1]}`
    expect(JSON.parse(low!.data)).toMatchObject({ reserved: 35, available: 5, quantity: 40 })
  })

  test('201 in the order in which they arrived', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 40 })
    const deps = { ...payer(server).pages, publicUrl: server.url, nudge: () => {} }
    const batch = checkoutBatch(deps)
    const arrived: string[] = []
    const create = checkoutCreator(deps, {
      add(rows) {
        arrived.push(rows.row.reference)
        return batch.add(rows)
      },
    })
    const now = server.clock.now()
    const cart = { customerEmail: 'ada@example.com', currency: 'NGN', expiresInMinutes: 60 }
    const buy = () =>
      create({ ...shop.tenant, now }, { ...cart, ...one(productId) }, undefined, ({ row }) => ({
        status: 201,
        body: row.reference,
      }))
    const ended = await Promise.allSettled(Array.from({ length: 64 }, buy))
    const served = ended.flatMap((one) => (one.status === 'fulfilled' ? one.value.body : []))
    expect(arrived).toHaveLength(64)
    expect(served.toSorted()).toEqual(arrived.slice(0, 40).toSorted())
    expect(await shop.stock(productId)).toMatchObject({ reserved: 40, available: 0 })
  })

  test('409 only for quantities that are more than what is left', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 20 })
    const replies = await times(60, (i) =>
      shop.begin({ products: [{ productId, quantity: i % 3 === 2 ? 1 : 6 }] }),
    )
    expect(counted(replies.map(({ status }) => status))).toHaveProperty('409')
    expect(await shop.stock(productId)).toMatchObject({ reserved: 20, available: 0 })
  })

  test('201 for everyone who can have all of several products, in any order', async () => {
    const shop = await openShop(server)
    const [shirt, cap, book] = [
      await shop.product({ quantity: 20 }),
      await shop.product({ quantity: 200 }),
      await shop.product(),
    ]
    const carts = [[shirt, cap], [cap, book, shirt], [cap, cap], [book]]
    const replies = await times(80, (i) =>
      shop.begin({
        products: carts[i % 4]!.map((productId) => ({ productId, quantity: 1 })),
      }),
    )
    expect(statusesOf(replies)).toEqual({ '201': 60, '409 out_of_stock': 20 })
    expect(await shop.stock(shirt)).toMatchObject({ reserved: 20, available: 0 })
    expect(await shop.stock(cap)).toMatchObject({ reserved: 60 })
  })

  test('201 for exactly as many as there are, on two processes', async () => {
    const shop = await openShop(server)
    const { url } = await otherProcess(server.connection)
    const there = callerWith(url, shop.keys.testSecret)
    const productId = await shop.product({ quantity: 40, lowStockThreshold: 39 })
    const replies = await times(128, (i) =>
      untilDone(() =>
        (i % 2 ? shop : there).post(CHECKOUT, {
          customerEmail: 'ada@example.com',
          ...one(productId),
        }),
      ),
    )
    expect(statusesOf(replies)).toEqual({ '201': 40, '409 out_of_stock': 88 })
    expect(await shop.stock(productId)).toMatchObject({ reserved: 40, available: 0 })
    expect(await rowsOf(shop)).toEqual(rowsFor(40))
    const types = ['product.created', 'product.low_stock', 'product.out_of_stock']
    expect(await shop.eventsOf(Number(productId))).toEqual(types)
  })

  test('200 finds a new order at once', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 90 })
    const begun = await times(20, (i) =>
      shop.begun(one(productId, { customerEmail: `payer-${i}@example.com` })),
    )
    const { body } = await shop.get(`${ORDERS}?search=${begun[7]!.orderReference.slice(4, 12)}`)
    expect(body.data).toMatchObject([{ reference: begun[7]!.orderReference }])
    const found = await shop.get(`${ORDERS}?search=payer-13@`)
    expect(found.body.data).toMatchObject([{ reference: begun[13]!.orderReference }])
  })
})

describe('one of many checkouts at once', () => {
  test('201 once for equal keys, and 422 for another request with that key', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 100 })
    const key = { 'idempotency-key': 'cart-0001' }
    const replies = await times(40, (i) => shop.begin(one(productId), i % 2 ? key : undefined))
    expect(statusesOf(replies)).toEqual({ '201': 40 })
    expect(new Set(replies.filter((_, i) => i % 2).map(({ text }) => text)).size).toBe(1)
    expect(await rowsOf(shop)).toEqual(rowsFor(21))
    expect((await shop.begin(one(productId, { customerName: 'Ada' }), key)).status).toBe(422)

    const again = await shop.begin(one(productId), key)
    expect([again.status, again.text]).toEqual([201, replies[1]!.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
  })

  test('201 again for a key whose product is no longer on sale', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 1 })
    const key = { 'idempotency-key': 'cart-0002' }
    const first = await shop.begin(one(productId, { reference: 'cart-0002' }), key)
    await shop.post('/api/payment-service/external/v1/products/archive-product', { productId })
    const again = await shop.begin(one(productId, { reference: 'cart-0002' }), key)
    expect([again.status, again.text]).toEqual([201, first.text])
    const used = await shop.begin(one(productId, { reference: 'cart-0002' }))
    expect([used.status, used.body.errorCode]).toEqual([409, 'checkout_reference_used'])
    const gone = await shop.begin(one(productId), { 'idempotency-key': 'cart-0003' })
    expect([gone.status, gone.body.errorCode]).toEqual([409, 'product_not_for_sale'])
  })

  test('409 for its reference, or its stock, only', async () => {
    const shop = await openShop(server)
    const [shirt, cap] = [await shop.product({ quantity: 100 }), await shop.product()]
    const empty = await shop.product({ quantity: 0, name: 'Scarf' })
    await shop.begun(one(shirt, { reference: 'cart-0001' }))
    const bodies = [
      one(shirt, { reference: 'cart-0001' }),
      { products: [shirt, empty].map((productId) => ({ productId, quantity: 1 })) },
      { amount: 5_000 },
      one(shirt, { reference: 'cart-0002' }),
      one(cap),
    ]
    const replies = await times(50, (i) => shop.begin(bodies[i % 5]!))
    expect(statusesOf(replies)).toEqual({
      '201': 21,
      '409 checkout_reference_used': 19,
      '409 out_of_stock': 10,
    })
    expect(await shop.stock(shirt)).toMatchObject({ reserved: 2 })
    expect(await shop.stock(cap)).toMatchObject({ reserved: 10 })
    expect(await rowsOf(shop)).toMatchObject({ checkouts: 22, orders: 12, transactions: 22 })
  })

  test('500 for a row that the database refuses, and for no other', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 100 })
    const refuse = (sql: string) => asOwner(server.name, (client) => client.query(sql))
    await refuse("alter table checkouts add constraint planted check (customer_name <> 'Bad')")
    // The next test holds a lock on the table, for which this would wait.
    onTestFinished(async () => {
      await refuse('alter table checkouts drop constraint planted')
    })
    const replies = await times(30, (i) =>
      shop.begin(one(productId, i === 17 ? { customerName: 'Bad' } : {})),
    )
    expect(statusesOf(replies)).toMatchObject({ '201': 29 })
    expect(replies[17]!.status).toBe(500)
    expect(await shop.stock(productId)).toMatchObject({ reserved: 29 })
  })

  test('201 outside the batch while another transaction has its reference or its stock', async () => {
    const shop = await openShop(server, { url: patient.url })
    const [shirt, cap] = [
      await shop.product({ quantity: 100 }),
      await shop.product({ quantity: 100 }),
    ]
    const like = await shop.begun(one(shirt, { reference: 'cart-0001' }))
    const client = new pg.Client(server.connection)
    await client.connect()
    onTestFinished(() => client.end())
    await client.query('begin')
    await client.query(`select from stock_items where id = ${cap} for update`)
    await client.query(
      `insert into checkouts
       select (jsonb_populate_record(c, '{"id": 999999999999, "reference": "cart-0002"}')).*
       from checkouts c where id = ${like.id}`,
    )
    const asked = [
      shop.begin(one(cap)),
      ...Array.from({ length: 10 }, () => shop.begin(one(shirt))),
      shop.begin(one(shirt, { reference: 'cart-0002' })),
    ]
    expect(statusesOf(await Promise.all(asked.slice(1, -1)))).toEqual({ '201': 10 })
    await client.query('rollback')
    expect(statusesOf(await Promise.all(asked))).toEqual({ '201': 12 })
    expect(await shop.stock(cap)).toMatchObject({ reserved: 1 })
  })

  test('201 for the others while another transaction has a product that needs an event', async () => {
    const { url } = patient
    const [shop, other] = [await openShop(server, { url }), await openShop(server, { url })]
    const last = await shop.product({ quantity: 1 })
    const shirt = await other.product({ quantity: 100 })
    const client = new pg.Client(server.connection)
    await client.connect()
    onTestFinished(() => client.end())
    await client.query('begin')
    await client.query(`update products set updated_at = updated_at where id = ${last}`)
    const before = times(20, () => other.begin(one(shirt)))
    const waiting = shop.begin(one(last))
    const after = times(20, () => other.begin(one(shirt)))
    const replies = (await Promise.all([before, after])).flat()
    expect(statusesOf(replies)).toEqual({ '201': 40 })
    await client.query('rollback')
    expect((await waiting).status).toBe(201)
    const types = ['product.created', 'product.out_of_stock']
    expect(await shop.eventsOf(Number(last))).toEqual(types)
  })
})
