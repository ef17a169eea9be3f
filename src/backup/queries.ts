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

/** Selects when the last backup was made, and when the first business was created. */
export function selectLastBackup(db: Db) {
  return db.one<{ made_at: Date | null; needed_since: Date | null }>`
    select (select max(made_at) from backups) as made_at,
      (select min(created_at) from businesses) as needed_since`
}
