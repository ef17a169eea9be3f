import { describe, expect, test } from 'vitest'
import { readJson } from './json.ts'
import { type OutcomeMap, outcomeOf } from './outcome.ts'
import type { HttpResult } from './transport.ts'
import type { Outcome } from './types.ts'

const NOTHING: OutcomeMap<string> = () => undefined

const response = (status: number, body: unknown = {}, headers = {}): HttpResult => ({
  kind: 'response',
  status,
  headers,
  body: readJson(typeof body === 'string' ? body : JSON.stringify(body)),
})

/** `refused bad_request`, as the table in the design has it. */
function shown(outcome: Outcome<unknown>): string {
  if (outcome.kind === 'done') return 'done'
  return `${outcome.kind} ${outcome.kind === 'unknown' ? outcome.reason : outcome.code}`
}

/** What a read and an order become, if the connector knows nothing about the response. */
const both = (result: HttpResult) =>
  [true, false].map((isSafeToRepeat) => shown(outcomeOf(result, { isSafeToRepeat }, NOTHING)))

const message = (text: string) => ({ status: false, message: text })

describe('an outcome', () => {
  test.each<[string, HttpResult, string, string]>([
    [
      'not reached',
      { kind: 'not_sent', reason: 'not_reached', message: 'x' },
      'notNow not_reached',
      'notNow not_reached',
    ],
    [
      'no slot',
      { kind: 'not_sent', reason: 'rate_limited', message: 'x' },
      'notNow rate_limited',
      'notNow rate_limited',
    ],
    ...(['timed_out', 'disconnected', 'unreadable'] as const).map(
      (reason): [string, HttpResult, string, string] => [
        reason,
        { kind: 'lost', reason, status: null },
        `unknown ${reason}`,
        `unknown ${reason}`,
      ],
    ),
    ['200', response(200), 'unknown unreadable', 'unknown unreadable'],
    ['200 HTML', response(200, '<html>'), 'unknown unreadable', 'unknown unreadable'],
    ['302', response(302), 'unknown unreadable', 'unknown unreadable'],
    ['401', response(401), 'notNow credentials_refused', 'notNow credentials_refused'],
    ['403', response(403), 'notNow credentials_refused', 'notNow credentials_refused'],
    [
      '403 for the address',
      response(403, message('Please enable IP whitelisting')),
      'notNow address_not_allowed',
      'notNow address_not_allowed',
    ],
    ['404', response(404), 'refused unknown_order', 'refused bad_request'],
    ['404 HTML', response(404, '<html>'), 'unknown unreadable', 'refused bad_request'],
    ['408', response(408), 'unknown timed_out', 'unknown timed_out'],
    ['409', response(409), 'unknown inconclusive', 'unknown duplicate'],
    ['400', response(400), 'refused bad_request', 'refused bad_request'],
    ['402', response(402), 'refused bad_request', 'refused bad_request'],
    ['422', response(422), 'refused bad_request', 'refused bad_request'],
    ['429', response(429), 'notNow rate_limited', 'notNow rate_limited'],
    ['500', response(500), 'notNow provider_down', 'unknown server_error'],
    ['503', response(503, '<html>'), 'notNow provider_down', 'unknown server_error'],
  ])('of %s', (_title, result, read, order) => {
    expect(both(result)).toEqual([read, order])
  })

  test.each([
    'Please provide a unique reference. Reference already exists on a transfer',
    'Duplicate Transaction Reference',
    'Transaction with reference already exists',
    'This tx_ref has already been used',
    'reference has been used',
    'Reference must be unique',
    'duplicate_transfer_reference',
    'Reference already in use',
  ])('of %j is that the order may be there', (text) => {
    for (const status of [400, 403, 404, 422, 429]) {
      expect(both(response(status, message(text)))[1]).toBe('unknown duplicate')
    }
    expect(both(response(400, { errors: [{ code: text }] }))[1]).toBe('unknown duplicate')
    expect(both(response(400, `<p>${text}</p>`))[1]).toBe('unknown duplicate')
  })

  test.each([
    'Transaction reference does not exist',
    "Transaction reference doesn't exist",
    'Transaction reference not found',
    'The reference is required',
    'Account number is invalid',
  ])('of %j is that of its status', (text) => {
    expect(both(response(400, message(text)))[1]).toBe('refused bad_request')
  })
})

