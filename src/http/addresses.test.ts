import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { exchange, lines } from '../../test/raw.ts'

const PATH = '/api/payment-service/external/v1/invoices'
const NOWHERE = { status: 'error', errors: {}, errorCode: 'route_not_found' }

const server = await startServer()
const { url, get, post, put, call, business } = server
const AUTHORIZATION = `Authorization: Bearer ${business.keys.testSecret}`

/** Sends a path unchanged; `fetch` would normalise dots and escapes. */
const raw = (target: string, method = 'GET') =>
  exchange(
    url,
    lines(`${method} ${target} HTTP/1.1`, 'Host: x', AUTHORIZATION, 'Connection: close'),
  )

describe('URLs', () => {
  test.each([
    '/api',
    '/api/payment-service/external/v1',
    '/api/payment-service/external/v2/invoices',
    '/api/payment-service/invoices',
    '/api/transaction-service/external/v1/invoices',
    '/api/payment-service/external/v1/Invoices',
    '/API/payment-service/external/v1/invoices',
    '/api/payment-service/external/v1/invoices/a/b/c',
    '/.env',
    '/wp-login.php',
  ])('404 B for %s, with and without a key', async (path) => {
    const replies = [await get(path), await get(path, { authorization: '' })]
    for (const { status, body, headers } of replies) {
      expect([status, body]).toEqual([404, expect.objectContaining(NOWHERE)])
      expect(headers.get('x-request-id')).toBe(body.requestId)
    }
  })

  test.each([
    '//api/payment-service/external/v1/invoices',
    '/api/payment-service//external/v1/invoices',
    '/api/./payment-service/external/v1/invoices',
    '/api/x/../payment-service/external/v1/invoices',
    '/api/payment-service/external/v1/%2e%2e/v1/invoices',
    '/api%2Fpayment-service/external/v1/invoices',
    '/api/payment-service/external/v1/invoices;x=1',
    `/${'a/'.repeat(2000)}`,
  ])('404 for %s, which only looks like one of our URLs', async (path) => {
    const { status, body } = await raw(path)
    expect([status, body]).toEqual([404, expect.objectContaining(NOWHERE)])
  })

  test.each([
    [`${PATH}/%zz`],
    [`${PATH}/%`],
    [`${PATH}/%ff`],
    [`${PATH}/%ff%fe`],
    [`${PATH}/%c0%80`],
    [`${PATH}?search=%zz`],
    [`${PATH}?search=%ff`],
    [`${PATH}?%00=1`],
  ])('400 for %s, whose escapes are not valid text', async (path) => {
    const { status, body, headers } = await raw(path)
    expect([status, body.errorCode]).toEqual([400, 'bad_url'])
    expect(headers.get('x-request-id')).toBe(body.requestId)
  })

  test.each([
    [`${PATH}/%00`, 'reference'],
    [`${PATH}/a%00b`, 'reference'],
    [`${PATH}?search=%00`, 'search'],
    [`${PATH}?status=Paid%00`, 'status'],
    [`${PATH}?page=1&more=%00`, 'more'],
    ['/api/user-service/v1/profile?status=%00', 'status'],
  ])('400 for the NUL of %s, naming %s', async (path, name) => {
    const { status, body } = await get(path)
    expect([status, body.errorCode, Object.keys(body.errors)]).toEqual([
      400,
      'invalid_text',
      [name],
    ])
  })

  test('400 for invalid escapes, even without an operation or a key', async () => {
    for (const path of ['/%zz', '/api/%ff', '/i/%zz']) {
      const { status } = await exchange(url, lines(`GET ${path} HTTP/1.1`, 'Host: x'))
      expect([400, 404]).toContain(status)
    }
  })

  test('404 and 405 whatever the request contains', async () => {
    for (const body of ['{"amount":', '\xff', 'x'.repeat(2_000_000)]) {
      const headers = { 'content-type': 'application/xml' }
      expect((await post('/api/nothing', body, headers)).status).toBe(404)
      expect((await call('PATCH', PATH, body, headers)).status).toBe(405)
    }
  })

  test('200 with or without a trailing slash', async () => {
    expect((await get(`${PATH}/`)).status).toBe(200)
    expect((await get(`${PATH}/?page=1`)).status).toBe(200)
  })

  test('400 for a reference that is too long, at any length', async () => {
    for (const length of [65, 300, 301, 4_096, 15_000]) {
      const { status, body } = await get(`${PATH}/${'x'.repeat(length)}`)
      expect([status, Object.keys(body.errors)]).toEqual([400, ['reference']])
    }
  })

  test.each(['INV_', '0', '-1', '1e3', 'null', "' or 1=1 --", '../../etc/passwd', '%25', 'İ'])(
    '404 for the reference %s',
    async (reference) => {
      const { status, body } = await get(`${PATH}/${encodeURIComponent(reference)}`)
      expect([status, body.errorCode]).toEqual([404, 'invoice_not_found'])
    },
  )
})

