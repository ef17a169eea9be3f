import type { Database, Db, Tx } from '../db/database.ts'
import { takeDue } from '../db/leases.ts'
import { type Sql, sql } from '../db/sql.ts'
import { addMs } from '../lib/clock.ts'
import type { Archive, ArchiveKind, ArchiveLine } from './archive.ts'
import type { Job } from './jobs.ts'

export const DAY_MS = 86_400_000

/**
 * Returns a condition that is true if the business has no legal hold. A hold on one customer keeps
 * all records of the business, because a record does not always say which customer it is about.
 */
export const isNotHeld = (businessId: Sql): Sql =>
  sql`not exists (select from legal_holds h where h.business_id = ${businessId})`

/** Each tenant without a legal hold, as `of` in a `from` clause: `of.business_id, of.live`. */
export const TENANTS_NOT_HELD: Sql = sql`(
    select s.business_id, s.live from business_settings s
    where ${isNotHeld(sql`s.business_id`)}
  ) as of`

interface Deletion<Key, Row extends Key> {
  kind: ArchiveKind
  /** How many rows to delete at a time. */
  limit: number
  /** Finds rows from before this time, without a lock. */
  find: (db: Db, before: Date, limit: number) => Promise<Key[]>
  /** Locks those that are still to be deleted, and returns all of their columns. */
  read: (tx: Tx, keys: readonly Key[], before: Date) => Promise<Row[]>
  linesOf: (rows: Row[]) => ArchiveLine[] | Promise<ArchiveLine[]>
  /** Deletes those that are still to be deleted, and returns something for each. */
  remove: (db: Db, keys: readonly Key[], before: Date) => Promise<unknown[]>
}

interface Retention {
  /** How many days rows are kept; for ever if undefined. */
  days: number | undefined
  archive: Archive | undefined
}

/** Returns the job that deletes rows after `days` days, by the server's clock. */
export const retentionJob = <Key extends { business_id: number }, Row extends Key>(
  name: string,
  { days, archive }: Retention,
  deletion: Deletion<Key, Row>,
): Job => ({
  name,
  everyMs: 60_000,
  run: async (db, now, only) =>
    days === undefined || only !== undefined
      ? 0
      : deleteOld(db, archive, addMs(now, -days * DAY_MS), deletion),
})

/**
 * Deletes old rows, and returns how many. With an archive, their lines are on its disk before they
 * are deleted; if those of a business cannot be written, nothing of it is deleted.
 */
export async function deleteOld<Key extends { business_id: number }, Row extends Key>(
  db: Database,
  archive: Archive | undefined,
  before: Date,
  deletion: Deletion<Key, Row>,
): Promise<number> {
  if (archive) return archive.inTurn(() => moveOld(db, archive, before, deletion))
  const { find, remove, limit } = deletion
  const rows = await takeDue(
    db,
    () => find(db, before, limit),
    (keys) => remove(db, keys, before),
  )
  return rows.length
}

/** Moves the rows of one business after another, so that no transaction writes many files. */
async function moveOld<Key extends { business_id: number }, Row extends Key>(
  db: Database,
  archive: Archive,
  before: Date,
  { kind, limit, find, read, linesOf, remove }: Deletion<Key, Row>,
): Promise<number> {
  const keys = await find(db, before, limit)
  return countEach(Map.groupBy(keys, ({ business_id }) => business_id).values(), (ofBusiness) =>
    db.transaction(async (tx) => {
      if (!(await isFree(tx, kind, ofBusiness[0]!.business_id))) return 0
      const rows = await read(tx, ofBusiness, before)
      if (rows.length === 0) return 0
      await archive.append(kind, await linesOf(rows))
      await remove(tx, rows, before)
      return rows.length
    }),
  )
}

/**
 * Returns how many rows `work` deleted of all groups. If it fails for one, the others go on. Throws
 * only if no group went on, so that a job comes to its end before it reports what failed.
 */
export async function countEach<Row>(
  groups: Iterable<Row[]>,
  work: (group: Row[]) => Promise<number>,
): Promise<number> {
  let count = 0
  let failure: unknown
  for (const group of groups) {
    try {
      count += await work(group)
    } catch (error) {
      failure ??= error
    }
  }
  if (failure !== undefined && count === 0) throw failure
  return count
}

/** Keeps other processes from writing what this one is writing until the transaction ends. */
async function isFree(tx: Tx, kind: ArchiveKind, businessId: number): Promise<boolean> {
  const { isTaken } = await tx.one<{ isTaken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`archive ${kind} ${businessId}`}, 0))
      as "isTaken"`
  return isTaken
}
