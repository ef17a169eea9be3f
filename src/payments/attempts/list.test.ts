import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { numbered, openList, PATH, referencesOf } from './list.fixture.ts'

const server = await startServer({ jobs: false })
const START = server.clock.now()
const { db } = server
const indexed = () => server.runJob('search-texts')
const shop = () => openList(server, START)

describe('GET transactions', () => {
  test('200 with an empty list for a new business', async () => {
    const { page } = await shop()
    const nothing = { rows: [], meta: { limit: 20, next: null, previous: null, hasMore: false } }
    expect(await page()).toEqual(nothing)
    for (const search of ['ada', '12', 'TRX_1']) expect(await page({ search })).toEqual(nothing)
  })

  test('200 with the same list in both families and at the bare path, including cursors', async () => {
    const { fill, page } = await shop()
    await fill(5)
    const first = await page({ limit: '2' })
    const paths = ['/transactions', '/transactions/', PATH.replace('/external', '')]
    for (const path of paths) {
      expect(await page({ limit: '2' }, path)).toEqual(first)
      const second = await page({ limit: '2', cursor: first.meta.next }, path)
      expect(second.rows).toEqual(['TRX_3', 'TRX_4'])
    }
  })

  test('200 returns the full record', async () => {
    const { fill, get, businessId } = await shop()
    await fill(1, { status: 'Successful', channel: 'USSD' })
    const { body } = await get(PATH)
    expect(body.data).toEqual([
      {
        id: 999999000,
        reference: 'TRX_1',
        amount: 100,
        amountMinor: 10000,
        fees: 2.5,
        netAmount: 97.5,
        feeBearer: 'business',
        currency: 'NGN',
        channel: 'USSD',
        status: 'Successful',
        gatewayResponse: null,
        message: null,
        customer: { id: null, email: 'ada@example.com', name: 'Ada Obi', phone: null },
        customerId: null,
        pageId: null,
        splitPageId: null,
        orderId: null,
        invoiceReference: null,
        businessId,
        ipAddress: null,
        location: null,
        split: [],
        paidAmount: 100,
        overpaidAmount: 0,
        refundedAmount: 0,
        disputedAmount: 0,
        reversedAmount: 0,
        late: false,
        paidAt: null,
        payUrl: null,
        expiresAt: START.toISOString(),
        metadata: null,
        timeline: [],
        createdAt: new Date(START.getTime() - 1000).toISOString(),
      },
    ])
  })

  test('200 includes each transaction’s shares, like fetching one', async () => {
    const { fill, get, businessId } = await shop()
    await fill(2, { status: 'Successful', channel: 'USSD' })
    await db.run`
      insert into subaccounts (business_id, live, id, reference, status, business_name,
        account_number_plain, charge_basis_points, currency, created_at, updated_at)
      select ${businessId}, false, n, 'ACCT_' || n, 'Active', 'Shop', '000000000' || n, 0, 'NGN',
        ${START}, ${START} from generate_series(1, 2) n`
    await db.run`
      insert into transaction_shares
        (business_id, live, transaction_id, subaccount_id, share, amount_minor, fee_minor)
      select ${businessId}, false, 999998000, n, n * 10, n * 1000, 5 from generate_series(1, 2) n`
    await db.run`
      update transactions set split_page_id = 7
      where business_id = ${businessId} and reference = 'TRX_2'`
    const { data } = (await get(PATH)).body
    expect(data[0]).toMatchObject({ reference: 'TRX_1', splitPageId: null, split: [] })
    const none = { refundedAmount: 0, fee: 0.05 }
    expect(data[1]).toMatchObject({ splitPageId: 7, pageId: 7 })
    expect(data[1].split).toEqual(
      [
        { subaccount: 1, subaccountCode: 'ACCT_1', share: 10, amount: 10, amountMinor: 1000 },
        { subaccount: 2, subaccountCode: 'ACCT_2', share: 20, amount: 20, amountMinor: 2000 },
      ].map((share) => ({ ...share, ...none, netAmount: share.amount - 0.05 })),
    )
    const fetched = await get(PATH.replace('transactions', 'fetch/999998000'))
    expect(fetched.body.data).toEqual(data[1])
  })

  test('200 pages over 250 forwards and backwards, while others arrive', async () => {
    const { fill, walk } = await shop()
    await fill(250)
    let [newer, older] = [0, 1000]
    const { forth, back, last, sizes } = await walk({ limit: '40' }, async () => {
      // One newer than the start of the walk, and one older than its current place.
      await fill(1, { from: newer-- })
      await fill(1, { from: older++ })
    })
    // The one added after the last page is not part of the walk.
    expect(forth).toEqual([...numbered(1, 250), ...numbered(1000, 1005)])
    expect(sizes).toEqual([40, 40, 40, 40, 40, 40, 16])
    expect([...back, ...last]).toEqual([...numbered(newer + 1, 250), ...numbered(1000, 1005)])
  })

  test('200 neither skips nor repeats transactions with equal times', async () => {
    const { fill, walk } = await shop()
    await fill(250, { everyMs: 0 })
    const { forth, back, last } = await walk({ limit: '7' })
    expect(forth).toEqual(numbered(1, 250))
    expect([...back, ...last]).toEqual(forth)
    await indexed()
    const found = await walk({ limit: '33', search: 'obi' })
    expect(found.forth).toEqual(forth)
    expect([...found.back, ...found.last]).toEqual(forth)
  })

  const isNth = (rest: number, of: number) => (reference: string) =>
    Number(reference.slice(4)) % of === rest
  test.each([
    ['status=failed', isNth(2, 7)],
    ['channel=offline', isNth(4, 5)],
    ['status=PENDING&channel=card', (one: string) => isNth(0, 7)(one) && isNth(2, 5)(one)],
    ['status=Reversed&search=obi', isNth(6, 7)],
    ['channel=USSD&search=example', isNth(0, 5)],
    [
      'channel=Bank_Transfer&status=Refunded&search=ada',
      (one: string) => isNth(5, 7)(one) && isNth(1, 5)(one),
    ],
  ])('200 pages over the matches of %s, and nothing else', async (query, isMeant) => {
    const { fill, walk } = await shop()
    await fill(250)
    const wanted = numbered(1, 250).filter(isMeant)
    for (const when of ['before it is in the index', 'afterwards']) {
      const found = await walk({ ...Object.fromEntries(new URLSearchParams(query)), limit: '6' })
      expect([when, found.forth]).toEqual([when, wanted])
      expect([...found.back, ...found.last]).toEqual(wanted)
      await indexed()
    }
  })

  test('200 filters by an inclusive period, with each other filter', async () => {
    const { fill, walk } = await shop()
    await fill(250)
    const at = (n: number) => new Date(START.getTime() - n * 1000).toISOString()
    const time = { startDate: at(200), endDate: at(50), limit: '15' }
    expect((await walk(time)).forth).toEqual(numbered(50, 200))
    const failed = numbered(50, 200).filter(isNth(2, 7))
    expect((await walk({ ...time, status: 'Failed' })).forth).toEqual(failed)
    const cards = numbered(50, 200).filter(isNth(2, 5))
    expect((await walk({ ...time, channel: 'CARD' })).forth).toEqual(cards)
    await indexed()
    const { forth, back, last } = await walk({ ...time, search: 'ada obi' })
    expect(forth).toEqual(numbered(50, 200))
    expect([...back, ...last]).toEqual(forth)
    expect((await walk({ endDate: '2020-01-01', search: 'ada' })).forth).toEqual([])
  })

  test('200 counts a day in the time zone of the business', async () => {
    const { fill, page } = await shop()
    await fill(1)
    // Lagos is an hour ahead of UTC.
    const created = START.getTime() - 1000
    const day = new Date(created + 3_600_000).toISOString().slice(0, 10)
    expect((await page({ startDate: day, endDate: day })).rows).toEqual(['TRX_1'])
  })

  test('200 without transactions of another business or the other mode', async () => {
    const [one, other] = [await shop(), await shop()]
    await one.fill(3)
    await one.fill(2, { from: 11, live: true, name: 'Live One' })
    await other.fill(1, { from: 21 })
    const live = server.as(one.keys.liveSecret)
    expect((await one.page()).rows).toEqual(numbered(1, 3))
    expect((await other.page()).rows).toEqual(['TRX_21'])
    expect(referencesOf((await live.get(PATH)).body)).toEqual(['TRX_11', 'TRX_12'])
    for (const when of ['before', 'after']) {
      for (const search of ['live', 'TRX_1', 'TRX_11', '999999000', '999989000']) {
        expect([when, search, (await other.page({ search })).rows]).toEqual([when, search, []])
      }
      expect((await one.page({ search: 'live' })).rows).toEqual([])
      expect((await one.page({ reference: 'TRX_11' })).rows).toEqual([])
      expect(referencesOf((await live.get(`${PATH}?search=live`)).body)).toHaveLength(2)
      await indexed()
    }
  })
})