describe('methods', () => {
  test.each([
    ['DELETE', PATH, 'GET, POST, HEAD'],
    ['PUT', PATH, 'GET, POST, HEAD'],
    ['PATCH', PATH, 'GET, POST, HEAD'],
    ['OPTIONS', PATH, 'GET, POST, HEAD'],
    ['DELETE', `${PATH}/`, 'GET, POST, HEAD'],
    ['GET', `${PATH}/INV_x/void`, 'POST'],
    ['POST', '/api/user-service/external/v1/profile', 'GET, HEAD'],
    ['POST', '/health/live', 'GET, HEAD'],
    ['POST', '/openapi.json', 'GET, HEAD'],
  ])('405 for %s %s, with Allow', async (method, path, allow) => {
    const { status, body, headers } = await call(method, path)
    expect([status, body.errorCode]).toEqual([405, 'method_not_allowed'])
    expect(headers.get('allow')?.split(', ').sort()).toEqual(allow.split(', ').sort())
    expect(headers.get('x-request-id')).toBe(body.requestId)
    expect(headers.has('access-control-allow-origin')).toBe(false)
  })

  test('405 without a key as well, whatever the body', async () => {
    const { status } = await call('DELETE', PATH, undefined, { authorization: '' })
    expect(status).toBe(405)
    expect((await call('PATCH', PATH, '{"amount":', { authorization: '' })).status).toBe(405)
  })

  test.each(['TRACE', 'PROPFIND', 'SEARCH', 'LINK', 'PURGE'])(
    '404 or 405 for %s, which no operation uses',
    async (method) => {
      expect([404, 405]).toContain((await raw(PATH, method)).status)
    },
  )

  test('400 for a method that does not exist', async () => {
    const { status, body } = await raw(PATH, 'FETCH')
    expect([status, body.errorCode]).toEqual([400, 'malformed_request'])
  })

  test('200 without a body for HEAD, 401 without a key', async () => {
    const { status, text } = await call('HEAD', PATH)
    expect([status, text]).toEqual([200, ''])
    expect((await call('HEAD', PATH, undefined, { authorization: '' })).status).toBe(401)
  })

  test('405 despite a method override header', async () => {
    const override = { 'x-http-method-override': 'GET', 'x-method-override': 'GET' }
    expect((await call('DELETE', PATH, undefined, override)).status).toBe(405)
    const { status } = await post(PATH, {}, override)
    expect(status).toBe(400)
  })
})

