import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import { skipNumbers } from '../business/account/invoice-series.ts'
import { listBusinesses } from '../business/account/service.ts'
import { OPERATOR } from '../business/audit-log/log.ts'
import { stop } from '../business/providers/payouts.ts'
import { MIGRATIONS } from '../db/connect.ts'
import {
  type Bulk,
  connectedSays,
  dropIndexes,
  firstRelation,
  openBulk,
  quoted,
  selectMigrations,
  selectTables,
} from '../db/copy.ts'
import type { Db, Tx } from '../db/database.ts'
import type { Log } from '../db/log.ts'
import { endRestoring, isRestoring, migrate, migrateWithin, requireKnown } from '../db/migrate.ts'
import { type SpooledFile, spool } from '../files/files.ts'
import type { Storage } from '../files/storage.ts'
import type { Tenant } from '../lib/caller.ts'
import { assumeSent } from '../provider-orders/attempts.ts'
import { holdRefunds } from '../providers/pauses.ts'
import { type Archive, type Entry, openArchive, readJson } from './archive.ts'
import { type End, openSum, type Progress, type Start, selectBlobs, type TableSum } from './make.ts'
import { type Description, readBackup, selectHeads } from './parts.ts'
import { insertRestore } from './queries.ts'

export interface Restoring {
  passphrase: string | undefined
  /** Throws if something else is missing, such as the server's key. */
  check(start: Start): Promise<void>
  /** Called once the backup is known to fit. Returns how to connect as the owner. */
  open(): Promise<ClientConfig>
  /** Where files go. Undefined if they are only checked. */
  files: Storage | undefined
  /** The bucket with the files of a backup that does not contain them. */
  bucket: Storage | undefined
  /** The directory for incoming files. */
  spool: string
  now: Date
  log: Log
  progress: Progress
}

export interface Restored extends Recovered {
  madeAt: Date
  rows: number
  tables: number
  files: number
  /** Files that were missing or damaged when the backup was made, or that the bucket lacks. */
  faults: string[]
  /** Tables of others in the backup, which are not restored. */
  leftOut: string[]
}

const MIB = 1024 * 1024

/**
 * Restores a backup into an empty database, whose schema it creates. Servers do not start on that
 * database before everything has been restored and payouts are held. Throws if anything in the
 * backup was changed or is missing.
 */
export function restoreBackup(
  source: Storage,
  made: Description,
  restoring: Restoring,
): Promise<Restored> {
  const { passphrase, progress } = restoring
  const total = made.parts.reduce((sum, { bytes }) => sum + bytes, 0)
  let read = 0
  const onRead = (bytes: number) => {
    read += bytes
    progress.show('Restoring', Math.ceil(read / MIB), Math.ceil(total / MIB), 'MiB')
  }
  return readBackup(source, made, { passphrase, onRead }, async (stream) => {
    const archive = openArchive(stream)
    const start = await readJson<Start>(await archive.next(), 'start.json')
    requireKnown(start.migrations, MIGRATIONS)
    await restoring.check(start)
    const connection = await restoring.open()
    const bulk = await openBulk(connection)
    try {
      return await restoreInto(bulk, connection, archive, start, restoring)
    } finally {
      await bulk.close()
    }
  })
}

async function restoreInto(
  bulk: Bulk,
  connect: ClientConfig,
  archive: Archive,
  start: Start,
  restoring: Restoring,
): Promise<Restored> {
  const { log, now } = restoring
  const last = start.migrations.at(-1)?.version ?? 0
  await requireEmpty(bulk.db, last)
  await requireNoServers(bulk)
  await migrate({ connect, dir: MIGRATIONS, log, isRestoring: true, last })
  const madeAt = new Date(start.madeAt)
  // A server that is running sees nothing of the backup before payouts are held.
  await bulk.execute('begin')
  const { end, leftOut } = await loadAll(bulk, archive, start, restoring)
  // Without statistics, the next statements would read whole tables.
  await bulk.execute('analyze')
  await migrateWithin(bulk, MIGRATIONS)
  const recovered = await recover(bulk.tx, madeAt, now)
  await endRestoring(bulk.tx)
  await requireNoServers(bulk, COMMANDS_MS)
  await bulk.execute('commit')
  const sums = Object.values(end.tables)
  return {
    ...recovered,
    madeAt,
    rows: sums.reduce((sum, { rows }) => sum + rows, 0),
    tables: sums.length,
    files: end.files.count,
    faults: end.files.faults,
    leftOut,
  }
}

