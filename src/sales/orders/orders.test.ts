import { afterAll, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { ORDERS, openShop, refundsArrive, type Shop } from '../checkout/checkout.fixture.ts'

const server = await startServer({ jobs: false })
const { clock } = server

afterAll(async () => {
  expect(await findings(server)).toEqual([])
})

const DAY_MS = 86_400_000

async function ordered(shop: Shop, body: Record<string, unknown> = {}): Promise<string> {
  const productId = await shop.product({ quantity: 5 })
  return (await shop.begun({ products: [{ productId, quantity: 1 }], ...body })).orderReference
}

const listed = async (shop: Shop, query = '') => {
  const { status, body } = await shop.get(`${ORDERS}${query}`)
  expect([status, body.message]).toEqual([200, 'Orders retrieved.'])
  return body as { data: { reference: string }[]; meta: Record<string, unknown> }
}
const referencesOf = async (shop: Shop, query = '') =>
  (await listed(shop, query)).data.map(({ reference }) => reference)

describe('GET orders', () => {
  test('200 lists newest first, in pages, in both families', async () => {
    const shop = await openShop(server)
    const references: string[] = []
    for (let i = 0; i < 5; i++) references.unshift(await ordered(shop))
    expect(await referencesOf(shop)).toEqual(references)
    expect(await referencesOf(shop, '?sort=asc')).toEqual(references.toReversed())
    const { data, meta } = await listed(shop, '?limit=2&page=2')
    expect(data.map(({ reference }) => reference)).toEqual(references.slice(2, 4))
    expect(meta).toMatchObject({ total: 5, page: 2, limit: 2, pageCount: 3, hasNext: true })
    expect(data[0]).toEqual(await shop.order(references[2]!))
    expect((await shop.get(ORDERS.replace('/external', ''))).body.meta.total).toBe(5)
  })

  test('200 filters by status, in any case; 400 for an unknown one', async () => {
    const shop = await openShop(server)
    const [pending, free] = [await ordered(shop), await shop.product({ price: 0 })]
    const paid = await shop.begun({ products: [{ productId: free, quantity: 1 }] })
    expect(await referencesOf(shop, '?status=pENDING')).toEqual([pending])
    expect(await referencesOf(shop, '?status=Paid')).toEqual([paid.orderReference])
    expect(await referencesOf(shop, '?status=Refunded')).toEqual([])
    const { status, body } = await shop.get(`${ORDERS}?status=Shipped`)
    expect([status, Object.keys(body.errors)]).toEqual([400, ['status']])
  })

  test('200 finds by id, reference, and part of the name or email address', async () => {
    const shop = await openShop(server)
    const mine = await ordered(shop, { customerName: 'Ngozi Ádìgún', customerEmail: 'n@shop.ng' })
    await ordered(shop, { customerName: 'Bola' })
    const { id } = await shop.order(mine)
    const number = `#${mine.slice(-6).toUpperCase()}`
    const searches = [String(id), mine, mine.slice(4, 12), number, 'ÁDÌ', 'n@sho', 'Ngozi Ád']
    for (const search of searches) {
      const query = `?search=${encodeURIComponent(search)}`
      expect([search, await referencesOf(shop, query)]).toEqual([search, [mine]])
    }
    expect(await referencesOf(shop, '?search=%25')).toEqual([])
    expect(await referencesOf(shop, '?search=ngozi&status=Paid')).toEqual([])
  })

  test('200 filters by days; 400 for a reversed range', async () => {
    const shop = await openShop(server)
    const first = await ordered(shop)
    clock.advance(3 * DAY_MS)
    const second = await ordered(shop)
    const day = (ms: number) => new Date(clock.now().getTime() + ms).toISOString()
    expect(await referencesOf(shop, `?startDate=${day(-DAY_MS)}`)).toEqual([second])
    expect(await referencesOf(shop, `?endDate=${day(-DAY_MS)}`)).toEqual([first])
    const { status } = await shop.get(`${ORDERS}?startDate=${day(0)}&endDate=${day(-DAY_MS)}`)
    expect(status).toBe(400)
  })

  test('200 shows its checkout and the payer’s answers, as do the events', async () => {
    const shop = await openShop(server)
    const customFields = [{ label: 'Name on the shirt', name: 'nameOn' }]
    const pageId = await shop.page({ customFields })
    const begun = await shop.begun({ pageId, customFields: { nameOn: 'ADA' } })
    await shop.paid(begun.reference)
    const answered = {
      checkoutReference: begun.reference,
      customFields: [{ label: 'Name on the shirt', name: 'nameOn', value: 'ADA' }],
    }
    expect(await shop.order(begun.orderReference)).toMatchObject(answered)
    expect((await listed(shop)).data).toMatchObject([answered])
    await shop.refund((await shop.seen(begun.reference)).transactionId)
    await refundsArrive(server)
    const { body } = await shop.get('/api/user-service/external/v1/events?limit=100')
    const told = (body.data as { type: string }[]).filter(({ type }) => type.startsWith('order.'))
    expect(told).toMatchObject(
      ['order.refunded', 'order.paid', 'order.created'].map((type) => ({ type, data: answered })),
    )
  })

  test('200 shows no order of another business or of the other mode', async () => {
    const [shop, other] = [await openShop(server), await openShop(server)]
    const reference = await ordered(other)
    expect(await referencesOf(shop)).toEqual([])
    expect(await referencesOf(shop, `?search=${reference}`)).toEqual([])
    for (const by of [shop, other.live]) {
      expect((await by.get(`${ORDERS}/${reference}`)).status).toBe(404)
    }
    expect((await other.live.get(ORDERS)).body.data).toEqual([])
  })
})