describe('queries', () => {
  const integer = 'must be a whole number'
  const moment = 'must be a date (YYYY-MM-DD) or a full ISO 8601 date and time'

  test.each([
    ['page=0', 'page', 'must be at least 1'],
    ['page=-1', 'page', 'must be at least 1'],
    ['page=1.5', 'page', integer],
    ['page=1.0', 'page', integer],
    ['page=1e3', 'page', integer],
    ['page=0x10', 'page', integer],
    ['page=%2B1', 'page', integer],
    ['page=', 'page', integer],
    ['page', 'page', integer],
    ['page=%201', 'page', integer],
    ['page=one', 'page', integer],
    ['page=NaN', 'page', integer],
    ['page=null', 'page', integer],
    ['page=1000001', 'page', 'must be at most 1000000'],
    ['page=9223372036854775808', 'page', integer],
    ['limit=0', 'limit', 'must be at least 1'],
    ['limit=101', 'limit', 'must be at most 100'],
    ['limit=2147483648', 'limit', 'must be at most 100'],
    ['sort=x', 'sort', 'must be ASC or DESC'],
    ['sort=', 'sort', 'must be ASC or DESC'],
    ['sort=ASC;drop+table+invoices', 'sort', 'must be ASC or DESC'],
    ['status=Gone', 'status', 'must be one of Draft, Sent, PartiallyPaid, Paid, Void, Overdue'],
    ['startDate=2026-02-29', 'startDate', moment],
    ['startDate=2026-2-1', 'startDate', moment],
    ['startDate=01-02-2026', 'startDate', moment],
    ['startDate=1767225600', 'startDate', moment],
    ['startDate=yesterday', 'startDate', moment],
    ['startDate=0000-01-01', 'startDate', moment],
    ['startDate=%2B275760-09-13', 'startDate', moment],
    ['startDate=2026-01-01T00:00:00', 'startDate', moment],
    ['startDate=2026-01-01T25:00:00Z', 'startDate', moment],
    ['startDate=2026-02-30T00:00:00Z', 'startDate', moment],
    ['endDate=', 'endDate', 'must not be empty'],
    ['startDate=2026-02-02&endDate=2026-02-01', 'startDate', 'must not be after endDate'],
    [
      'startDate=2026-02-01T00:00:00.001Z&endDate=2026-02-01T01:00:00%2B01:00',
      'startDate',
      'must not be after endDate',
    ],
  ])('400 for ?%s', async (query, field, says) => {
    const { status, body } = await get(`${PATH}?${query}`)
    expect([status, body.errors]).toEqual([400, { [field]: [says] }])
  })

  test.each([
    'page=1&page=2',
    'page=1&page=1',
    'limit=5&limit=6',
    'search=a&search=b',
    'sort=ASC&sort=',
  ])('400 for ?%s, which repeats a parameter', async (query) => {
    const { status, body } = await get(`${PATH}?${query}`)
    expect([status, body.errors]).toEqual([
      400,
      { [query.split('=')[0]!]: ['must be sent only once'] },
    ])
  })

  test.each([
    'page=1&limit=100',
    'page=0001',
    'sort=asc',
    'sort=DeSc',
    'startDate=2026-01-01&endDate=2026-01-01',
    'startDate=2028-02-29',
    'startDate=2026-01-01T00:00:00Z&endDate=2026-01-01T02:00:00%2B01:00',
    'startDate=2026-01-01T00:00:00.123456Z',
    'status=overdue',
    'search=%25',
    'search=_',
    'search=%5C',
    'search=a%5C',
    "search=';select+pg_sleep(9)--",
    'search=%F0%9F%98%80',
    'search=99999999999999999999',
    'search=+',
    '&&',
  ])('200 for ?%s', async (query) => {
    const { status, body } = await get(`${PATH}?${query}`)
    expect([status, body.data]).toEqual([200, []])
  })

  test.each([
    ['page[]=1', ['page[]']],
    ['page[a]=1', ['page[a]']],
    ['unknown=1&__proto__=1&constructor=1', ['unknown', '__proto__', 'constructor']],
    ['&&=x&', ['']],
  ])('400 for ?%s names each unknown filter', async (query, names) => {
    const { status, body } = await get(`${PATH}?${query}`)
    expect([status, Object.keys(body.errors).sort()]).toEqual([400, [...names].sort()])
  })

  test('400 or 431 for a query as long as the header limit', async () => {
    const { status, body } = await get(`${PATH}?search=${'x'.repeat(15_000)}`)
    expect([status, body.errors]).toEqual([400, { search: ['must have at most 100 characters'] }])
    expect((await get(`${PATH}?search=${'x'.repeat(17_000)}`)).status).toBe(431)
  })

  test('401 for a key in the URL, which the log does not show', async () => {
    const { testSecret } = business.keys
    expect((await get(`${PATH}?key=${testSecret}`)).status).toBe(401)
    expect((await get(`${PATH}/${testSecret}`)).status).toBe(401)
    expect(server.logLines.join('\n')).not.toContain(testSecret)
  })

  test('400 for parameters that belong in the body', async () => {
    const { status } = await put(
      '/api/user-service/external/v1/profile/settings?feeBearer=customer',
      [],
    )
    expect(status).toBe(400)
  })
})
