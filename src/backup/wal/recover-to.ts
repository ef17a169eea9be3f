import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Cluster,
  chooseRunner,
  findBinaries,
  findCluster,
  giveToRunner,
  prepareClusterDirectory,
  type Runner,
} from '../../db/embedded/cluster.ts'
import {
  logOf,
  openSession,
  removeSocketDirectory,
  socketDirectory,
  startPostmaster,
  stopPostmaster,
} from '../../db/embedded/postmaster.ts'
import { requireKnown } from '../../db/migrate.ts'
import type { Storage } from '../../files/storage.ts'
import { openArchive, readJson } from '../archive.ts'
import type { Progress } from '../make.ts'
import { readBackup } from '../parts.ts'
import { type Base, listBases } from './archive.ts'
import type { BaseStart } from './base.ts'
import {
  archivedFile,
  BASE,
  FILES,
  inside,
  type LineStore,
  openLine,
  readFile as readObject,
  WAL,
} from './objects.ts'

const MIB = 1024 * 1024
/** How many segments are read ahead. */
const AHEAD = 4
const POLL_MS = 10
/** PostgreSQL gives up if a segment is not there after 10 minutes. */
const POLLS_MAX = 12_000
const INCOMING = 'wal-incoming'

export interface Recovering {
  archive: Storage
  at: Date
  passphrase: string | undefined
  migrations: string
  /** A new directory, which becomes a data directory. */
  dataDir: string
  progress: Progress
}

export interface RecoveredCluster {
  base: Base
  line: LineStore
}

/**
 * Recovers the embedded database as it was at a moment, into a new data directory, and leaves it
 * stopped. Throws if the archive does not reach that moment.
 */
export async function recoverTo(recovering: Recovering): Promise<RecoveredCluster> {
  const { archive, at, passphrase, dataDir, progress } = recovering
  const base = chooseBase(await listBases(archive), at)
  const line = await openLine(archive, base.line, passphrase)
  const top = prepareClusterDirectory(dataDir)
  await unpack(recovering, base, join(top, 'cluster'))
  const cluster = findCluster(top)!
  const segments = (await line.storage.list())
    .filter((name) => name.startsWith(WAL))
    .map((name) => name.slice(WAL.length))
    .sort()
  const binaries = findBinaries(join(top, 'lib'))
  const runner = chooseRunner(top, binaries)
  const incoming = join(top, INCOMING)
  await mkdir(incoming, { mode: 0o700 })
  giveToRunner(incoming, runner)
  const signal = join(cluster.dir, 'recovery.signal')
  await writeFile(signal, '', { mode: 0o600 })
  giveToRunner(signal, runner)
  const socketDir = socketDirectory(cluster)
  const server = startPostmaster(cluster, socketDir, binaries, runner, settingsFor(at))
  const supply = openSupply({ line, segments, incoming, runner, progress })
  try {
    while (!(await isRecovered(cluster, socketDir))) {
      if (server.over) throw await reasonOf(cluster, server.failure(), at)
      await supply.step()
      await sleep(POLL_MS)
    }
    if (!(await stopPostmaster(cluster)))
      throw new Error(`PostgreSQL did not end: ${logOf(cluster)}`)
  } catch (error) {
    await server.abandon()
    throw error
  } finally {
    removeSocketDirectory(cluster, socketDir)
  }
  await rm(incoming, { recursive: true })
  return { base, line }
}

/** Returns the newest base backup that had ended at that moment. */
function chooseBase(bases: readonly Base[], at: Date): Base {
  const [first] = bases
  if (!first) throw new Error('the archive contains no base backup, which tradepost backup makes')
  const found = bases.findLast(({ notes }) => new Date(notes.endedAt) <= at)
  if (found) return found
  throw new Error(
    `the first base backup ended at ${first.notes.endedAt}: choose that time or a later one, or ` +
      'restore another backup without --at',
  )
}

async function unpack(
  { archive, passphrase, migrations, progress }: Recovering,
  { line, made }: Base,
  root: string,
): Promise<void> {
  const total = made.parts.reduce((sum, { bytes }) => sum + bytes, 0)
  let read = 0
  const onRead = (bytes: number) => {
    read += bytes
    progress.show('Base backup', Math.ceil(read / MIB), Math.ceil(total / MIB), 'MiB')
  }
  const source = inside(archive, `${line}/${BASE}`)
  await readBackup(source, made, { passphrase, onRead }, async (stream) => {
    const entries = openArchive(stream)
    const start = await readJson<BaseStart>(await entries.next(), 'base.json')
    requireKnown(start.migrations, migrations)
    await mkdir(root, { mode: 0o700 })
    for (const directory of start.directories) {
      await mkdir(pathIn(root, directory), { recursive: true, mode: 0o700 })
    }
    while (await entries.peek()) {
      const entry = await entries.next()
      if (!entry.name.startsWith('cluster/')) throw unknown(entry.name)
      const path = pathIn(root, entry.name.slice('cluster/'.length))
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const file = await open(path, 'wx', 0o600)
      try {
        for await (const piece of entry.content()) await file.writeFile(piece)
      } finally {
        await file.close()
      }
    }
  })
}

