import { readInBatches } from '../db/batch.ts'
import type { Db } from '../db/database.ts'
import { plainArray } from '../db/pg-arrays.ts'
import { sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Connection, ConnectionSettings, ProviderName } from './connector/types.ts'
import type { RouteRow } from './routing.ts'

export interface ConnectionRow {
  connection_id: number
  provider: ProviderName
  business_id: number | null
  live: boolean
  environment: Connection['environment']
  status: Connection['status']
  name: string
  base_url: string
  settings: Partial<ConnectionSettings>
  /** Only of a connection that is read alone. */
  credentials_since?: Date | null
}

export const CONNECTION = sql`c.id as connection_id, c.provider, c.business_id, c.live,
  c.environment, c.status, c.name, c.base_url, c.settings`

/** Selects a connection, whatever its status: it is still asked about the orders that it has. */
export function selectConnection(db: Db, id: number) {
  return db.maybe<ConnectionRow>`
    select ${CONNECTION}, (
        select max(k.created_at) from provider_credentials k
        where k.connection_id = c.id and k.version > 1
      ) as credentials_since
    from provider_connections c where c.id = ${id}`
}

/** Selects the routes of some businesses, including those to connections that are paused. */
export function selectRoutes(db: Db, tenants: readonly Tenant[]) {
  return db.many<RouteRow & { n: number }>`
    select n, r.service, r.currency, r.priority, r.weight, r.least_minor, r.most_minor, r.banks,
      r.is_active, ${CONNECTION}
    from unnest(
      ${plainArray(tenants.map(({ businessId }) => businessId))}::bigint[],
      ${plainArray(tenants.map(({ live }) => live))}::boolean[]
    ) with ordinality as i (business_id, live, n)
    join provider_routes r using (business_id, live)
    join provider_connections c on c.id = r.connection_id
    where r.is_active and c.live = r.live
      and (c.business_id = r.business_id or c.business_id is null)`
}

export const routesInBatch = readInBatches<Tenant, RouteRow>(
  ({ businessId }) => businessId,
  selectRoutes,
)
