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

/** Which rows a run looks for. */
export interface Search {
  /** Those from before this time. */
  before: Date
  limit: number
  /** Businesses whose rows could not be deleted in this run. */
  except: readonly number[]
}

/** Returns a condition that is true if the rows of the business can be deleted in this run. */
export const canDelete = (businessId: Sql, { except }: Pick<Search, 'except'>): Sql =>
  sql`${businessId} <> all(${except}::bigint[]) and ${isNotHeld(businessId)}`

/**
 * Returns the tenants whose rows can be deleted in this run, as `of` in a `from` clause:
 * `of.business_id, of.live`.
 */
export const tenantsToDelete = (search: Pick<Search, 'except'>): Sql => sql`(
    select s.business_id, s.live from business_settings s
    where ${canDelete(sql`s.business_id`, search)}
  ) as of`

interface Deletion<Key, Row extends Key> {
  kind: ArchiveKind
  /** How many rows to delete at a time. */
  limit: number
  /** Finds rows, without a lock. */
  find: (db: Db, search: Search) => Promise<Key[]>
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
 * are deleted; rows whose lines cannot be written are kept.
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
    () => find(db, { before, limit, except: [] }),
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
  const findGroups = async (except: readonly number[]) => {
    const keys = await find(db, { before, limit, except })
    return Map.groupBy(keys, ({ business_id }) => business_id).values()
  }
  return deleteGroups(findGroups, (ofBusiness) =>
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

/** If so many businesses fail, it is not because of one of them. */
const FAILURES_MAX = 20

/**
 * Finds rows and deletes them, each group of one business after another, and returns how many. If a
 * business fails, the others go on, even if all rows that were found first are its own. Throws only
 * if nothing was deleted, so that a job comes to its end before it reports what failed.
 */
export async function deleteGroups<Row extends { business_id: number }>(
  find: (except: readonly number[]) => Promise<Iterable<Row[]>>,
  remove: (group: Row[]) => Promise<number>,
): Promise<number> {
  const failures = new Map<number, unknown>()
  let count = 0
  let isToContinue = true
  while (isToContinue) {
    const before = failures.size
    for (const group of await find([...failures.keys()])) {
      try {
        count += await remove(group)
      } catch (error) {
        failures.set(group[0]!.business_id, error)
      }
    }
    isToContinue = count === 0 && failures.size > before && failures.size < FAILURES_MAX
  }
  if (count > 0 || failures.size === 0) return count
  const some = [...failures.keys()].slice(0, FAILURES_MAX).join(', ')
  const [cause] = failures.values()
  throw new Error(`Old rows of some businesses were kept: ${some}`, { cause })
}

/** Keeps other processes from writing what this one is writing until the transaction ends. */
async function isFree(tx: Tx, kind: ArchiveKind, businessId: number): Promise<boolean> {
  const { isTaken } = await tx.one<{ isTaken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`archive ${kind} ${businessId}`}, 0))
      as "isTaken"`
  return isTaken
}