describe('errors', () => {
  test.each([
    ['status=Paid', 'status'],
    ['status=', 'status'],
    ['channel=cash', 'channel'],
    ['startDate=2026-02-29', 'startDate'],
    ['endDate=yesterday', 'endDate'],
    ['startDate=2026-02-02&endDate=2026-02-01', 'startDate'],
    ['reference=', 'reference'],
    [`reference=${'x'.repeat(65)}`, 'reference'],
    [`search=${'x'.repeat(101)}`, 'search'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=2&limit=3', 'limit'],
    ['cursor=', 'cursor'],
    ['cursor=abc', 'cursor'],
    ['cursor=ZjEuMQ.AAAAAAAAAAAAAAAAAAAAAA', 'cursor'],
    [`cursor=${'x'.repeat(301)}`, 'cursor'],
  ])('400 for %s', async (query, field) => {
    const { get } = await shop()
    for (const path of [PATH, '/transactions']) {
      const { status, body } = await get(`${path}?${query}`)
      expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
    }
  })

  test('400 for a cursor that was changed, or is of another list', async () => {
    const [one, other] = [await shop(), await shop()]
    await one.fill(70)
    await one.fill(30, { from: 101, live: true })
    await other.fill(70)
    const { next } = (await one.page({ limit: '5', status: 'Failed' })).meta
    const asked = (
      cursor: string,
      query = 'status=Failed',
      { get } = server.as(one.keys.testSecret),
    ) => get(`${PATH}?${query}&cursor=${encodeURIComponent(cursor)}`)
    // Unchanged, with another limit, and with the same filter in any spelling.
    for (const query of ['status=Failed', 'status=Failed&limit=2', 'status=fAILED']) {
      expect((await asked(next, query)).status).toBe(200)
    }
    const changed = [...next].map(
      (letter, i) => next.slice(0, i) + (letter === 'A' ? 'B' : 'A') + next.slice(i + 1),
    )
    const wrong = [
      ...changed.map((cursor) => asked(cursor)),
      asked(`${next}.x`),
      asked(next.split('.')[0]!),
      asked(next, ''),
      asked(next, 'status=Pending'),
      asked(next, 'status=Failed&channel=USSD'),
      asked(next, 'status=Failed&search=ada'),
      asked(next, 'status=Failed&reference=TRX_9'),
      asked(next, 'status=Failed&startDate=2020-01-01'),
      asked(next, 'status=Failed', server.as(other.keys.testSecret)),
      asked(next, 'status=Failed', server.as(one.keys.liveSecret)),
    ]
    for (const { status, body } of await Promise.all(wrong)) {
      expect([status, Object.keys(body.errors)]).toEqual([400, ['cursor']])
    }
  })

  test('200 lists checkouts without a chosen method separately', async () => {
    const { fill, page, businessId } = await shop()
    await fill(4)
    await db.run`update transactions set provider = 'none'
      where business_id = ${businessId} and reference in ('TRX_1', 'TRX_3')`
    const rows = async (query: Record<string, string>) => (await page(query)).rows
    expect(await rows({ methodChosen: 'true' })).toEqual(['TRX_2', 'TRX_4'])
    expect(await rows({ methodChosen: 'false' })).toEqual(['TRX_1', 'TRX_3'])
    expect(await rows({})).toHaveLength(4)
  })

  test('401 without a key, 403 without the scope, 405 for another method', async () => {
    const { call, businessId } = await shop()
    const { createKey } = await import('../../business/keys/service.ts')
    const of = { businessId, live: false }
    const keyWith = async (scope: string) => {
      const { key } = await db.transaction((tx) =>
        createKey(tx, server.ids, of, { scopes: [scope] }, server.clock.now()),
      )
      return server.as(key)
    }
    const [narrow, right] = [await keyWith('invoices:read'), await keyWith('transactions:read')]
    const paths = [PATH, '/transactions', `${PATH}/totals`, `${PATH}/export`]
    for (const path of paths) {
      expect([path, (await server.as('nope').get(path)).status]).toEqual([path, 401])
      expect([path, (await narrow.get(path)).status]).toEqual([path, 403])
      expect([path, (await right.get(path)).status]).toEqual([path, 200])
      expect([path, (await call('PUT', path, {})).status]).toEqual([path, 405])
    }
  })
})
