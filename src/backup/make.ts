import { createHash } from 'node:crypto'
import { Gauge, type Registry } from 'prom-client'
import {
  type AppliedMigration,
  type Bulk,
  quoted,
  selectMigrations,
  selectTables,
  type Table,
} from '../db/copy.ts'
import type { Db } from '../db/database.ts'
import type { Storage } from '../files/storage.ts'
import type { Clock } from '../lib/clock.ts'
import { VERSION } from '../version.ts'
import { bytesEntry, endOfArchive, fileEntry } from './archive.ts'
import { type Description, type Head, nameAt, selectHeads, writeBackup } from './parts.ts'
import { insertBackup, selectLastBackup } from './queries.ts'

export { selectLastBackup as findLastBackup } from './queries.ts'

/** The first file of an archive. */
export interface Start {
  version: string
  madeAt: string
  migrations: AppliedMigration[]
  tables: Table[]
  /** The fingerprints of the server's keys without which the secrets cannot be read. */
  keys: string[]
  /** Whether the archive contains the files, or they are in a bucket. */
  files: 'included' | 'bucket'
}

/** The last file of an archive. */
export interface End {
  tables: Record<string, TableSum>
  sequences: Sequence[]
  files: { count: number; bytes: number; faults: string[] }
  heads: Head[]
}

export interface TableSum {
  rows: number
  sha256: string
}

interface Sequence {
  name: string
  last: number
  isCalled: boolean
}

export interface Progress {
  show(label: string, done: number, total: number, things: string): void
}

interface Making {
  bulk: Bulk
  /** Undefined if the files are in a bucket. */
  files: Storage | undefined
  target: Storage
  /** The target, for people. */
  targetName: string
  spool: string
  passphrase: string | undefined
  now: Date
  progress: Progress
}

export interface Made extends Description {
  bytes: number
  rows: number
  files: End['files']
}

const MIB = 1024 * 1024
const PIECE_BYTES = 4 * MIB

/**
 * Backs up a database and its files while servers use them: everything is read from one snapshot.
 * Files are never changed, so they can be read afterwards.
 */
export async function makeBackup(making: Making): Promise<Made> {
  const { bulk, target, targetName, spool, passphrase, now, progress } = making
  const found = await selectTables(bulk.db)
  const tables = found.map(({ name, columns }) => ({ name, columns }))
  const isKept = tables.some(({ name }) => name === 'backups')
  const name = nameAt(now)
  const end: End = {
    tables: {},
    sequences: [],
    heads: [],
    files: { count: 0, bytes: 0, faults: [] },
  }
  const bytesMax = found.reduce((sum, { bytes }) => sum + bytes, 0)
  const showTables = (done: number) =>
    progress.show('Database', toMib(done), toMib(Math.max(done, bytesMax)), 'MiB')
  // The locks come before the snapshot, so that no migration changes a table in between.
  await bulk.execute('begin isolation level repeatable read read only')
  let made: Description
  try {
    const list = tables.map((table) => quoted(table.name)).join(', ')
    await bulk.execute(`lock table ${list} in access share mode`)
    await requireSame(bulk.db, tables)
    const archive = archiveOf(making, tables, end, showTables)
    made = await writeBackup(archive, { name, madeAt: now, target, spool, passphrase })
  } finally {
    await bulk.execute('rollback')
  }
  const bytes = made.parts.reduce((sum, part) => sum + part.bytes, 0)
  if (isKept) {
    await insertBackup(bulk.db, { name, target: targetName, madeAt: now, bytes })
  }
  const rows = Object.values(end.tables).reduce((sum, table) => sum + table.rows, 0)
  return { ...made, bytes, rows, files: end.files }
}

const toMib = (bytes: number): number => Math.ceil(bytes / MIB)

async function requireSame(db: Db, tables: readonly Table[]): Promise<void> {
  const now = await selectTables(db)
  const print = (all: readonly Table[]) =>
    JSON.stringify(all.map(({ name, columns }) => [name, columns]))
  if (print(now) === print(tables)) return
  throw new Error('the database was being migrated: make the backup again')
}

