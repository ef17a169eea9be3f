import type { Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Paused, PauseKey } from './pauses.ts'

export interface PauseRow {
  id: number
  business_id: number | null
  live: boolean | null
  what: Paused
  reason: string
  paused_by: string
  paused_at: Date
}

export const selectPauses = (db: Db) =>
  db.many<PauseRow>`
    select id, business_id, live, what, reason, paused_by, paused_at from pauses
    order by paused_at, id`

interface NewPause extends PauseKey {
  id: number
  by: string
  reason: string
  now: Date
}

/** Returns nothing if the same is paused already. */
export const insertPause = (tx: Tx, { id, businessId, live, what, by, reason, now }: NewPause) =>
  tx.maybe`
    insert into pauses (id, business_id, live, what, reason, paused_by, paused_at)
    values (${id}, ${businessId}, ${live}, ${what}, ${reason}, ${by}, ${now})
    on conflict do nothing returning id`

export const deletePause = (tx: Tx, { businessId, live, what }: PauseKey) =>
  tx.maybe`
    delete from pauses
    where what = ${what} and business_id is not distinct from ${businessId}
      and live is not distinct from ${live}
    returning id`

/** A stop of payouts, or a connection to a provider that is paused. */
export interface StopRow {
  what: 'payouts' | 'connection'
  business_id: number
  live: boolean
  /** Of a connection. */
  connection_id: number | null
  name: string | null
  reason: string | null
  /** Who stopped payouts. */
  stopped_by: string | null
  is_operators: boolean
  at: Date
}

const PAYOUTS = sql`
  select 'payouts' as what, business_id, live, null::bigint as connection_id, null as name,
    payouts_stop_reason as reason, payouts_stopped_by as stopped_by,
    stopped_by_operator or refunds_stopped as is_operators, payouts_stopped_at as at
  from provider_settings where payouts_stopped_at is not null`

const CONNECTIONS = sql`
  select 'connection' as what, business_id, live, id, name, status_reason, null, false,
    coalesce(status_at, updated_at) as at
  from provider_connections where status = 'Paused'`

/** Selects the stops of all businesses, the latest first. */
export const selectStops = (db: Db, limit: number) =>
  db.many<StopRow>`
    ${PAYOUTS} union all ${CONNECTIONS} order by at desc, business_id, live limit ${limit}`

/** Selects the stops of one business, the latest first. */
export const selectStopsOf = (db: Db, { businessId, live }: Tenant) =>
  db.many<StopRow>`
    ${PAYOUTS} and business_id = ${businessId} and live = ${live}
    union all ${CONNECTIONS} and business_id = ${businessId} and live = ${live}
    order by at desc, connection_id`
