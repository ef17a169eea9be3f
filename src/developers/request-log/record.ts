import type { Tx } from '../../db/database.ts'
import type { Customer, PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'
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

/** Calls keep their path, status and time, and lose their bodies and their query. */
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
  const text = sql`lower(concat_ws(' ', url, request_body, response_body))`
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
      url = split_part(url, '?', 1)
    where business_id = ${businessId} and live = ${live} and (at, id) in (
      select * from unnest(${places.map(({ at }) => at)}::timestamptz[],
        ${places.map(({ id }) => id)}::bigint[]))`
