import { afterEach, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { openShop, REFUNDS } from './refunds.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server

afterEach(async () => expect(await findings(server)).toEqual([]))

const shop = (settings?: object) => openShop(server, settings)

describe('GET refund-by-reference', () => {
  test('200 returns the refund under the paths of both families', async () => {
    const { businessId, get, paid, refund, find } = await shop()
    const { id } = await paid(100)
    const { data } = (await refund({ transactionId: id, amount: 30 })).body
    const { status, body } = await find(data.reference)
    expect([status, body.status, body.data]).toEqual([200, 'success', data])
    const query = new URLSearchParams({ businessId: String(businessId), reference: data.reference })
    const external = `/api/transaction-service/external/v1/refund-by-reference?${query}`
    expect((await get(external)).body).toEqual(body)
  })

  test.each([
    ['', ['businessId', 'reference']],
    ['businessId=1', ['reference']],
    ['reference=RFD_1', ['businessId']],
    ['businessId=x&reference=RFD_1', ['businessId']],
    ['businessId=0&reference=RFD_1', ['businessId']],
    ['businessId=1.5&reference=RFD_1', ['businessId']],
    ['businessId=999999999&reference=RFD_1', ['businessId']],
    ['businessId=1&reference=', ['reference']],
    [`businessId=1&reference=${'x'.repeat(65)}`, ['reference']],
    ['businessId=1&businessId=1&reference=RFD_1', ['businessId']],
  ])('400 for %j names %j', async (query, fields) => {
    const { get } = await shop()
    const { status, body } = await get(
      `/api/transaction-service/external/v1/refund-by-reference?${query}`,
    )
    expect([status, body.status, Object.keys(body.errors).sort()]).toEqual([400, 'error', fields])
  })

  test('404 for an unknown refund, another business, and the other mode', async () => {
    const [mine, other] = [await shop(), await shop()]
    const { id } = await other.paid(100)
    const { reference } = (await other.refund({ transactionId: id })).body.data
    const query = new URLSearchParams({ businessId: String(other.businessId), reference })
    const live = server.as(other.keys.liveSecret)
    for (const { status, body } of [
      await mine.find('RFD_nobody'),
      await mine.find(reference),
      await live.get(`/api/transaction-service/v1/refund-by-reference?${query}`),
    ]) {
      expect([status, body.errorCode]).toEqual([404, 'refund_not_found'])
    }
    expect((await mine.find(reference, other.businessId)).status).toBe(400)
  })
})

describe('GET refunds/{reference}', () => {
  test('200 returns the refund under the paths of both families', async () => {
    const { get, paid, refund } = await shop()
    const { id } = await paid(100)
    const { data } = (await refund({ transactionId: id, reference: 'my-refund.1' })).body
    for (const path of [REFUNDS, REFUNDS.replace('/external', '')]) {
      const { status, body } = await get(`${path}/my-refund.1`)
      expect([status, body.data]).toEqual([200, data])
    }
  })

  test('404 for an unknown refund, another business, and the other mode', async () => {
    const [mine, other] = [await shop(), await shop()]
    const { id } = await other.paid(100)
    const { reference } = (await other.refund({ transactionId: id })).body.data
    const live = server.as(other.keys.liveSecret)
    for (const { status, body } of [
      await mine.get(`${REFUNDS}/RFD_nobody`),
      await mine.get(`${REFUNDS}/${reference}`),
      await live.get(`${REFUNDS}/${reference}`),
    ]) {
      expect([status, body.errorCode]).toEqual([404, 'refund_not_found'])
    }
  })
})

describe('GET refunds', () => {
  test('200 pages and filters refunds, newest first', async () => {
    const { get, paid, refund, simulate } = await shop()
    const [one, other] = [await paid(100), await paid(100)]
    const made: string[] = []
    for (const amount of [10, 20, 30]) {
      made.push((await refund({ transactionId: one.id, amount })).body.data.reference)
    }
    made.push((await refund({ transactionId: other.id, amount: 40 })).body.data.reference)
    await simulate(made[1]!, 'success')
    await simulate(made[2]!, 'failed')
    const list = async (query: string) => {
      const { status, body } = await get(`${REFUNDS}?${query}`)
      expect(status).toBe(200)
      const refunds = body.data as { reference: string }[]
      return { refs: refunds.map(({ reference }) => made.indexOf(reference)), meta: body.meta }
    }
    const page = await list('limit=3')
    expect(page.refs).toEqual([3, 2, 1])
    expect(page.meta).toEqual({
      total: 4,
      totalIsExact: true,
      page: 1,
      limit: 3,
      pageCount: 2,
      hasNext: true,
      hasPrevious: false,
    })
    expect((await list('limit=3&page=2')).refs).toEqual([0])
    expect((await list('limit=3&page=3')).refs).toEqual([])
    const cases: [string, number[]][] = [
      ['sort=asc', [0, 1, 2, 3]],
      ['status=Pending', [3, 0]],
      ['status=processed', [1]],
      ['status=NeedsAttention', []],
      [`transactionId=${one.id}`, [2, 1, 0]],
      [`transactionReference=${other.reference}`, [3]],
      [`transactionReference=${one.reference}&transactionId=${one.id}&status=Failed`, [2]],
      ['startDate=2020-01-01', [3, 2, 1, 0]],
      ['endDate=2020-01-01', []],
    ]
    for (const [query, expected] of cases) {
      expect([query, (await list(query)).refs]).toEqual([query, expected])
    }
    const { keys } = await shop()
    expect((await server.as(keys.testSecret).get(REFUNDS)).body.data).toEqual([])
  })

  test.each([
    ['status=Lost', 'status'],
    ['transactionId=x', 'transactionId'],
    ['transactionReference=', 'transactionReference'],
    ['sort=up', 'sort'],
    ['page=0', 'page'],
    ['limit=101', 'limit'],
    ['startDate=soon', 'startDate'],
    ['startDate=2026-02-02&endDate=2026-02-01', 'startDate'],
  ])('400 for %s names %s', async (query, field) => {
    const { get } = await shop()
    const { status, body } = await get(`${REFUNDS}?${query}`)
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })

  test('404 for an unknown payment', async () => {
    const { get } = await shop()
    for (const query of ['transactionId=999999999', 'transactionReference=TRX_nobody']) {
      expect((await get(`${REFUNDS}?${query}`)).body.errorCode).toBe('transaction_not_found')
    }
  })

  test('200 counts up to 10,000, and uses an index', async () => {
    const { businessId, get, paid } = await shop()
    const { id } = await paid(100)
    await db.run`
      insert into refunds (business_id, live, id, reference, transaction_id, status, amount_minor,
        currency, provider, created_at, updated_at)
      select ${businessId}, false, 900000000 + n, 'RFD_' || n, ${id}, 'Failed', 1, 'NGN',
        'simulator', ${clock.now()}::timestamptz - n * interval '1 second', ${clock.now()}
      from generate_series(1, 10001) n`
    await db.run`analyze refunds`
    const { body } = await get(`${REFUNDS}?limit=2&page=2&status=failed`)
    expect(body.meta).toMatchObject({ total: 10_000, totalIsExact: false, hasNext: true })
    expect(body.data.map(({ reference }: { reference: string }) => reference)).toEqual([
      'RFD_3',
      'RFD_4',
    ])
    await db.run`delete from refunds where business_id = ${businessId}`
  })
})
