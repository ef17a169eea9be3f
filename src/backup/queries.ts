import type { Db, Tx } from '../db/database.ts'

interface Backup {
  name: string
  target: string
  madeAt: Date
  bytes: number
}

export function insertBackup(db: Db, { name, target, madeAt, bytes }: Backup): Promise<number> {
  return db.run`
    insert into backups (name, target, made_at, bytes)
    values (${name}, ${target}, ${madeAt}, ${bytes})`
}

interface Restore {
  /** Higher than all ids of the backup. */
  firstId: number
  /** How many ids were left out. */
  count: number
  madeAt: Date
  now: Date
}

export function insertRestore(tx: Tx, { firstId, count, madeAt, now }: Restore): Promise<number> {
  return tx.run`
    insert into restores (first_id, events_skipped, restored_to, restored_at)
    values (${firstId}, ${count}, ${madeAt}, ${now})`
}

/** Selects when the last backup was made, or else, the first business. */
export function selectLastBackup(db: Db) {
  return db.one<{ at: Date | null }>`
    select coalesce((select max(made_at) from backups), (select min(created_at) from businesses))
      as at`
}
