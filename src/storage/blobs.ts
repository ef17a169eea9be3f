import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Database, Db, Tx } from '../db/database.ts'
import { addMs, type Clock } from '../lib/clock.ts'
import { randomText } from '../lib/random.ts'
import type { Tenant } from '../lib/tenant.ts'
import { storageUnavailable } from './failures.ts'
import {
  type Blob,
  deleteNote,
  insertGarbage,
  selectBlob,
  updateNote,
  updateReleased,
  upsertBlob,
} from './queries.ts'
import { oneChunk, type Spooled, spool } from './spool.ts'
import type { Span, Storage } from './storage.ts'

export const BLOB_SWEEPER = 'blobs'

export interface FilesDeps {
  db: Database
  /** The server's own: how long content is kept has nothing to do with a test clock. */
  clock: Clock
  /** Of what comes in, and of what is kept where no bucket is. */
  directory: string
  storage: Storage
  nudge(sweeper: string, afterMs?: number): void
}

/** What is in the store under a key that is only noted yet: `take` or the sweeper decides. */
export interface PutAway {
  sha256: Buffer
  bytes: number
  key: string
  notedFor: Date
}

export type Files = ReturnType<typeof openFiles>

/** Whatever was put away and not taken in the meantime was given up. */
const TAKEN_WITHIN_MS = 3_600_000
const KEPT_UNUSED_MS = 24 * 3_600_000

export const spoolOf = (directory: string): string => join(directory, 'spool')
export const storeOf = (directory: string): string => join(directory, 'files')

/**
 * Files and the rows that know them (docs/decisions/0031-files.md). What comes in is spooled, then
 * put away, and then taken in the transaction that refers to it.
 */
export function openFiles({ db, clock, directory, storage, nudge }: FilesDeps) {
  const spoolIn = (content: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Spooled> =>
    spool(spoolOf(directory), content, bytesMax)

  /** Throws `unavailable` when the store cannot be used. The spooled file is used up. */
  async function putAway({ path, sha256, bytes }: Spooled): Promise<PutAway> {
    const key = newKey()
    const notedFor = addMs(clock.now(), TAKEN_WITHIN_MS)
    await insertGarbage(db, key, notedFor)
    await storage.put(key, path)
    return { sha256, bytes, key, notedFor }
  }

  return {
    spool: spoolIn,
    putAway,

    /** As `putAway`, of what was made here. */
    async putAwayBytes(content: Buffer): Promise<PutAway> {
      const spooled = await spoolIn(oneChunk(content), content.length)
      try {
        return await putAway(spooled)
      } finally {
        await spooled.remove()
      }
    },

    /** Makes it a blob of the tenant's, to be referred to in this transaction by its SHA-256. */
    async take(tx: Tx, tenant: Tenant, { sha256, bytes, key, notedFor }: PutAway): Promise<void> {
      const now = clock.now()
      const kept = await upsertBlob(tx, { ...tenant, sha256, key, bytes, now })
      if (kept !== key) return
      const noted = await deleteNote(tx, key, notedFor)
      if (noted === 0) throw storageUnavailable(new Error(`${key} was given up`))
    },

    /** Whatever of these was not taken is removed now, or else in an hour. Throws nothing. */
    async giveUp(stored: readonly PutAway[]): Promise<void> {
      let given = 0
      for (const { key, notedFor } of stored) {
        given += await updateNote(db, key, notedFor, clock.now()).catch(() => 0)
      }
      if (given > 0) nudge(BLOB_SWEEPER)
    },

    /** For whoever deleted rows that referred to these; those that others refer to stay. */
    async release(tx: Tx, tenant: Tenant, hashes: readonly Buffer[]): Promise<void> {
      if (hashes.length === 0) return
      await updateReleased(tx, tenant, hashes, addMs(clock.now(), KEPT_UNUSED_MS))
    },

    /** Throws for one that is not there: whoever refers to it keeps it. */
    async find(db: Db, tenant: Tenant, sha256: Buffer): Promise<Blob> {
      const blob = await selectBlob(db, tenant, sha256)
      if (!blob) throw new Error(`there is no blob ${sha256.toString('hex')}`)
      return blob
    },

    open: ({ storage_key }: Blob, span?: Span): Promise<Readable> => storage.get(storage_key, span),
  }
}

/** The first letters are a directory, so that none has a million files. */
function newKey(): string {
  const text = randomText(22)
  return `${text.slice(0, 2)}/${text}`
}
