import { existsSync } from 'node:fs'
import { lstat, open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import { type AppliedMigration, openBulk, selectMigrations } from '../../db/copy.ts'
import type { Db } from '../../db/database.ts'
import { noteWalProgress, walProgress } from '../../db/embedded/wal.ts'
import type { Storage } from '../../files/storage.ts'
import { bytesEntry, endOfArchive, fileEntry } from '../archive.ts'
import { ofLength, type Progress } from '../make.ts'
import { type BaseNotes, type Description, nameAt, writeBackup } from '../parts.ts'
import { BASE, inside } from './objects.ts'
import type { Shipper } from './ship.ts'

/** The first file of a base backup. */
export interface BaseStart {
  migrations: AppliedMigration[]
  directories: string[]
  /** Whether the archive also has the files, or they are in a bucket. */
  files: 'included' | 'bucket'
}

/** Written by the server itself, or of no use in a copy. */
const LEFT_OUT = [
  /^postmaster\.(?:pid|opts)$/,
  /^(?:backup_label|tablespace_map|pg_internal\.init|pgsql_tmp|postgresql\.conf)/,
]
const EMPTIED = new Set([
  ...['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial', 'pg_snapshots'],
  ...['pg_stat_tmp', 'pg_subtrans'],
])
/** How long to wait while a server uses the archive. */
const SHIP_MS = 200
const CONTROL = 'global/pg_control'
const LABEL = 'backup_label'

interface BaseMaking {
  db: Db
  top: string
  superuser: ClientConfig
  shipper: Shipper
  /** Undefined if the files are in a bucket. */
  files: Storage | undefined
  spool: string
  passphrase: string | undefined
  progress: Progress
}

/**
 * Copies the files of the embedded database while servers use them. Together with the WAL from then
 * on, the copy can be recovered to each later moment.
 */
export async function makeBase(making: BaseMaking): Promise<Description> {
  const { top, superuser, shipper, files, spool, passphrase, progress } = making
  const { storage } = await whenFree(() => shipper.begin())
  const bulk = await openBulk(superuser)
  // Files that are stored after this moment are not in the list.
  const madeAt = new Date()
  const notes: BaseNotes = { segment: '', endedAt: '', files: files ? await files.list() : [] }
  let made: Description
  try {
    const { segment } = await bulk.db.one<{ segment: string }>`
      select pg_walfile_name(pg_backup_start('tradepost', fast => true)) as segment`
    notes.segment = segment
    made = await writeBackup(archiveOf(making, bulk.db, notes, progress), {
      name: nameAt(madeAt),
      madeAt,
      spool,
      passphrase,
      target: inside(storage, BASE),
      base: () => notes,
    })
  } finally {
    // If the backup has not ended, this ends it.
    await bulk.close()
  }
  // The copy is of no use before the WAL from its time is in the archive.
  await whenFree(() => shipper.run())
  if (!walProgress(top)?.from) noteWalProgress(top, 'from', new Date(notes.endedAt))
  return made
}

async function whenFree<T>(work: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const done = await work()
    if (done !== undefined) return done
    await sleep(SHIP_MS)
  }
}

async function* archiveOf(
  { db, top, files }: BaseMaking,
  superuser: Db,
  notes: BaseNotes,
  progress: Progress,
): AsyncGenerator<Buffer, void> {
  const root = join(top, 'cluster')
  const tree = await treeOf(root)
  const start: BaseStart = {
    migrations: await selectMigrations(db),
    directories: tree.directories,
    files: files ? 'included' : 'bucket',
  }
  yield bytesEntry('base.json', Buffer.from(JSON.stringify(start)))
  let done = 0
  for (const path of tree.files) {
    yield* copyOf(root, path)
    progress.show('Base backup', ++done, tree.files.length, 'files')
  }
  yield bytesEntry(`cluster/${CONTROL}`, await readControl(join(root, CONTROL)))
  const { label } = await superuser.one<{ label: string }>`
    select labelfile as label from pg_backup_stop(wait_for_archive => false)`
  notes.endedAt = new Date().toISOString()
  yield bytesEntry(`cluster/${LABEL}`, Buffer.from(label))
  yield endOfArchive()
}

/** Lists what is copied, with `pg_control` left out, because it comes last. */
async function treeOf(root: string): Promise<{ directories: string[]; files: string[] }> {
  const directories: string[] = []
  const files: string[] = []
  async function visit(inner: string): Promise<void> {
    const entries = await readdir(join(root, inner), { withFileTypes: true }).catch(goneMeanwhile)
    for (const entry of entries ?? []) {
      const path = inner ? `${inner}/${entry.name}` : entry.name
      if (path === CONTROL || LEFT_OUT.some((name) => name.test(entry.name))) continue
      if (entry.isSymbolicLink()) throw new Error(`${path} is a link, which cannot be backed up`)
      if (entry.isDirectory()) {
        directories.push(path)
        if (!EMPTIED.has(path)) await visit(path)
        else if (path === 'pg_wal') directories.push('pg_wal/archive_status', 'pg_wal/summaries')
      } else files.push(path)
    }
  }
  await visit('')
  return { directories, files }
}

function goneMeanwhile(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** The WAL repairs what changes during the copy, and a file that was removed is not needed. */
async function* copyOf(root: string, path: string): AsyncGenerator<Buffer, void> {
  const full = join(root, path)
  if (!existsSync(full)) return
  const file = await open(full).catch(goneMeanwhile)
  if (!file) return
  try {
    const { size } = await file.stat()
    const content = file.createReadStream({ autoClose: false, highWaterMark: 256 * 1024 })
    yield* fileEntry(`cluster/${path}`, size, ofLength(content, size))
  } finally {
    await file.close()
  }
}

/** Reads until the server has not written it meanwhile. */
async function readControl(path: string): Promise<Buffer> {
  for (let last = await readFile(path); ; ) {
    const { size } = await lstat(path)
    const next = await readFile(path)
    if (next.length === size && next.equals(last)) return next
    last = next
  }
}
