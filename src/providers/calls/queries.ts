import type { Db } from '../../db/database.ts'
import { plainArray } from '../../db/pg-arrays.ts'
import { sql } from '../../db/sql.ts'
import { isNotHeld } from '../../jobs/retention.ts'
import type { Tenant } from '../../lib/caller.ts'

/** One exchange with a provider, without secrets. */
export interface CallRow {
  business_id: number
  live: boolean
  id: number
  connection_id: number
  /** The order that it was about, if any. */
  kind: string | null
  subject_id: number | null
  attempt: number | null
  call_class: string
  operation: string
  path: string
  /** Null if there was no response. */
  status: number | null
  outcome: string
  duration_ms: number
  request: string | null
  response: string | null
  at: Date
}

export const insertCalls = (db: Db, rows: readonly CallRow[]) =>
  db.run`
    insert into provider_calls (business_id, live, id, connection_id, kind, subject_id, attempt,
      call_class, operation, path, status, outcome, duration_ms, request, response, at)
    select business_id, live, id, connection_id, kind, subject_id, attempt, call_class, operation,
      path, status, outcome, duration_ms, request, response, at
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (business_id bigint, live boolean,
      id bigint, connection_id bigint, kind text, subject_id bigint, attempt integer,
      call_class text, operation text, path text, status integer, outcome text,
      duration_ms integer, request text, response text, at timestamptz)`

interface CallKey {
  business_id: number
  live: boolean
  id: number
}

export const selectExpiredCalls = (db: Db, before: Date, limit: number) =>
  db.many<CallKey>`
    select business_id, live, id from provider_calls
    where at < ${before} and ${isNotHeld(sql`provider_calls.business_id`)}
    order by at limit ${limit}`

export const deleteCalls = (db: Db, keys: readonly CallKey[]) =>
  db.run`
    delete from provider_calls where (business_id, live, id) in (select * from unnest(
      ${plainArray(keys.map(({ business_id }) => business_id))}::bigint[],
      ${plainArray(keys.map(({ live }) => live))}::boolean[],
      ${plainArray(keys.map(({ id }) => id))}::bigint[]))`

interface ClassRow {
  call_class: string
  calls: number
  failed: number
  p50_ms: number
  p95_ms: number
  last_response_at: Date | null
}

/** Sums up the calls through a connection. A response with an error of the server has failed. */
export const selectFigures = (
  db: Db,
  { businessId, live }: Tenant,
  connectionId: number,
  since: Date,
) =>
  db.many<ClassRow>`
    select call_class, count(*)::integer as calls,
      (count(*) filter (where outcome <> 'response' or status >= 500))::integer as failed,
      percentile_disc(0.5) within group (order by duration_ms) as p50_ms,
      percentile_disc(0.95) within group (order by duration_ms) as p95_ms,
      max(at) filter (where outcome = 'response' and status < 500) as last_response_at
    from provider_calls
    where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
      and at >= ${since}
    group by call_class order by call_class`
