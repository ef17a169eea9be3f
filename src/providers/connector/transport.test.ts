import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { CERTIFICATE } from '../../../test/certificate.ts'
import type { FaultRule } from '../../../test/providers/doubles/faults.ts'
import { openGate } from '../../../test/providers/doubles/gate.ts'
import { startDouble } from '../../../test/providers/doubles/start.ts'
import { KEY, TOY, toyProvider } from '../../../test/providers/doubles/toy.fixture.ts'
import { outcomeOf } from './outcome.ts'
import {
  type HttpRequest,
  openTransport,
  type RecordedExchange,
  type Transport,
} from './transport.ts'

const build = (kit: Parameters<typeof toyProvider>[0]) =>
  toyProvider(kit, { repeats: false, isCurt: false })
const plain = await startDouble(build, { described: TOY })
const secure = await startDouble(build, { described: TOY, tls: true })

const transport = openTransport({
  pauseMs: 5,
  allows: () => true,
  ca: CERTIFICATE.cert,
  resolve: (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
})
afterAll(() => transport.close())

/** The certificate's name, which resolves to this machine. */
const named = (url: string) => url.replace('127.0.0.1', CERTIFICATE.host)

const DEADLINE_MS = 10_000
/** Long enough to connect, and all of it is waited for. */
const SHORT_DEADLINE_MS = 400

let made = 0
const newReference = () => `ref-${++made}`
const headers = { authorization: `Bearer ${KEY}` }
const orderOf = (reference: string): HttpRequest => ({
  operation: 'POST /order',
  method: 'POST',
  path: '/order',
  headers,
  body: { reference, amount: 500n },
  isSafeToRepeat: false,
})
const lookUpOf = (reference: string): HttpRequest => ({
  operation: 'GET /order/{reference}',
  method: 'GET',
  path: `/order/${reference}`,
  headers,
  query: { full: 'true' },
  isSafeToRepeat: true,
})

/** Sends, and shows the outcome as the table in the design does. */
async function outcome(
  double: { baseUrl: string },
  request: HttpRequest,
  { deadlineMs = DEADLINE_MS, by = transport }: { deadlineMs?: number; by?: Transport } = {},
): Promise<string> {
  const http = by.client({ baseUrl: named(double.baseUrl), deadlineMs })
  const found = outcomeOf(await http.send(request), request, (status, body) => {
    const id = body.text('data', 'id')
    return status === 200 && id ? { kind: 'done', value: id } : undefined
  })
  if (found.kind === 'done') return 'done'
  return `${found.kind} ${found.kind === 'unknown' ? found.reason : found.code}`
}

for (const [title, double] of [
  ['HTTP', plain],
  ['HTTPS', secure],
] as const) {
  const executed = (reference: string) => double.books.executed.get(reference) ?? 0

  describe(`an order over ${title}`, () => {
    test.each<[Omit<FaultRule, 'on'> | undefined, string, number]>([
      [undefined, 'done', 1],
      [{ kind: 'reset_after_read' }, 'unknown disconnected', 0],
      [{ kind: 'hang_before_effect' }, 'unknown timed_out', 0],
      [{ kind: 'hang_after_effect' }, 'unknown timed_out', 1],
      [{ kind: 'reset_after_effect' }, 'unknown disconnected', 1],
      [{ kind: 'cut_body' }, 'unknown disconnected', 1],
      [{ kind: 'slow_body', ms: 20 }, 'done', 1],
      [{ kind: 'status', status: 500 }, 'unknown server_error', 0],
      [{ kind: 'status_after_effect', status: 502 }, 'unknown server_error', 1],
      [{ kind: 'status_after_effect', status: 408 }, 'unknown timed_out', 1],
      [{ kind: 'status', status: 400 }, 'refused bad_request', 0],
      [{ kind: 'status', status: 401 }, 'notNow credentials_refused', 0],
      [{ kind: 'status', status: 404 }, 'refused bad_request', 0],
      [{ kind: 'status', status: 409 }, 'unknown duplicate', 0],
      [{ kind: 'status', status: 429, retryAfter: 7 }, 'notNow rate_limited', 0],
      [{ kind: 'html' }, 'unknown unreadable', 1],
      [{ kind: 'huge' }, 'unknown unreadable', 1],
      [{ kind: 'redirect' }, 'unknown unreadable', 1],
      [{ kind: 'missing_field', field: 'data.id' }, 'unknown unreadable', 1],
    ])('that meets %j is %s, was executed %d times, and sent once', async (rule, kind, times) => {
      if (rule) double.fault({ on: 'POST /order', ...rule })
      const [reference, { length }] = [newReference(), double.calls]
      const isSlow = rule?.kind.startsWith('hang_')
      const deadlineMs = isSlow ? SHORT_DEADLINE_MS : DEADLINE_MS
      expect(await outcome(double, orderOf(reference), { deadlineMs })).toBe(kind)
      expect([executed(reference), double.calls.length - length]).toEqual([times, 1])
    })

    test('that is repeated by mistake may be there', async () => {
      const reference = newReference()
      await outcome(double, orderOf(reference))
      expect(await outcome(double, orderOf(reference))).toBe('unknown duplicate')
    })

    test('that finds nobody was not sent', async () => {
      const { length } = double.calls
      const lift = double.fault({ on: '*', kind: 'refuse' })
      expect(await outcome(double, orderOf(newReference()))).toBe('notNow not_reached')
      await lift()
      expect(await outcome(double, orderOf(newReference()))).toBe('done')
      expect(double.calls.length - length).toBe(1)
    })

    test('never uses the connection of an earlier one', async () => {
      await outcome(double, lookUpOf('x'))
      double.fault({ on: '*', kind: 'tls_fail' })
      const kind = title === 'HTTPS' ? 'notNow not_reached' : 'unknown unreadable'
      expect(await outcome(double, orderOf(newReference()))).toBe(kind)
    })
  })

  describe(`a lookup over ${title}`, () => {
    test.each<[Omit<FaultRule, 'on'> | undefined, string, number]>([
      [undefined, 'done', 1],
      [{ kind: 'not_found_for' }, 'refused unknown_order', 1],
      [{ kind: 'reset_after_read' }, 'unknown disconnected', 3],
      [{ kind: 'hang_before_effect' }, 'unknown timed_out', 1],
      [{ kind: 'cut_body' }, 'unknown disconnected', 3],
      [{ kind: 'status', status: 500 }, 'notNow provider_down', 3],
      [{ kind: 'status', status: 408 }, 'unknown timed_out', 1],
      [{ kind: 'status', status: 400 }, 'refused bad_request', 1],
      [{ kind: 'status', status: 401 }, 'notNow credentials_refused', 1],
      [{ kind: 'status', status: 409 }, 'unknown inconclusive', 1],
      [{ kind: 'status', status: 429 }, 'notNow rate_limited', 1],
      [{ kind: 'html' }, 'unknown unreadable', 1],
      [{ kind: 'huge' }, 'unknown unreadable', 1],
      [{ kind: 'redirect' }, 'unknown unreadable', 1],
    ])('that meets %j is %s, and is sent %d times', async (rule, kind, times) => {
      const reference = newReference()
      await outcome(double, orderOf(reference))
      if (rule) double.fault({ on: 'GET /order/*', ...rule })
      const { length } = double.calls
      const isSlow = rule?.kind.startsWith('hang_')
      const deadlineMs = isSlow ? SHORT_DEADLINE_MS : DEADLINE_MS
      expect(await outcome(double, lookUpOf(reference), { deadlineMs })).toBe(kind)
      expect(double.calls.length - length).toBe(times)
    })

    test.each(['reset_after_read', 'status', 'cut_body'] as const)(
      'is repeated until it succeeds: %s',
      async (kind) => {
        const reference = newReference()
        await outcome(double, orderOf(reference))
        double.fault({ on: 'GET /order/*', kind, times: 2 })
        expect(await outcome(double, lookUpOf(reference))).toBe('done')
      },
    )

    test('that finds nobody was not sent', async () => {
      double.fault({ on: '*', kind: 'refuse' })
      expect(await outcome(double, lookUpOf('x'))).toBe('notNow not_reached')
    })

    test('finds a new connection if the provider has closed the old one', async () => {
      const reference = newReference()
      await outcome(double, orderOf(reference))
      await outcome(double, lookUpOf(reference))
      // Resets all open connections, and no new one.
      double.fault({ on: '*', kind: 'reset_before_read', times: 0 })
      expect(await outcome(double, lookUpOf(reference))).toBe('done')
    })
  })
}

describe('an order over HTTPS was not sent', () => {
  test('if TLS fails, or the connection breaks before it is secure', async () => {
    for (const kind of ['tls_fail', 'reset_before_read'] as const) {
      secure.fault({ on: '*', kind, times: 1 })
      expect(await outcome(secure, orderOf(newReference()))).toBe('notNow not_reached')
    }
  })

  test('if nobody answers the greeting before the deadline', async () => {
    const gate = await openGate({ port: 1 }, { tls: true })
    gate.decide = () => ({ kind: 'stall' })
    const to = { baseUrl: gate.url }
    const deadlineMs = SHORT_DEADLINE_MS
    expect(await outcome(to, orderOf('a'), { deadlineMs })).toBe('notNow not_reached')
    expect(gate.received).toBe(0)
    await gate.close()
  })

  test('if the certificate is not trusted, or is of another name', async () => {
    const strangers = openTransport({ allows: () => true, resolve: loopback, pauseMs: 5 })
    expect(await outcome(secure, orderOf('a'), { by: strangers })).toBe('notNow not_reached')
    strangers.close()
    const http = transport.client({ baseUrl: secure.baseUrl, deadlineMs: DEADLINE_MS })
    expect(await http.send(orderOf('a'))).toMatchObject({ kind: 'not_sent' })
    expect(secure.books.executed.has('a')).toBe(false)
  })
})

const loopback: NonNullable<Parameters<typeof openTransport>[0]['resolve']> = (_host, _all, done) =>
  done(null, [{ address: '127.0.0.1', family: 4 }])

describe('a request was not sent', () => {
  test('if the name does not resolve', async () => {
    const lost = openTransport({
      allows: () => true,
      pauseMs: 5,
      resolve: (_host, _all, done) =>
        done(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []),
    })
    expect(await outcome(plain, orderOf('a'), { by: lost })).toBe('notNow not_reached')
    expect(await outcome(plain, lookUpOf('a'), { by: lost })).toBe('notNow not_reached')
    lost.close()
  })

  test('if the address is not allowed, by name or by number', async () => {
    const strict = openTransport({ allows: () => false, resolve: loopback })
    for (const baseUrl of [plain.baseUrl, named(plain.baseUrl)]) {
      const http = strict.client({ baseUrl, deadlineMs: DEADLINE_MS })
      for (const request of [orderOf('a'), lookUpOf('a')]) {
        expect(await http.send(request)).toMatchObject({ kind: 'not_sent', reason: 'not_reached' })
      }
    }
    strict.close()
  })
})

describe('a slot', () => {
  const open = (takeSlot: NonNullable<Parameters<Transport['client']>[0]['takeSlot']>) =>
    transport.client({ baseUrl: plain.baseUrl, deadlineMs: DEADLINE_MS, takeSlot })

  test('is taken for each request, and given back', async () => {
    const seen: string[] = []
    const http = open(async ({ operation }) => {
      seen.push(`take ${operation}`)
      return () => void seen.push('release')
    })
    const reference = newReference()
    await http.send(orderOf(reference))
    plain.fault({ on: 'GET /order/*', kind: 'status', times: 1 })
    await http.send(lookUpOf(reference))
    const read = ['take GET /order/{reference}', 'release']
    expect(seen).toEqual(['take POST /order', 'release', ...read, ...read])
  })

  test('that does not come means that nothing was sent', async () => {
    const { length } = plain.calls
    const http = open(async () => undefined)
    for (const request of [orderOf('a'), lookUpOf('a')]) {
      expect(await http.send(request)).toMatchObject({ kind: 'not_sent', reason: 'rate_limited' })
    }
    expect(plain.calls.length).toBe(length)
  })
})

describe('a request', () => {
  const received: { method: string; url: string; headers: object; body: string }[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request
    void text(request).then((body) => {
      received.push({ method, url, headers: request.headers, body })
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      response.end('{"id":12345678901234567890}')
    })
  })
  beforeEach(async () => {
    if (!server.listening) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    }
  })
  afterAll(() => server.close())
  const urlOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  test('has the path, the query, the headers and exact amounts', async () => {
    const http = transport.client({ baseUrl: `${urlOf()}/v3/`, deadlineMs: DEADLINE_MS })
    const result = await http.send({
      operation: 'POST /transfers',
      method: 'POST',
      path: '/transfers',
      query: { reference: 'a b&c' },
      headers: { authorization: 'Bearer x' },
      body: { amount: 12_345_678_901_234_567_890n, narration: 'ẹ̀bùn' },
      isSafeToRepeat: false,
    })
    expect(received.at(-1)).toMatchObject({
      method: 'POST',
      url: '/v3/transfers?reference=a+b%26c',
      headers: {
        authorization: 'Bearer x',
        host: new URL(urlOf()).host,
        connection: 'close',
        'content-type': 'application/json',
        'accept-encoding': 'identity',
      },
      body: '{"amount":12345678901234567890,"narration":"ẹ̀bùn"}',
    })
    if (result.kind !== 'response') throw new Error(result.kind)
    expect(result.body.text('id')).toBe('12345678901234567890')
    expect(result.headers['set-cookie']).toBe('a=1, b=2')
  })

  test('without a body has none', async () => {
    const http = transport.client({ baseUrl: urlOf(), deadlineMs: DEADLINE_MS })
    await http.send({ operation: 'GET /x', method: 'GET', path: '/x', isSafeToRepeat: true })
    expect(received.at(-1)).toMatchObject({ method: 'GET', url: '/x', body: '' })
    expect(received.at(-1)!.headers).not.toHaveProperty('content-type')
  })

  test('can send a file to a URL that the provider has given', async () => {
    const all: RecordedExchange[] = []
    const http = transport.client({
      baseUrl: plain.baseUrl,
      deadlineMs: DEADLINE_MS,
      record: (one) => void all.push(one),
    })
    for (const isSafeToRepeat of [true, false]) {
      const file = { contentType: 'text/plain', bytes: Buffer.from('ẹ̀bùn') }
      const url = `${urlOf()}/files/1?signature=secret`
      const given = { operation: 'PUT {url}', path: '', url, file, isSafeToRepeat }
      expect(await http.send({ ...given, method: 'PUT' })).toMatchObject({ status: 200 })
      expect(received.at(-1)).toMatchObject({
        method: 'PUT',
        url: '/files/1?signature=secret',
        body: 'ẹ̀bùn',
        headers: { 'content-type': 'text/plain', host: new URL(urlOf()).host },
      })
    }
    expect(all).toMatchObject(Array(2).fill({ path: '/files/1', request: null }))
    const strict = openTransport({ allows: () => false })
    const refused = strict.client({ baseUrl: plain.baseUrl, deadlineMs: DEADLINE_MS })
    const request = { operation: 'PUT {url}', path: '', url: urlOf(), isSafeToRepeat: true }
    expect(await refused.send({ ...request, method: 'PUT' })).toMatchObject({ kind: 'not_sent' })
    strict.close()
  })

  test('shares its deadline with the others of its client', async () => {
    const http = transport.client({ baseUrl: urlOf(), deadlineMs: 0 })
    expect(await http.send(orderOf('a'))).toMatchObject({ kind: 'not_sent' })
  })
})

