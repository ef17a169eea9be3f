import { MIGRATIONS } from '../../db/connect.ts'
import { type Bulk, openBulk } from '../../db/copy.ts'
import { type Embedded, startEmbedded } from '../../db/embedded.ts'
import type { Log } from '../../db/log.ts'
import { migrate } from '../../db/migrate.ts'
import { spool } from '../../files/files.ts'
import type { Storage } from '../../files/storage.ts'
import { Problem } from '../../lib/problem.ts'
import { type Start, selectBlobs, selectKeys } from '../make.ts'
import { type Recovered, recover } from '../restore.ts'
import {
  openArchivedFiles,
  type RecoveredCluster,
  type Recovering,
  recoverTo,
} from './recover-to.ts'

interface RestoringAt extends Omit<Recovering, 'migrations'> {
  /** Throws if something else is missing, such as the server's key. */
  check(start: Pick<Start, 'keys'>): Promise<void>
  /** Where files of the archive go. Undefined if they are only checked. */
  files: Storage | undefined
  /** The bucket of the files, if there is one. What it has is not taken from the archive. */
  bucket: Storage | undefined
  spool: string
  now: Date
  log: Log
}

export interface RestoredAt extends Recovered {
  /** The base backup from which the database was recovered. */
  base: string
  at: string
  files: number
  /** Files that are missing or damaged. */
  faults: string[]
}

/**
 * Recovers the embedded database as it was at a moment, with its files, and prepares it as after
 * every restore. The result runs in the new data directory until the caller stops it.
 */
export async function restoreAt(
  restoring: RestoringAt,
): Promise<{ restored: RestoredAt; embedded: Embedded }> {
  const { dataDir, log, at, now } = restoring
  const recovered = await recoverTo({ ...restoring, migrations: MIGRATIONS })
  const embedded = await startEmbedded({ dataDir, log })
  try {
    const connect = { ...embedded.config('owner') }
    await migrate({ connect, dir: MIGRATIONS, log })
    const bulk = await openBulk(connect)
    try {
      // The keys may have been replaced since the base backup.
      await restoring.check({ keys: await selectKeys(bulk.db) })
      await bulk.execute('begin')
      const done = await recover(bulk.tx, at, now)
      await bulk.execute('commit')
      const files = await restoreFiles(bulk, recovered, restoring)
      const base = recovered.base.made.name
      return { restored: { base, at: at.toISOString(), ...done, ...files }, embedded }
    } finally {
      await bulk.close()
    }
  } catch (error) {
    await embedded.stop()
    throw error
  }
}

async function restoreFiles(
  { db }: Bulk,
  { line }: RecoveredCluster,
  { files, bucket, spool: directory, progress }: RestoringAt,
): Promise<{ files: number; faults: string[] }> {
  const blobs = await selectBlobs(db)
  // Files can have been moved since the base backup, so each is looked for in both places.
  const there = new Set(await bucket?.list())
  const archived = await openArchivedFiles(line)
  const faults: string[] = []
  let done = 0
  for (const { key, sha256, bytes, is_needed: isNeeded } of blobs) {
    progress.show('Files', ++done, blobs.length, 'files')
    if (there.has(key)) continue
    if (!archived.has(key)) {
      if (isNeeded) faults.push(`${key} is missing`)
      continue
    }
    const spooled = await archived
      .read(key, (content) => spool(directory, content, bytes))
      .catch((error: unknown) => {
        // The database is worth more than one file. If the archive cannot be read or the disk is
        // full, everything fails.
        if (!isDamage(error)) throw error
        faults.push(`${key} is damaged`)
        return undefined
      })
    if (!spooled) continue
    try {
      if (spooled.sha256.toString('hex') !== sha256) faults.push(`${key} is damaged`)
      await files?.put(key, spooled.path)
    } finally {
      await spooled.remove()
    }
  }
  return { files: blobs.length, faults }
}

/** Returns whether the content is wrong: too long, not decrypted, or not decompressed. */
function isDamage(error: unknown): boolean {
  if (error instanceof Problem) return error.kind !== 'unavailable'
  const { code } = error as NodeJS.ErrnoException
  return code === undefined || /^(?:Z_|ZSTD_)/.test(code)
}
