import { createHash } from 'node:crypto'
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import type { Db } from '../db/database.ts'
import { spool } from './files.ts'
import { isMissing, type Storage } from './storage.ts'

interface StoredBlob {
  key: string
  sha256: Buffer
  bytes: number
}

interface Moving {
  db: Db
  from: Storage
  to: Storage
  /** The directory for a file on its way. */
  spoolDirectory: string
  /** The file that lists the keys whose copies have been checked; see `openJournal`. */
  journalPath: string
  /** A name for the storage that is copied to, so that a journal of another one is not used. */
  target: string
  onProgress?(done: number, total: number): void
}

export interface Copied {
  /** How many files are needed. */
  files: number
  /** How many of them this run has copied, and their size. */
  copied: number
  bytes: number
  /** What is wrong with each file that could not be copied. */
  faults: string[]
  /** Whose copies have been checked, now or before, also if no record needs them any longer. */
  checked: ReadonlySet<string>
}

const AT_ONCE = 4

/**
 * Copies all files that records refer to, and checks the hash of each copy by reading it again. The
 * source is not changed, and servers can go on using it. Killed at any moment, it continues when it
 * is run again. Throws if one of the storages is unavailable.
 */
export async function copyFiles(moving: Moving): Promise<Copied> {
  const { db, to, onProgress } = moving
  const blobs = await selectBlobs(db)
  const journal = await openJournal(moving)
  const there = new Set(await to.list())
  const checked = new Set<string>()
  const result: Copied = { files: blobs.length, copied: 0, bytes: 0, faults: [], checked }
  let done = 0

  async function copyNext(blob: StoredBlob): Promise<void> {
    const { key, bytes } = blob
    if (!(there.has(key) && (journal.has(key) || (await isIntact(to, blob))))) {
      const fault = await copyOne(moving, blob)
      if (fault === 'gone') return
      if (fault) return void result.faults.push(`${key}: ${fault}`)
      result.copied++
      result.bytes += bytes
    }
    checked.add(key)
    await journal.add(key)
    onProgress?.(++done, blobs.length)
  }
  const waiting = blobs.values()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const blob of waiting) await copyNext(blob)
    }),
  )
  for (const key of await deleteForgotten(moving, journal.keys(), there)) checked.add(key)
  return result
}

/**
 * Deletes the files from the source. Call this only if `copyFiles` has just found that nothing was
 * left to copy. What a server has stored there since is left. Returns how many were deleted, and
 * how many were left.
 */
export async function removeCopied(
  { from, journalPath }: Pick<Moving, 'from' | 'journalPath'>,
  checked: ReadonlySet<string>,
): Promise<{ removed: number; left: number }> {
  const keys = (await from.list()).filter((key) => KEY.test(key))
  let removed = 0
  for (const key of keys) {
    if (!checked.has(key)) continue
    await from.delete(key)
    removed++
  }
  await rm(journalPath, { force: true })
  return { removed, left: keys.length - removed }
}

/** Leaves out backups, which can be in the same bucket. */
const KEY = /^[\w-]{2}\/[\w-]{22}$/

/** Returns what is wrong, or `gone` if no record refers to the file any more. */
async function copyOne(
  { db, from, to, spoolDirectory }: Moving,
  blob: StoredBlob,
): Promise<string | undefined> {
  const { key, sha256 } = blob
  let content: Readable
  try {
    content = await from.get(key)
  } catch (error) {
    if (!isMissing(error)) throw error
    return (await isNeeded(db, key)) ? 'it is missing' : 'gone'
  }
  const spooled = await spool(spoolDirectory, content, Number.POSITIVE_INFINITY)
  try {
    if (!spooled.sha256.equals(sha256)) return 'it is damaged'
    await to.put(key, spooled.path)
  } finally {
    await spooled.remove()
  }
  return (await isIntact(to, blob)) ? undefined : 'its copy is damaged'
}

async function isIntact(storage: Storage, { key, sha256 }: StoredBlob): Promise<boolean> {
  try {
    const hash = createHash('sha256')
    for await (const chunk of await storage.get(key)) hash.update(chunk)
    return hash.digest().equals(sha256)
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/**
 * Deletes copies that an earlier run made of files that have been deleted since, and returns their
 * keys. Servers may have deleted them in only one of the two places.
 */
async function deleteForgotten(
  { db, to }: Moving,
  copied: Iterable<string>,
  there: ReadonlySet<string>,
): Promise<string[]> {
  const needed = new Set((await selectBlobs(db)).map(({ key }) => key))
  const forgotten = [...copied].filter((key) => !needed.has(key))
  for (const key of forgotten) if (there.has(key)) await to.delete(key)
  return forgotten
}

interface Journal {
  has(key: string): boolean
  keys(): Iterable<string>
  add(key: string): Promise<void>
}

/**
 * Opens the list of copies that have been checked, so that the next run need not read them again.
 * The name of the target comes first, then a line for each key. A line that a killed process has
 * not finished is no key.
 */
async function openJournal({ journalPath: path, target }: Moving): Promise<Journal> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const [name, ...lines] = text.split('\n')
  const isOurs = name === target
  const keys = new Set(isOurs ? lines.filter((line) => KEY.test(line)) : [])
  await mkdir(dirname(path), { recursive: true })
  if (!isOurs) await writeFile(path, `${target}\n`, { mode: 0o600 })
  else if (!text.endsWith('\n')) await appendFile(path, '\n')
  return {
    has: (key) => keys.has(key),
    keys: () => [...keys],
    async add(key) {
      if (keys.has(key)) return
      keys.add(key)
      await appendFile(path, `${key}\n`)
    },
  }
}

const selectBlobs = (db: Db) =>
  db.many<StoredBlob>`select storage_key as key, sha256, bytes from blobs order by storage_key`

const isNeeded = async (db: Db, key: string): Promise<boolean> =>
  (await db.maybe`select from blobs where storage_key = ${key}`) !== undefined
