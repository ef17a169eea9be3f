import { afterAll, describe, expect, test } from 'vitest'
import { errorOf } from '../../sdk/src/errors.ts'
import {
  ApiError,
  AuthenticationError,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  GoneError,
  IdempotencyError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  PreconditionError,
  RateLimitError,
  ServerError,
  Tradepost,
  TradepostError,
  UnavailableError,
} from '../../sdk/src/index.ts'
import { createKey } from '../../src/business/keys/service.ts'
import { startServer } from '../harness.ts'

const server = await startServer({ jobs: false })
const { business, url: baseUrl } = server
const key = business.keys.testSecret
const tradepost = new Tradepost({ key, baseUrl, retriesMax: 0 })
const order = { customerEmail: 'ada@example.com', amount: 10 }

/** Returns the error that a call throws; undefined if it does not. */
const thrown = (call: PromiseLike<unknown>): Promise<ApiError> =>
  Promise.resolve(call).then(
    () => undefined as never,
    (error) => error as ApiError,
  )

describe('an error response', () => {
  test('400 in envelope B has its fields', async () => {
    const error = await thrown(tradepost.invoices.create({ customerEmail: 'x', amount: 1.234 }))
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({
      name: 'InvalidRequestError',
      status: 400,
      code: 'validation_failed',
    })
    expect(Object.keys(error.fields).sort()).toEqual(['amount', 'customerEmail'])
    expect(error.fields.customerEmail).toEqual([expect.stringMatching(/email/)])
    expect(error.requestId).toMatch(/./)
    expect(error.body).toMatchObject({ status: 'error', requestId: error.requestId })
  })

  test('400 in envelope C with a text', async () => {
    const fee = { productId: '1', location: 'Lagos', fees: 'much' }
    const error = await thrown(tradepost.deliveryFees.add(fee))
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error.message).toBe((error.body as { error: string }).error)
    expect([error.code, error.fields]).toEqual(['validation_failed', {}])
    expect(error.requestId).toMatch(/./)
  })

  test('412 in envelope C with a flag', async () => {
    const payment = { customerId: '08030000000', packageSlug: 'mtn-vtu', amount: 100 }
    const error = await thrown(tradepost.utility.processPayment(payment))
    expect(error).toBeInstanceOf(PreconditionError)
    expect(error.message).toBe((error.body as { message: string }).message)
    expect(error.body).toMatchObject({ error: true, responseCode: '12' })
  })

  test('400 in envelope D, with its code in capitals and its request id in a header', async () => {
    const error = await thrown(tradepost.transactions.createUssd({ channel: 'USSD', amount: -1 }))
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error.body).toMatchObject({ code: 400, error: 'VALIDATION_FAILED' })
    expect(error).toMatchObject({ status: 400, code: 'validation_failed', fields: {} })
    expect(error.requestId).toMatch(/./)
  })

  test('401 in the OAuth envelope', async () => {
    const wrong = { grant_type: 'client_credentials', client_id: 'pc_test_1', client_secret: 'no' }
    const error = await thrown(tradepost.partners.createOauthToken(wrong))
    expect(error).toBeInstanceOf(AuthenticationError)
    expect(error.code).toBe('invalid_client')
    expect(error.message).toBe((error.body as { error_description: string }).error_description)
  })

  test('401 for an invalid key, which is not in the error', async () => {
    const other = new Tradepost({ key: `${key.slice(0, -1)}-`, baseUrl })
    const error = await thrown(other.profile.get())
    expect(error).toBeInstanceOf(AuthenticationError)
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain(key.slice(8, 30))
  })

  test('403 for a key without the scope', async () => {
    const request = { label: 'reads', scopes: ['wallet:read'] }
    const tenant = { businessId: business.businessId, live: false }
    const made = await server.db.transaction((tx) =>
      createKey(tx, server.ids, tenant, request, server.clock.now()),
    )
    const narrow = new Tradepost({ key: made.key, baseUrl })
    expect((await narrow.wallet.getBalance()).data).toHaveLength(1)
    expect(await thrown(narrow.invoices.list())).toBeInstanceOf(PermissionError)
  })

  test('404, 409 and 422 have separate classes', async () => {
    expect(await thrown(tradepost.invoices.get('INV_none'))).toBeInstanceOf(NotFoundError)
    const { reference } = await tradepost.invoices.create(order, { idempotencyKey: 'twice' })
    const reused = tradepost.invoices.create({ ...order, amount: 11 }, { idempotencyKey: 'twice' })
    const error = await thrown(reused)
    expect(error).toBeInstanceOf(IdempotencyError)
    expect(error).toMatchObject({ status: 422, idempotencyKey: 'twice', attempts: 1 })
    await tradepost.invoices.void(reference)
    expect(await thrown(tradepost.invoices.void(reference))).toBeInstanceOf(ConflictError)
  })

  test('all are ApiError, TradepostError and Error', async () => {
    const error = await thrown(tradepost.invoices.get('INV_none'))
    for (const type of [NotFoundError, ApiError, TradepostError, Error]) {
      expect(error).toBeInstanceOf(type)
    }
    expect(error).not.toBeInstanceOf(ConnectionError)
  })
})

