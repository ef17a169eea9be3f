import { pino } from 'pino'
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../test/harness.ts'
import { createBusiness } from '../business/account/bootstrap.ts'
import { authenticator } from '../business/keys/authenticate.ts'
import { callerOf, sessionVerifier } from '../business/people/sessions.ts'
import { notFound, Problem } from '../lib/problem.ts'
import { LOG_OPTIONS } from '../log.ts'
import { type ErrorBody, errorBodies } from './errors.ts'
import { rateLimiter } from './rate-limit.ts'
import { mount, route } from './route.ts'
import { buildServer, mountMethodGuards } from './server.ts'

/** What a handler can throw, by the word that selects it. */
const FAULTS: Record<string, () => unknown> = {
  missing: () => notFound('invoice'),
  early: () => new Problem('precondition', 'transaction_state', 'Make an enquiry first.'),
  later: () => new Problem('unavailable', 'closing', 'Later.', { retryAfterSeconds: 7 }),
  crash: () => new TypeError('secret detail'),
  text: () => 'secret text',
  nothing: () => undefined,
}

const { db, ids, keyring, clock } = await testDatabase()
const { keys } = await db.transaction((tx) =>
  createBusiness(tx, { ids, keyring }, { name: 'Ada Ventures', now: clock.now() }),
)
const lines: string[] = []
const log = pino(LOG_OPTIONS, { write: (line: string) => void lines.push(line) })
const server = buildServer({ logger: log, trustProxy: [] })
afterAll(() => server.close())

const shapes = Object.keys(errorBodies) as ErrorBody[]
const limits = rateLimiter({ perSecond: 1, burst: 1000 })
const publicUrl = 'http://127.0.0.1'
const kernel = {
  db,
  authenticate: authenticator({
    db,
    ids,
    clock,
    publicUrl,
    log,
    nudge: () => {},
  }),
  clock,
  publicUrl,
  sessions: { verify: sessionVerifier({ db, clock, publicUrl, log }), callerOf },
  pauses: { requireOpen: async () => {} },
  takeToken: (who: string | number) => limits(who, 0),
  idempotencyMs: 1_000,
  handlerTimeoutMs: 200,
  spool: async () => {
    throw new Error('no route here accepts files')
  },
}
const mounted = mount(
  server,
  kernel,
  shapes.flatMap((errors) => [
    route({
      operation: `fail_with_${errors}`,
      summary: 'Fails',
      method: 'POST',
      service: 'payment-service',
      family: 'both',
      path: `/${errors}`,
      scope: 'invoices:write',
      errors,
      body: Type.Object({ fault: Type.String({ maxLength: 10 }) }),
      response: Type.Object({ done: Type.Boolean() }),
      handle: async ({ body }) => {
        if (body.fault === 'slow') return new Promise<never>(() => {})
        throw FAULTS[body.fault]?.()
      },
    }),
  ]),
)
mountMethodGuards(server, mounted)
const url = await server.listen({ port: 0, host: '127.0.0.1' })

