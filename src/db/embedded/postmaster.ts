import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Connection } from '../embedded.ts'
import {
  alive,
  type Binaries,
  type Cluster,
  giveToRunner,
  giveTreeToRunner,
  type Runner,
} from './cluster.ts'
import { archiveSettings } from './wal.ts'

/** Part of the socket's file name; nothing listens on a TCP port. */
const PORT = 5432

const SOCKET_PATH_BYTES_MAX = process.platform === 'linux' ? 107 : 103
const LOG_BYTES_MAX = 10 * 1024 * 1024
const FAST_STOP_MS = 30_000
const IMMEDIATE_STOP_MS = 5_000

/** Default settings. An operator's `alter system set …` overrides them. */
const SETTINGS: Record<string, string> = {
  // For two servers of 50 each, a few commands of 8 each, and sessions of our own.
  max_connections: '130',
  shared_buffers: '128MB',
  // Zeroing each new WAL segment stalls the commits behind it: their p99 is 67 ms instead of 15 ms.
  wal_init_zero: 'off',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  // Error details quote rows, and rows contain personal data.
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  unix_socket_permissions: '0700',
}

/** A server process that has been confirmed to be running on this cluster. */
export interface Postmaster {
  pid: number
  socketDir: string
  /** False while it is starting, recovering or stopping. */
  ready: boolean
}

/**
 * Finds the cluster's running server by its lock file, and checks the process. A process id is not
 * enough, because it may now belong to an unrelated process.
 */
export function runningPostmaster(cluster: Cluster): Postmaster | undefined {
  const lines = lockFile(cluster)
  const pid = Number(lines?.[0])
  if (!lines || !(pid > 0) || !alive(pid) || !runsOn(pid, cluster.dir)) return undefined
  const ready = lines[7]?.trim() === 'ready'
  return { pid, socketDir: lines[4] || socketDirectory(cluster), ready }
}

