/**
 * Runs the embedded PostgreSQL: the processes that use it also start, monitor and stop it.
 *
 * `startEmbedded({ dataDir, log })` creates the cluster if there is none, starts its server or
 * joins the one that another Tradepost process has started, and resolves to an `Embedded` once the
 * server responds.
 *
 *     const embedded = await startEmbedded({ dataDir: './data', log })
 *     await migrate({ connect: embedded.config('owner'), dir: 'migrations', log })
 *     const pool = new pg.Pool({ ...embedded.config('app'), max: 20 })
 *     …
 *     await pool.end()
 *     await embedded.stop()
 */
import { statfsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Cluster,
  chooseRunner,
  createCluster,
  findBinaries,
  findCluster,
  prepareClusterDirectory,
  removeAbandonedClusters,
  restrictPermissions,
} from './embedded/cluster.ts'
import {
  connection,
  isArchiving,
  logOf,
  openSession,
  type Postmaster,
  releaseServer,
  removeSocketDirectory,
  runningPostmaster,
  type Session,
  type Started,
  socketDirectory,
  startPostmaster,
  stopPostmaster,
  truncateLog,
} from './embedded/postmaster.ts'
import { setArchiving } from './embedded/wal.ts'
import type { Log } from './log.ts'

/** `superuser` is for tests and backups, `owner` migrates, `app` serves requests. */
export type Role = 'superuser' | 'owner' | 'app'

/**
 * Can be passed as `pg.ClientConfig` or `pg.PoolConfig`. `host` is the directory of the unix
 * socket.
 */
export interface Connection {
  host: string
  port: number
  user: string
  password: string
  database: string
  ssl: false
}

export interface EmbeddedOptions {
  /** The directory in which Tradepost keeps everything; the cluster is `<dataDir>/postgres`. */
  dataDir: string
  log: Log
  /** If aborted during startup, `startEmbedded` stops the server that it started and rejects. */
  signal?: AbortSignal
  /**
   * Server settings that add to or replace the defaults, e.g. `{ fsync: 'off' }` for a test
   * cluster.
   */
  settings?: Record<string, string>
  /** Begins or ends archiving of the WAL. By default, it goes on as before. */
  archivesWal?: boolean | undefined
  meanwhile?: Meanwhile
}

/**
 * Starts other work while a program of PostgreSQL runs, which uses another processor. Called once
 * for each program, and not at all if the server is running already. Its failure is ignored.
 */
export type Meanwhile = () => Promise<unknown>

export interface Embedded {
  /** True if this process started the running server; false if it joined one. */
  readonly owner: boolean
  /**
   * Returns how to connect, by default to the database `tradepost`. The result never changes while
   * the process runs.
   */
  config(role: Role, database?: string): Connection
  /**
   * Calls `listener` when the connection to the server is lost. The server is then restarted with
   * backoff. Returns a function that removes the listener.
   */
  onDown(listener: (reason: string) => void): () => void
  /** Calls `listener` when the server responds again. */
  onUp(listener: () => void): () => void
  /**
   * Leaves the cluster. If no other Tradepost process uses it, stops the server and waits until it
   * has ended. Close your pools first. Never rejects; repeated calls return the same promise.
   */
  stop(): Promise<void>
}

const START_MS = 120_000
/** How long the remains of a killed server can block the next one. */
const REMAINS_MS = 10_000
const LOG_CHECK_MS = 3_600_000
const BACK_OFF_MS = { first: 100, most: 5_000 }

/** Rejects with a one-line error for the operator that says what to do. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dataDir, log, signal = new AbortController().signal, settings = {} } = options
  const meanwhile = () => void options.meanwhile?.().catch(() => {})
  try {
    const top = prepareClusterDirectory(dataDir)
    const cluster = findCluster(top) ?? (await create(top, settings, log, signal, meanwhile))
    restrictPermissions(cluster)
    if (options.archivesWal && !runningPostmaster(cluster)) setArchiving(top, true)
    const aim = { cluster, settings, signal, meanwhile }
    const up = await withArchiving(aim, await bringUp(aim), options.archivesWal)
    return supervise(cluster, settings, log, up)
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException
    if (code !== 'EACCES' && code !== 'EPERM') throw error
    throw new Error(`no permission for ${path}: run this as the user who owns ${dataDir}`)
  }
}

async function create(
  top: string,
  settings: Record<string, string>,
  log: Log,
  signal: AbortSignal,
  meanwhile: () => void,
): Promise<Cluster> {
  log.info({ directory: top }, 'creating a new database')
  const binaries = findBinaries(`${top}/lib`)
  const runner = chooseRunner(top, binaries)
  const sync = settings.fsync !== 'off'
  const created = createCluster(top, binaries, runner, { sync, signal })
  meanwhile()
  return await created
}

interface Up {
  session: Session
  owner: boolean
}

interface Aim {
  cluster: Cluster
  settings: Record<string, string>
  signal: AbortSignal
  meanwhile?: () => void
  /** The socket's directory, if it must stay the same because pools already use it. */
  socketDir?: string
}

/** Joins the cluster's server, or starts it if none is running. */
async function bringUp(aim: Aim): Promise<Up> {
  const { cluster, signal } = aim
  const began = Date.now()
  let started: Started | undefined
  try {
    while (Date.now() - began < START_MS) {
      await sleep(10)
      signal.throwIfAborted()
      const running = runningPostmaster(cluster)
      if (running && !running.ready) continue
      const socketDir = running?.socketDir ?? aim.socketDir ?? socketDirectory(cluster)
      const found = await openSession(cluster, socketDir)
      if (typeof found === 'object') return { session: found, owner: mine(started, running) }
      if (running || found === 'busy') continue
      if (started && !started.over) continue
      if (started) await excuse(started.failure(), cluster, began)
      started = start(aim, socketDir)
      aim.meanwhile?.()
    }
    await started?.abandon()
  } catch (error) {
    if (started) await started.abandon()
    throw error
  }
  throw new Error(`PostgreSQL was not ready within ${START_MS / 1000} s: see ${logOf(cluster)}`)
}

