import { afterAll, describe, expect, test } from 'vitest'
import { statusesOf, times } from '../../../test/concurrency.ts'
import { findings } from '../../../test/corruption/findings.ts'
import { callerWith, startServer } from '../../../test/harness.ts'
import { otherProcess } from '../../../test/processes.ts'
import type { Provider } from '../../providers/connector/types.ts'
import { openProviders } from '../../providers/providers.ts'
import { openSimulator } from '../../providers/simulator/simulator.ts'
import { amountOn, openPage } from '../../sales/payment-pages/service.ts'
import { SPLIT_PAGES } from './attempts.fixture.ts'
import { openShop, USSD } from './ussd.fixture.ts'
import { ussdPayment } from './ussd.ts'

/* Requests that arrive together are written, sent and settled together. */

const server = await startServer({ jobs: false })
const { db, clock } = server

afterAll(async () => expect(await findings(server)).toEqual([]))

const charge = (amount: number) => ({ channel: 'USSD', amount }) as const
const key = (value: string) => ({ 'idempotency-key': value })
const settle = async () => {
  clock.advance(1_000)
  await server.runJob('simulator')
}

/** For each transaction of a business, what exists of it. */
const stored = (businessId: number) => db.many<Record<string, unknown>>`
  select status, amount_minor, ussd_codes like '[{%' as has_codes,
    (select string_agg(type, ' ' order by sequence) from events
      where object_type = 'transaction' and object_id = t.id) as events,
    (select count(*) from simulator_orders s join provider_orders o
      on o.business_id = s.business_id and o.sent_reference = s.reference
      where o.subject_id = t.id) as simulated,
    (select string_agg(last_outcome || ' ' || tries, ', ') from provider_orders o
      where kind = 'charge' and subject_id = t.id and o.reference = t.reference) as orders
  from transactions t where business_id = ${businessId} order by amount_minor`

describe('64 USSD payments at once', () => {
  test('200 for businesses of all kinds, each with its own codes, and settled once', async () => {
    const shops = await times(4, () => openShop(server))
    const pages = await times(4, (i) => shops[i]!.splitPage([20 + i]))
    const replies = await times(64, (i) => {
      const pageId = i % 2 ? { pageId: pages[i % 4]!.id } : {}
      return shops[i % 4]!.post(USSD, { ...charge(1_000 + i), ...pageId })
    })
    expect(statusesOf(replies)).toEqual({ 200: 64 })
    expect(new Set(replies.map(({ body }) => body.data.reference)).size).toBe(64)
    const pending = { status: 'Pending', has_codes: true, events: 'transaction.pending' }
    for (const [i, { businessId }] of shops.entries()) {
      const amounts = times(16, async (n) => BigInt(1_000 + i + n * 4) * 100n)
      expect(await stored(businessId)).toEqual(
        (await amounts).map((amount_minor) => ({
          amount_minor,
          ...pending,
          simulated: 1,
          orders: 'done 0',
        })),
      )
    }
    for (const [i, { body }] of replies.entries()) {
      const { amount, transactionId } = body.data
      expect(amount).toBe(1_000 + i)
      expect((await shops[i % 4]!.row(transactionId)).payable_minor).toBe(BigInt(1_000 + i) * 100n)
    }

    const before = await Promise.all(shops.map(({ available }) => available()))
    await settle()
    await settle()
    for (const [i, { businessId, available }] of shops.entries()) {
      const rows = await stored(businessId)
      expect(rows.map(({ status, events }) => [status, events])).toEqual(
        rows.map(() => ['Successful', 'transaction.pending transaction.successful']),
      )
      expect(await available()).toBeGreaterThan(before[i]!)
    }
  })

  test('200 for 8 with each of 8 keys: 8 payments, one response for each key', async () => {
    const { post, count } = await openShop(server)
    const replies = await times(64, (i) => post(USSD, charge(100 + (i % 8)), key(`k${i % 8}`)))
    expect(statusesOf(replies)).toEqual({ 200: 64 })
    expect(await count()).toBe(8)
    for (let i = 0; i < 8; i++) {
      const same = replies.filter((_, n) => n % 8 === i)
      expect(new Set(same.map(({ text }) => text)).size).toBe(1)
      expect(same[0]!.body.data.amount).toBe(100 + i)
    }
    const again = await post(USSD, charge(100), key('k0'))
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([
      replies[0]!.text,
      'true',
    ])
  })

  test('400, 404 and 422 only for those that are wrong', async () => {
    const { post, count } = await openShop(server)
    await post(USSD, charge(7), key('used'))
    const replies = await times(64, (i) => {
      if (i % 16 === 3) return post(USSD, charge(-1), key(`w${i}`))
      if (i % 16 === 5) return post(USSD, { ...charge(5), pageId: 1 }, key(`w${i}`))
      if (i % 16 === 7) return post(USSD, charge(8), key('used'))
      return post(USSD, charge(100 + i), key(`w${i}`))
    })
    expect(statusesOf(replies)).toEqual({ 200: 52, 400: 4, 404: 4, 422: 4 })
    expect(await count()).toBe(53)
  })

  test('200 on two processes with the same keys: one payment for each', async () => {
    const { keys, post, count, businessId } = await openShop(server)
    const { url } = await otherProcess(server.connection)
    const other = callerWith(url, keys.testSecret).post
    const untilDone = async (send: typeof post, i: number) => {
      for (;;) {
        const reply = await send(USSD, charge(500 + i), key(`two${i}`))
        if (reply.status !== 409) return reply
      }
    }
    const replies = await times(64, (i) => untilDone(i % 2 ? post : other, i >> 1))
    expect(statusesOf(replies)).toEqual({ 200: 64 })
    expect(await count()).toBe(32)
    for (let i = 0; i < 32; i++) expect(replies[2 * i]!.text).toBe(replies[2 * i + 1]!.text)
    expect((await stored(businessId)).map(({ simulated }) => simulated)).toEqual(Array(32).fill(1))
  })
})