describe('the record of calls', () => {
  test('has each exchange, without secrets', async () => {
    const all: RecordedExchange[] = []
    const http = transport.client({
      baseUrl: plain.baseUrl,
      deadlineMs: DEADLINE_MS,
      record: (one) => void all.push(one),
    })
    const reference = newReference()
    const request = orderOf(reference)
    await http.send({ ...request, body: { ...request.body, note: 'FLWSECK-abcdef123456-X' } })
    plain.fault({ on: 'GET /order/*', kind: 'reset_after_read', times: 1 })
    await http.send(lookUpOf(reference))
    const note = 'FLWSECK-[redacted]'
    expect(all).toMatchObject([
      {
        operation: 'POST /order',
        path: '/order',
        status: 200,
        result: 'response',
        request: JSON.stringify({ reference, amount: 500, note }),
        response: expect.stringContaining(`"reference":"${reference}","amount":500`),
      },
      { operation: 'GET /order/{reference}', result: 'disconnected', response: null },
      { path: `/order/${reference}?full=true`, status: 200, request: null },
    ])
    expect(JSON.stringify(all)).not.toMatch(/abcdef123456|sk_test_toy/)
  })

  test('says what was not sent', async () => {
    const all: RecordedExchange[] = []
    const lift = plain.fault({ on: '*', kind: 'refuse' })
    const http = transport.client({
      baseUrl: plain.baseUrl,
      deadlineMs: DEADLINE_MS,
      record: (one) => void all.push(one),
    })
    await http.send(orderOf('a'))
    await lift()
    expect(all).toMatchObject([{ status: null, result: 'not_reached' }])
  })
})
