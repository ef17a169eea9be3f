import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import { Gauge, type Registry } from 'prom-client'
import { type Config, storageOf } from '../../config.ts'
import { type WalProgress, walLine, walProgress } from '../../db/embedded/wal.ts'
import { spoolDirectory, storeDirectory } from '../../files/files.ts'
import { openStorage, type Storage } from '../../files/storage.ts'
import type { Clock } from '../../lib/clock.ts'
import { openTarget, type Target } from '../archive.ts'
import { type BaseNotes, type Description, listBackups, nameAt, readDescription } from '../parts.ts'
import { readPassphrase } from '../seal.ts'
import { archivedFile, BASE, compact, inside, listLines } from './objects.ts'
import { openShipper, type Shipper } from './ship.ts'

/** The WAL archive in the bucket of the files has its own prefix. */
const PREFIX = 'wal-archive/'

/** Where the embedded database is. */
export const clusterTop = ({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): string =>
  join(DATA_DIR, 'postgres')

export const openWalArchive = (text: string, config: Config): Promise<Target> =>
  openTarget(text, storageOf(config).bucket, PREFIX)

export interface OpenedShipper {
  shipper: Shipper
  archive: Target
  line: string
  passphrase: string | undefined
  close(): void
}

/** Returns undefined if the WAL of the embedded database is not archived. */
export async function openConfiguredShipper(
  config: Config,
  superuser: ClientConfig | undefined,
): Promise<OpenedShipper | undefined> {
  const { WAL_ARCHIVE, WAL_ARCHIVE_KEY_FILE: keyFile, DATA_DIR } = config
  const top = clusterTop(config)
  const line = superuser && walLine(top)
  if (!line || !WAL_ARCHIVE) return undefined
  const archive = await openWalArchive(WAL_ARCHIVE, config)
  const passphrase = keyFile === undefined ? undefined : await readPassphrase(keyFile)
  const hasBucket = storageOf(config).bucket !== undefined
  const files = hasBucket ? undefined : await openStorage(storeDirectory(DATA_DIR))
  const shipper = openShipper({
    top,
    line,
    superuser,
    archive: archive.storage,
    passphrase,
    files,
    spool: spoolDirectory(DATA_DIR),
  })
  return { shipper, archive, line: line.id, passphrase, close: () => archive.storage.close() }
}

/**
 * Returns since when the database cannot be recovered to each moment; undefined if its WAL is not
 * archived.
 */
export function unprotectedSince(progress: WalProgress | undefined): Date | undefined {
  if (!progress) return undefined
  const { line, from, until } = progress
  return from && until ? until : new Date(line.since)
}

/**
 * Adds a metric for the age of the archived WAL of the embedded database. It is NaN if the WAL is
 * not archived.
 */
export const walArchiveAge = (top: string | undefined, clock: Clock) => ({
  measure(registry: Registry): void {
    new Gauge({
      name: 'tradepost_wal_archive_age_seconds',
      help: 'How long ago the last moment was to which tradepost restore --at can go back.',
      // Every process reads the same files.
      aggregator: 'max',
      registers: [registry],
      collect() {
        const since = top === undefined ? undefined : unprotectedSince(walProgress(top))
        this.set(since ? (clock.now().getTime() - since.getTime()) / 1000 : Number.NaN)
      },
    })
  },
})

/** A base backup in an archive. */
export interface Base {
  line: string
  made: Description
  notes: BaseNotes
}

/** Returns the complete base backups of all lines, oldest first. */
export async function listBases(archive: Storage): Promise<Base[]> {
  const found: Base[] = []
  for (const line of await listLines(archive)) {
    const bases = inside(archive, `${line}/${BASE}`)
    for (const name of await listBackups(bases)) {
      const made = await readDescription(bases, name)
      if (made.base) found.push({ line, made, notes: made.base })
    }
  }
  return found.sort((a, b) => a.notes.endedAt.localeCompare(b.notes.endedAt))
}

/** How long parts without a description may belong to a base backup that is being made. */
const UNFINISHED_MS = 2 * 24 * 3_600_000

interface Pruning {
  keep: number
  /** The line that is being archived. */
  current: string
  /** The keys of the files that records refer to now. */
  files: ReadonlySet<string>
  now: Date
}

/**
 * Removes all base backups except for the newest ones, and all WAL and files that none of these
 * needs. Returns the names of the removed base backups.
 */
export async function pruneArchive(
  archive: Storage,
  { keep, current, files, now }: Pruning,
): Promise<string[]> {
  const bases = await listBases(archive)
  const removed = bases.slice(0, Math.max(0, bases.length - keep))
  const kept = bases.slice(removed.length)
  // The description goes first: without it, nobody takes the rest for a backup.
  for (const { line, made } of removed) await archive.delete(`${line}/${BASE}${made.name}.json`)
  const lines = new Map<string, Base | undefined>()
  for (const line of await listLines(archive)) {
    lines.set(
      line,
      kept.find((base) => base.line === line),
    )
  }
  for (const name of (await archive.list()).sort(descriptionLast)) {
    const at = name.indexOf('/')
    const line = name.slice(0, at)
    if (!lines.has(line)) continue
    const oldest = lines.get(line)
    const inner = name.slice(at + 1)
    const isGone = removed.some(
      (base) => base.line === line && inner.startsWith(`${BASE}${base.made.name}.`),
    )
    const isNeeded = !isGone && (oldest ? needs(oldest, inner, files, now) : line === current)
    if (!isNeeded) await archive.delete(name)
  }
  return removed.map(({ made }) => made.name)
}

/** A line is known by its description until everything else of it is gone. */
const descriptionLast = (a: string, b: string): number =>
  Number(a.endsWith('/line.json')) - Number(b.endsWith('/line.json')) || a.localeCompare(b)

/** Returns whether the oldest base backup that is kept, or a later one, needs an object. */
function needs(
  { made, notes }: Base,
  name: string,
  files: ReadonlySet<string>,
  now: Date,
): boolean {
  if (name.startsWith('wal/')) {
    const segment = name.slice('wal/'.length)
    return segment.length < 24 || segment.slice(0, 24) >= notes.segment
  }
  const file = archivedFile(name)
  if (file) {
    // A file that was there before this backup, but no longer during it, has been deleted, unless
    // the disk had only lost it.
    if (file.at >= compact(new Date(made.madeAt)) || files.has(file.key)) return true
    return notes.files.includes(file.key)
  }
  if (name.startsWith(BASE)) {
    const base = name.slice(BASE.length).replace(/\.\w+$/, '')
    return base >= made.name || base >= nameAt(new Date(now.getTime() - UNFINISHED_MS))
  }
  return true
}
