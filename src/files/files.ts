import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Database, Db, Tx } from '../db/database.ts'
import { JOB_ROWS_MAX, type Job } from '../jobs/jobs.ts'
import type { Tenant } from '../lib/caller.ts'
import { addMs, type Clock } from '../lib/clock.ts'
import { invalid, Problem, unavailable } from '../lib/problem.ts'
import { randomText } from '../lib/tokens.ts'
import {
  type Blob,
  claimGarbage,
  deleteGarbage,
  deleteNote,
  deleteUnreferenced,
  insertGarbage,
  insertGarbageOf,
  lockReleased,
  type Reference,
  selectBlob,
  updateNote,
  updateReferenced,
  updateReleaseAt,
  upsertBlob,
} from './queries.ts'
import type { ByteRange, Storage } from './storage.ts'

const BLOB_JOB = 'blobs'

interface FilesDeps {
  db: Database
  /** The server’s own clock. A test clock must not affect how long content is kept. */
  clock: Clock
  /** The directory for incoming files, and for stored ones if there is no bucket. */
  directory: string
  storage: Storage
  nudge(job: string, afterMs?: number): void
}

/** Stored content that nothing refers to yet. `take` keeps it; otherwise, the job removes it. */
export interface StoredFile {
  sha256: Buffer
  bytes: number
  key: string
  notedFor: Date
}

export type Files = ReturnType<typeof openFiles>

/** Stored content that has not been taken within this time counts as abandoned. */
const TAKEN_WITHIN_MS = 3_600_000
const KEPT_UNUSED_MS = 24 * 3_600_000

export const spoolDirectory = (directory: string): string => join(directory, 'spool')
export const storeDirectory = (directory: string): string => join(directory, 'files')

/**
 * Stores files, along with the rows that refer to them (docs/decisions/0031-files.md). An incoming
 * file is spooled, then stored, then taken in the transaction that refers to it.
 */
export function openFiles({ db, clock, directory, storage, nudge }: FilesDeps) {
  const spoolIn = (content: AsyncIterable<Uint8Array>, bytesMax: number): Promise<SpooledFile> =>
    spool(spoolDirectory(directory), content, bytesMax)

  async function putAway({ path, sha256, bytes }: SpooledFile): Promise<StoredFile> {
    const key = newKey()
    const notedFor = addMs(clock.now(), TAKEN_WITHIN_MS)
    await insertGarbage(db, key, notedFor)
    await storage.put(key, path)
    return { sha256, bytes, key, notedFor }
  }

  return {
    spool: spoolIn,
    putAway,

    /** Like `putAway`, for content that the server generated. */
    async putAwayBytes(content: Buffer): Promise<StoredFile> {
      const spooled = await spoolIn(oneChunk(content), content.length)
      try {
        return await putAway(spooled)
      } finally {
        await spooled.remove()
      }
    },

    /**
     * Makes the content a blob of the tenant, so that this transaction can refer to it by its
     * SHA-256.
     */
    async take(
      tx: Tx,
      tenant: Tenant,
      { sha256, bytes, key, notedFor }: StoredFile,
    ): Promise<void> {
      const now = clock.now()
      const kept = await upsertBlob(tx, { ...tenant, sha256, key, bytes, now })
      if (kept !== key) return
      const noted = await deleteNote(tx, key, notedFor)
      if (noted === 0)
        throw storageUnavailable(new Error(`the upload of ${key} was already removed`))
    },

    /**
     * Removes content that was not taken. If that fails now, the job removes it within an hour.
     * Never throws.
     */
    async discard(stored: readonly StoredFile[]): Promise<void> {
      let given = 0
      for (const { key, notedFor } of stored) {
        given += await updateNote(db, key, notedFor, clock.now()).catch(() => 0)
      }
      if (given > 0) nudge(BLOB_JOB)
    },

    /**
     * Call this after deleting rows that referred to these blobs. Content that other rows refer to
     * is kept.
     */
    async release(tx: Tx, tenant: Tenant, hashes: readonly Buffer[]): Promise<void> {
      if (hashes.length === 0) return
      await updateReleaseAt(tx, tenant, hashes, addMs(clock.now(), KEPT_UNUSED_MS))
    },

    /**
     * Throws if the blob is missing. That should never happen, because a reference protects it from
     * removal.
     */
    async find(db: Db, tenant: Tenant, sha256: Buffer): Promise<Blob> {
      const blob = await selectBlob(db, tenant, sha256)
      if (!blob) throw new Error(`blob ${sha256.toString('hex')} does not exist`)
      return blob
    },

    open: ({ storage_key }: Blob, span?: ByteRange): Promise<Readable> =>
      storage.get(storage_key, span),
  }
}

/** The first letters name a directory, so that no single directory contains a million files. */
function newKey(): string {
  const text = randomText(22)
  return `${text.slice(0, 2)}/${text}`
}

/** A file that has arrived completely and stays on this machine until it is stored or refused. */
export interface SpooledFile {
  path: string
  bytes: number
  sha256: Buffer
  /** The first bytes, from which the type can be detected. */
  head: Buffer
  /** Does nothing if the file was stored. */
  remove(): Promise<void>
}

