import type pg from 'pg'
import type { Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'

export type Purpose = 'data' | 'search'

/** A key in the database, encrypted with the server's key. */
export interface WrappedKey {
  id: number
  purpose: Purpose
  wrapped: Buffer
  wrapped_by: Buffer
  retired_at: Date | null
}

const COLUMNS = sql`id, purpose, wrapped, wrapped_by, retired_at`

export const selectKeys = (db: Db) =>
  db.many<WrappedKey>`select ${COLUMNS} from encryption_keys order by id`

export const selectKey = (db: Db, id: number) =>
  db.maybe<WrappedKey>`select ${COLUMNS} from encryption_keys where id = ${id}`

export const selectCurrent = (db: Db, purpose: Purpose) =>
  db.maybe<WrappedKey>`
    select ${COLUMNS} from encryption_keys where purpose = ${purpose} and retired_at is null`

/** The key cannot be deleted before the transaction ends, even if it is retired meanwhile. */
export async function lockCurrent(tx: Tx, purpose: Purpose): Promise<WrappedKey | undefined> {
  if (tx.isDivided) {
    // Citus would let only one transaction at a time lock a row that every machine has.
    await tx.run`select pg_advisory_xact_lock_shared(${USE_LOCK})`
    return selectCurrent(tx, purpose)
  }
  return tx.maybe<WrappedKey>`
    select ${COLUMNS} from encryption_keys where purpose = ${purpose} and retired_at is null
    for key share`
}

const USE_LOCK = 7_305_442
const REKEY_LOCK = 7_305_441

/** Returns false if another connection has the lock. It is released with the connection. */
export async function lockRekey(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1) as has', [REKEY_LOCK])
  return rows[0].has
}

export const unlockRekey = (client: pg.PoolClient) =>
  client.query('select pg_advisory_unlock($1)', [REKEY_LOCK])

/** Waits for others that change the keys, but not for those that use them. */
export const lockKeys = (tx: Tx) =>
  tx.many<WrappedKey>`select ${COLUMNS} from encryption_keys order by id for no key update`

/** Waits for transactions that still write values with this key. */
export const lockUnused = (tx: Tx, id: number) =>
  tx.isDivided
    ? tx.run`select pg_advisory_xact_lock(${USE_LOCK})`
    : tx.run`select from encryption_keys where id = ${id} for update`

type NewKey = Omit<WrappedKey, 'retired_at'>

/** Does nothing if there is a current key for the purpose. */
export const insertKey = (tx: Tx, key: NewKey, now: Date) =>
  tx.run`
    insert into encryption_keys (id, purpose, wrapped, wrapped_by, created_at)
    values (${key.id}, ${key.purpose}, ${key.wrapped}, ${key.wrapped_by}, ${now})
    on conflict do nothing`

export const updateRetired = (tx: Tx, id: number, now: Date) =>
  tx.run`
    update encryption_keys set retired_at = ${now} where id = ${id} and retired_at is null`

export const updateWrapped = (tx: Tx, { id, wrapped, wrapped_by }: Omit<NewKey, 'purpose'>) =>
  tx.run`
    update encryption_keys set wrapped = ${wrapped}, wrapped_by = ${wrapped_by}
    where id = ${id}`

export const deleteKey = (tx: Tx, id: number) =>
  tx.run`delete from encryption_keys where id = ${id} and retired_at is not null`
