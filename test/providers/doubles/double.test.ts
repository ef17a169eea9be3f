import { Agent } from 'node:http'
import { describe, expect, test } from 'vitest'
import { fc } from '../../property.ts'
import { send } from '../../request.ts'
import { openReceiver } from '../../webhook-receiver.ts'
import { openDescription, readDescription } from './described.ts'
import { digits, printJson } from './json.ts'
import { FORGERIES } from './notices.ts'
import { faultRules } from './schedules.ts'
import { startDouble } from './start.ts'
import { KEY, signatureOf, TOY, toyProvider } from './toy.fixture.ts'

const faulty = { repeats: false, isCurt: false }
const toy = await startDouble((kit) => toyProvider(kit, faulty), { described: TOY })
let made = 0
const newReference = () => `ref-${++made}`

const call = (method: string, path: string, body?: unknown, key = KEY) =>
  send(`${toy.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
const order = (reference = newReference(), amount: unknown = 500) =>
  call('POST', '/order', { reference, amount })
/** The status that the caller reads, or the error. */
const outcome = (sent: Promise<{ status: number }>) =>
  sent.then(
    ({ status }) => status,
    (error: NodeJS.ErrnoException) => error.code,
  )
/** Orders on a new connection, which meets the gate. */
const freshOrder = (reference: string) =>
  outcome(
    send(`${toy.baseUrl}/order`, {
      method: 'POST',
      agent: new Agent(),
      body: JSON.stringify({ reference, amount: 500 }),
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    }),
  )
const ordersOf = (reference: string) => toy.books.executed.get(reference) ?? 0

describe('a double', () => {
  test('keeps books, and lists what it was asked', async () => {
    const reference = newReference()
    const before = toy.books.balance_minor('NGN')
    expect((await order(reference)).body.data).toMatchObject({ reference, amount: 500 })
    expect((await call('GET', `/order/${reference}?full=true`)).status).toBe(200)
    expect((await order(reference)).status).toBe(400)
    expect(toy.books.balance_minor('NGN') - before).toBe(-500n)
    expect(toy.books.executed.get(reference)).toBe(1)
    expect(toy.calls.slice(-3)).toMatchObject([
      { operation: 'POST /order', reference, status: 200, hadEffect: true, fault: null },
      { operation: 'GET /order/{reference}', reference, status: 200, hadEffect: false },
      { operation: 'POST /order', reference, status: 400, hadEffect: false },
    ])
  })

  test('reports an order that was executed twice, once', async () => {
    faulty.repeats = true
    const reference = newReference()
    await order(reference)
    await order(reference)
    faulty.repeats = false
    expect(toy.takeProblems()).toEqual([`${reference} was executed 2 times`])
    expect(toy.takeProblems()).toEqual([])
  })

  test('reports its own answer that is not as described', async () => {
    faulty.isCurt = true
    await order()
    faulty.isCurt = false
    expect(toy.takeProblems()).toEqual([
      "the double's own answer to POST /order, 200: must have required property 'message'",
    ])
  })

  test('moves its time only when it is told to', async () => {
    const start = toy.now().getTime()
    await toy.advance(90_000)
    expect(toy.now().getTime() - start).toBe(90_000)
  })

  test('can be controlled over HTTP, also while it refuses connections', async () => {
    const control = (method: string, path: string, body?: object) =>
      send(`${toy.dashboardUrl}/__double/${path}`, { method, body: body && JSON.stringify(body) })
    expect((await control('POST', 'faults', { on: '*', kind: 'refuse' })).status).toBe(200)
    expect(await freshOrder(newReference())).toBe('ECONNREFUSED')
    await control('DELETE', 'faults')
    const reference = newReference()
    expect((await order(reference)).status).toBe(200)
    const { body } = await control('GET', 'state')
    expect(body.result.executed[reference]).toBe(1)
    expect((await control('POST', 'act/order', { reference })).body.result).toMatchObject({
      reference,
    })
    expect((await control('POST', 'faults', { on: '*', kind: 'rain' })).body.error).toMatch(/rain/)
  })
})

describe('a request that is not as described', () => {
  test.each([
    ['an amount as text', { reference: 'a', amount: '500' }, 'amount must be integer'],
    ['a fraction', { reference: 'a', amount: 500.5 }, 'amount must be integer'],
    ['a missing field', { amount: 500 }, "must have required property 'reference'"],
    ['an unknown field', { reference: 'a', amount: 5, nota: 'x' }, 'nota is unknown'],
    [
      'a wrong type in another part',
      { reference: 'a', amount: 5, note: 1 },
      'note must be string,null',
    ],
    ['no body', undefined, 'must be object'],
  ])('is refused and reported: %s', async (_title, body, message) => {
    expect((await call('POST', '/order', body)).status).toBe(400)
    expect(toy.takeProblems().join()).toContain(`POST /order: ${message}`)
  })

  test('is refused and reported: its path, its query, its type, its JSON', async () => {
    expect((await call('GET', '/orders')).status).toBe(404)
    expect((await call('GET', '/order/a?full=yes')).status).toBe(400)
    expect((await call('GET', '/order/a?fool=true')).status).toBe(400)
    const url = `${toy.baseUrl}/order`
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'text/plain' }
    expect((await send(url, { method: 'POST', headers, body: '{}' })).status).toBe(400)
    const typed = { ...headers, 'content-type': 'application/json' }
    expect((await send(url, { method: 'POST', headers: typed, body: '{' })).status).toBe(400)
    expect(toy.takeProblems()).toEqual([
      'GET /orders: is not described',
      'GET /order/{reference}: full must be boolean',
      'GET /order/{reference}: fool is not a parameter of GET /order/{reference}',
      'POST /order: the content type is not application/json',
      'POST /order: the body is not JSON',
    ])
  })

  test('is not reported if only the key is wrong', async () => {
    expect((await call('POST', '/order', { reference: 'a', amount: 5 }, 'sk_other')).status).toBe(
      401,
    )
  })
})

describe('faults', () => {
  test.each([
    [{ kind: 'status', status: 429, retryAfter: 7 }, 429, 0],
    [{ kind: 'not_found_for' }, 404, 0],
    [{ kind: 'reset_after_read' }, 'ECONNRESET', 0],
    [{ kind: 'hang_before_effect', ms: 10 }, 500, 0],
    [{ kind: 'hang_after_effect', ms: 10 }, 200, 1],
    [{ kind: 'reset_after_effect' }, 'ECONNRESET', 1],
    [{ kind: 'status_after_effect', status: 502 }, 502, 1],
    [{ kind: 'slow_body', ms: 20 }, 200, 1],
    [{ kind: 'cut_body' }, 'ECONNRESET', 1],
    [{ kind: 'redirect' }, 302, 1],
    [{ kind: 'html' }, 200, 1],
    [{ kind: 'huge' }, 200, 1],
  ] as const)('%j: %s, executed %d times', async (rule, seen, executed) => {
    toy.fault({ on: 'POST /order', times: 1, ...rule })
    const reference = newReference()
    expect(await outcome(order(reference))).toBe(seen)
    expect([ordersOf(reference), toy.calls.at(-1)]).toMatchObject([executed, { fault: rule.kind }])
    expect((await order()).status).toBe(200)
  })

  test('never answer, unless told when', async () => {
    toy.fault({ on: 'POST /order', kind: 'hang_after_effect' })
    const reference = newReference()
    const sent = order(reference)
    sent.catch(() => {})
    await expect.poll(() => ordersOf(reference)).toBe(1)
    const first = await Promise.race([
      sent,
      new Promise((resolve) => setTimeout(resolve, 20, 'none')),
    ])
    expect(first).toBe('none')
  })

  const right = { amount: 500, currency: 'NGN', status: 'done' }
  test.each([
    [
      { kind: 'missing_field', field: 'data.amount' },
      { ...right, amount: undefined },
    ],
    [{ kind: 'wrong_amount' }, { ...right, amount: 501 }],
    [{ kind: 'other_currency' }, { ...right, currency: 'USD' }],
    [{ kind: 'unknown_status' }, { ...right, status: 'awaiting-moonrise' }],
  ] as const)('change an answer, not the truth: %j', async (rule, told) => {
    toy.fault({ on: 'POST /order', times: 1, ...rule })
    const reference = newReference()
    const { id, ...data } = (await order(reference)).body.data
    expect(data).toEqual({ reference, ...told })
    expect((await call('GET', `/order/${reference}`)).body.data).toEqual({
      id,
      reference,
      ...right,
    })
  })

  test('at the gate break connections before a byte is read', async () => {
    const lift = toy.fault({ on: '*', kind: 'refuse' })
    expect(await freshOrder(newReference())).toBe('ECONNREFUSED')
    await lift()
    const calls = toy.calls.length
    toy.fault({ on: '*', kind: 'reset_before_read', times: 1 })
    expect(await freshOrder(newReference())).toBe('ECONNRESET')
    toy.fault({ on: '*', kind: 'tls_fail', times: 1 })
    expect(await freshOrder(newReference())).toBe('HPE_INVALID_CONSTANT')
    expect(toy.calls.length).toBe(calls)
    expect(await freshOrder(newReference())).toBe(200)
  })

  test('apply to the nth request, so many times, by pattern, or by chance', async () => {
    toy.fault({ on: 'GET /order/*', kind: 'status', status: 503, nth: 2, times: 2 })
    const reference = newReference()
    await order(reference)
    const seen = []
    for (let i = 0; i < 5; i++) seen.push((await call('GET', `/order/${reference}`)).status)
    expect(seen).toEqual([200, 503, 503, 200, 200])
    toy.fault({ on: '*', kind: 'status', chance: 0.5 })
    const drawn = []
    for (let i = 0; i < 40; i++) drawn.push((await call('GET', `/order/${reference}`)).status)
    expect(new Set(drawn)).toEqual(new Set([200, 500]))
  })

  test('let a look-up lag by the clock of the double', async () => {
    const reference = newReference()
    await order(reference)
    toy.fault({ on: 'GET /order/*', kind: 'not_found_for', ms: 60_000 })
    expect((await call('GET', `/order/${reference}`)).status).toBe(404)
    await toy.advance(59_999)
    expect((await call('GET', `/order/${reference}`)).status).toBe(404)
    await toy.advance(1)
    expect((await call('GET', `/order/${reference}`)).status).toBe(200)
  })

  test.each([
    [{ on: 'POST /order', kind: 'refuse' }, /applies to "\*" only/],
    [{ on: '*', kind: 'refuse', times: 2 }, /nobody counts/],
    [{ on: 'notice *', kind: 'html' }, /does not apply/],
    [{ on: '*', kind: 'lose' }, /does not apply/],
    [{ on: '*', kind: 'missing_field' }, /needs a field/],
  ] as const)('that cannot happen are refused: %j', (rule, message) => {
    expect(() => toy.fault(rule)).toThrow(message)
  })

  test('of any schedule leave books that agree with what the double says', async () => {
    const rules = faultRules(['POST /order', 'GET /order/*'])
    await fc.assert(
      fc.asyncProperty(fc.array(rules, { maxLength: 6 }), async (schedule) => {
        for (const rule of schedule) toy.fault(rule)
        const references = [newReference(), newReference(), newReference()]
        for (const reference of references) await freshOrder(reference)
        await toy.clearFaults()
        await toy.notices.deliver('shuffled')
        for (const reference of references) {
          const { status } = await call('GET', `/order/${reference}`)
          expect([reference, status]).toEqual([reference, ordersOf(reference) === 1 ? 200 : 404])
        }
      }),
      { numRuns: 40 },
    )
  })
})

describe('notices', async () => {
  const receiver = await openReceiver()
  const isAuthentic = ({ headers, body }: (typeof receiver.received)[number]) =>
    headers['x-toy-signature'] === signatureOf(body)
  receiver.answer = (response, request) =>
    response.writeHead(isAuthentic(request) ? 200 : 401).end()
  toy.notices.url = `${receiver.url}/hook`
  const arrived = () =>
    receiver.received.splice(0).map(({ body }) => JSON.parse(body).data.reference)

  test('are signed over the bytes that are sent', async () => {
    receiver.received.length = 0
    const reference = newReference()
    await order(reference)
    await toy.notices.settled()
    expect(arrived()).toEqual([reference])
    expect(toy.notices.sent.at(-1)).toMatchObject({ type: 'order.done', statuses: [200] })
  })

  test.each(FORGERIES)('that are forged are refused by who checks: %s', async (kind) => {
    await order()
    expect(await toy.notices.forge(kind)).toBe(401)
  })

  test.each(FORGERIES)('that are forged and accepted are reported: %s', async (kind) => {
    await order()
    await toy.notices.settled()
    const { answer } = receiver
    receiver.answer = (response) => response.end('ok')
    expect(await toy.notices.forge(kind)).toBe(200)
    receiver.answer = answer
    expect(toy.takeProblems()).toEqual([`a forged notice (${kind}) was accepted: 200`])
  })

  test('that nobody accepts come again later', async () => {
    receiver.received.length = 0
    const { answer } = receiver
    receiver.answer = (response) => response.writeHead(503).end()
    const reference = newReference()
    await order(reference)
    await toy.notices.settled()
    await toy.advance(179_999)
    expect(arrived()).toEqual([reference])
    receiver.answer = answer
    await toy.advance(1)
    await toy.advance(3_600_000)
    expect(arrived()).toEqual([reference])
    expect(toy.notices.sent.at(-1)?.statuses).toEqual([503, 200])
  })

  test('can be held, reversed and repeated, or dropped', async () => {
    receiver.received.length = 0
    toy.notices.mode = 'hold'
    const [first, second] = [newReference(), newReference()]
    await order(first)
    await order(second)
    await toy.notices.deliver('reversed', 2)
    expect(arrived()).toEqual([second, second, first, first])
    toy.notices.mode = 'drop'
    await order()
    toy.notices.mode = 'send'
    await toy.notices.deliver()
    expect(arrived()).toEqual([])
  })

  test('can be lost, duplicated or held by a rule', async () => {
    receiver.received.length = 0
    const references = [newReference(), newReference(), newReference()]
    toy.fault({ on: 'notice order.done', kind: 'lose', times: 1 })
    toy.fault({ on: 'notice *', kind: 'duplicate', times: 1 })
    toy.fault({ on: 'notice *', kind: 'hold', times: 1 })
    for (const reference of references) await order(reference)
    await toy.notices.settled()
    expect(arrived()).toEqual([references[1], references[1]])
    await toy.notices.deliver()
    expect(arrived()).toEqual([references[2]])
  })

  test('can be signed with any key', async () => {
    expect(await toy.notices.sendSignedWith('sk_retired', 'order.done', {})).toBe(401)
    expect(await toy.notices.sendSignedWith(KEY, 'order.done', { data: {} })).toBe(200)
  })
})

describe('descriptions', () => {
  test.each(['paystack', 'flutterwave'])('of %s are read with their corrections', (provider) => {
    const description = readDescription(provider)
    const transfer = provider === 'paystack' ? '/transfer' : '/transfers'
    expect(description.match('POST', transfer)?.operation).toBe(`POST ${transfer}`)
  })

  test('prefer a path without parameters', () => {
    const description = readDescription('paystack')
    expect(description.match('POST', '/transfer/bulk')?.operation).toBe('POST /transfer/bulk')
    expect(description.match('GET', '/transfer/TRF_1')).toEqual({
      operation: 'GET /transfer/{code}',
      params: { code: 'TRF_1' },
    })
    expect(description.match('GET', '/transfer/TRF_1/x')).toBeUndefined()
  })

  test('refuse a correction that corrects nothing', () => {
    const operations = { 'GET /a': { parameters: [], answers: { 200: { type: 'object' } } } }
    const correction = { part: 'answer', nullable: ['b'], why: 'test' } as const
    const add = (on: string) => () =>
      openDescription(operations, [{ ...correction, on, nullable: ['b'] }])
    expect(add('GET /a')).toThrow('there is no b')
    expect(add('GET /c')).toThrow('there is nothing to correct')
  })

  test('of Paystack take amounts as integers only', () => {
    const { requestFaults } = readDescription('paystack')
    const body = { source: 'balance', recipient: 'RCP_1', reference: 'trf-1', amount: '100' }
    const request = { params: {}, query: {}, body }
    expect(requestFaults('POST /transfer', request)).toEqual(['amount must be integer'])
    const right = { ...request, body: { ...body, amount: 100 } }
    expect(requestFaults('POST /transfer', right)).toEqual([])
  })
})

test('JSON keeps every digit of an amount', () => {
  expect(printJson({ a: 12345678901234567890n, b: digits('2500.10') })).toBe(
    '{"a":12345678901234567890,"b":2500.10}',
  )
})
