import type { Tx } from '../../db/database.ts'
import type { Customer, PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'
import type { CallRecord } from '../../lib/call-record.ts'
import { cut, isClean, redactedJson, redactText, redactUrl, type Shown } from '../../lib/redact.ts'
import type { LineRow, RequestRow } from './queries.ts'

export const lineRecord = (row: LineRow) => ({
  id: row.id,
  reference: row.request_id,
  requestId: row.request_id,
  at: row.created_at,
  mode: row.live ? 'live' : 'test',
  keyReference: row.key_reference,
  partner: row.partner,
  method: row.method,
  operation: row.operation,
  url: row.url,
  status: row.status,
  errorCode: row.error_code,
  durationMs: Math.round(row.duration_ms * 10) / 10,
  ip: row.ip,
  userAgent: row.user_agent,
  idempotencyKey: row.idempotency_key,
  replayed: row.replayed,
  requestBytes: row.request_bytes,
  responseBytes: row.response_bytes,
})

export const requestRecord = (row: RequestRow) => ({
  ...lineRecord(row),
  requestBody: row.request_body,
  responseBody: row.response_body,
  truncated: row.truncated,
  bodiesDropped: row.bodies_dropped,
})

/** Lines can have 8 KiB of bodies. */
const PAGE = 1_000

interface Place {
  at: string
  id: number
}

/** Calls keep their path, status and time, and lose their bodies, query and Idempotency-Key. */
export const requestPersonalData: PersonalData = {
  name: 'requests',
  find: async () => [],
  async erase(tx, customer) {
    let count = 0
    for (let after: Place | undefined = { at: '-infinity', id: 0 }; after; ) {
      const page: (Place & { is_hit: boolean })[] = await selectPage(tx, customer, after)
      const hits = page.filter(({ is_hit }) => is_hit)
      if (hits.length > 0) count += await removeBodies(tx, customer, hits)
      after = page.at(-1)
    }
    return count
  },
}

function selectPage(tx: Tx, { businessId, live, email }: Customer, { at, id }: Place) {
  const encoded = encodeURIComponent(email).toLowerCase()
  const text = sql`lower(concat_ws(' ', url, idempotency_key, request_body, response_body))`
  return tx.many<Place & { is_hit: boolean }>`
    select at::text, id, position(${email} in ${text}) > 0 or position(${encoded} in ${text}) > 0
      as is_hit
    from request_log
    where business_id = ${businessId} and live = ${live}
      and (at, id) > (${at}::timestamptz, ${id}::bigint)
    order by request_log.at, id limit ${PAGE}`
}

const removeBodies = (tx: Tx, { businessId, live }: Customer, places: readonly Place[]) =>
  tx.run`
    update request_log set request_body = null, response_body = null, bodies_dropped = true,
      idempotency_key = null, url = split_part(url, '?', 1)
    where business_id = ${businessId} and live = ${live} and (at, id) in (
      select * from unnest(${places.map(({ at }) => at)}::timestamptz[],
        ${places.map(({ id }) => id)}::bigint[]))`

/** A log line as stored, without secrets. */
export interface Entry {
  /** Assigned before the first attempt to write the line. */
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

/** The size limit for each stored body. */
const BODY_BYTES_MAX = 4 * 1024
/** Larger responses are not worth parsing again just to show how they start. */
const ANSWER_LENGTH_MAX = 64 * 1024
const URL_BYTES_MAX = 2 * 1024
const HEADER_BYTES_MAX = 500

export function entryOf(exchange: CallRecord, at: Date, keepsBodies: boolean): Entry {
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

/**
 * The server keeps accepted JSON as bytes, so the body has to be parsed again in order to redact
 * it.
 */
const parsed = (sent: unknown): unknown =>
  Buffer.isBuffer(sent) && sent.length > 0 ? JSON.parse(sent.toString('utf8')) : sent

const NONE = { text: null, truncated: false }

function answerOf(answered: string): Shown | { text: null; truncated: boolean } {
  if (answered.length > ANSWER_LENGTH_MAX) return { text: null, truncated: true }
  // Scanning the whole body once saves scanning each string. With escapes, such a scan could miss a
  // secret.
  const clean = !answered.includes('\\') && isClean(answered)
  return redactedJson(JSON.parse(answered), BODY_BYTES_MAX, clean)
}

const header = (value: string | undefined) =>
  value === undefined ? null : line(redactText(value), HEADER_BYTES_MAX)

/** PostgreSQL cannot store NUL or half a surrogate pair. */
const line = (text: string, bytesMax: number): string =>
  cut(text.toWellFormed().replaceAll('\0', ''), bytesMax).text

export const bodyBytesOf = ({ request_body, response_body }: Entry): number =>
  (request_body?.length ?? 0) + (response_body?.length ?? 0)

export const withoutBodies = (entry: Entry): Entry => ({
  ...entry,
  truncated: false,
  bodies_dropped: true,
  request_body: null,
  response_body: null,
})