const HEAD_BYTES = 512

/** How long a partial file is kept after its process is killed. */
const LEFT_MS = 2 * 3_600_000

/** Yields content already in memory, so that it can be spooled like an upload. */
export async function* oneChunk(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

/**
 * Writes incoming content to a file, keeping only a few chunks in memory. Throws 413 as soon as the
 * content exceeds `bytesMax`. Removes the file if it throws.
 */
export async function spool(
  directory: string,
  content: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<SpooledFile> {
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch(refuseDisk)
  const path = join(directory, randomText(20))
  const remove = () => rm(path, { force: true })
  const file = await open(path, 'wx', 0o600).catch(refuseDisk)
  const hash = createHash('sha256')
  let bytes = 0
  let head = Buffer.alloc(0)
  try {
    for await (const chunk of content) {
      bytes += chunk.length
      if (bytes > bytesMax) throw tooLarge(bytesMax)
      hash.update(chunk)
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk]).subarray(0, HEAD_BYTES)
      await file.writeFile(chunk)
    }
  } catch (error) {
    await file.close()
    await remove()
    if (isDiskFailure(error)) throw storageUnavailable(error)
    throw error
  }
  await file.close()
  return { path, bytes, sha256: hash.digest(), head: Buffer.from(head), remove }
}

const isDiskFailure = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES'].includes(String((error as { code?: string }).code))

const refuseDisk = (error: unknown): never => {
  throw storageUnavailable(error)
}

export const tooLarge = (bytesMax: number) =>
  new Problem('too_large', 'file_too_large', `A file must be at most ${sizeOf(bytesMax)}.`)

function sizeOf(bytes: number): string {
  const mib = bytes / 1024 / 1024
  return Number.isInteger(mib) ? `${mib} MiB` : `${bytes} bytes`
}

/**
 * Removes files left behind by killed processes. Their age is measured by the file system's clock.
 */
async function pruneSpool(directory: string): Promise<void> {
  const now = Date.now()
  const names = await readdir(directory).catch(() => [])
  for (const name of names) {
    const path = join(directory, name)
    const left = await stat(path).catch(() => undefined)
    if (left && now - left.mtimeMs > LEFT_MS) await rm(path, { force: true })
  }
}

/** For a failed storage call, which leaves everything unchanged. The log has the cause. */
export const storageUnavailable = (cause: unknown) =>
  unavailable('storage_unavailable', 'File storage is temporarily unavailable.', cause)

/** An upload that has been stored, but that no row refers to yet. */
export interface Arrived {
  name: string
  contentType: string
  stored: StoredFile
}

/** Stores uploads and passes them to `work`. Removes those that `work` does not take. */
export async function withStoredFiles<T>(
  { files }: { files: Files },
  sent: readonly (SpooledFile & { name: string })[],
  work: (arrived: readonly Arrived[]) => Promise<T>,
): Promise<T> {
  if (sent.length === 0) throw invalid({ file: ['is required'] })
  if (sent.some(({ bytes }) => bytes === 0)) throw invalid({ file: ['must not be empty'] })
  const arrived: Arrived[] = []
  try {
    for (const file of sent) {
      const { name, head } = file
      arrived.push({ name, contentType: contentTypeOf(head), stored: await files.putAway(file) })
    }
    return await work(arrived)
  } finally {
    await files.discard(arrived.map(({ stored }) => stored))
  }
}

/** Content types with known first bytes, given as latin1 text at an offset. */
const KINDS: readonly [at: number, begins: string, type: string][] = [
  [0, '%PDF-', 'application/pdf'],
  [30, 'mimetypeapplication/epub+zip', 'application/epub+zip'],
  [0, 'PK\x03\x04', 'application/zip'],
  [0, '\x1f\x8b', 'application/gzip'],
  [0, '7z\xbc\xaf\x27\x1c', 'application/x-7z-compressed'],
  [0, 'Rar!\x1a\x07', 'application/vnd.rar'],
  [0, 'ID3', 'audio/mpeg'],
  [0, 'fLaC', 'audio/flac'],
  [0, 'OggS', 'audio/ogg'],
  [8, 'WAVE', 'audio/wav'],
  [8, 'WEBP', 'image/webp'],
  [4, 'ftypM4A', 'audio/mp4'],
  [4, 'ftyp', 'video/mp4'],
  [0, '\x1a\x45\xdf\xa3', 'video/webm'],
  [60, 'BOOKMOBI', 'application/x-mobipocket-ebook'],
  [0, '\xff\xd8\xff', 'image/jpeg'],
  [0, '\x89PNG\r\n\x1a\n', 'image/png'],
  [0, 'GIF8', 'image/gif'],
]

/** Returns the type of a file by its first bytes; `application/octet-stream` if it is not known. */
function contentTypeOf(head: Buffer): string {
  const text = head.toString('latin1')
  const found = KINDS.find(([at, begins]) => text.startsWith(begins, at))
  return found?.[2] ?? 'application/octet-stream'
}

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
