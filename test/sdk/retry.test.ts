import { beforeEach, describe, expect, test } from 'vitest'
import {
  type ApiError,
  ConflictError,
  ConnectionError,
  RateLimitError,
  type ResponseInfo,
  ServerError,
  TimeoutError,
  Tradepost,
  type TradepostOptions,
  UnavailableError,
} from '../../sdk/src/index.ts'
import { waitOf } from '../../sdk/src/retry.ts'
import { startSecond, startServer } from '../harness.ts'
import { type Fault, flakyProxy } from './flaky.ts'

const server = await startServer({ jobs: false })
const proxy = await flakyProxy(server.url)
const key = server.business.keys.testSecret

const client = (options: Partial<TradepostOptions> = {}) =>
  new Tradepost({ key, baseUrl: proxy.url, ...options })
const order = { customerEmail: 'ada@example.com', amount: 5100 }

/** Counts the invoices of an amount that only one test uses. */
const made = async (amount: number) =>
  (await new Tradepost({ key, baseUrl: server.url }).invoices.list().toArray()).filter(
    (invoice) => invoice.amount === amount,
  ).length

beforeEach(() => {
  proxy.faults.length = 0
  proxy.seen.length = 0
})

describe('a write whose connection or server fails', () => {
  const busy = { 'retry-after': '1', 'content-type': 'application/json' }
  const cases: [string, number, Fault[], boolean][] = [
    ['429', 11, [{ status: 429, headers: busy, body: '{}' }], false],
    ['503 without Retry-After', 12, [{ status: 503 }], false],
    ['408', 18, [{ status: 408 }], false],
    ['502 of a proxy', 13, [{ status: 502, body: '<h1>Bad gateway</h1>' }], false],
    ['a connection cut before it arrives', 14, ['cut before'], false],
    ['a connection cut after the write', 15, ['cut after'], true],
    ['a response cut in the middle', 16, ['cut inside'], true],
    ['one after the other', 17, ['cut after', { status: 503 }, 'cut before'], true],
  ]
  test.each(cases)(
    '201 is done once, with one key: %s',
    async (_name, amount, faults, replayed) => {
      proxy.faults.push(...faults)
      const heard: ResponseInfo[] = []
      const onResponse = (answer: ResponseInfo) => void heard.push(answer)
      const invoice = await client().invoices.create({ ...order, amount }, { onResponse })

      expect(invoice).toMatchObject({ amount, status: 'Sent' })
      expect(await made(amount)).toBe(1)
      expect(proxy.seen).toHaveLength(faults.length + 1)
      const [first] = proxy.seen
      expect(first!.key).toMatch(/^[0-9a-f-]{36}$/)
      expect(new Set(proxy.seen.map((one) => `${one.key} ${one.body}`)).size).toBe(1)
      expect(heard).toEqual([
        expect.objectContaining({
          status: 201,
          attempts: faults.length + 1,
          isReplayed: replayed,
          idempotencyKey: first!.key,
        }),
      ])
    },
  )

  test('201 two calls have different keys', async () => {
    await client().invoices.create({ ...order, amount: 21 })
    await client().invoices.create({ ...order, amount: 21 })
    expect(new Set(proxy.seen.map((one) => one.key)).size).toBe(2)
    expect(await made(21)).toBe(2)
  })

  test('201 with the caller’s own key for two calls', async () => {
    proxy.faults.push('cut after')
    const options = { idempotencyKey: 'order-22', retriesMax: 0 }
    const create = () => client().invoices.create({ ...order, amount: 22 }, options)
    const error = await create().catch((error) => error)
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ attempts: 1, idempotencyKey: 'order-22' })
    await create()
    expect(await made(22)).toBe(1)
  })

  test('200 an upload is also done once', async () => {
    const book = { name: 'Book', price: 1, type: 'digital' } as const
    const { productId } = await client().products.create(book)
    proxy.faults.push('cut after', 'cut inside')
    const file = new File(['Read me.'], 'book.txt')
    const { name } = await client().digitalFiles.add({ productId, file })
    expect(name).toBe('book.txt')
    expect(await client().digitalFiles.list({ productId }).toArray()).toHaveLength(1)
  })

  test('409 with Retry-After, while an earlier attempt is running, is retried', async () => {
    const body = '{"status":"error","message":"Still running.","errors":{}}'
    proxy.faults.push({ status: 409, headers: busy, body })
    await client().invoices.create({ ...order, amount: 23 })
    expect(proxy.seen).toHaveLength(2)
  })

  test('500 with an unknown outcome is retried with its key', async () => {
    const body = '{"status":"error","message":"?","errors":{},"errorCode":"outcome_unknown"}'
    proxy.faults.push({ status: 500, body })
    await client().invoices.create({ ...order, amount: 24 })
    expect(new Set(proxy.seen.map((one) => one.key)).size).toBe(1)
  })

  test('201 ten at once against a server that accepts two at a time', async () => {
    const { url } = await startSecond(server, { rateLimit: 2 })
    const strict = new Tradepost({ key, baseUrl: url, retriesMax: 20 })
    await Promise.all(
      Array.from({ length: 10 }, () => strict.invoices.create({ ...order, amount: 25 })),
    )
    expect(await made(25)).toBe(10)
  })
})

