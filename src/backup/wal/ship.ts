import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import type { Logger } from 'pino'
import { openBulk } from '../../db/copy.ts'
import type { Db } from '../../db/database.ts'
import {
  noteWalProgress,
  type WalLine,
  waitingDirectory,
  walProgress,
} from '../../db/embedded/wal.ts'
import { openIfThere, type Storage } from '../../files/storage.ts'
import type { Job } from '../../jobs/jobs.ts'
import type { OpenedShipper } from './archive.ts'
import {
  archivedFile,
  beginLine,
  compact,
  FILES,
  hasLine,
  type LineStore,
  putFile,
  readFile,
  WAL,
} from './objects.ts'

/** A file that PostgreSQL has copied: a segment, where a base backup began, or a timeline. */
const COPIED = /^(?:[0-9A-F]{24}(?:\.[0-9A-F]{8}\.backup)?|[0-9A-F]{8}\.history)$/
/** How long PostgreSQL can take to copy a segment. */
const COPY_MS = 60_000
/** An advisory lock: only one process begins a line or moves segments. */
const LOCK = { family: 0x74726164, id: 4 }

export interface Shipping {
  /** The directory of the embedded database. */
  top: string
  line: WalLine
  superuser: ClientConfig
  archive: Storage
  passphrase: string | undefined
  /** Where an object is written before it is stored. */
  spool: string
  /** The stored files. Undefined if they are in a bucket, which keeps them itself. */
  files: Storage | undefined
}

export type Shipper = ReturnType<typeof openShipper>

/** Moves the WAL of the embedded database to its archive, and copies its files there. */
export function openShipper(shipping: Shipping) {
  const { top, line, archive, passphrase, spool } = shipping
  let store: LineStore | undefined
  let known: Set<string> | undefined

  async function begun(): Promise<{ store: LineStore; known: Set<string> }> {
    if (!store || !(await hasLine(store))) {
      known = undefined
      const { from, until } = walProgress(top) ?? {}
      const isBegun = from !== undefined || until !== undefined
      store = await beginLine(archive, line.id, passphrase, spool, isBegun)
    }
    known ??= new Set(await store.storage.list())
    return { store, known }
  }

  async function round(db: Db): Promise<Date> {
    // First, because each segment that cannot be archived takes up 16 MiB.
    const opened = await begun()
    const { until, segment } = await endSegment(db)
    await waitFor(segment, top, opened.known)
    for (const name of await copied(top)) await shipSegment(name, opened)
    if (shipping.files) await shipFiles(shipping.files, opened)
    noteWalProgress(top, 'until', until)
    return until
  }

  async function shipSegment(name: string, opened: Awaited<ReturnType<typeof begun>>) {
    const path = join(waitingDirectory(top), name)
    const key = WAL + name
    if (opened.known.has(key)) await requireSame(opened.store, key, path)
    else await putFile(opened.store, key, createReadStream(path), spool)
    opened.known.add(key)
    await rm(path)
  }

  async function shipFiles(files: Storage, opened: Awaited<ReturnType<typeof begun>>) {
    const there = new Set([...opened.known].map((name) => archivedFile(name)?.key))
    for (const key of await files.list()) {
      if (there.has(key)) continue
      const content = await openIfThere(files, key)
      // A file that was deleted meanwhile is not needed.
      if (!content) continue
      const name = `${FILES}${key}.${compact(new Date())}`
      await putFile(opened.store, name, content, spool)
      opened.known.add(name)
    }
  }

  /** Returns undefined if another process is using the archive. */
  async function alone<T>(work: (db: Db) => Promise<T>): Promise<T | undefined> {
    const bulk = await openBulk(shipping.superuser)
    try {
      const { isTaken } = await bulk.db.one<{ isTaken: boolean }>`
        select pg_try_advisory_lock(${LOCK.family}::int, ${LOCK.id}::int) as "isTaken"`
      return isTaken ? await work(bulk.db) : undefined
    } catch (error) {
      // Another process may have changed the archive.
      known = undefined
      throw error
    } finally {
      await bulk.close()
    }
  }

  return {
    /**
     * Begins the line if the archive does not have it. Only one process can do that: if two did,
     * one would encrypt with a key that the description of the other does not give. Returns
     * undefined while another process is using the archive.
     */
    begin: (): Promise<LineStore | undefined> => alone(async () => (await begun()).store),
    /**
     * Makes the database recoverable to the current moment, which it returns. Returns undefined if
     * another process is doing so.
     */
    run: (): Promise<Date | undefined> => alone(round),
  }
}

/**
 * Commits something, so that the WAL shows that it reaches this moment, and completes the segment.
 */
async function endSegment(db: Db): Promise<{ until: Date; segment: string }> {
  // PostgreSQL runs on this machine, so it uses the same clock.
  const until = new Date()
  await db.one`select pg_current_xact_id()::text as id`
  const { segment } = await db.one<{ segment: string }>`
    select pg_walfile_name(pg_switch_wal()) as segment`
  return { until, segment }
}

async function waitFor(segment: string, top: string, known: ReadonlySet<string>): Promise<void> {
  const path = join(waitingDirectory(top), segment)
  for (const end = Date.now() + COPY_MS; ; await sleep(20)) {
    if (known.has(WAL + segment) || existsSync(path)) return
    if (Date.now() > end) throw new Error(`PostgreSQL has not copied ${segment}: see its log`)
  }
}

async function copied(top: string): Promise<string[]> {
  const names = await readdir(waitingDirectory(top))
  return names.filter((name) => COPIED.test(name)).sort()
}

/** A segment that was stored before a crash is stored again; anything else is another server's. */
async function requireSame(store: LineStore, name: string, path: string): Promise<void> {
  const one = await hashOf(createReadStream(path))
  const other = await readFile(store, name, hashOf)
  if (one === other) return
  throw new Error(
    `${name} is in the archive already, with other content: a copy of this database is running ` +
      'with the same WAL_ARCHIVE',
  )
}

async function hashOf(source: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of source) hash.update(chunk)
  return hash.digest('hex')
}

const EVERY_MS = 60_000

/** Archives the WAL every minute. A failure is logged, and the metric shows its age. */
export const walJob = ({ shipper }: OpenedShipper): Job => ({
  name: 'wal-archive',
  everyMs: EVERY_MS,
  async run(_db, _now, only) {
    if (only === undefined) await shipper.run()
    return 0
  },
})

/** Archives what is left. Called before the embedded database stops. */
export async function shipLast({ shipper, close }: OpenedShipper, log: Logger): Promise<void> {
  try {
    await shipper.run()
  } catch (error) {
    log.error({ err: error }, 'the last WAL could not be archived; the next start does so')
  } finally {
    close()
  }
}

export function warnWithoutBase(top: string, log: Logger): void {
  if (walProgress(top)?.from) return
  log.warn(
    {},
    'the WAL is archived, but of no use before a first base backup: run tradepost backup',
  )
}