function lockFile(cluster: Cluster): string[] | undefined {
  try {
    return readFileSync(join(cluster.dir, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return undefined
  }
}

function runsOn(pid: number, dir: string): boolean {
  if (process.platform !== 'linux') {
    return commandOf(pid).includes(`postgres -D ${dir}`)
  }
  return commandOf(pid).includes(`\0-D\0${dir}\0`) || sameDirectory(`/proc/${pid}/cwd`, dir)
}

/** Returns '' for a process that has gone, or that is dead but not yet reaped. */
function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

/** A server's working directory is its data directory, even after a rename. */
function sameDirectory(a: string, b: string): boolean {
  try {
    const one = statSync(a)
    const other = statSync(b)
    return one.ino === other.ino && one.dev === other.dev
  } catch {
    return false
  }
}

/**
 * Returns the socket's directory: beside the cluster or, if that path is too long for a socket, a
 * directory with a shorter path below the temporary directory.
 */
export function socketDirectory(cluster: Cluster): string {
  const path = join(cluster.top, `.s.PGSQL.${PORT}`)
  if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX) return cluster.top
  const name = createHash('sha256').update(cluster.top).digest('hex').slice(0, 16)
  const dir = join(tmpdir(), `tradepost-${name}`)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const { mode, uid } = lstatSync(dir)
  const us = process.getuid?.() ?? uid
  const theirs = statSync(cluster.dir).uid
  if (!lstatSync(dir).isDirectory() || (uid !== us && uid !== theirs)) {
    throw new Error(`${dir}, meant for the database's socket, belongs to another user: remove it`)
  }
  if (mode & 0o077) chmodSync(dir, 0o700)
  return dir
}

/**
 * Removes the directory with the shorter path. If it is in use, it is not empty, and so it stays.
 */
export function removeSocketDirectory(cluster: Cluster, dir: string): void {
  if (dir === cluster.top) return
  try {
    rmdirSync(dir)
  } catch {}
}

export interface Started {
  pid: number | undefined
  readonly over: boolean
  /** Why the server ended, according to its log; "" if it didn't log a reason. */
  failure(): string
  /** Stops the server, whatever its state, and waits until it has exited. */
  abandon(): Promise<void>
}

/**
 * Starts the server in a separate session, so that it can outlive this process while others use it.
 */
export function startPostmaster(
  cluster: Cluster,
  socketDir: string,
  binaries: Binaries,
  runner: Runner,
  settings: Record<string, string>,
): Started {
  giveTreeToRunner(cluster.dir, runner)
  writeSettings(cluster, { ...archiveSettings(cluster, runner), ...settings }, runner)
  removeForeignLock(cluster)
  const log = logOf(cluster)
  truncateLog(log)
  const out = openSync(log, 'a', 0o600)
  giveToRunner(log, runner)
  const from = statSync(log).size
  const quoted = `"${socketDir.replaceAll('"', '""')}"`
  const settled = ['listen_addresses=', `port=${PORT}`, `unix_socket_directories=${quoted}`]
  const [command, ...args] = [...runner.prefix, binaries.postgres, '-D', cluster.dir]
  for (const setting of settled) args.push('-c', setting)
  const stdio = ['ignore', out, out] as ['ignore', number, number]
  const child = spawn(command!, args, { cwd: '/', env: runner.env, stdio, detached: true })
  child.unref()
  closeSync(out)
  return follow(child, () => lastReason(log, from))
}

function follow(child: ChildProcess, reason: () => string): Started {
  let over = false
  let unstartable: string | undefined
  const ended = new Promise<void>((resolve) => {
    const end = (error?: Error) => {
      over = true
      unstartable = error?.message
      resolve()
    }
    child.on('error', end)
    child.on('exit', () => end())
  })
  return {
    pid: child.pid,
    get over() {
      return over
    },
    failure: () => unstartable ?? reason(),
    async abandon() {
      if (!over) child.kill('SIGINT')
      await ended
    },
  }
}

function writeSettings(cluster: Cluster, settings: Record<string, string>, runner: Runner) {
  const lines = Object.entries({ ...SETTINGS, ...settings }).map(
    ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`,
  )
  const head = '# Written at each start. To change a setting permanently: alter system set …\n'
  const path = join(cluster.dir, 'postgresql.conf')
  const next = `${path}.${process.pid}`
  writeFileSync(next, head + lines.join(''), { mode: 0o600 })
  giveToRunner(next, runner)
  renameSync(next, path)
}

/**
 * Removes the lock file of a dead server if its process id now belongs to another process. In all
 * other cases, PostgreSQL removes the file itself. If a server is running after all, PostgreSQL
 * still detects it by its shared memory.
 */
function removeForeignLock(cluster: Cluster) {
  const pid = Number(lockFile(cluster)?.[0])
  if (pid > 0 && alive(pid) && !runsOn(pid, cluster.dir)) {
    rmSync(join(cluster.dir, 'postmaster.pid'), { force: true })
  }
}

export function logOf(cluster: Cluster): string {
  return join(cluster.top, 'postgres.log')
}

/**
 * Copies and truncates the log instead of renaming it, because the server keeps it open. Called at
 * each start and every hour.
 */
export function truncateLog(log: string): void {
  const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0
  if (size <= LOG_BYTES_MAX) return
  copyFileSync(log, `${log}.1`)
  truncateSync(log)
}

const CAUSE = /FATAL:|PANIC:|^(postgres|unshare|setpriv):|error while loading/
/**
 * These lines don't give the reason: messages to clients while the server is down, and the last
 * messages of other processes after a panic.
 */
const ECHO = /FATAL: +(the database system is|terminating connection)/

/** Returns the last reason logged since `from`, or "" if the server was asked to stop. */
function lastReason(log: string, from: number): string {
  const causes = readFrom(log, from)
    .split('\n')
    .filter((line) => CAUSE.test(line) && !ECHO.test(line))
  return (causes.at(-1) ?? '').replace(/^.*?(FATAL|PANIC): +/, '')
}

/** Reads at most the last 64 KiB; "" if the file is gone. */
function readFrom(path: string, from: number): string {
  try {
    const bytes = readFileSync(path)
    return bytes.toString('utf8', Math.max(from, bytes.length - 65_536))
  } catch {
    return ''
  }
}

/**
 * Requests a fast stop and waits. Kills the server if that takes too long. Returns true when it has
 * ended.
 */
export async function stopPostmaster(cluster: Cluster): Promise<boolean> {
  return (
    (await signalAndWait(cluster, 'SIGINT', FAST_STOP_MS)) ||
    (await signalAndWait(cluster, 'SIGQUIT', IMMEDIATE_STOP_MS))
  )
}

async function signalAndWait(cluster: Cluster, signal: NodeJS.Signals, forMs: number) {
  const running = runningPostmaster(cluster)
  if (!running) return true
  try {
    process.kill(running.pid, signal)
  } catch {
    return !runningPostmaster(cluster)
  }
  for (const until = Date.now() + forMs; Date.now() < until; await sleep(10)) {
    if (!alive(running.pid) || !runsOn(running.pid, cluster.dir)) return true
  }
  return false
}

/**
 * Each process keeps one such connection open: to identify the server, to show that it uses the
 * server, and to notice when the server is lost.
 */
export interface Session {
  client: pg.Client
  socketDir: string
}

/**
 * `absent` means that no server is listening. `busy` means that a server is listening but is
 * starting, recovering or stopping. If the server is not ours, `openSession` throws instead.
 */
type Found = Session | 'absent' | 'busy'

const CONNECT_MS = 2_000
/**
 * Advisory locks. Each of our processes holds a shared lock on USE, so a process that gets an
 * exclusive one is the last.
 */
const FAMILY = 0x74726164
const USE = 1
const PREPARE = 2

const DATABASE = 'tradepost'
const OWNER = 'tradepost_owner'
const APP = 'tradepost_app'

const USERS = { superuser: 'postgres', owner: OWNER, app: APP }

export function connection(
  cluster: Cluster,
  socketDir: string,
  role: keyof typeof USERS,
  database = DATABASE,
): Connection {
  const user = USERS[role]
  const password = cluster.password(user)
  return { host: socketDir, port: PORT, user, password, database, ssl: false }
}

/** Connects to the server that listens in `socketDir` and checks that it is ours. */
export async function openSession(cluster: Cluster, socketDir: string): Promise<Found> {
  const client = new pg.Client({
    ...connection(cluster, socketDir, 'superuser', 'postgres'),
    application_name: `tradepost supervisor ${process.pid}`,
    connectionTimeoutMillis: CONNECT_MS,
  })
  // Without a listener, a lost connection would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    const joined = await joinSession(client, cluster, socketDir)
    if (joined) await prepare(client, cluster)
    if (joined) return { client, socketDir }
    await client.end()
    return 'busy'
  } catch (error) {
    client.end().catch(() => {})
    return whatItMeans(error, socketDir)
  }
}

async function joinSession(
  client: pg.Client,
  cluster: Cluster,
  socketDir: string,
): Promise<boolean> {
  const { rows } = await client.query(
    `select system_identifier::text as identifier, current_setting('data_directory') as dir,
            pg_try_advisory_lock_shared($1, $2) as joined
       from pg_control_system()`,
    [FAMILY, USE],
  )
  const { identifier, dir, joined } = rows[0]
  if (identifier !== cluster.systemIdentifier) throw new Foreign(socketDir, `it runs on ${dir}`)
  return joined
}

class Foreign extends Error {
  constructor(socketDir: string, why: string) {
    super(
      `another PostgreSQL is running in ${socketDir} (${why}): stop it, or set DATA_DIR to another ` +
        'directory',
    )
  }
}

function whatItMeans(error: unknown, socketDir: string): 'absent' | 'busy' {
  if (error instanceof Foreign) throw error
  const { code = '', message } = error as { code?: string; message: string }
  if (code.startsWith('28')) throw new Foreign(socketDir, message)
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'absent'
  if (code === 'EACCES') throw new Error(`no permission to use the database in ${socketDir}`)
  return 'busy'
}

/** Creates the roles and the database if they are missing. */
async function prepare(client: pg.Client, cluster: Cluster) {
  if (await prepared(client)) return
  await client.query('select pg_advisory_lock($1, $2)', [FAMILY, PREPARE])
  try {
    for (const role of [OWNER, APP]) {
      const password = cluster.password(role)
      const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
      // prose-ok: SQL
      if (rowCount === 0) await client.query(`create role ${role} login password '${password}'`)
    }
    if (await prepared(client)) return
    await client.query(`create database ${DATABASE} owner ${OWNER} template template0`)
    await client.query(`revoke all on database ${DATABASE} from public`)
    await client.query(`grant connect, temporary on database ${DATABASE} to ${APP}`)
  } finally {
    await client.query('select pg_advisory_unlock($1, $2)', [FAMILY, PREPARE])
  }
}

/** The database is created last, so if it exists, so does everything else. */
async function prepared(client: pg.Client): Promise<boolean> {
  const found = await client.query('select from pg_database where datname = $1', [DATABASE])
  return found.rowCount === 1
}

/** Returns whether the server copies its WAL for the archive. */
export async function isArchiving({ client }: Session): Promise<boolean> {
  const { rows } = await client.query("select current_setting('archive_mode') as mode")
  return rows[0].mode === 'on'
}

/**
 * Stops using the server. Returns true if no other Tradepost process uses it. In that case, no
 * process can join until the connection ends, so the server can be stopped.
 */
export async function releaseServer({ client }: Session): Promise<boolean> {
  const { rows } = await client.query(
    'select pg_advisory_unlock_shared($1, $2), pg_try_advisory_lock($1, $2) as last',
    [FAMILY, USE],
  )
  return rows[0].last
}
