import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { openIfThere, type Storage } from '../../files/storage.ts'
import { randomText } from '../../lib/tokens.ts'
import { keyOf, newSealing, type Sealing, seal, unseal } from '../seal.ts'

/* The archive of one line (src/db/embedded/wal.ts) is a directory with its id:
 *
 *   line.json    how its keys are derived; written first
 *   base/…       base backups, in the format of other backups
 *   wal/…        segments, each under PostgreSQL's name
 *   files/…      stored files, each under its key and when it was archived
 */

/** One line's part of an archive. `key` is null if it is not encrypted. */
export interface LineStore {
  id: string
  storage: Storage
  key: Buffer | null
  /** Its description, as it is stored. */
  description: string
}

interface LineDescription {
  format: 1
  encryption: Sealing | null
  /** Of the key; tells whether a passphrase is the one with which the line was started. */
  check?: string
}

export const BASE = 'base/'
export const WAL = 'wal/'
export const FILES = 'files/'
const LINE = 'line.json'
const SALT_BYTES = 16

/** Shows one directory of a storage. */
export const inside = (storage: Storage, directory: string): Storage => ({
  put: (key, path) => storage.put(directory + key, path),
  get: (key, span) => storage.get(directory + key, span),
  delete: (key) => storage.delete(directory + key),
  async list() {
    const keys = await storage.list()
    return keys.filter((key) => key.startsWith(directory)).map((key) => key.slice(directory.length))
  },
  close: () => {},
})

/** Prints a time so that it is part of a name, and names sort by age. */
export const compact = (at: Date): string => at.toISOString().replace(/[-:.]/g, '')

/** Returns the key of a stored file and when it was archived; undefined for other objects. */
export function archivedFile(name: string): { key: string; at: string } | undefined {
  const [, key, at] = /^files\/(.+)\.(\w+)$/.exec(name) ?? []
  return key && at ? { key, at } : undefined
}

/** Returns the ids of the lines that an archive has. */
export async function listLines(archive: Storage): Promise<string[]> {
  const found = (await archive.list()).map((key) => /^(\w+)\/line\.json$/.exec(key)?.[1])
  return found.filter((id) => id !== undefined)
}

/** Throws if the line is encrypted and there is no passphrase, or the other way round. */
export async function openLine(
  archive: Storage,
  id: string,
  passphrase: string | undefined,
): Promise<LineStore> {
  const storage = inside(archive, `${id}/`)
  const description = (await bytesOf(await storage.get(LINE))).toString('utf8')
  const { format, encryption, check } = JSON.parse(description) as LineDescription
  if (format !== 1) throw new Error('the archive was made by a newer version of Tradepost')
  if (encryption && passphrase === undefined) {
    throw new Error('the archive is encrypted: name the file of its passphrase')
  }
  const key = encryption && (await keyOf(passphrase!, encryption))
  // Otherwise, what follows would be encrypted with another key than what is there.
  if (key && check !== undefined && check !== checkOf(key)) {
    throw new Error('the archive cannot be decrypted: it was started with another passphrase')
  }
  return { id, storage, key, description }
}

/**
 * Returns whether the archive still has the line. The disk of an archive can be mounted, or taken
 * away, at any time.
 */
export async function hasLine({ storage, description }: LineStore): Promise<boolean> {
  const there = await openIfThere(storage, LINE)
  return there !== undefined && (await bytesOf(there)).toString('utf8') === description
}

const checkOf = (key: Buffer): string => createHmac('sha256', key).update('line').digest('base64')

/**
 * Opens a line for writing, and begins it if the archive does not have it. Throws if the archive
 * had it before.
 */
export async function beginLine(
  archive: Storage,
  id: string,
  passphrase: string | undefined,
  spool: string,
  isBegun: boolean,
): Promise<LineStore> {
  if (!(await listLines(archive)).includes(id)) {
    if (isBegun) {
      throw new Error(
        'WAL_ARCHIVE no longer contains the archive of this database: mount its disk. To begin ' +
          'another archive, first start the server once without WAL_ARCHIVE',
      )
    }
    const encryption = passphrase === undefined ? null : newSealing()
    const check = encryption && checkOf(await keyOf(passphrase!, encryption))
    const description: LineDescription = { format: 1, encryption, ...(check && { check }) }
    await putBytes(archive, `${id}/${LINE}`, [Buffer.from(JSON.stringify(description))], spool)
  }
  const line = await openLine(archive, id, passphrase)
  if (line.key || passphrase === undefined) return line
  throw new Error(
    'the archive of this database was started without WAL_ARCHIVE_KEY_FILE: use another directory',
  )
}

/** Compresses, encrypts and stores a file under a new name. */
export async function putFile(
  { storage, key }: LineStore,
  name: string,
  content: Readable,
  spool: string,
): Promise<void> {
  await pipeline(
    content,
    createZstdCompress(),
    (source) => sealed(source, key, name),
    (source: AsyncIterable<Buffer>) => putBytes(storage, name, source, spool),
  )
}

/** Reads a file as it was. Throws if it was changed. */
export async function readFile<T>(
  { storage, key }: LineStore,
  name: string,
  work: (content: AsyncIterable<Buffer>) => Promise<T>,
): Promise<T> {
  return await pipeline(
    await storage.get(name),
    (source) => unsealed(source, key, name),
    createZstdDecompress(),
    (content: AsyncIterable<Buffer>) => work(content),
  )
}

/**
 * Each file has its own key, because the boxes in it are numbered from 0. The key belongs to the
 * name, so that one file cannot be taken for another.
 */
const keyFor = (key: Buffer, salt: Buffer, name: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, name, 32))

async function* sealed(source: AsyncIterable<Buffer>, key: Buffer | null, name: string) {
  if (!key) return yield* source
  const salt = randomBytes(SALT_BYTES)
  yield salt
  yield* seal(source, keyFor(key, salt, name))
}

async function* unsealed(source: AsyncIterable<Buffer>, key: Buffer | null, name: string) {
  if (!key) return yield* source
  const chunks = source[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  while (head.length < SALT_BYTES) {
    const { value, done } = await chunks.next()
    if (done) throw new Error(`${name} is incomplete`)
    head = Buffer.concat([head, value])
  }
  async function* rest() {
    yield head.subarray(SALT_BYTES)
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
  }
  yield* unseal(rest(), keyFor(key, head.subarray(0, SALT_BYTES), name))
}

async function putBytes(
  storage: Storage,
  name: string,
  content: AsyncIterable<Buffer> | Iterable<Buffer>,
  spool: string,
): Promise<void> {
  await mkdir(spool, { recursive: true, mode: 0o700 })
  const path = join(spool, randomText(20))
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      for await (const chunk of content) await file.writeFile(chunk)
    } finally {
      await file.close()
    }
    await storage.put(name, path)
  } finally {
    await rm(path, { force: true })
  }
}

async function bytesOf(source: Readable): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of source) parts.push(part)
  return Buffer.concat(parts)
}
