import { createHash } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import type { Db } from '../db/database.ts'
import type { Storage } from '../files/storage.ts'
import { randomText } from '../lib/tokens.ts'
import { VERSION } from '../version.ts'
import { keyOf, newSealing, type Sealing, seal, unseal } from './seal.ts'

/* A backup is stored in parts, because a bucket takes no file of any size. NAME.json lists them. It
 * is written last, so that a backup without it is not one. */

export interface Description {
  format: 1
  name: string
  madeAt: string
  /** The version of Tradepost that made it. */
  version: string
  encryption: Sealing | null
  parts: Part[]
  /** Only of a base backup. */
  base?: BaseNotes
}

/** What is needed to choose a base backup and to remove what it no longer needs. */
export interface BaseNotes {
  /** The first WAL segment that it needs. */
  segment: string
  /** Moments from then on can be recovered. */
  endedAt: string
  /** The keys of the stored files at that time, without those in a bucket. */
  files: string[]
}

interface Part {
  key: string
  bytes: number
  sha256: string
}

const PART_BYTES = 128 * 1024 * 1024
/** Stronger levels take several times as long, and save little. */
const LEVEL = 3
/** What is stored of a backup. `.part` is what was being copied when the command was killed. */
const NAME = /^(tradepost-\d{8}T\d{9}Z)\.(?:json|\d{5})(?:\.part)?$/

/** The name begins with the time, so that names sort by age. */
export const nameAt = (at: Date): string => `tradepost-${at.toISOString().replace(/[-:.]/g, '')}`

interface Writing {
  name: string
  madeAt: Date
  target: Storage
  /** Where a part is written before it is stored. */
  spool: string
  passphrase: string | undefined
  /** Called at the end. */
  base?(): BaseNotes
}

/** Compresses, encrypts and stores an archive. */
export async function writeBackup(
  archive: AsyncIterable<Buffer>,
  { name, madeAt, target, spool, passphrase, base }: Writing,
): Promise<Description> {
  const encryption = passphrase === undefined ? null : newSealing()
  const key = encryption && (await keyOf(passphrase!, encryption))
  const parts: Part[] = []
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL }
  await mkdir(spool, { recursive: true, mode: 0o700 })
  try {
    await pipeline(
      archive,
      createZstdCompress({ params }),
      (source) => (key ? seal(source, key) : source),
      async (source: AsyncIterable<Buffer>) => {
        for await (const part of inParts(source, spool)) {
          const partKey = `${name}.${String(parts.length + 1).padStart(5, '0')}`
          try {
            await target.put(partKey, part.path)
          } finally {
            await rm(part.path, { force: true })
          }
          parts.push({ key: partKey, bytes: part.bytes, sha256: part.sha256 })
        }
      },
    )
    const at = madeAt.toISOString()
    const made: Description = {
      format: 1,
      name,
      madeAt: at,
      version: VERSION,
      encryption,
      parts,
      ...(base && { base: base() }),
    }
    await putText(target, `${name}.json`, `${JSON.stringify(made, undefined, 2)}\n`, spool)
    return made
  } catch (error) {
    // Otherwise, a backup that has filled the disk would leave no room for the next one.
    await forget(target, name, parts).catch(() => {})
    throw error
  }
}

/** The description can have been stored although it seemed to fail. It must not outlive a part. */
async function forget(target: Storage, name: string, parts: readonly Part[]): Promise<void> {
  await target.delete(`${name}.json`)
  for (const part of parts) await target.delete(part.key).catch(() => {})
}

/** Writes a stream to files, each of which is yielded once it is complete. */
async function* inParts(source: AsyncIterable<Buffer>, spool: string) {
  const chunks = source[Symbol.asyncIterator]()
  for (let next = await chunks.next(); !next.done; ) {
    const path = join(spool, randomText(20))
    const hash = createHash('sha256')
    let bytes = 0
    const file = await open(path, 'wx', 0o600)
    try {
      for (; !next.done && bytes < PART_BYTES; next = await chunks.next()) {
        await file.writeFile(next.value)
        hash.update(next.value)
        bytes += next.value.length
      }
    } catch (error) {
      await rm(path, { force: true })
      throw error
    } finally {
      await file.close()
    }
    yield { path, bytes, sha256: hash.digest('hex') }
  }
}