async function* archiveOf(
  { bulk, files, now, progress }: Making,
  tables: readonly Table[],
  end: End,
  showTables: (done: number) => void,
): AsyncGenerator<Buffer, void> {
  const { db } = bulk
  const has = (name: string) => tables.some((table) => table.name === name)
  const start: Start = {
    version: VERSION,
    madeAt: now.toISOString(),
    migrations: await selectMigrations(db),
    tables: [...tables],
    keys: has('encryption_keys') ? await selectKeys(db) : [],
    files: files ? 'included' : 'bucket',
  }
  yield jsonEntry('start.json', start)
  let done = 0
  for (const table of tables) {
    const sum = openSum()
    let count = 0
    for await (const piece of inPieces(bulk.read(table))) {
      sum.add(piece)
      yield bytesEntry(`tables/${table.name}/${String(++count).padStart(6, '0')}`, piece)
      done += piece.length
      showTables(done)
    }
    end.tables[table.name] = sum.end()
  }
  const blobs = has('blobs') ? await selectBlobs(db) : []
  end.files.count = blobs.length
  end.files.bytes = blobs.reduce((sum, { bytes }) => sum + bytes, 0)
  if (files) {
    let read = 0
    for (const blob of blobs) {
      yield* blobEntry(files, blob, end.files.faults)
      progress.show('Files', ++read, blobs.length, 'files')
    }
  }
  // Reserved blocks are not part of a snapshot, so these are read last: they can only be higher.
  end.sequences = await selectSequences(db)
  end.heads = has('digest_chains') ? await selectHeads(db) : []
  yield jsonEntry('end.json', end)
  yield endOfArchive()
}

const jsonEntry = (name: string, value: unknown): Buffer =>
  bytesEntry(name, Buffer.from(JSON.stringify(value)))

async function* inPieces(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let parts: Buffer[] = []
  let bytes = 0
  for await (const chunk of source) {
    parts.push(chunk)
    bytes += chunk.length
    if (bytes < PIECE_BYTES) continue
    yield Buffer.concat(parts)
    parts = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(parts)
}

/** Counts and hashes the rows of a table. COPY ends each row, and only rows, with a newline. */
export function openSum() {
  const hash = createHash('sha256')
  let rows = 0
  return {
    add(piece: Buffer): void {
      hash.update(piece)
      for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) rows++
    },
    end: (): TableSum => ({ rows, sha256: hash.digest('hex') }),
  }
}

interface StoredBlob {
  key: string
  sha256: string
  bytes: number
  /** Whether something still refers to it. */
  is_needed: boolean
}

export const selectBlobs = (db: Db) =>
  db.many<StoredBlob>`
    select storage_key as key, encode(sha256, 'hex') as sha256, bytes,
      to_jsonb(b) ->> 'release_at' is null as is_needed
    from blobs b order by storage_key`

export const selectKeys = async (db: Db): Promise<string[]> => {
  const rows = await db.many<{ key: string }>`
    select distinct encode(wrapped_by, 'hex') as key from encryption_keys`
  return rows.map(({ key }) => key)
}

const selectSequences = (db: Db) =>
  db.many<Sequence>`
    select sequencename as name, coalesce(last_value, start_value) as last,
      last_value is not null as "isCalled"
    from pg_sequences where schemaname = current_schema() order by sequencename`

/** A file that is missing or damaged must not prevent a backup of the rest. */
async function* blobEntry(
  files: Storage,
  { key, sha256, bytes, is_needed: isNeeded }: StoredBlob,
  faults: string[],
): AsyncGenerator<Buffer, void> {
  let content: AsyncIterable<Buffer>
  try {
    content = await files.get(key)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    if (isNeeded) faults.push(`${key} is missing`)
    return
  }
  const hash = createHash('sha256')
  yield* fileEntry(`files/${key}`, bytes, ofLength(content, bytes, hash))
  if (hash.digest('hex') !== sha256) faults.push(`${key} is damaged`)
}

/** Cuts a file that differs from its length or fills it up, because its length comes first. */
export async function* ofLength(
  content: AsyncIterable<Buffer>,
  bytes: number,
  hash?: ReturnType<typeof createHash>,
): AsyncGenerator<Buffer, void> {
  let left = bytes
  for await (const chunk of content) {
    hash?.update(chunk)
    if (left > 0) yield chunk.subarray(0, left)
    left -= Math.min(left, chunk.length)
  }
  for (; left > 0; left -= Math.min(left, MIB)) yield Buffer.alloc(Math.min(left, MIB))
}

/** Adds a metric for the age of the last backup that `tradepost backup` has made. */
export const lastBackup = (db: Db, clock: Clock) => ({
  measure(registry: Registry): void {
    new Gauge({
      name: 'tradepost_backup_age_seconds',
      help: 'Time since the last backup by tradepost backup, or since the first business.',
      // Every process reads the same row.
      aggregator: 'max',
      registers: [registry],
      async collect() {
        const last = await selectLastBackup(db).catch(() => undefined)
        const at = last?.made_at ?? last?.needed_since
        if (at) this.set((clock.now().getTime() - at.getTime()) / 1000)
      },
    })
  },
})