async function requireEmpty(db: Db, last: number): Promise<void> {
  const found = await firstRelation(db)
  if (found === undefined) return
  if (!(await isRestoring(db))) {
    throw new Error(
      `the database is not empty: it contains ${found}. Create an empty one and restore into that`,
    )
  }
  const newest = (await selectMigrations(db)).at(-1)?.version ?? 0
  if (newest > last) {
    throw new Error(
      'the restore of a newer backup into this database is unfinished: create a new, empty database',
    )
  }
}

/** How long to wait for a command, such as tradepost doctor, before the restore fails. */
const COMMANDS_MS = 60_000

/** What a server has in memory belongs to the database that was lost. */
async function requireNoServers({ execute }: Bulk, waitMs = 0): Promise<void> {
  for (const until = Date.now() + waitMs; ; await sleep(100)) {
    const says = await connectedSays(execute)
    if (says === undefined) return
    if (Date.now() >= until) throw new Error(says)
  }
}

interface Loaded {
  /** What the backup contains, with the faults of the files. */
  end: End
  leftOut: string[]
}

async function loadAll(
  bulk: Bulk,
  archive: Archive,
  start: Start,
  restoring: Restoring,
): Promise<Loaded> {
  const { db, execute } = bulk
  const leftOut = await namesOfOthers(db, start)
  const tables = start.tables.filter(({ name }) => !leftOut.includes(name))
  await execute(`truncate ${tables.map(({ name }) => quoted(name)).join(', ')}`)
  await execute("set local maintenance_work_mem = '128MB'")
  const statements = await dropIndexes(bulk)
  const sums: Record<string, TableSum> = {}
  for (const table of start.tables) {
    const sum = openSum()
    const content = summed(piecesOf(archive, `tables/${table.name}/`), sum)
    if (tables.includes(table)) await bulk.write(table, content)
    else for await (const _ of content);
    sums[table.name] = sum.end()
  }
  for (const statement of statements) await execute(statement)
  const files = await restoreFiles(archive, restoring)
  const end = await readJson<End>(await archive.next(), 'end.json')
  if (await archive.peek()) throw new Error('the backup contains more than it should')
  requireEqual(sums, end)
  for (const { name, last, isCalled } of end.sequences) {
    await db.one`
      select setval(to_regclass(${quoted(name)}), ${last}::bigint, ${isCalled}::boolean)`
  }
  if (end.heads.length > 0) await requireHeads(db, end)
  if (start.tables.some(({ name }) => name === 'blobs')) {
    end.files.faults.push(...(await faultsOf(db, start, files, end, restoring.bucket)))
  }
  return { end, leftOut }
}

/**
 * Returns the tables that someone else has created in the schema. The schema has been migrated as
 * far as the one that was backed up, so all other tables are there. Throws if a column is not.
 */
async function namesOfOthers(db: Db, { tables }: Start): Promise<string[]> {
  const there = new Map((await selectTables(db)).map(({ name, columns }) => [name, columns]))
  const others: string[] = []
  for (const { name, columns } of tables) {
    const found = there.get(name)
    const missing = found && columns.find((column) => !found.includes(column))
    if (missing) throw new Error(`the backup contains an unknown column ${name}.${missing}`)
    if (!found) others.push(name)
  }
  return others
}

async function* piecesOf(archive: Archive, prefix: string): AsyncGenerator<Buffer, void> {
  while ((await archive.peek())?.name.startsWith(prefix)) yield* (await archive.next()).content()
}

async function* summed(
  pieces: AsyncIterable<Buffer>,
  sum: ReturnType<typeof openSum>,
): AsyncGenerator<Buffer, void> {
  for await (const piece of pieces) {
    sum.add(piece)
    yield piece
  }
}

function requireEqual(found: Record<string, TableSum>, { tables }: End): void {
  for (const [name, { rows, sha256 }] of Object.entries(tables)) {
    const sum = found[name]
    if (sum?.rows === rows && sum.sha256 === sha256) continue
    throw new Error(`the table ${name} is not the one that was backed up`)
  }
}

async function requireHeads(db: Db, { heads }: End): Promise<void> {
  const print = (all: unknown) => JSON.stringify(all)
  if (print(await selectHeads(db)) === print(heads)) return
  throw new Error('the hash chains do not end where they did when the backup was made')
}

/** Returns the SHA-256 of each file in the archive. */
async function restoreFiles(
  archive: Archive,
  { files, spool: directory }: Restoring,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  while ((await archive.peek())?.name.startsWith('files/')) {
    const entry = await archive.next()
    const key = entry.name.slice('files/'.length)
    if (!/^\w{2}\/\w+$/.test(key)) throw new Error(`the backup contains an unknown file ${key}`)
    found.set(key, files ? await restoreFile(files, directory, key, entry) : await hashOf(entry))
  }
  return found
}

