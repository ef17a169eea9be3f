import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { through } from '../../ledger/ledger.fixture.ts'
import { creditWallet } from './service.ts'

const LEDGER = '/api/user-service/external/v1/wallet/ledger'
const BALANCE = '/api/user-service/external/v1/wallet/balance'
const TRANSFERS = '/api/transaction-service/external/v1/transfers'

const server = await startServer({ jobs: false })
const { db, ids, clock } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

interface Entry {
  id: number
  type: string
  kind: string
  amountMinor: number
  cause: { type: string; id: number; reference: string | null }
  createdAt: string
}

/** Each test has its own business. */
async function shop() {
  const { businessId, keys } = await server.newBusiness()
  const { get, post } = server.as(keys.testSecret)
  const send = async (accountNumber: string, amount = 1_000) => {
    const { body } = await post(TRANSFERS, { amount, bankCode: '058', accountNumber })
    return body.data.reference as string
  }
  const fund = (amount: number) => post('/api/simulator/wallet', { amount })
  const ledger = (query = '') => get(`${LEDGER}?${query}`)
  /** Returns all entries, page by page from one end to the other. */
  const all = async (query = '', toward: 'next' | 'previous' = 'next', from?: string) => {
    const entries: Entry[] = []
    let cursor: string | null | undefined = from
    do {
      const at: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''
      const { status, body } = await ledger(`${query}${at}`)
      expect(status).toBe(200)
      if (toward === 'next') entries.push(...body.data)
      else entries.unshift(...body.data)
      cursor = body.meta[toward]
    } while (cursor)
    return entries
  }
  return { businessId, keys, get, post, send, fund, ledger, all }
}

async function bankDay(): Promise<void> {
  await server.runJob('transfer-orders')
  clock.advance(1_000)
  await server.runJob('simulator')
}

const kinds = (entries: Entry[]) => entries.map(({ type, kind }) => `${type} ${kind}`)

describe('GET wallet/balance', () => {
  test('200 by page, if a page is requested', async () => {
    const { get } = await shop()
    const whole = (await get(BALANCE)).body
    expect([whole.data.length, whole.meta]).toEqual([1, undefined])
    const { status, body } = await get(`${BALANCE}?page=2`)
    expect([status, body.data, body.meta.total]).toEqual([200, [], 1])
    expect((await get(`${BALANCE}?limit=1`)).body.data).toEqual(whole.data)
  })

  test.each([
    ['page=0', 'page'],
    ['page=abc', 'page'],
    ['limit=-1', 'limit'],
    ['limit=101', 'limit'],
  ])('400 for %s', async (query, field) => {
    const { status, body } = await server.get(`${BALANCE}?${query}`)
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })
})

