import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { Scope } from '../keys/scopes.ts'

export interface GrantRow {
  business_id: number
  live: boolean
  id: number
  reference: string
  scopes: Scope[] | null
  last_used_at: Date | null
  revoked_at: Date | null
  created_at: Date
  updated_at: Date
  /** Of the partner. */
  client_id: string
  name: string
  partner_scopes: Scope[] | null
  partner_revoked_at: Date | null
}

const columns = sql`g.business_id, g.live, g.id, g.reference, g.scopes, g.last_used_at,
  g.revoked_at, g.created_at, g.updated_at, p.client_id, p.name, p.scopes as partner_scopes,
  p.revoked_at as partner_revoked_at`

interface NewGrant {
  id: number
  reference: string
  clientId: string
  scopes: Scope[] | null
  now: Date
}

/**
 * Lets a partner of the same mode act for the business, with these scopes from now on, whether it
 * did before or not. Nothing when there is no such partner, or it was revoked.
 */
export function upsertGrant(
  tx: Tx,
  { businessId, live }: Tenant,
  { id, reference, clientId, scopes, now }: NewGrant,
) {
  return tx.maybe<GrantRow>`
    with granted as (
      insert into partner_grants
        (business_id, live, id, reference, partner_id, scopes, created_at, updated_at)
      select ${businessId}, live, ${id}, ${reference}, id, ${scopes}::text[], ${now}, ${now}
      from partners where client_id = ${clientId} and live = ${live} and revoked_at is null
      on conflict (business_id, live, partner_id)
        do update set scopes = excluded.scopes, revoked_at = null, updated_at = excluded.updated_at
      returning *
    )
    select ${columns} from granted g join partners p on p.id = g.partner_id`
}

/** Newest first; those that were revoked, too. */
export function selectGrants(db: Db, { businessId, live }: Tenant) {
  return db.many<GrantRow>`
    select ${columns} from partner_grants g join partners p on p.id = g.partner_id
    where g.business_id = ${businessId} and g.live = ${live}
    order by g.created_at desc, g.id desc`
}

export function selectGrant(db: Db, { businessId, live }: Tenant, clientId: string) {
  return db.maybe<GrantRow>`
    select ${columns} from partner_grants g join partners p on p.id = g.partner_id
    where g.business_id = ${businessId} and g.live = ${live} and p.client_id = ${clientId}`
}

/** Nothing when it was revoked already, or never granted. */
export function updateGrantRevoked(
  tx: Tx,
  { businessId, live }: Tenant,
  clientId: string,
  now: Date,
) {
  return tx.maybe<GrantRow>`
    update partner_grants g set revoked_at = ${now}, updated_at = ${now}
    from partners p
    where g.business_id = ${businessId} and g.live = ${live} and g.partner_id = p.id
      and p.client_id = ${clientId} and g.revoked_at is null
    returning ${columns}`
}

/** Moves the mark only forward, so that several servers agree. */
export async function updateGrantUsed(db: Db, grant: Tenant & { keyId: number }, at: Date) {
  await db.run`
    update partner_grants set last_used_at = ${at}
    where business_id = ${grant.businessId} and live = ${grant.live} and id = ${grant.keyId}
      and (last_used_at is null or last_used_at < ${at})`
}