describe('reads', () => {
  test('200 are retried without a key', async () => {
    proxy.faults.push('cut inside', { status: 503, headers: { 'retry-after': '1' } })
    await expect(client().profile.get()).resolves.toMatchObject({ currency: 'NGN' })
    expect(proxy.seen.map((one) => [one.method, one.key])).toEqual(
      Array.from({ length: 3 }, () => ['GET', undefined]),
    )
  })
})

describe('without a retry', () => {
  const once: [string, Fault, typeof ApiError][] = [
    [
      '500, which can be permanent',
      { status: 500, body: '{"error":true,"message":"no"}' },
      ServerError,
    ],
    ['409 without Retry-After', { status: 409 }, ConflictError],
    [
      '429 for more than a minute',
      { status: 429, headers: { 'retry-after': '3600' } },
      RateLimitError,
    ],
  ]
  test.each(once)('%s', async (_name, fault, type) => {
    proxy.faults.push(fault)
    const error = await client()
      .invoices.create(order)
      .catch((error) => error)
    expect(error).toBeInstanceOf(type)
    expect(error).toMatchObject({ attempts: 1, idempotencyKey: proxy.seen[0]!.key })
    expect(proxy.seen).toHaveLength(1)
  })

  test('429 for a second reminder within the hour has the time to wait', async () => {
    const { reference } = await client().invoices.create(order)
    await client().invoices.remind(reference)
    const error = await client()
      .invoices.remind(reference)
      .catch((error) => error)
    expect(error).toBeInstanceOf(RateLimitError)
    expect(error.retryAfterMs).toBeGreaterThan(60_000)
    expect(proxy.seen).toHaveLength(3)
  })

  test('503 after the last retry, with the number of attempts', async () => {
    const down = { status: 503, headers: { 'retry-after': '1' } }
    proxy.faults.push(down, down, down)
    const call = client({ retriesMax: 1 }).invoices.create(order)
    const error = await call.catch((error) => error)
    expect(error).toBeInstanceOf(UnavailableError)
    expect(error).toMatchObject({ attempts: 2, status: 503, retryAfterMs: 1000 })
    expect(proxy.seen).toHaveLength(2)
  })

  test('a token exchange, which has no key, after a cut connection', async () => {
    proxy.faults.push('cut after')
    const exchange = client().partners.createToken({ clientId: 'pc_1', clientSecret: 'ps_1' })
    await expect(exchange).rejects.toBeInstanceOf(ConnectionError)
    expect(proxy.seen).toHaveLength(1)
  })

  test('a successful response for which the caller’s own function throws', async () => {
    const onResponse = () => {
      throw new RangeError('mine')
    }
    await expect(client().profile.get({ onResponse })).rejects.toBeInstanceOf(RangeError)
    expect(proxy.seen).toHaveLength(1)
  })
})

describe('time', () => {
  test('per attempt is limited, and the next attempt has the same key', async () => {
    proxy.faults.push('hang', 'stall')
    const options = { timeoutMs: 1000, retriesMax: 1 }
    const error = await client(options)
      .invoices.create(order)
      .catch((error) => error)
    expect(error).toBeInstanceOf(TimeoutError)
    expect(error.attempts).toBe(2)
    expect(proxy.seen.map((one) => one.key)).toEqual(proxy.seen.map(() => error.idempotencyKey))
  })

  test('ends with the caller’s signal: before, during and between attempts', async () => {
    const reason = new Error('closed the page')
    const gone = client().profile.get({ signal: AbortSignal.abort(reason) })
    await expect(gone).rejects.toBe(reason)
    expect(proxy.seen).toHaveLength(0)

    const hanging = new AbortController()
    proxy.faults.push('hang')
    const during = client().profile.get({ signal: hanging.signal })
    await expect.poll(() => proxy.seen.length).toBe(1)
    hanging.abort(reason)
    await expect(during).rejects.toBe(reason)

    const waiting = new AbortController()
    proxy.faults.push({ status: 503, headers: { 'retry-after': '55' } })
    const watched = (async (...about: Parameters<typeof fetch>) => {
      const response = await fetch(...about)
      setTimeout(() => waiting.abort(reason), 50)
      return response
    }) as typeof fetch
    const between = client({ fetch: watched }).profile.get({ signal: waiting.signal })
    await expect(between).rejects.toBe(reason)
    expect(proxy.seen).toHaveLength(2)
  })

  test.each([1, 2, 3, 4, 5, 6])('between attempts grows with jitter: after %i', (count) => {
    const most = Math.min(8000, 500 * 2 ** (count - 1))
    const waits = Array.from({ length: 200 }, () => waitOf(new ConnectionError('cut'), count))
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(most / 2)
    expect(Math.max(...waits)).toBeLessThanOrEqual(most)
    expect(new Set(waits).size).toBeGreaterThan(100)
  })

  test('between attempts is never less than Retry-After', () => {
    const failure = { status: 429, code: 'rate_limited', message: '', fields: {}, body: {} }
    const error = new RateLimitError({ ...failure, requestId: undefined, retryAfterMs: 7000 })
    for (const count of [1, 2, 5]) expect(waitOf(error, count)).toBeGreaterThanOrEqual(7000)
  })
})