describe('GET wallet/ledger', () => {
  test('200 lists the movements of the balance, newest first, with their causes', async () => {
    const { businessId, send, ledger, get } = await shop()
    const [failed, returned] = [await send('0000000002'), await send('0000000007', 6_000)]
    await bankDay()
    await bankDay()
    const { status, body } = await ledger()

    expect(status).toBe(200)
    expect(kinds(body.data).toSorted()).toEqual([
      'credit fee',
      'credit opening',
      'credit return',
      'credit void',
      'debit hold',
      'debit hold',
    ])
    expect(body.data.at(-1)).toEqual({
      id: expect.any(Number),
      reference: `LED_${body.data.at(-1).id}`,
      status: 'Posted',
      type: 'credit',
      kind: 'opening',
      amount: 1_000_000,
      amountMinor: 100_000_000,
      currency: 'NGN',
      cause: { type: 'business', id: businessId, reference: null },
      createdAt: expect.stringMatching(/Z$/),
    })
    const of = (reference: string) =>
      kinds(body.data.filter((entry: Entry) => entry.cause.reference === reference))
    expect(of(failed)).toEqual(['credit void', 'debit hold'])
    expect(of(returned)).toEqual(['credit fee', 'credit return', 'debit hold'])
    expect(body.meta).toEqual({ limit: 20, next: null, previous: null, hasMore: false })
    const plain = await get('/api/user-service/v1/wallet/ledger')
    expect(plain.body).toEqual(body)
  })

  test('200 with entries that add up to the available balance', async () => {
    const { send, fund, all, get } = await shop()
    const accounts = ['0000000001', '0000000002', '0000000003', '0000000006', '0000000007']
    for (const [i, account] of accounts.entries()) {
      await send(account, 100 + i * 7_000.55)
      await fund(1_000.01 * (i + 1))
    }
    await bankDay()
    await bankDay()
    const sum = (await all('limit=3')).reduce(
      (total, { type, amountMinor }) => total + (type === 'credit' ? amountMinor : -amountMinor),
      0,
    )
    expect(sum).toBe((await get(BALANCE)).body.data[0].availableMinor)
  })

  test('200 pages forwards and backwards while entries are added', async () => {
    const { fund, ledger, all } = await shop()
    for (let i = 0; i < 12; i++) await fund(i + 1)
    const whole = await all('limit=100')
    expect(whole).toHaveLength(13)

    const first = (await ledger('limit=5')).body
    for (let i = 0; i < 3; i++) await fund(99)
    const second = (await ledger(`limit=5&cursor=${first.meta.next}`)).body
    const third = (await ledger(`limit=5&cursor=${second.meta.next}`)).body
    expect([...first.data, ...second.data, ...third.data]).toEqual(whole)
    expect([third.meta.next, third.meta.hasMore]).toEqual([null, false])
    const back = (await ledger(`limit=5&cursor=${third.meta.previous}`)).body
    expect(back.data).toEqual(second.data)
    expect((await ledger(`limit=5&cursor=${back.meta.next}`)).body.data).toEqual(third.data)

    // Going back to the start also returns the entries added meanwhile.
    const before = await all('limit=2', 'previous', third.meta.previous)
    expect(before).toHaveLength(10 + 3)
    expect(before.slice(3)).toEqual(whole.slice(0, 10))
  })

  test('200 pages through entries with equal times without losing any', async () => {
    const { businessId, all } = await shop()
    const tenant = { businessId, live: false }
    const now = clock.now()
    for (let i = 0; i < 9; i++) {
      await db.transaction(async (tx) => {
        const cause = { type: 'simulation', id: await ids.next(tx) } as const
        const reference = `SIM_${cause.id}`
        const amount_minor = BigInt(i + 1)
        const funding = { amount_minor, currency: 'NGN', through, cause, reference, now }
        await creditWallet(tx, ids, tenant, funding)
      })
    }
    const entries = await all('limit=2&type=credit')
    const amounts = entries.map(({ amountMinor }) => amountMinor)
    expect(amounts.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 100_000_000])
  })

  test('200 filters by side, currency and time', async () => {
    const { send, all, businessId } = await shop()
    const before = clock.now().toISOString()
    clock.advance(1)
    await send('0000000002')
    await bankDay()
    expect(kinds(await all('type=credit&limit=1'))).toEqual(['credit void', 'credit opening'])
    expect(kinds(await all('type=debit'))).toEqual(['debit hold'])
    expect(kinds(await all(`startDate=${before}`))).toEqual(['credit void', 'debit hold'])
    expect(kinds(await all(`endDate=${before}`))).toEqual(['credit opening'])
    expect(kinds(await all('currency=NGN&type=debit'))).toEqual(['debit hold'])
    expect(await all('currency=USD')).toEqual([])

    await db.transaction(async (tx) => {
      const cause = { type: 'simulation', id: await ids.next(tx) } as const
      const funding = { amount_minor: 500n, currency: 'USD', through, cause, reference: 'SIM_usd' }
      await creditWallet(tx, ids, { businessId, live: false }, { ...funding, now: clock.now() })
    })
    expect(kinds(await all('currency=USD'))).toEqual(['credit funding'])
    expect(await all()).toHaveLength(3)
  })

  test('200 without entries of other businesses or of live mode', async () => {
    const [one, other] = [await shop(), await shop()]
    await one.fund(10)
    expect(kinds(await other.all())).toEqual(['credit opening'])
    const { body } = await server.as(one.keys.liveSecret).get(LEDGER)
    expect([body.data, body.meta.hasMore]).toEqual([[], false])
  })

  test('400 for a cursor that was tampered with, or is of another business or list', async () => {
    const [one, other] = [await shop(), await shop()]
    for (const { fund } of [one, other]) for (let i = 0; i < 3; i++) await fund(10)
    const cursor: string = (await one.ledger('limit=2')).body.meta.next
    expect((await one.ledger(`limit=3&cursor=${cursor}`)).status).toBe(200)
    expect((await one.ledger(`limit=3&currency=NGN&cursor=${cursor}`)).status).toBe(200)

    const [place, mac] = cursor.split('.') as [string, string]
    const later = Buffer.from(place, 'base64url')
      .toString()
      .replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const refused = [
      await one.ledger(`cursor=${Buffer.from(later).toString('base64url')}.${mac}`),
      await one.ledger(`cursor=${place}.${mac.slice(1)}`),
      await one.ledger(`cursor=${place}`),
      await one.ledger('cursor=nonsense'),
      await one.ledger(`type=credit&cursor=${cursor}`),
      await one.ledger(`startDate=2020-01-01&cursor=${cursor}`),
      await one.ledger(`currency=USD&cursor=${cursor}`),
      await other.ledger(`cursor=${cursor}`),
      await server.as(one.keys.liveSecret).get(`${LEDGER}?cursor=${cursor}`),
    ]
    expect(refused.map(({ status, body }) => [status, Object.keys(body.errors)])).toEqual(
      refused.map(() => [400, ['cursor']]),
    )
  })

  test.each([
    ['type', 'both'],
    ['currency', 'naira'],
    ['currency', 'XXZ'],
    ['limit', '0'],
    ['limit', '101'],
    ['cursor', ''],
    ['cursor', 'a'.repeat(301)],
    ['startDate', 'yesterday'],
    ['endDate', '2026-02-30'],
  ])('400 names %s for %j', async (field, value) => {
    const { status, body } = await server.get(`${LEDGER}?${field}=${value}`)
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })

  test('400 names startDate after endDate; 401 without a key', async () => {
    const { status, body } = await server.get(`${LEDGER}?startDate=2026-02-02&endDate=2026-02-01`)
    expect([status, Object.keys(body.errors)]).toEqual([400, ['startDate']])
    expect((await server.get(LEDGER, { authorization: '' })).status).toBe(401)
  })
})