test('200 repeats the response for a key after its page has become inactive', async () => {
  const { post, put, splitPage, count } = await openShop(server)
  const { id: pageId } = await splitPage([20])
  const body = { channel: 'USSD', amount: 1_000, pageId }
  const first = await post(USSD, body, key('charge-1'))
  expect(first.status).toBe(200)
  const updated = await put(`${SPLIT_PAGES}/${pageId}`, { status: false })
  expect([updated.status, updated.text]).toEqual([200, expect.any(String)])

  const again = await post(USSD, body, key('charge-1'))
  expect([again.status, again.text]).toEqual([200, first.text])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  const other = await post(USSD, { ...body, amount: 2_000 }, key('charge-1'))
  expect([other.status, other.body.error]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
  expect((await post(USSD, body, key('charge-2'))).status).toBe(409)
  expect(await count()).toBe(1)
})

test('a provider that refuses or does not respond to some affects only those', async () => {
  const { tenant, businessId } = await openShop(server)
  const simulator = openSimulator({ db, clock, nudge: () => {}, simulatorDelayMs: 20 })
  const startUssd: Provider['startUssd'] = async (about, order) => {
    const naira = order.amount_minor / 100n
    if (naira % 8n === 1n) return { kind: 'refused', code: 'declined', message: 'Closed.' }
    if (naira % 8n === 2n) return { kind: 'unknown', reason: 'timed_out' }
    return simulator.startUssd(about, order)
  }
  const providers = openProviders(db, { simulator: { ...simulator, startUssd } })
  const deps = { db, ids: server.ids, providers, pages: { openPage, amountOn } }
  const unused = { keyId: 1, scopes: null, expiresAt: null, timeZone: 'Africa/Lagos' }
  const caller = { ...tenant, ...unused, now: clock.now() }
  const outcomes = await times(32, async (i) => {
    const { begin, finish } = ussdPayment(deps, caller, charge(800 + i), undefined)
    const id = await begin.write()
    return finish(id!).then(
      ({ ussd_codes }) => (ussd_codes ? 'codes' : 'no codes'),
      ({ code }) => code,
    )
  })
  const expected = (i: number) => ['codes', 'provider_refused', 'no codes'][i % 8] ?? 'codes'
  expect(outcomes).toEqual(outcomes.map((_, i) => expected(i)))
  const rows = await stored(businessId)
  const orders = ['done 0', 'refused 0', 'unknown 0']
  expect(rows.map((row) => [row.status, row.has_codes, row.orders])).toEqual(
    rows.map((_, i) => [
      i % 8 === 1 ? 'Failed' : 'Pending',
      [1, 2].includes(i % 8) ? null : true,
      orders[i % 8] ?? 'done 0',
    ]),
  )
})