/** Restarts a server that was started by others and does not archive, or still does. */
async function withArchiving(aim: Aim, up: Up, wanted: boolean | undefined): Promise<Up> {
  if (wanted === undefined || (await isArchiving(up.session)) === wanted) return up
  if (!(await releaseServer(up.session))) {
    await up.session.client.end().catch(() => {})
    throw new Error(
      `WAL_ARCHIVE is ${wanted ? '' : 'not '}set, but the embedded database was started ` +
        `${wanted ? 'without' : 'with'} it: stop the other Tradepost processes first`,
    )
  }
  const stopped = await stopPostmaster(aim.cluster)
  if (stopped) setArchiving(aim.cluster.top, wanted)
  await up.session.client.end().catch(() => {})
  if (!stopped) throw new Error(`PostgreSQL did not end: see ${logOf(aim.cluster)}`)
  return await bringUp(aim)
}

/**
 * Failures caused by two simultaneous starts, or by the remains of a killed server, are temporary.
 */
async function excuse(failure: string, cluster: Cluster, began: number) {
  const passing = /lock file|shared memory block|already exists|Address already in use/.test(
    failure,
  )
  if (!passing || Date.now() - began > REMAINS_MS) {
    const reason = failure || (diskFull(cluster) ? 'the disk is full' : 'it gave no reason')
    throw new Error(`PostgreSQL did not start: ${reason} (see ${logOf(cluster)})`)
  }
  await sleep(100)
}

/** A full disk also prevents the server from logging the reason. */
function diskFull({ top }: Cluster): boolean {
  const { bavail, bsize } = statfsSync(top)
  return bavail * bsize < 1024 * 1024
}

function start({ cluster, settings }: Aim, socketDir: string): Started {
  removeAbandonedClusters(cluster.top)
  const binaries = findBinaries(`${cluster.top}/lib`)
  const runner = chooseRunner(cluster.top, binaries)
  return startPostmaster(cluster, socketDir, binaries, runner, settings)
}

function mine(started: Started | undefined, running: Postmaster | undefined): boolean {
  return started !== undefined && started.pid === running?.pid
}

/** Monitors the server through our connection, and restarts it whenever the connection is lost. */
function supervise(cluster: Cluster, settings: Record<string, string>, log: Log, up: Up): Embedded {
  const { socketDir } = up.session
  const ending = new AbortController()
  const downs = new Set<(reason: string) => void>()
  const ups = new Set<() => void>()
  let now: Up | undefined = up
  let reviving: Promise<void> | undefined
  let stopped: Promise<void> | undefined
  const checkLog = setInterval(() => truncateLog(logOf(cluster)), LOG_CHECK_MS).unref()

  function watch({ session }: Up) {
    session.client.once('end', () => {
      if (ending.signal.aborted) return
      now = undefined
      log.warn({}, 'the connection to the embedded database was lost: restarting it')
      for (const listener of downs) listener('connection lost')
      reviving = revive()
    })
  }

  async function revive() {
    const aim = { cluster, settings, signal: ending.signal, socketDir }
    let said = ''
    for (let delayMs = BACK_OFF_MS.first; !ending.signal.aborted; ) {
      try {
        now = await bringUp(aim)
        watch(now)
        log.info({ startedHere: now.owner }, 'the embedded database is up again')
        for (const listener of ups) listener()
        return
      } catch (error) {
        const { message } = error as Error
        if (message !== said && !ending.signal.aborted) {
          log.error({ retryMsMax: BACK_OFF_MS.most }, `the embedded database is down: ${message}`)
        }
        said = message
      }
      await sleep(delayMs, undefined, { signal: ending.signal }).catch(() => {})
      delayMs = Math.min(delayMs * 2, BACK_OFF_MS.most)
    }
  }

  async function stop() {
    ending.abort()
    clearInterval(checkLog)
    await reviving
    try {
      await release(cluster, now)
    } catch (error) {
      log.error({ err: error }, 'the embedded database could not be stopped')
    }
  }

  watch(up)
  return {
    get owner() {
      return now?.owner ?? false
    },
    config: (role, database) => connection(cluster, socketDir, role, database),
    onDown: (listener) => subscribe(downs, listener),
    onUp: (listener) => subscribe(ups, listener),
    stop: () => (stopped ??= stop()),
  }
}

function subscribe<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Disconnects from the server, and stops it if no other Tradepost process uses it. */
async function release(cluster: Cluster, up: Up | undefined) {
  const session = up?.session ?? (await rejoin(cluster))
  if (!session) return
  const last = await releaseServer(session)
  const stopped = !last || (await stopPostmaster(cluster))
  await session.client.end().catch(() => {})
  if (last) removeSocketDirectory(cluster, session.socketDir)
  if (!stopped) throw new Error(`PostgreSQL did not end: see ${logOf(cluster)}`)
}

/**
 * If we stop while the server is recovering, we must join it first. Otherwise, nobody would ever
 * stop it.
 */
async function rejoin(cluster: Cluster): Promise<Session | undefined> {
  for (const until = Date.now() + REMAINS_MS; Date.now() < until; await sleep(50)) {
    const running = runningPostmaster(cluster)
    if (!running) return undefined
    const found = await openSession(cluster, running.socketDir)
    if (typeof found === 'object') return found
  }
  throw new Error(`PostgreSQL is running but does not respond: see ${logOf(cluster)}`)
}
