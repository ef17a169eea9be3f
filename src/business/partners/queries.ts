import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Scope } from '../keys/scopes.ts'

export interface PartnerRow {
  id: number
  client_id: string
  name: string
  live: boolean
  scopes: Scope[] | null
  revoked_at: Date | null
  created_at: Date
}

const columns = sql`id, client_id, name, live, scopes, revoked_at, created_at`

export async function insertPartner(tx: Tx, row: PartnerRow): Promise<void> {
  await tx.run`
    insert into partners (${columns})
    values (${row.id}, ${row.client_id}, ${row.name}, ${row.live}, ${row.scopes},
            ${row.revoked_at}, ${row.created_at})`
}

/** Newest first. Includes the number of businesses that have granted each partner access. */
export function selectPartners(db: Db) {
  return db.many<PartnerRow & { businesses: number }>`
    select ${columns},
      (select count(*) from partner_grants g
       where g.partner_id = partners.id and g.revoked_at is null) as businesses
    from partners order by created_at desc, id desc`
}

export function selectPartner(db: Db, clientId: string) {
  return db.maybe<PartnerRow>`select ${columns} from partners where client_id = ${clientId}`
}

export function lockPartner(tx: Tx, clientId: string) {
  return tx.maybe<PartnerRow>`
    select ${columns} from partners where client_id = ${clientId} for update`
}

/** Returns undefined if the partner was already revoked. */
export function updatePartnerRevoked(tx: Tx, clientId: string, now: Date) {
  return tx.maybe<PartnerRow>`
    update partners set revoked_at = ${now}
    where client_id = ${clientId} and revoked_at is null
    returning ${columns}`
}

interface NewSecret {
  id: number
  partnerId: number
  hash: Buffer
  now: Date
}

export async function insertSecret(tx: Tx, { id, partnerId, hash, now }: NewSecret) {
  await tx.run`
    insert into partner_secrets (id, partner_id, hash, created_at)
    values (${id}, ${partnerId}, ${hash}, ${now})`
}

/**
 * Makes every working secret expire at `endsAt`. If that is `now`, also revokes the tokens issued
 * with these secrets.
 */
export async function updateSecretsEnding(tx: Tx, partnerId: number, endsAt: Date, now: Date) {
  await tx.run`
    update partner_secrets
    set ends_at = least(ends_at, ${endsAt}::timestamptz),
        revoked_at = case when ${endsAt}::timestamptz <= ${now} then ${now}::timestamptz end
    where partner_id = ${partnerId} and revoked_at is null`
}

export interface AuthenticatedPartner extends PartnerRow {
  secret_id: number
}

/** Returns undefined if the credentials do not match, or have expired. */
export function selectByCredentials(db: Db, clientId: string, secretHash: Buffer, now: Date) {
  return db.maybe<AuthenticatedPartner>`
    select p.id, p.client_id, p.name, p.live, p.scopes, p.revoked_at, p.created_at,
           s.id as secret_id
    from partner_secrets s join partners p on p.id = s.partner_id
    where s.hash = ${secretHash} and p.client_id = ${clientId} and p.revoked_at is null
      and s.revoked_at is null and (s.ends_at is null or s.ends_at > ${now})`
}

interface TokenRow {
  hash: Buffer
  secret_id: number
  scopes: Scope[] | null
  expires_at: Date
  created_at: Date
}

export async function insertToken(db: Db, row: TokenRow): Promise<void> {
  await db.run`
    insert into partner_tokens (hash, secret_id, scopes, expires_at, created_at)
    values (${row.hash}, ${row.secret_id}, ${row.scopes}, ${row.expires_at}, ${row.created_at})`
}

export interface AuthenticatedToken {
  business_id: number
  live: boolean
  grant_id: number
  client_id: string
  partner_scopes: Scope[] | null
  grant_scopes: Scope[] | null
  token_scopes: Scope[] | null
  expires_at: Date
  last_used_at: Date | null
  time_zone: string
  test_clock_offset_ms: number
}

/**
 * Returns undefined unless the token exists and the business, in the partner's mode, grants the
 * partner access. Also checks whether the secret or the partner has been revoked, so that a token
 * created at the same moment as the revocation doesn't work.
 */
export function selectByToken(db: Db, tokenHash: Buffer, businessId: number) {
  return db.maybe<AuthenticatedToken>`
    select g.business_id, g.live, g.id as grant_id, p.client_id, p.scopes as partner_scopes,
           g.scopes as grant_scopes, t.scopes as token_scopes, t.expires_at, g.last_used_at,
           o.time_zone, b.test_clock_offset_ms
    from partner_tokens t
    join partner_secrets s on s.id = t.secret_id
    join partners p on p.id = s.partner_id
    join partner_grants g
      on g.business_id = ${businessId} and g.live = p.live and g.partner_id = p.id
    join businesses b on b.id = g.business_id
    join business_settings o on o.business_id = g.business_id and o.live = g.live
    where t.hash = ${tokenHash} and s.revoked_at is null and p.revoked_at is null
      and g.revoked_at is null and b.status = 'Active'`
}

/** Deletes up to `most` expired tokens. Returns how many. */
export function deleteExpiredTokens(db: Db, now: Date, most: number): Promise<number> {
  return db.run`
    delete from partner_tokens where hash in (
      select hash from partner_tokens where expires_at <= ${now}
      order by expires_at limit ${most} for update skip locked)`
}

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
  /** Columns from the partner. */
  client_id: string
  name: string
  partner_scopes: Scope[] | null
  partner_revoked_at: Date | null
}

const GRANT = sql`g.business_id, g.live, g.id, g.reference, g.scopes, g.last_used_at,
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
 * Grants a partner in the same mode access to the business with these scopes. Replaces any previous
 * grant. Returns undefined if the partner does not exist or has been revoked.
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
    select ${GRANT} from granted g join partners p on p.id = g.partner_id`
}

/** Newest first, including revoked ones. */
export function selectGrants(db: Db, { businessId, live }: Tenant) {
  return db.many<GrantRow>`
    select ${GRANT} from partner_grants g join partners p on p.id = g.partner_id
    where g.business_id = ${businessId} and g.live = ${live}
    order by g.created_at desc, g.id desc`
}

export function selectGrant(db: Db, { businessId, live }: Tenant, clientId: string) {
  return db.maybe<GrantRow>`
    select ${GRANT} from partner_grants g join partners p on p.id = g.partner_id
    where g.business_id = ${businessId} and g.live = ${live} and p.client_id = ${clientId}`
}

/** Returns undefined if access was already revoked, or never granted. */
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
    returning ${GRANT}`
}

/** Never moves the time back, because several servers write it. */
export async function updateGrantUsed(db: Db, grant: Tenant & { keyId: number }, at: Date) {
  await db.run`
    update partner_grants set last_used_at = ${at}
    where business_id = ${grant.businessId} and live = ${grant.live} and id = ${grant.keyId}
      and (last_used_at is null or last_used_at < ${at})`
}
