import type { Db, Tx } from '../../db/database.ts'
import { onMachineOf } from '../../db/distributed/rewrite.ts'
import { all, sql } from '../../db/sql.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { KeyType } from './format.ts'
import type { Scope } from './scopes.ts'

export interface KeyRow {
  business_id: number
  live: boolean
  id: number
  reference: string
  type: KeyType
  label: string | null
  hint: string
  scopes: Scope[] | null
  allowed_ips: string[]
  expires_at: Date | null
  last_used_at: Date | null
  browser_seen_at: Date | null
  replaced_by: number | null
  revoked_at: Date | null
  event_sequence: number
  /** The member who created the key in the dashboard; null if unknown. */
  created_by: number | null
  created_at: Date
}

const columns = sql`business_id, live, id, reference, type, label, hint, scopes, allowed_ips,
  expires_at, last_used_at, browser_seen_at, replaced_by, revoked_at, event_sequence, created_by,
  created_at`

export async function insertKey(tx: Tx, row: KeyRow, hash: Buffer): Promise<void> {
  await tx.run`
    insert into api_keys (${columns}, hash)
    values (${row.business_id}, ${row.live}, ${row.id}, ${row.reference}, ${row.type}, ${row.label},
            ${row.hint}, ${row.scopes}, ${row.allowed_ips}, ${row.expires_at}, ${row.last_used_at},
            ${row.browser_seen_at}, ${row.replaced_by}, ${row.revoked_at}, ${row.event_sequence},
            ${row.created_by}, ${row.created_at}, ${hash})`
  await tx.run`
    insert into api_key_hashes (hash, business_id, live, key_id)
    values (${hash}, ${row.business_id}, ${row.live}, ${row.id})`
}

export function selectKey(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<KeyRow>`
    select ${columns} from api_keys
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/** Newest first. */
export function selectKeys(db: Db, { businessId, live }: Tenant) {
  return db.many<KeyRow>`
    select ${columns} from api_keys where business_id = ${businessId} and live = ${live}
    order by created_at desc, id desc`
}

/** Returns undefined if the key was already revoked. */
export function updateRevoked(tx: Tx, { businessId, live }: Tenant, id: number, now: Date) {
  return tx.maybe<KeyRow>`
    update api_keys set revoked_at = ${now}, event_sequence = event_sequence + 1
    where business_id = ${businessId} and live = ${live} and id = ${id} and revoked_at is null
    returning ${columns}`
}

/**
 * Sets a key's successor, and its expiry unless the key already expires earlier. Returns undefined
 * if the key already has a successor, or has expired.
 */
export function updateReplaced(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { replacedBy, endsAt, now }: { replacedBy: number; endsAt: Date; now: Date },
) {
  return tx.maybe<KeyRow>`
    update api_keys
    set replaced_by = ${replacedBy},
        expires_at = least(expires_at, ${endsAt}::timestamptz),
        revoked_at = case when ${endsAt}::timestamptz <= ${now} then ${now}::timestamptz end,
        event_sequence = event_sequence + 1
    where ${all([
      sql`business_id = ${businessId} and live = ${live} and id = ${id}`,
      sql`revoked_at is null and replaced_by is null`,
      sql`(expires_at is null or expires_at > ${now})`,
    ])}
    returning ${columns}`
}

export interface AuthenticatedKey {
  business_id: number
  live: boolean
  id: number
  type: KeyType
  label: string | null
  hint: string
  created_by: number | null
  scopes: Scope[] | null
  allowed_ips: string[]
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
  browser_seen_at: Date | null
  status: 'Active' | 'Suspended'
  time_zone: string
  test_clock_offset_ms: number
}

export async function selectByHash(db: Db, hash: Buffer) {
  const business = sql`select business_id from api_key_hashes where hash = ${hash}`
  const isThere = await onMachineOf(db, business, sql`k.business_id`)
  return db.maybe<AuthenticatedKey>`
    select k.business_id, k.live, k.id, k.type, k.label, k.hint, k.created_by, k.scopes,
           k.allowed_ips, k.expires_at, k.revoked_at, k.last_used_at, k.browser_seen_at,
           b.status, s.time_zone, b.test_clock_offset_ms
    from api_key_hashes h
    join api_keys k on k.business_id = h.business_id and k.live = h.live and k.id = h.key_id
    join businesses b on b.id = h.business_id
    join business_settings s on s.business_id = k.business_id and s.live = k.live
    where h.hash = ${hash} and ${isThere}`
}

/** Never moves the time back, because several servers write it. */
export async function updateLastUsed(db: Db, key: Tenant & { keyId: number }, at: Date) {
  await db.run`
    update api_keys set last_used_at = ${at}
    where business_id = ${key.businessId} and live = ${key.live} and id = ${key.keyId}
      and (last_used_at is null or last_used_at < ${at})`
}

/**
 * Records that a browser sent this secret key. Returns the owner to notify, which is null if the
 * owner has no email address. Returns undefined if the owner was notified in the past day, or if
 * another server got there first.
 */
export function updateBrowserSeen(tx: Tx, key: Tenant & { keyId: number }, at: Date, quiet: Date) {
  return tx.maybe<{ owner: string | null }>`
    update api_keys k set browser_seen_at = ${at}
    from (select browser_seen_at as before_at from api_keys
          where business_id = ${key.businessId} and live = ${key.live} and id = ${key.keyId}
            and (browser_seen_at is null or browser_seen_at < ${at})
          for update) before,
      businesses b
    where k.business_id = ${key.businessId} and k.live = ${key.live} and k.id = ${key.keyId}
      and b.id = k.business_id
    returning case when before_at is null or before_at < ${quiet} then b.email end as owner`
}

export async function selectBusinessName(db: Db, businessId: number): Promise<string> {
  const { name } = await db.one<{ name: string }>`
    select name from businesses where id = ${businessId}`
  return name
}
