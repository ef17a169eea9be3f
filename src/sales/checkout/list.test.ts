import { afterAll, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { CHECKOUT, openShop, type Shop } from './checkout.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server

afterAll(async () => {
  expect(await findings(server)).toEqual([])
})

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

const listed = async (shop: Shop, query = '', path = CHECKOUT) => {
  const { status, body, text } = await shop.get(`${path}?${query}`)
  expect([status, body.message], text).toEqual([200, 'Checkouts retrieved.'])
  return body as { data: { reference: string; state: string }[]; meta: Record<string, unknown> }
}
const referencesOf = async (shop: Shop, query = '') =>
  (await listed(shop, query)).data.map(({ reference }) => reference)
const begun = async (shop: Shop, more: object = {}) =>
  (await shop.begun({ amount: 100, ...more })).reference

describe('GET initialize-checkout', () => {
  test('200 lists whole records newest first, in pages, in both families', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 9 })
    const references: string[] = []
    for (let i = 0; i < 3; i++) references.unshift(await begun(shop))
    const products = [{ productId, quantity: 1 }]
    const { code: subaccountCode } = await shop.subaccount()
    references.unshift(
      (await shop.begun({ products, shippingAddress: '1 Broad Street' })).reference,
    )
    references.unshift(await begun(shop, { subaccountCode }))
    const all = await listed(shop)
    expect(all.data).toEqual(await Promise.all(references.map((one) => shop.seen(one))))
    expect(all.meta).toMatchObject({ total: 5, page: 1, limit: 20, hasNext: false })
    expect(await listed(shop, '', CHECKOUT.replace('/external', ''))).toEqual(all)
    expect(await referencesOf(shop, 'limit=2&page=2')).toEqual(references.slice(2, 4))
    expect(await referencesOf(shop, 'sort=asc')).toEqual(references.toReversed())
    expect(await listed(await openShop(server))).toMatchObject({ data: [], meta: { total: 0 } })
    expect((await shop.live.get(CHECKOUT)).body.data).toEqual([])
  })

  test('200 filters by state, also before the job has expired a checkout', async () => {
    const shop = await openShop(server)
    const [paid, cancelled, expired] = [await begun(shop), await begun(shop), await begun(shop)]
    await shop.paid(paid)
    await shop.post(`${CHECKOUT}/${cancelled}/cancel`)
    clock.advance(HOUR_MS)
    await server.runJob('checkout-expiry')
    const overdue = await begun(shop, { expiresInMinutes: 5 })
    clock.advance(HOUR_MS / 6)
    const open = await begun(shop)
    const cases: [string, string[]][] = [
      ['state=Open', [open]],
      ['state=expired', [overdue, expired]],
      ['state=Expired&sort=ASC', [expired, overdue]],
      ['state=Expired&limit=1&page=2', [expired]],
      ['state=PAID', [paid]],
      ['state=Cancelled', [cancelled]],
      [`state=Expired&search=${overdue}`, [overdue]],
      [`state=Open&search=${overdue}`, []],
    ]
    for (const [query, expected] of cases) {
      expect([query, await referencesOf(shop, query)]).toEqual([query, expected])
    }
    for (const state of ['Open', 'Paid', 'Expired', 'Cancelled']) {
      const { data } = await listed(shop, `state=${state}`)
      expect(data.every((one) => one.state === state)).toBe(true)
    }
  })

  test('200 finds a whole reference and the start of an email address, in any case', async () => {
    const shop = await openShop(server)
    const ada = await begun(shop, { customerEmail: 'Ada.Obi@example.com', reference: 'cart-0001' })
    const adaAgain = await begun(shop, { customerEmail: 'ada.obi@example.com' })
    await begun(shop, { customerEmail: 'bola_1@example.com' })
    const both = await begun(shop, { customerEmail: 'both-1@example.com', reference: 'both-1' })
    const cases: [string, string[]][] = [
      ['ada.obi@example.com', [adaAgain, ada]],
      [' ADA.', [adaAgain, ada]],
      ['cart-0001', [ada]],
      ['both-1', [both]],
      [adaAgain, [adaAgain]],
      ['cart-000', []],
      ['obi', []],
      ['%', []],
      ['bola%', []],
    ]
    for (const [search, expected] of cases) {
      const query = `search=${encodeURIComponent(search)}`
      expect([search, await referencesOf(shop, query)]).toEqual([search, expected])
    }
    expect(await referencesOf(shop, 'search=')).toHaveLength(4)
    expect(await referencesOf(await openShop(server), 'search=ada')).toEqual([])
  })

  test('200 filters by days', async () => {
    const shop = await openShop(server)
    const first = await begun(shop)
    clock.advance(3 * DAY_MS)
    const second = await begun(shop)
    const between = new Date(clock.now().getTime() - DAY_MS).toISOString()
    expect(await referencesOf(shop, `startDate=${between}`)).toEqual([second])
    expect(await referencesOf(shop, `endDate=${between}`)).toEqual([first])
    expect(await referencesOf(shop, `endDate=${between}&state=Expired`)).toEqual([first])
    expect(await referencesOf(shop, `endDate=${between}&state=Open`)).toEqual([])
  })

  test('200 counts up to 10,000', async () => {
    const shop = await openShop(server)
    await db.run`
      insert into checkouts
        (business_id, live, id, reference, secret, status, amount_minor, currency, channels,
         customer_email, expires_at, created_at, updated_at)
      select ${shop.businessId}, false, 1000000000 + n, 'CHK_' || n, 'none',
        case when n <= 10001 then 'Expired' else 'Open' end, 100, 'NGN', '{USSD}',
        'n' || n % 2 || '@example.com', ${clock.now()}::timestamptz - interval '1 minute',
        ${clock.now()}::timestamptz + n * interval '1 millisecond', ${clock.now()}
      from generate_series(1, 10003) n`
    await db.run`analyze checkouts`
    const many = { total: 10_000, totalIsExact: false, hasNext: true }
    const expired = await listed(shop, 'state=Expired&limit=3')
    expect(expired.data.map(({ reference }) => reference)).toEqual([
      'CHK_10003',
      'CHK_10002',
      'CHK_10001',
    ])
    expect(expired.meta).toMatchObject(many)
    expect((await listed(shop)).meta).toMatchObject(many)
    const found = await listed(shop, 'search=n1&limit=2')
    expect(found.data.map(({ reference }) => reference)).toEqual(['CHK_10003', 'CHK_10001'])
    expect(found.meta).toMatchObject({ total: 5_002, totalIsExact: true })
    const newest = async (search: string, newest: string) => {
      const { data, meta } = await listed(shop, `search=${search}&limit=1`)
      expect([search, data.map(({ reference }) => reference)]).toEqual([search, [newest]])
      return meta
    }
    expect(await newest('N', 'CHK_10003')).toMatchObject(many)
    // Now the first rows do not match.
    await db.run`
      update checkouts set customer_email = 'late@example.com'
      where business_id = ${shop.businessId} and id > 1000000000 + 9500`
    expect(await newest('n', 'CHK_9500')).toMatchObject({ total: 9_500, totalIsExact: true })
    await db.run`
      update checkouts set created_at = created_at + interval '1 day',
        customer_email = 'late@example.com'
      where business_id = ${shop.businessId} and id <= 1000000000 + 1`
    expect(await newest('late', 'CHK_1')).toMatchObject({ total: 504, totalIsExact: true })
    await db.run`
      insert into checkouts
      select (jsonb_populate_record(c, jsonb_build_object('id', c.id + 100000, 'reference',
        c.reference || '_again', 'created_at', c.created_at - interval '1 day'))).*
      from checkouts c
      where business_id = ${shop.businessId} and customer_email like 'n%' and id % 10 = 0`
    expect(await newest('n', 'CHK_9500')).toMatchObject(many)
    const old = await listed(shop, 'search=n&limit=100&page=104')
    expect(old.data).toHaveLength(100)
    expect((await listed(shop, 'search=n&limit=100&page=105')).data).toHaveLength(49)
    await db.run`delete from checkouts where business_id = ${shop.businessId}`
  })

  test.each([
    ['state=Lost', 'state'],
    ['status=Pending', 'status'],
    ['sort=up', 'sort'],
    ['page=0', 'page'],
    ['limit=101', 'limit'],
    ['startDate=soon', 'startDate'],
    ['startDate=2026-02-02&endDate=2026-02-01', 'startDate'],
    [`search=${'x'.repeat(201)}`, 'search'],
  ])('400 for %s names %s', async (query, field) => {
    const shop = await openShop(server)
    const { status, body } = await shop.get(`${CHECKOUT}?${query}`)
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })
})

describe('GET initialize-checkout/{reference}', () => {
  test('200 for an access code too; 404 for another business, the other mode and a wrong secret', async () => {
    const [shop, other] = [await openShop(server), await openShop(server)]
    const { reference, accessCode } = await shop.begun({ amount: 100 })
    const { status, body } = await shop.get(`${CHECKOUT}/${accessCode}`)
    expect([status, body.data]).toEqual([200, await shop.seen(reference)])
    for (const reply of [
      await other.get(`${CHECKOUT}/${accessCode}`),
      await shop.live.get(`${CHECKOUT}/${accessCode}`),
      await shop.get(
        `${CHECKOUT}/${accessCode.slice(0, -1)}${accessCode.endsWith('a') ? 'b' : 'a'}`,
      ),
    ]) {
      expect([reply.status, reply.body.errorCode]).toEqual([404, 'checkout_not_found'])
    }
    const cancelled = await shop.post(`${CHECKOUT}/${accessCode}/cancel`)
    expect([cancelled.status, cancelled.body.data.state]).toEqual([200, 'Cancelled'])
  })
})
