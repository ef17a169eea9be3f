import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** What old rows are: the first part of the name of their file. */
export type ArchiveKind = 'events' | 'emails' | 'requests' | 'deliveries'

/** A deleted row as JSON on one line, without the line break. */
export interface ArchiveLine {
  business_id: number
  live: boolean
  /** The month whose file contains the line, such as `2026-11`. */
  month: string
  text: string
}

export interface Archive {
  /** Runs `work`, which appends, once earlier ones of this process have ended. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  /**
   * Resolves when the lines are on disk. Call it in the transaction that deletes the rows: if that
   * fails, the rows are still there and their lines will be written again, but no row is lost.
   */
  append(kind: ArchiveKind, lines: readonly ArchiveLine[]): Promise<void>
}

/** Returns the line of a row, in the file of the month (UTC) in which it was created. */
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
 * `101-live/events-2026-11.ndjson`. Only the owner of the files can read them. The directory must
 * exist: otherwise, rows would be lost if a disk is not mounted.
 */
export function openArchive(directory: string): Archive {
  let last: Promise<unknown> = Promise.resolve()
  return {
    // A disk that hangs then blocks only one of Node's threads for files.
    inTurn(work) {
      const next = last.then(work)
      last = next.catch(() => {})
      return next
    },
    async append(kind, lines) {
      try {
        await appendAll(
          directory,
          Map.groupBy(lines, (line) => fileOf(kind, line)),
        )
      } catch (error) {
        // Without its code, which would be taken for an error of the database's connection.
        throw new Error(`The archive of old rows cannot be written: ${(error as Error).message}`)
      }
    },
  }
}

const fileOf = (kind: ArchiveKind, { business_id, live, month }: ArchiveLine): string =>
  `${business_id}-${live ? 'live' : 'test'}/${kind}-${month}.ndjson`

/**
 * Opens all files before it writes to any: if one of them cannot be opened, the lines of the others
 * would otherwise be written again on each attempt.
 */
async function appendAll(
  directory: string,
  files: ReadonlyMap<string, readonly ArchiveLine[]>,
): Promise<void> {
  const handles: FileHandle[] = []
  try {
    for (const name of files.keys()) {
      const path = join(directory, name)
      await makeDirectory(dirname(path))
      handles.push(await open(path, 'a+', 0o600))
    }
    for (const [i, [name, lines]] of [...files].entries()) {
      await appendTo(handles[i]!, name, lines.map(({ text }) => `${text}\n`).join(''))
      // Even if they are not new: another process may have made them and not synced yet.
      await sync(join(directory, dirname(name)))
      await sync(directory)
    }
  } finally {
    await Promise.all(handles.map((file) => file.close()))
  }
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

const NEW_LINE = 10

async function appendTo(file: FileHandle, name: string, lines: string): Promise<void> {
  const { size } = await file.stat()
  const end = Buffer.alloc(1, NEW_LINE)
  if (size > 0) await file.read(end, 0, 1, size - 1)
  // A crash can have cut off the last line, which was then not deleted from the database.
  const content = Buffer.from(end[0] === NEW_LINE ? lines : `\n${lines}`)
  // In one piece, so that the lines of another process are before or after it.
  const { bytesWritten } = await file.write(content)
  if (bytesWritten < content.length) throw new Error(`ENOSPC: ${name} is not complete`)
  await file.sync()
}

/** Makes what is new in a directory durable. */
async function sync(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