async function restoreFile(
  files: Storage,
  directory: string,
  key: string,
  entry: Entry,
): Promise<string> {
  const spooled: SpooledFile = await spool(directory, entry.content(), entry.bytes)
  try {
    await files.put(key, spooled.path)
  } finally {
    await spooled.remove()
  }
  return spooled.sha256.toString('hex')
}

async function hashOf(entry: Entry): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of entry.content()) hash.update(piece)
  return hash.digest('hex')
}

/** Compares files with their rows. Throws unless a difference was there during the backup. */
async function faultsOf(
  db: Db,
  start: Start,
  found: Map<string, string>,
  end: End,
  bucket: Storage | undefined,
): Promise<string[]> {
  const blobs = await selectBlobs(db)
  if (start.files === 'included') {
    const known = new Set(end.files.faults.map((fault) => fault.split(' ', 1)[0]))
    const wrong = blobs.find(
      ({ key, sha256, is_needed: isNeeded }) =>
        !known.has(key) && found.get(key) !== sha256 && (found.has(key) || isNeeded),
    )
    if (wrong) throw new Error(`the file ${wrong.key} is not the one that was backed up`)
    return []
  }
  if (!bucket) return blobs.length > 0 ? ['the files are in a bucket: set STORAGE_URL'] : []
  const there = new Set(await bucket.list())
  return blobs
    .filter(({ key, is_needed: isNeeded }) => isNeeded && !there.has(key))
    .map(({ key }) => `${key} is missing in the bucket`)
}

/* What a backup does not contain has happened all the same: ids and numbers were given out, and
 * money was sent. */

export interface Recovered {
  /** How many ids and, at most, invoice numbers are left out. */
  ids: number
  numbers: number
  /** Orders that may have been sent since the backup. */
  orders: number
  /** Payouts and bills that are not sent by themselves, as they may have moved since the backup. */
  held: number
}

const IDS_MIN = 1_000_000
const IDS_MAX = 10_000_000_000

/**
 * Prepares a database that was restored: ids and invoice numbers that may have been given out since
 * are left out, and no money leaves until an operator says so.
 */
export async function recover(tx: Tx, madeAt: Date, now: Date): Promise<Recovered> {
  const reason = `Restored from a backup of ${madeAt.toISOString()}`
  const ids = await skipIds(tx, madeAt, now)
  const done: Recovered = { ids, numbers: 0, orders: 0, held: 0 }
  for (const { businessId } of await listBusinesses(tx)) {
    for (const live of [false, true]) {
      const tenant = { businessId, live }
      const { orders, held } = await assumeSent(tx, tenant, madeAt, now)
      done.orders += orders
      done.held += held
      await stop(tx, { ...tenant, actor: OPERATOR, now }, reason)
      await holdRefunds(tx, tenant, now)
      const numbers = await marginOf(tx, tenant, madeAt, now)
      await skipNumbers(tx, tenant, numbers)
      done.numbers = Math.max(done.numbers, numbers)
    }
  }
  return done
}

/**
 * Leaves out as many ids as were ever given out. It is not known how many were given out since the
 * backup, but a database rarely doubles in that time. Each event has an id, so the sequence numbers
 * of an object's events move ahead by the same number.
 */
async function skipIds(tx: Tx, madeAt: Date, now: Date): Promise<number> {
  const { last } = await tx.one<{ last: number }>`
    select coalesce(last_value, start_value) as last from pg_sequences
    where schemaname = current_schema() and sequencename = 'ids'`
  // A second restore of the same backup leaves out more than what the first one was followed by.
  const since = Math.max(0, now.getTime() - madeAt.getTime())
  const wanted = Math.min(IDS_MAX, Math.max(IDS_MIN, last)) + since
  const count = wanted - (wanted % 100)
  await tx.one`select setval('ids', ${last + count}::bigint)`
  // The last block of ids that was given out begins at `last`, and events of the backup have some.
  await insertRestore(tx, { firstId: last + count, count, madeAt, now })
  return count
}

const NUMBERS_MIN = 1_000
const FACTOR = 4

/** Four times as many as the business used in an equally long time before the backup. */
async function marginOf(
  tx: Tx,
  { businessId, live }: Tenant,
  madeAt: Date,
  now: Date,
): Promise<number> {
  const since = new Date(2 * madeAt.getTime() - now.getTime())
  const { count } = await tx.one<{ count: number }>`
    select count(*) as count from invoices
    where business_id = ${businessId} and live = ${live} and created_at > ${since}`
  return NUMBERS_MIN + FACTOR * count
}