describe('a response becomes the error for its status', () => {
  const cases: [number, typeof ApiError][] = [
    ...[400, 405, 413, 415, 416].map((status): [number, typeof ApiError] => [
      status,
      InvalidRequestError,
    ]),
    [401, AuthenticationError],
    [403, PermissionError],
    [404, NotFoundError],
    [408, ApiError],
    [409, ConflictError],
    [410, GoneError],
    [412, PreconditionError],
    [418, ApiError],
    [422, IdempotencyError],
    [429, RateLimitError],
    [500, ServerError],
    [502, ServerError],
    [503, UnavailableError],
  ]
  test.each(cases)('%i', async (status, type) => {
    const error = await errorOf(new Response('', { status }), 0)
    expect(error.constructor).toBe(type)
    expect(error).toMatchObject({ name: type.name, status, code: `http_${status}` })
  })

  test.each([
    ['B', { status: 'error', message: 'No.', errors: { a: ['b'] }, errorCode: 'x_y' }, 'x_y'],
    ['B as in the contract', { status: 'error', message: 'No.', errors: {} }, 'http_400'],
    ['C with a flag', { error: true, message: 'No.', errorCode: 'x_y' }, 'x_y'],
    ['C with a flag, as in the contract', { error: true, message: 'No.' }, 'http_400'],
    ['C with a text', { error: 'No.', errorCode: 'x_y' }, 'x_y'],
    ['C with a text, as in the contract', { error: 'No.' }, 'http_400'],
    ['D', { message: 'No.', code: 400, error: 'X_Y' }, 'x_y'],
    ['OAuth', { error: 'x_y', error_description: 'No.' }, 'x_y'],
  ])('envelope %s', async (_name, body, code) => {
    const headers = { 'x-request-id': 'req_1' }
    const error = await errorOf(new Response(JSON.stringify(body), { status: 400, headers }), 0)
    expect(error).toMatchObject({ message: 'No.', code, body, requestId: 'req_1' })
    expect(error.fields).toEqual('errors' in body ? body.errors : {})
  })

  test.each(['', '<h1>Bad gateway</h1>', 'null', '[]', '"text"', '{"error":{"a":1}}'])(
    'also with the body %s',
    async (body) => {
      const error = await errorOf(new Response(body, { status: 502 }), 0)
      expect(error).toMatchObject({ code: 'http_502', fields: {}, requestId: undefined })
      expect(error.message).toMatch(/502/)
    },
  )

  test.each([
    ['3', 3000],
    ['0', 0],
    ['Thu, 01 Jan 1970 00:00:10 GMT', 9000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
  ])('Retry-After %j is %s ms', async (value, ms) => {
    const headers = { 'retry-after': value }
    const error = await errorOf(new Response('{}', { status: 429, headers }), 1000)
    expect(error.retryAfterMs).toBe(ms)
  })
})

describe('a missing or unusable response', () => {
  test('throws a ConnectionError with its cause', async () => {
    const nobody = new Tradepost({ key, baseUrl: 'http://127.0.0.1:1', retriesMax: 0 })
    const error = await thrown(nobody.profile.get())
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error.cause).toBeInstanceOf(Error)
  })

  test('throws an error that names baseUrl if it is not from Tradepost', async () => {
    const other = new Tradepost({ key, baseUrl: `${baseUrl}/docs/?`.slice(0, -1) })
    expect(await thrown(other.profile.get())).toBeInstanceOf(NotFoundError)
    const page = async () => new Response('<html>', { status: 200 })
    const wrong = new Tradepost({ key, baseUrl, fetch: page })
    const error = await thrown(wrong.profile.get())
    expect(error).not.toBeInstanceOf(ConnectionError)
    expect(error.message).toMatch(/baseUrl/)
  })

  test('is not fetched from a redirect, which would receive the key', async () => {
    let asked = 0
    const moved = async (...[, init]: Parameters<typeof fetch>) => {
      asked++
      expect(init?.redirect).toBe('manual')
      return new Response('', { status: 302, headers: { location: 'https://example.com' } })
    }
    const error = await thrown(new Tradepost({ key, baseUrl, fetch: moved }).profile.get())
    expect([error.status, error.constructor, asked]).toEqual([302, ApiError, 1])
  })
})

describe('a client', () => {
  const make = (other: object) => () => new Tradepost({ key, baseUrl, ...other })

  test('cannot be created in a browser without dangerouslyAllowBrowser', () => {
    const globals = globalThis as { window?: unknown; document?: unknown }
    Object.assign(globals, { window: {}, document: {} })
    try {
      expect(make({})).toThrow(/browser/)
      expect(make({ dangerouslyAllowBrowser: true })).not.toThrow()
    } finally {
      delete globals.window
      delete globals.document
    }
    expect(make({})).not.toThrow()
  })
  afterAll(() => {
    expect('window' in globalThis).toBe(false)
  })

  test('cannot be created with a public key, an empty key, or one that breaks a header', () => {
    expect(make({ key: business.keys.testPublic })).toThrow(/public key/)
    expect(make({ key: '' })).toThrow(ConfigurationError)
    expect(make({ key: `${key}\n` })).toThrow(ConfigurationError)
  })

  test('cannot be created with a key of the other mode if it has a mode', () => {
    const live = business.keys.liveSecret
    expect(make({ key: live, mode: 'test' })).toThrow(/live key/)
    expect(make({ key, mode: 'live' })).toThrow(/test key/)
    expect([make({ key: live, mode: 'live' })().mode, make({ mode: 'test' })().mode]).toEqual([
      'live',
      'test',
    ])
  })

  test.each(['', 'pay.example.com', 'ftp://x', 'https://x?y=1', 'https://x#y', 'https://u:p@x'])(
    'cannot be created with the URL %j',
    (address) => {
      expect(make({ baseUrl: address })).toThrow(/baseUrl/)
    },
  )

  test('does not show its key when printed', async () => {
    const { inspect } = await import('node:util')
    const shown = inspect(tradepost, { depth: 5, showHidden: true }) + JSON.stringify(tradepost)
    expect(shown).not.toContain(key.slice(8, 30))
  })
})
