import type { Db } from '../db/database.ts'

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

/** Selects when the last backup was made, or else, the first business. */
export function selectLastBackup(db: Db) {
  return db.one<{ at: Date | null }>`
    select coalesce((select max(made_at) from backups), (select min(created_at) from businesses))
      as at`
}