async function fail(
  errors: ErrorBody,
  body: unknown,
  { method = 'POST', family = 'external/v1', ...headers }: Record<string, string> = {},
) {
  const response = await fetch(`${url}/api/payment-service/${family}/${errors}`, {
    method,
    headers: {
      authorization: `Bearer ${keys.testSecret}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const { requestId, ...rest } = (await response.json()) as Record<string, unknown>
  const sent = response.headers.get('x-request-id')
  expect(sent).toMatch(/^req_\w{14,}$/)
  if (errors !== 'coded' && errors !== 'oauth') expect(requestId).toBe(sent)
  return { status: response.status, body: rest, headers: response.headers }
}

/** A failure in each shape of the contract. */
const SHAPED: Record<
  ErrorBody,
  (status: number, code: string, message: string, fields: object) => object
> = {
  fields: (_status, errorCode, message, errors) => ({
    status: 'error',
    message,
    errors,
    errorCode,
  }),
  flag: (_status, errorCode, message) => ({ error: true, message, errorCode }),
  text: (_status, errorCode, message) => ({ error: message, errorCode }),
  coded: (status, code, message) => ({ message, code: status, error: code.toUpperCase() }),
  oauth: (status, _code, message) => ({
    error: OAUTH[status] ?? 'invalid_request',
    error_description: message,
  }),
}
const OAUTH: Record<number, string> = { 500: 'server_error', 503: 'temporarily_unavailable' }

const WRONG = 'Something went wrong on our side.'
const JSON_WORDS = expect.stringMatching(/^The body is not valid JSON: /)
const TOO_LATE = 'The request took too long; its outcome is unknown.'
const NO_KEY = 'The secret key is missing or invalid.'

describe.each(shapes)('a route with errors of kind %s', (errors) => {
  test.each([
    [404, 'invoice_not_found', 'No such invoice.', { fault: 'missing' }],
    [412, 'transaction_state', 'Make an enquiry first.', { fault: 'early' }],
    [503, 'closing', 'Later.', { fault: 'later' }],
    [500, 'internal', WRONG, { fault: 'crash' }],
    [500, 'internal', WRONG, { fault: 'text' }],
    [500, 'internal', WRONG, { fault: 'nothing' }],
    [500, 'timed_out', TOO_LATE, { fault: 'slow' }],
    [400, 'invalid_json', JSON_WORDS, '{"fault":'],
    [413, 'body_too_large', 'The body is larger than 256 KiB.', 'x'.repeat(256 * 1024 + 1)],
  ])('%i %s', async (status, code, message, body) => {
    const failed = await fail(errors, body)
    const expected = SHAPED[errors](status, code, message as string, {})
    expect([failed.status, failed.body]).toEqual([status, expected])
    expect(failed.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(failed.headers.get('retry-after')).toBe(status === 503 ? '7' : null)
  })

  test('400 names the field in `errors` or in the message', async () => {
    const { status, body } = await fail(errors, {})
    const fields = { fault: ['is required'] }
    const expected = SHAPED[errors](400, 'validation_failed', 'fault is required', fields)
    expect([status, body]).toEqual([400, expected])
  })

  test('401 has the same shape', async () => {
    const { status, body } = await fail(errors, {}, { authorization: 'Bearer no' })
    expect([status, body]).toEqual([401, SHAPED[errors](401, 'invalid_key', NO_KEY, {})])
  })

  test('405 has the same shape', async () => {
    const { status, body, headers } = await fail(errors, {}, { method: 'PUT' })
    const message = 'PUT is not allowed here. Allowed: POST.'
    expect([status, body]).toEqual([405, SHAPED[errors](405, 'method_not_allowed', message, {})])
    expect(headers.get('allow')).toBe('POST')
  })

  test('415 has the same shape', async () => {
    const { status, body } = await fail(errors, '<x/>', { 'content-type': 'application/xml' })
    const message = 'Send the body as application/json.'
    const expected = SHAPED[errors](415, 'unsupported_content_type', message, {})
    expect([status, body]).toEqual([415, expected])
  })

  test('404 is the same in the other family', async () => {
    const { status, body } = await fail(errors, { fault: 'missing' }, { family: 'v1' })
    const expected = SHAPED[errors](404, 'invoice_not_found', 'No such invoice.', {})
    expect([status, body]).toEqual([404, expected])
  })
})

test('429 has the route’s shape, with the limit in its headers', async () => {
  let last = await fail('text', { fault: 'missing' })
  for (let i = 0; i < 1000 && last.status !== 429; i++)
    last = await fail('text', { fault: 'missing' })
  const message = 'Too many requests. Wait for the time in Retry-After.'
  expect([last.status, last.body]).toEqual([429, SHAPED.text(429, 'rate_limited', message, {})])
  expect(last.headers.get('retry-after')).toBe('1')
})

test('500 logs the cause, which the caller does not see, under the same request id', async () => {
  const failures = lines.filter((line) => line.includes('secret detail'))
  expect(failures.length).toBe(shapes.length)
  for (const line of failures) {
    expect(JSON.parse(line)).toMatchObject({
      level: 50,
      requestId: expect.stringMatching(/^req_/),
      err: { type: 'TypeError', stack: expect.stringContaining('errors.test') },
    })
  }
})
