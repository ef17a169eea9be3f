import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database, Db, Tx } from '../db/database.ts'
import { takeDue } from '../db/leases.ts'

/** What old rows are: the first part of the name of their file. */
type ArchiveKind = 'events' | 'emails' | 'requests' | 'deliveries'

/** A deleted row as a line of JSON, without the line break. */
export interface ArchiveLine {
  business_id: number
  live: boolean
  /** The month whose file contains the line, such as `2026-11`. */
  month: string
  text: string
}

export interface Archive {
  /**
   * Resolves when the lines are on disk. Until `tx` ends, other processes wait before they write
   * lines of the same kind. If the caller deletes the rows in `tx`, a crash can leave a line of a
   * row that is still there and whose line will be written again, but no row is lost.
   */
  append(tx: Tx, kind: ArchiveKind, lines: readonly ArchiveLine[]): Promise<void>
}

/** Returns the line of a row, in the file of the month in which it was created. */
export const archiveLine = (
  {
    business_id,
    live,
    created_at,
  }: Pick<ArchiveLine, 'business_id' | 'live'> & { created_at: Date },
  record: object,
): ArchiveLine => ({
  business_id,
  live,
  month: created_at.toISOString().slice(0, 7),
  text: JSON.stringify({ businessId: business_id, mode: live ? 'live' : 'test', ...record }),
})

/**
 * Opens a directory with files for each business, mode, kind and month, such as
 * `101-live/events-2026-11.ndjson`. Only the owner of the files can read them.
 */
export const openArchive = (directory: string): Archive => ({
  async append(tx, kind, lines) {
    if (lines.length === 0) return
    await tx.one`select pg_advisory_xact_lock(hashtextextended(${`archive ${kind}`}, 0))`
    for (const [file, ofFile] of Map.groupBy(lines, (line) => fileOf(kind, line))) {
      const path = join(directory, file)
      await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
      await appendTo(path, ofFile.map(({ text }) => `${text}\n`).join(''))
    }
  },
})

const fileOf = (kind: ArchiveKind, { business_id, live, month }: ArchiveLine): string =>
  `${business_id}-${live ? 'live' : 'test'}/${kind}-${month}.ndjson`

const NEW_LINE = 10

async function appendTo(path: string, lines: string): Promise<void> {
  const file = await open(path, 'a+', 0o600)
  try {
    const { size } = await file.stat()
    const last = Buffer.alloc(1, NEW_LINE)
    if (size > 0) await file.read(last, 0, 1, size - 1)
    // A crash can have cut off the last line, which was then not deleted from the database.
    await file.appendFile(last[0] === NEW_LINE ? lines : `\n${lines}`)
    await file.sync()
  } finally {
    await file.close()
  }
}

interface Deletion<Key, Row extends Key> {
  kind: ArchiveKind
  /** Finds old rows, without a lock. */
  find: () => Promise<Key[]>
  /** Locks those that are still to be deleted, and returns all of their columns. */
  read: (tx: Tx, keys: readonly Key[]) => Promise<Row[]>
  linesOf: (rows: Row[]) => ArchiveLine[] | Promise<ArchiveLine[]>
  /** Deletes those that are still to be deleted, and returns something for each. */
  remove: (db: Db, keys: readonly Key[]) => Promise<unknown[]>
}

/**
 * Deletes old rows, and returns how many. With an archive, their lines are on its disk before they
 * are deleted; if they cannot be written, nothing is deleted.
 */
export async function deleteOld<Key extends { business_id: number }, Row extends Key>(
  db: Database,
  archive: Archive | undefined,
  { kind, find, read, linesOf, remove }: Deletion<Key, Row>,
): Promise<number> {
  const removeArchived = (archive: Archive, keys: readonly Key[]) =>
    db.transaction(async (tx) => {
      const rows = await read(tx, keys)
      await archive.append(tx, kind, await linesOf(rows))
      return remove(tx, rows)
    })
  const take = (keys: readonly Key[]) =>
    archive ? removeArchived(archive, keys) : remove(db, keys)
  return (await takeDue(db, find, take)).length
}
