import type { Database } from '../db/database.ts'
import { JOB_ROWS_MAX, type Job } from '../jobs/jobs.ts'
import { addMs } from '../lib/clock.ts'
import { BLOB_JOB, pruneSpool, spoolDirectory } from './files.ts'
import {
  claimGarbage,
  deleteGarbage,
  deleteUnreferenced,
  insertGarbageOf,
  lockReleased,
  type Reference,
  updateReferenced,
} from './queries.ts'
import type { Storage } from './storage.ts'

export type { Reference } from './queries.ts'

/** Longer than it can take to remove that many files. */
const LEASE_MS = 10 * 60_000
const REMOVED_MAX = 50

interface Options {
  directory: string
  storage: Storage
  references: readonly Reference[]
}

/** Removes content that nothing refers to, and stored files that nobody claimed. */
export function blobJob({ directory, storage, references }: Options): Job {
  return {
    name: BLOB_JOB,
    everyMs: 60_000,
    async run(db, now, only) {
      if (only !== undefined) return 0
      const released = await release(db, references, now)
      const removed = await removeGarbage(db, storage, now)
      if (released + removed === 0) await pruneSpool(spoolDirectory(directory))
      return released + removed
    },
  }
}

const release = (db: Database, references: readonly Reference[], now: Date): Promise<number> =>
  db.transaction(async (tx) => {
    const released = await lockReleased(tx, now, JOB_ROWS_MAX)
    if (released.length === 0) return 0
    const keys = await deleteUnreferenced(tx, released, references)
    await insertGarbageOf(tx, keys, now)
    await updateReferenced(tx, released)
    return released.length
  })

/**
 * Removes files from storage first, because those that cannot be removed now will be due again
 * after the lease.
 */
async function removeGarbage(db: Database, storage: Storage, now: Date): Promise<number> {
  const keys = await claimGarbage(db, now, addMs(now, LEASE_MS), REMOVED_MAX)
  for (const key of keys) {
    await storage.delete(key)
    await deleteGarbage(db, key)
  }
  return keys.length
}
