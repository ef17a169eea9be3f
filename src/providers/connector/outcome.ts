import { redactText } from '../../lib/redact.ts'
import { readRetryAfter } from '../../safe-fetch/exchange.ts'
import type { Json } from './json.ts'
import type { HttpRequest, HttpResult } from './transport.ts'
import type { Outcome } from './types.ts'

/** Says what a connector knows about a response; undefined if it does not know it. */
export type OutcomeMap<T> = (status: number, body: Json) => Outcome<T> | undefined

/**
 * Turns the result of a request into an outcome. The connector's map decides, except where a
 * mistake in it could lose money: no order is refused because its reference has already been used,
 * and an error of the server never says what happened to an order. Whatever nobody understands is
 * unknown, or `bad_request`, which does not end an order.
 */
export function outcomeOf<T>(
  result: HttpResult,
  { isSafeToRepeat }: Pick<HttpRequest, 'isSafeToRepeat'>,
  map: OutcomeMap<T>,
): Outcome<T> {
  if (result.kind === 'not_sent') {
    return { kind: 'notNow', code: result.reason, message: result.message, isUnsent: true }
  }
  if (result.kind === 'lost') return { kind: 'unknown', reason: result.reason }
  const { status, body } = result
  if (status >= 500) return failure(result, isSafeToRepeat)

  const isSuccess = status >= 200 && status < 300
  const mapped = status >= 300 && status < 400 ? undefined : map(status, body)
  if (mapped && (isSafeToRepeat || (isSuccess && mapped.kind === 'done'))) return mapped
  if (status === 409 || body.says(DUPLICATE)) {
    const reason = isSafeToRepeat ? 'inconclusive' : 'duplicate'
    return { kind: 'unknown', reason, message: messageOf(result) }
  }
  return mapped ?? unmapped(result, isSafeToRepeat)
}

type Response = Extract<HttpResult, { kind: 'response' }>

/**
 * How providers say that they already have a reference. It matches generously: taking another
 * refusal for this one costs a lookup, and the other way round a payment.
 */
const DUPLICATE = new RegExp(
  [
    'duplicat',
    'already[\\s_]+(?:exist|(?:been[\\s_]+)?used|in[\\s_]+use)',
    'unique[\\s_]+(?:\\w+[\\s_]+)?(?:reference|tx_?ref)',
    // Without "not" between the words: "reference does not exist" is the opposite.
    "(?:reference|tx_?ref)\\b(?:(?!\\bnot\\b|n't\\b).){0,60}\\b(?:exists?|used|unique)\\b",
  ].join('|'),
  'i',
)

const ADDRESS = /\bIP\b|white-?list|allow-?list/i

function unmapped(response: Response, isSafeToRepeat: boolean): Outcome<never> {
  const { status, body } = response
  const message = messageOf(response)
  if (status < 400) return { kind: 'unknown', reason: 'unreadable', message }
  switch (status) {
    case 401:
      return { kind: 'notNow', code: 'credentials_refused', message }
    case 403: {
      const code = body.says(ADDRESS) ? 'address_not_allowed' : 'credentials_refused'
      return { kind: 'notNow', code, message }
    }
    case 404:
      if (!isSafeToRepeat) return { kind: 'refused', code: 'bad_request', message }
      // Only the provider itself knows its orders, and a page in HTML is from something else.
      return body.isObject
        ? { kind: 'refused', code: 'unknown_order', message }
        : { kind: 'unknown', reason: 'unreadable', message }
    case 408:
      return { kind: 'unknown', reason: 'timed_out', message }
    case 429:
      return { kind: 'notNow', code: 'rate_limited', message, ...retryAfter(response) }
    default:
      return { kind: 'refused', code: 'bad_request', message }
  }
}

function failure(response: Response, isSafeToRepeat: boolean): Outcome<never> {
  const message = messageOf(response)
  return isSafeToRepeat
    ? { kind: 'notNow', code: 'provider_down', message, ...retryAfter(response) }
    : { kind: 'unknown', reason: 'server_error', message }
}

const RETRY_AFTER_MS_MAX = 600_000

/** A date counts from the time that the response gives, because a provider's clock may differ. */
function retryAfter({ headers }: Response): { retryAfterMs?: number } {
  const ms = readRetryAfter(headers['retry-after'], new Date(headers.date ?? ''))
  return ms === undefined ? {} : { retryAfterMs: Math.min(ms, RETRY_AFTER_MS_MAX) }
}

const MESSAGE_LENGTH_MAX = 300

/** What a provider says, as people can read it: some repeat the key that they do not accept. */
export const messageIn = (body: Json): string =>
  redactText((body.text('message') ?? '').slice(0, MESSAGE_LENGTH_MAX))

const messageOf = ({ status, body }: Response): string =>
  messageIn(body) ||
  (status < 400
    ? `The provider's response with status ${status} cannot be read.`
    : `The provider responded with status ${status}.`)