describe("a connector's map", () => {
  const done: Outcome<string> = { kind: 'done', value: 'x' }
  const declined: Outcome<string> = { kind: 'refused', code: 'declined', message: 'No' }
  const order = { isSafeToRepeat: false }
  const read = { isSafeToRepeat: true }

  test('decides about 2xx and 4xx', () => {
    expect(outcomeOf(response(200), order, () => done)).toBe(done)
    expect(outcomeOf(response(400), order, () => declined)).toBe(declined)
    expect(outcomeOf(response(401), read, () => declined)).toBe(declined)
    expect(outcomeOf(response(200), order, () => declined)).toBe(declined)
  })

  test('is given the status and the body', () => {
    const seen: unknown[] = []
    outcomeOf(response(422, { code: 'x' }), order, (status, body) => {
      seen.push(status, body.text('code'))
      return undefined
    })
    expect(seen).toEqual([422, 'x'])
  })

  test('is not asked about 3xx and 5xx', () => {
    expect(shown(outcomeOf(response(500), order, () => declined))).toBe('unknown server_error')
    expect(shown(outcomeOf(response(500), order, () => done))).toBe('unknown server_error')
    expect(shown(outcomeOf(response(302), order, () => done))).toBe('unknown unreadable')
  })

  test.each([200, 400, 409])('cannot refuse an order that may be there, with %d', (status) => {
    const duplicate = response(status, message('Duplicate reference'))
    expect(shown(outcomeOf(duplicate, order, () => declined))).toBe('unknown duplicate')
    const notNow: Outcome<string> = { kind: 'notNow', code: 'feature_off', message: 'x' }
    expect(shown(outcomeOf(duplicate, order, () => notNow))).toBe('unknown duplicate')
  })

  test('may read an order whose narration has such a word', () => {
    const body = { data: { narration: 'Refund of a duplicate payment' } }
    expect(outcomeOf(response(200, body), order, () => done)).toBe(done)
  })

  test('may know a lookup that has such a word', () => {
    const unknown: Outcome<string> = { kind: 'refused', code: 'unknown_order', message: 'x' }
    const body = message('No transfer with this reference exists')
    expect(outcomeOf(response(400, body), read, () => unknown)).toBe(unknown)
  })
})

describe('what a provider says', () => {
  const key = 'sk_live_0123456789abcdef'
  const said = (status: number, body: unknown) => {
    const outcome = outcomeOf(response(status, body), { isSafeToRepeat: true }, NOTHING)
    return 'message' in outcome ? outcome.message : undefined
  }

  test.each([
    [`Invalid key ${key} given`, 'Invalid key sk_live_[redacted] given'],
    ['Not authorised: Bearer abcdef', 'Not authorised: Bearer [redacted]'],
    ['Unknown key FLWSECK-0123456789-X', 'Unknown key FLWSECK-[redacted]'],
  ])('is kept without the key that it repeats: %s', (text, kept) => {
    for (const status of [400, 401, 403, 429, 500]) expect(said(status, message(text))).toBe(kept)
  })

  test('is replaced if it cannot be read', () => {
    expect(said(200, '<html>')).toBe("The provider's response with status 200 cannot be read.")
    expect(said(302, '')).toBe("The provider's response with status 302 cannot be read.")
  })
})

describe('a pause', () => {
  const paused = (headers: object) => outcomeOf(response(429, {}, headers), read(), NOTHING)
  const read = () => ({ isSafeToRepeat: true })

  test.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '86400' }, 600_000],
    [
      {
        'retry-after': 'Mon, 02 Nov 2026 09:00:30 GMT',
        date: 'Mon, 02 Nov 2026 09:00:00 GMT',
      },
      30_000,
    ],
    [{ 'retry-after': 'Mon, 02 Nov 2026 09:00:30 GMT' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('is as long as the provider asks, at most ten minutes: %j', (headers, retryAfterMs) => {
    expect(paused(headers)).toEqual({
      kind: 'notNow',
      code: 'rate_limited',
      message: 'The provider responded with status 429.',
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    })
  })
})
