import type { Db, Tx } from '../db/database.ts'
import { keyCondition, takeDue } from '../db/leases.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'

/** Records a key before anything is stored under it, so that leftovers can always be found. */
export function insertGarbage(db: Db, key: string, dueAt: Date): Promise<number> {
  return db.run`insert into blob_garbage (storage_key, due_at) values (${key}, ${dueAt})`
}

/**
 * Deletes the record of a key only if it is unchanged, because a key that is being removed must not
 * be used again.
 */
export function deleteNote(tx: Tx, key: string, notedFor: Date): Promise<number> {
  return tx.run`delete from blob_garbage where storage_key = ${key} and due_at = ${notedFor}`
}

export function updateNote(db: Db, key: string, notedFor: Date, dueAt: Date): Promise<number> {
  return db.run`
    update blob_garbage set due_at = ${dueAt}
    where storage_key = ${key} and due_at = ${notedFor}`
}

interface NewBlob extends Tenant {
  sha256: Buffer
  key: string
  bytes: number
  now: Date
}

/**
 * Returns the key of the stored content. If the same content was already stored, this is its
 * earlier key.
 */
export async function upsertBlob(tx: Tx, blob: NewBlob): Promise<string> {
  const { businessId, live, sha256, key, bytes, now } = blob
  const { storage_key } = await tx.one<{ storage_key: string }>`
    insert into blobs (business_id, live, sha256, storage_key, bytes, created_at)
    values (${businessId}, ${live}, ${sha256}, ${key}, ${bytes}, ${now})
    on conflict (business_id, live, sha256) do update set release_at = null
    returning storage_key`
  return storage_key
}

export interface Blob {
  storage_key: string
  bytes: number
}

export function selectBlob(db: Db, { businessId, live }: Tenant, sha256: Buffer) {
  return db.maybe<Blob>`
    select storage_key, bytes from blobs
    where business_id = ${businessId} and live = ${live} and sha256 = ${sha256}`
}

export function updateReleaseAt(
  tx: Tx,
  { businessId, live }: Tenant,
  hashes: readonly Buffer[],
  releaseAt: Date,
): Promise<number> {
  return tx.run`
    update blobs set release_at = ${releaseAt}
    where business_id = ${businessId} and live = ${live} and sha256 = any(${hashes}::bytea[])`
}

/** A column that contains the SHA-256 of a blob belonging to the same business and mode. */
export interface Reference {
  table: Sql
  column: Sql
}

type BlobKey = { business_id: number; live: boolean; sha256: Buffer }

const isBlob = keyCondition<BlobKey>({ sha256: 'bytea' })

/** Locks released blobs, so that no new reference to them can be written. */
export function lockReleased(tx: Tx, now: Date, limit: number): Promise<BlobKey[]> {
  const find = () => tx.many<BlobKey>`
    select business_id, live, sha256 from blobs
    where release_at <= ${now} order by release_at limit ${limit}`
  const lock = (keys: BlobKey[]) => tx.many<BlobKey>`
    select business_id, live, sha256 from blobs
    where ${isBlob(keys)} and release_at <= ${now} order by release_at for update skip locked`
  return takeDue(tx, find, lock)
}

/**
 * Deletes blobs without references. This is a separate statement from the lock, so that it sees all
 * references written before the rows were locked.
 */
export async function deleteUnreferenced(
  tx: Tx,
  locked: readonly BlobKey[],
  references: readonly Reference[],
): Promise<string[]> {
  const unreferred = references
    .map(
      ({ table, column }) => sql`not exists (
        select from ${table} r
        where (r.business_id, r.live, r.${column}) = (b.business_id, b.live, b.sha256))`,
    )
    .reduce((left, right) => sql`${left} and ${right}`, sql`true`)
  const gone = await tx.many<{ storage_key: string }>`
    delete from blobs b where ${isBlob(locked)} and ${unreferred}
    returning storage_key`
  return gone.map(({ storage_key }) => storage_key)
}

export function updateReferenced(tx: Tx, locked: readonly BlobKey[]): Promise<number> {
  return tx.run`update blobs set release_at = null where ${isBlob(locked)}`
}

export function insertGarbageOf(tx: Tx, keys: readonly string[], dueAt: Date): Promise<number> {
  return tx.run`
    insert into blob_garbage (storage_key, due_at)
    select key, ${dueAt} from unnest(${keys}::text[]) as key`
}

/**
 * Claims due keys until `leasedUntil`. The claiming process deletes them from storage, then from
 * this table.
 */
export async function claimGarbage(
  db: Db,
  now: Date,
  leasedUntil: Date,
  limit: number,
): Promise<string[]> {
  const rows = await db.many<{ storage_key: string }>`
    update blob_garbage set due_at = ${leasedUntil} where storage_key in (
      select storage_key from blob_garbage
      where due_at <= ${now} order by due_at limit ${limit} for update skip locked)
    returning storage_key`
  return rows.map(({ storage_key }) => storage_key)
}

export function deleteGarbage(db: Db, key: string): Promise<number> {
  return db.run`delete from blob_garbage where storage_key = ${key}`
}