function pathIn(root: string, name: string): string {
  if (!/^[\w.-]+(?:\/[\w.-]+)*$/.test(name) || /(?:^|\/)\.\.?(?:\/|$)/.test(name)) {
    throw unknown(name)
  }
  return join(root, name)
}

const unknown = (name: string) => new Error(`the base backup contains an unknown file ${name}`)

/**
 * PostgreSQL asks for a segment by creating a file, and takes the file that then appears. Paths are
 * relative to its data directory.
 */
const settingsFor = (at: Date): Record<string, string> => ({
  restore_command:
    `f="../${INCOMING}/%f"; : > "$f.wanted"; n=0; while [ $n -lt ${POLLS_MAX} ]; do ` +
    'if [ -e "$f.ready" ]; then mv "$f.ready" "%p"; exit 0; fi; ' +
    'if [ -e "$f.none" ]; then rm "$f.none"; exit 1; fi; ' +
    'n=$((n+1)); sleep 0.05; done; exit 200',
  // Abbreviations such as Z are not known yet when this is read.
  recovery_target_time: at.toISOString().replace('Z', '+00'),
  recovery_target_timeline: 'current',
  recovery_target_action: 'promote',
  // Nobody can connect before the moment is reached.
  hot_standby: 'off',
  archive_mode: 'off',
})

async function isRecovered(cluster: Cluster, socketDir: string): Promise<boolean> {
  if (!existsSync(join(socketDir, '.s.PGSQL.5432'))) return false
  const session = await openSession(cluster, socketDir)
  if (typeof session !== 'object') return false
  await session.client.end()
  return true
}

interface Supplying {
  line: LineStore
  segments: readonly string[]
  incoming: string
  runner: Runner
  progress: Progress
}

/** Gives PostgreSQL the segments that it asks for, and reads the next ones ahead. */
function openSupply({ line, segments, incoming, runner, progress }: Supplying) {
  const fetched = new Set<string>()

  async function fetch(name: string): Promise<void> {
    if (fetched.has(name)) return
    const part = join(incoming, `${name}.part`)
    await readObject(line, WAL + name, async (content) => {
      const file = await open(part, 'w', 0o600)
      try {
        for await (const chunk of content) await file.writeFile(chunk)
      } finally {
        await file.close()
      }
    })
    giveToRunner(part, runner)
    await rename(part, join(incoming, `${name}.ready`))
    fetched.add(name)
  }

  return {
    async step(): Promise<void> {
      const wanted = (await readdir(incoming)).filter((name) => name.endsWith('.wanted'))
      for (const file of wanted) {
        await rm(join(incoming, file))
        const name = file.slice(0, -'.wanted'.length)
        const index = segments.indexOf(name)
        if (index < 0) {
          await writeFile(join(incoming, `${name}.none`), '')
          continue
        }
        // PostgreSQL can ask for the same segment twice.
        if (!existsSync(join(incoming, `${name}.ready`))) fetched.delete(name)
        for (const next of segments.slice(index, index + AHEAD)) await fetch(next)
        progress.show('WAL', index + 1, segments.length, 'segments')
      }
    },
  }
}

async function reasonOf(cluster: Cluster, failure: string, at: Date): Promise<Error> {
  if (!/ended before configured recovery target/.test(failure)) {
    return new Error(`PostgreSQL could not recover: ${failure || 'it gave no reason'}`)
  }
  const log = await readFile(logOf(cluster), 'utf8')
  const [, day, time] = /last completed transaction was at log time (\S+) ([\d:.]+)/.exec(log) ?? []
  const until = time ? new Date(`${day}T${time}Z`).toISOString() : 'its base backup'
  return new Error(
    `the archive does not reach ${at.toISOString()}: it ends at ${until}, or lacks a segment of ` +
      'the WAL after that; choose that time or an earlier one',
  )
}

/** Finds the stored files of a line by their keys. */
export async function openArchivedFiles(line: LineStore) {
  const names = new Map<string, string>()
  for (const name of await line.storage.list()) {
    const file = name.startsWith(FILES) ? archivedFile(name) : undefined
    if (file) names.set(file.key, name)
  }
  return {
    has: (key: string) => names.has(key),
    read: <T>(key: string, work: (content: AsyncIterable<Buffer>) => Promise<T>): Promise<T> =>
      readObject(line, names.get(key)!, work),
  }
}
