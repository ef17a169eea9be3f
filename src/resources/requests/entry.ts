import type { Exchange } from '../../lib/exchange.ts'
import { isClean, redactText } from './redact.ts'
import { cut, redactedJson, type Shown } from './redact-json.ts'
import { redactUrl } from './redact-url.ts'

/** A line of the log as it is stored: nothing in it is secret any more. */
export interface Entry {
  /** Taken before the first attempt at writing it. */
  id: number | undefined
  business_id: number
  live: boolean
  at: Date
  key_id: number
  partner: string | null
  request_id: string
  method: string
  operation: string
  url: string
  duration_ms: number
  request_bytes: number | null
  response_bytes: number | null
  status: number
  replayed: boolean
  truncated: boolean
  bodies_dropped: boolean
  ip: string
  user_agent: string | null
  idempotency_key: string | null
  error_code: string | null
  request_body: string | null
  response_body: string | null
}

/** Of each body. */
export const BODY_BYTES_MAX = 4 * 1024
/** A larger answer is not read again for its beginning. */
const ANSWER_LENGTH_MAX = 64 * 1024
const URL_BYTES_MAX = 2 * 1024
const HEADER_BYTES_MAX = 500

export function entryOf(exchange: Exchange, at: Date, keepsBodies: boolean): Entry {
  const { tenant, sent, answered } = exchange
  const hasBodies = sent !== undefined || answered !== undefined
  const request =
    keepsBodies && sent !== undefined ? redactedJson(parsed(sent), BODY_BYTES_MAX) : NONE
  const response = keepsBodies && answered !== undefined ? answerOf(answered) : NONE
  return {
    id: undefined,
    business_id: tenant.businessId,
    live: tenant.live,
    at,
    key_id: exchange.keyId,
    partner: exchange.partner ?? null,
    request_id: exchange.requestId,
    method: exchange.method,
    operation: exchange.operation,
    url: line(redactUrl(exchange.url), URL_BYTES_MAX),
    duration_ms: Math.round(exchange.durationMs * 10) / 10,
    request_bytes: exchange.requestBytes ?? null,
    response_bytes: exchange.responseBytes ?? null,
    status: exchange.status,
    replayed: exchange.replayed,
    truncated: request.truncated || response.truncated,
    bodies_dropped: hasBodies && !keepsBodies,
    ip: exchange.ip,
    user_agent: header(exchange.userAgent),
    idempotency_key: header(exchange.idempotencyKey),
    error_code: exchange.errorCode ?? null,
    request_body: request.text,
    response_body: response.text,
  }
}

/** JSON that was accepted is kept as it came, and read again only where it is shown. */
const parsed = (sent: unknown): unknown =>
  Buffer.isBuffer(sent) && sent.length > 0 ? JSON.parse(sent.toString('utf8')) : sent

const NONE = { text: null, truncated: false }

function answerOf(answered: string): Shown | { text: null; truncated: boolean } {
  if (answered.length > ANSWER_LENGTH_MAX) return { text: null, truncated: true }
  // One look at all of it saves one at each of its texts; an escape could hide something from it.
  const clean = !answered.includes('\\') && isClean(answered)
  return redactedJson(JSON.parse(answered), BODY_BYTES_MAX, clean)
}

const header = (value: string | undefined) =>
  value === undefined ? null : line(redactText(value), HEADER_BYTES_MAX)

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
const line = (text: string, bytesMax: number): string =>
  cut(text.toWellFormed().replaceAll('\0', ''), bytesMax).text

/** What it weighs while it waits, beside its line. */
export const bodyBytesOf = ({ request_body, response_body }: Entry): number =>
  (request_body?.length ?? 0) + (response_body?.length ?? 0)

/** The line alone. */
export const withoutBodies = (entry: Entry): Entry => ({
  ...entry,
  truncated: false,
  bodies_dropped: true,
  request_body: null,
  response_body: null,
})
