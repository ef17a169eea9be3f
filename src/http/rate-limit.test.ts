import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { rateLimiter } from './rate-limit.ts'

const PATH = '/api/payment-service/external/v1/invoices'

// Low enough that 800 requests exceed it even on the slowest machine.
describe('a server with a limit of 20 a second', async () => {
  const server = await startServer({ rateLimit: 20 })
  const { get, post, as, newBusiness, db, clock } = server
  const { keys: other } = await newBusiness('Bola Stores')

  test('429 after a burst of 40, with the headers a client needs', async () => {
    const replies = await Promise.all(Array.from({ length: 800 }, () => get(PATH)))
    const passed = replies.filter(({ status }) => status === 200)
    const refused = replies.filter(({ status }) => status === 429)

    expect(passed.length).toBeGreaterThanOrEqual(40)
    expect(passed.length + refused.length).toBe(800)
    expect(refused.length).toBeGreaterThan(0)
    for (const { headers } of replies) {
      expect(headers.get('ratelimit-limit')).toBe('40')
      expect(headers.get('ratelimit-remaining')).toMatch(/^\d+$/)
      expect(headers.get('ratelimit-reset')).toMatch(/^[012]$/)
    }
    for (const { headers, body } of refused) {
      expect(Number(headers.get('retry-after'))).toBe(1)
      expect(headers.get('ratelimit-remaining')).toBe('0')
      expect(body).toMatchObject({ status: 'error', errorCode: 'rate_limited', errors: {} })
    }
  })

  test('200 for another key; requests without a key use no limit', async () => {
    expect((await as(other.testSecret).get(PATH)).status).toBe(200)
    const strangers = Array.from({ length: 300 }, () => get(PATH, { authorization: 'Bearer no' }))
    for (const { status, headers } of await Promise.all(strangers)) {
      expect([status, headers.has('ratelimit-limit')]).toEqual([401, false])
    }
  })

  test('201 a second after a refusal, which stored nothing, not even its key', async () => {
    const invoice = { customerEmail: 'ada@example.com', amount: 5 }
    const send = (key: string) => post(PATH, invoice, { 'idempotency-key': key })
    let key: string | undefined
    for (let round = 0; key === undefined; round++) {
      const keys = Array.from({ length: 100 }, (_, i) => `limited-${round}-${i}`)
      const statuses = await Promise.all(keys.map(async (one) => (await send(one)).status))
      key = keys[statuses.indexOf(429)]
    }
    expect(await db.many`select 1 from idempotency_keys where key = ${key}`).toEqual([])

    clock.advance(1_000)
    const { status, headers } = await send(key)
    expect([status, headers.has('idempotent-replayed')]).toEqual([201, false])
  })

  test('200 for health checks, without a limit', async () => {
    const replies = await Promise.all(Array.from({ length: 300 }, () => get('/health/live')))
    expect(replies.every(({ status }) => status === 200)).toBe(true)
  })
})

describe('a bucket', () => {
  test('refills at its rate, never beyond its burst', () => {
    const take = rateLimiter({ perSecond: 10, burst: 20 })
    const left = (atMs: number) => take('ada', atMs)['ratelimit-remaining']
    for (let i = 19; i >= 0; i--) expect(left(0)).toBe(String(i))
    expect(() => take('ada', 0)).toThrow('Too many requests')
    expect(() => take('ada', 99)).toThrow('Too many requests')
    expect(left(100)).toBe('0')
    expect(left(1_100)).toBe('9')
    expect(left(3_600_000)).toBe('19')
  })

  test('repays what other processes have taken before it gives anything', () => {
    const take = rateLimiter({ perSecond: 10, burst: 20 })
    take('ada', 0)
    take.takeOwed('ada', 24, 0)
    expect(() => take('ada', 500)).toThrow('Too many requests')
    expect(take('ada', 600)).toMatchObject({ 'ratelimit-remaining': '0' })
    take.takeOwed('bola', -5, 0)
    expect(take('bola', 0)).toMatchObject({ 'ratelimit-remaining': '19' })
  })

  test('does not fill when the clock goes back', () => {
    const take = rateLimiter({ perSecond: 1, burst: 1 })
    take('ada', 10_000)
    expect(() => take('ada', 0)).toThrow('Too many requests')
    expect(() => take('ada', 500)).toThrow('Too many requests')
  })

  test('takes nothing and sets no headers when the limit is off', () => {
    const take = rateLimiter({ perSecond: 0, burst: 0 })
    for (let i = 0; i < 1_000; i++) expect(take('ada', 0)).toEqual({})
  })

  test('of an old key is removed before there are too many', () => {
    const take = rateLimiter({ perSecond: 1, burst: 1 })
    for (let key = 0; key <= 10_000; key++) take(key, 0)
    expect(() => take(10_000, 0)).toThrow()
    expect(take(0, 0)).toMatchObject({ 'ratelimit-remaining': '0' })
  })
})