async function putText(target: Storage, key: string, text: string, spool: string): Promise<void> {
  const path = join(spool, randomText(20))
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
  } finally {
    await file.close()
  }
  try {
    await target.put(key, path)
  } finally {
    await rm(path, { force: true })
  }
}

export async function readDescription(source: Storage, name: string): Promise<Description> {
  const parts: Buffer[] = []
  for await (const part of await source.get(`${name}.json`)) parts.push(part)
  const found = JSON.parse(Buffer.concat(parts).toString('utf8')) as Description
  if (found.format === 1) return found
  throw new Error(`${name} was made by a newer version of Tradepost`)
}

/** Returns the names of the complete backups, oldest first. */
export async function listBackups(source: Storage): Promise<string[]> {
  return (await source.list('top'))
    .filter((key) => NAME.test(key) && key.endsWith('.json'))
    .map((key) => key.slice(0, -'.json'.length))
    .sort()
}

/** Parts without a description are left by a backup that failed, or belong to one in progress. */
const ABANDONED_MS = 2 * 24 * 3_600_000

/** Removes all backups except for the newest ones. Returns the names of the removed ones. */
export async function prune(target: Storage, keep: number, now: Date): Promise<string[]> {
  const complete = await listBackups(target)
  const removed = complete.slice(0, Math.max(0, complete.length - keep))
  const kept = complete.slice(removed.length)
  const before = nameAt(new Date(now.getTime() - ABANDONED_MS))
  const names = (await target.list('top')).filter((key) => NAME.test(key)).sort()
  // The description goes first: without it, nobody takes the rest for a backup.
  for (const name of removed) await target.delete(`${name}.json`)
  for (const key of names) {
    const name = NAME.exec(key)![1]!
    const isLeft = !complete.includes(name) && name < before
    if (!kept.includes(name) && (removed.includes(name) || isLeft)) await target.delete(key)
  }
  return removed
}

/**
 * Reads a backup's archive. `work` must read all of it. Throws if a part was changed or is missing.
 */
export async function readBackup<T>(
  source: Storage,
  made: Description,
  { passphrase, onRead }: { passphrase: string | undefined; onRead(bytes: number): void },
  work: (archive: AsyncIterable<Buffer>) => Promise<T>,
): Promise<T> {
  if (made.encryption && passphrase === undefined) {
    throw new Error('the backup is encrypted: name the file of its passphrase with --key-file')
  }
  const key = made.encryption && (await keyOf(passphrase!, made.encryption))
  return await pipeline(
    partsOf(source, made, onRead),
    (parts) => (key ? unseal(parts, key) : parts),
    createZstdDecompress(),
    async (archive: AsyncIterable<Buffer>) => {
      const result = await work(archive)
      // The last part, and the box that ends an encrypted backup, are checked as they are read.
      for await (const _ of archive);
      return result
    },
  )
}

async function* partsOf(
  source: Storage,
  { name, parts }: Description,
  onRead: (bytes: number) => void,
): AsyncGenerator<Buffer, void> {
  for (const { key, bytes, sha256 } of parts) {
    const hash = createHash('sha256')
    let read = 0
    for await (const chunk of await source.get(key)) {
      hash.update(chunk)
      read += chunk.length
      onRead(chunk.length)
      yield chunk
    }
    if (read !== bytes || hash.digest('hex') !== sha256) {
      throw new Error(`${key} was changed or is incomplete: the backup ${name} cannot be used`)
    }
  }
}

/** A chain's last row. `live` is false for the audit log, which covers both modes. */
export interface Head {
  chain: 'ledger' | 'audit log' | 'digests'
  businessId: number
  live: boolean
  seq: number
  hash: string
}

/** Selects the heads of the hash chains. */
export const selectHeads = (db: Db): Promise<Head[]> =>
  db.many<Head>`
    select chain, business_id as "businessId", live, seq, encode(hash, 'hex') as hash from (
      select 'ledger' as chain, business_id, live, seq, hash from ledger_chains
      union all
      select 'audit log', business_id, false, seq, hash from audit_chains
      union all
      select 'digests', business_id, live, seq, hash from digest_chains
    ) as chains
    where seq > 0
    order by business_id, live, chain`
