import { accessSync, constants, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { styleText } from 'node:util'
import type { Command } from 'commander'
import pg from 'pg'
import { clusterTop, unprotectedSince } from '../backup/wal/archive.ts'
import { type Config, readConfig } from '../config.ts'
import { adviceOn, inspectLine, MIGRATIONS } from '../db/connect.ts'
import { type Db, openDatabase } from '../db/database.ts'
import { chooseRunner, findBinaries } from '../db/embedded/cluster.ts'
import { walProgress } from '../db/embedded/wal.ts'
import { startEmbedded } from '../db/embedded.ts'
import { primaryOf } from '../db/hosts.ts'
import { missingMigrations, wrongEncoding } from '../db/migrate.ts'
import { unreadableKeys } from '../encryption/keyring.ts'
import { requireServerKeys, type ServerKeys, serverKeysOf } from '../encryption/server-keys.ts'
import { probePort } from '../http/ports.ts'
import type { Secret } from '../lib/tokens.ts'
import { listPauses, listStops } from '../providers/pauses.ts'
import {
  bad,
  type Check,
  checkBackups,
  checkBucket,
  checkMail,
  checkReplicas,
  ok,
  warn,
} from './checks.ts'
import { isInitialised, quietLog } from './open.ts'
import { dim, EXIT, printJson, printLines, terminal } from './output.ts'

export function doctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('Diagnose problems on this machine and suggest fixes')
    .option('--json', 'print {ok, checks} as JSON')
    .addHelpText(
      'after',
      `
Checks the settings that tradepost start uses, and changes nothing. The server can be running or
stopped.
The exit status is 1 if a check fails, and 3 if there is no database. Warnings don't change it.

Examples:
  $ tradepost doctor
  $ PORT=8080 DATABASE_URL=postgres://… tradepost doctor`,
    )
    .action(doctor)
}

async function doctor({ json }: { json?: true }): Promise<void> {
  const checks: Check[] = []
  for await (const check of examine()) {
    checks.push(check)
    if (!json) printLines(...linesOf(check))
  }
  const isFine = checks.every(({ level }) => level !== 'bad')
  if (json) printJson({ ok: isFine, checks })
  else printLines('', summaryOf(checks))
  const isMissing = checks.some((check) => check.isMissing)
  if (!isFine) terminal().exitCode = isMissing ? EXIT.noDatabase : EXIT.failed
}

/** Runs the checks one after another, because later ones need the results of earlier ones. */
async function* examine(): AsyncGenerator<Check> {
  yield checkNode()
  yield checkClock(new Date())
  const config = settings()
  if ('level' in config) {
    yield config
    return
  }
  yield* checkSettings(config)
  yield await checkServerKeys(config)
  // With DATABASE_URL, it still has incoming files, and the stored ones without a bucket.
  const dataDir = checkDataDir(config)
  const disk = await checkDisk(config)
  if (!config.DATABASE_URL) {
    const programs = checkPrograms(config)
    yield* [programs, dataDir, checkSocket(config), disk]
    yield* checkWalArchive(config)
    // If neither is set, there is no database to check.
    if (programs.level !== 'bad' && dataDir.level !== 'bad') yield* checkDatabase(config)
  } else {
    yield* [dataDir, disk]
    yield* checkDatabase(config)
  }
  yield* checkBucket(config)
  yield* checkMail(config)
  yield* checkRetentionArchive(config)
  yield await checkPort(config)
}

function settings(): Config | Check {
  try {
    return readConfig(terminal().env)
  } catch (error) {
    const fix = 'correct it in the environment; .env.example describes each setting'
    return bad('settings', (error as Error).message, fix)
  }
}

const SIGNS = { ok: ['green', 'ok  '], warn: ['yellow', 'warn'], bad: ['red', 'bad '] } as const
const NAME_WIDTH = 10

function linesOf({ level, name, says, fix }: Check): string[] {
  const [colour, sign] = SIGNS[level]
  const line = `${styleText(colour, sign)}  ${name.padEnd(NAME_WIDTH)}  ${says}`
  return fix ? [line, `      ${' '.repeat(NAME_WIDTH)}  ${dim(`fix: ${fix}`)}`] : [line]
}

function summaryOf(checks: Check[]): string {
  const count = (level: Check['level']) => checks.filter((check) => check.level === level).length
  const bads = count('bad')
  const warnings = count('warn')
  if (bads > 0)
    return `${bads} of ${checks.length} checks failed. Fix them before starting the server.`
  return warnings > 0 ? `All checks passed. Warnings: ${warnings}.` : 'All checks passed.'
}

/** The first version of Node that strips types without a flag or a warning. */
const NODE_MIN = [24, 12] as const

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isFit = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])
  if (isFit) return ok('node', `${process.version} on ${process.platform} ${process.arch}`)
  const fix = `install Node ${NODE_MIN.join('.')} or newer from https://nodejs.org`
  return bad('node', `${process.version} is too old`, fix)
}

/** Tradepost didn't exist before this date. */
const YEAR_MIN = 2026

/** With a clock that is years off, every certificate, due date and signature is wrong. */
function checkClock(now: Date): Check {
  const says = `${now.toISOString().slice(0, 19)}Z`
  if (now.getUTCFullYear() >= YEAR_MIN) return ok('clock', says)
  return bad('clock', `${says} is in the past`, 'set the clock, and synchronise it with NTP')
}

/** Checks that the key outside the database is there, and that only its owner can read it. */
async function checkServerKeys(config: Config): Promise<Check> {
  try {
    requireServerKeys(config)
    const { source, read, create } = serverKeysOf(config)
    const [first] = await read()
    if (!first) return ok('keys', `${source} ${create ? 'will be created' : 'is empty'}`)
    const says = `the fingerprint of the encryption key is ${first.fingerprint.toString('hex')}`
    const mode = existsSync(source) ? statSync(source).mode : 0
    if ((mode & 0o077) === 0) return ok('keys', says)
    return warn('keys', `other users of this machine can read ${source}`, `chmod 600 ${source}`)
  } catch (error) {
    const [says = '', fix = 'restore the file from your copy'] = split((error as Error).message)
    return bad('keys', says, fix)
  }
}

const LOOPBACK = /^(?:localhost|127\.|::1$|\[::1\])/

/** Checks for settings that are valid on their own, but surprising in combination. */
function checkSettings(config: Config): Check[] {
  const { HOST, PUBLIC_URL, RATE_LIMIT, TRUST_PROXY } = config
  const found: Check[] = []
  const isOpen = !LOOPBACK.test(HOST)
  if (isOpen && !PUBLIC_URL) {
    const fix = 'set PUBLIC_URL to the URL that payers use'
    found.push(
      warn(
        'settings',
        `HOST ${HOST} accepts connections from other machines, but links for payers start with it`,
        fix,
      ),
    )
  }
  if (PUBLIC_URL?.startsWith('http:') && !LOOPBACK.test(new URL(PUBLIC_URL).hostname)) {
    const fix = 'put a reverse proxy with TLS in front of the server, and use https'
    found.push(warn('settings', `PUBLIC_URL ${PUBLIC_URL} is not encrypted`, fix))
  }
  if (PUBLIC_URL?.startsWith('https:') && TRUST_PROXY.length === 0) {
    const fix = "set TRUST_PROXY to the proxy's address"
    const says =
      'TLS ends at a proxy, so all requests seem to come from its address and --ip restrictions on keys fail'
    found.push(warn('settings', says, fix))
  }
  if (RATE_LIMIT === 0) {
    found.push(warn('settings', 'RATE_LIMIT is off', 'leave it unset, except for benchmarks'))
  }
  return found.length > 0 ? found : [ok('settings', 'valid')]
}

/** Checks that the embedded database's programs exist and can run as the current user. */
function checkPrograms({ DATA_DIR }: Config): Check {
  const spare = mkdtempSync(join(tmpdir(), 'tradepost-doctor-'))
  try {
    const { prefix } = chooseRunner(nearest(join(DATA_DIR, 'postgres')), findBinaries(spare))
    return ok('programs', `PostgreSQL can run here${prefix[0] ? ` via ${prefix[0]}` : ''}`)
  } catch (error) {
    const [says = '', fix = 'install Tradepost again'] = split((error as Error).message)
    return bad('programs', says, fix)
  } finally {
    rmSync(spare, { recursive: true, force: true })
  }
}

/** In our own errors, the text after a colon explains how to fix them. */
function split(message: string): string[] {
  const at = message.lastIndexOf(': ')
  return at < 0 ? [message] : [message.slice(0, at), message.slice(at + 2)]
}

function checkDataDir({ DATA_DIR }: Config): Check {
  const fix =
    'make it writable by the user who runs Tradepost, or set DATA_DIR to another directory'
  const found = nearest(DATA_DIR)
  const fault = faultOf(found)
  if (fault) return bad('data', fault, fix)
  return ok('data', found === DATA_DIR ? DATA_DIR : `${DATA_DIR} will be created`)
}

/** Old rows are kept until they can be written to their archive. */
function* checkRetentionArchive({ RETENTION_ARCHIVE: path }: Config): Generator<Check> {
  if (path === undefined) return
  const fix = 'mount or create it, and make it writable by the user who runs Tradepost'
  const fault = existsSync(path) ? faultOf(path) : `RETENTION_ARCHIVE ${path} does not exist`
  yield fault ? bad('retention', fault, fix) : ok('retention', `old rows are written to ${path}`)
}

/** Returns why a directory cannot be used, if it cannot. */
function faultOf(path: string): string | undefined {
  if (!statSync(path).isDirectory()) return `${path} is not a directory`
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch {
    return `this user does not have read and write access to ${path}`
  }
}

const SOCKET_PATH_BYTES_MAX = process.platform === 'linux' ? 107 : 103

/**
 * The system limits the length of a socket's path, so a directory with a shorter path is used if
 * necessary.
 */
function checkSocket({ DATA_DIR }: Config): Check {
  const inData = join(DATA_DIR, 'postgres', '.s.PGSQL.5432')
  if (Buffer.byteLength(inData) <= SOCKET_PATH_BYTES_MAX)
    return ok('socket', 'next to the database')
  const short = join(tmpdir(), `tradepost-${'0'.repeat(16)}`, '.s.PGSQL.5432')
  if (Buffer.byteLength(short) <= SOCKET_PATH_BYTES_MAX) {
    return ok('socket', `under ${tmpdir()}, because DATA_DIR is too long for a socket path`)
  }
  const fix = 'set DATA_DIR or TMPDIR to a shorter path'
  return bad('socket', 'the paths of DATA_DIR and TMPDIR are too long for a socket', fix)
}

const MIB = 1024 ** 2
const ROOM_MIB = { least: 256, enough: 2048 }

async function checkDisk({ DATA_DIR }: Config): Promise<Check> {
  const { bavail, bsize } = await statfs(nearest(DATA_DIR))
  const freeMib = Math.floor((bavail * bsize) / MIB)
  const says = `${freeMib} MiB free for DATA_DIR`
  const fix = 'free some space, or move DATA_DIR to a larger disk'
  if (freeMib < ROOM_MIB.least) return bad('disk', says, fix)
  return freeMib < ROOM_MIB.enough ? warn('disk', says, fix) : ok('disk', says)
}

const WAL_MS_MAX = 15 * 60_000

/** Checks that the embedded database can be recovered to each moment, if that was wanted. */
function* checkWalArchive(config: Config): Generator<Check> {
  const progress = walProgress(clusterTop(config))
  if (!progress) {
    if (!config.WAL_ARCHIVE) return
    const fix = 'start the server with WAL_ARCHIVE, then run tradepost backup'
    yield warn('archive', 'the WAL of the database is not archived yet', fix)
    return
  }
  if (!config.WAL_ARCHIVE) {
    const says = 'the WAL of the database is archived, but WAL_ARCHIVE is not set here'
    yield warn('archive', says, 'set it for all commands, or the next server ends the archive')
    return
  }
  const { from } = progress
  const since = unprotectedSince(progress)!
  const print = (at: Date) => `${at.toISOString().slice(0, 19)}Z`
  if (!from) {
    const says = 'the WAL is archived, but there is no base backup to begin with'
    yield warn('archive', says, 'tradepost backup')
  } else if (Date.now() - since.getTime() > WAL_MS_MAX) {
    const says = `the last moment that can be recovered is ${print(since)}`
    yield warn('archive', says, 'start the server; its log says why the WAL is not archived')
  } else {
    yield ok('archive', `each moment from ${print(from)} to ${print(since)} can be recovered`)
  }
}

/** Returns the path itself, or its nearest existing parent. */
function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path))
}

async function checkPort({ PORT, HOST }: Config): Promise<Check> {
  const code = await probePort(HOST, PORT).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  )
  const where = `${HOST}:${PORT}`
  if (code === undefined)
    return ok('port', PORT === 0 ? 'a free port will be chosen' : `${where} is free`)
  if (code === 'EADDRINUSE') {
    if (await isOurs(PORT, HOST)) return ok('port', `Tradepost is already running at ${where}`)
    return bad('port', `another program is using ${where}`, 'stop it, or set PORT to a free port')
  }
  if (code === 'EACCES') {
    return bad('port', `${where} requires administrator rights`, 'set PORT to 1024 or higher')
  }
  return bad(
    'port',
    `cannot listen on ${where} (${code})`,
    'set HOST to an address of this machine',
  )
}

const ANSWER_MS = 2_000

async function isOurs(port: number, host: string): Promise<boolean> {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  try {
    const signal = AbortSignal.timeout(ANSWER_MS)
    const response = await fetch(`http://${name}:${port}/health/live`, { signal })
    const body = (await response.json()) as { status?: unknown }
    return body.status === 'live' && response.headers.has('x-request-id')
  } catch {
    return false
  }
}

type Connection = pg.ClientConfig

/** Checks that the database responds, has a supported version and fits this code. */
async function* checkDatabase(config: Config): AsyncGenerator<Check> {
  if (config.DATABASE_URL) {
    const direct = config.DATABASE_DIRECT_URL ?? config.DATABASE_URL
    const connect = await primaryOf({ connectionString: direct.reveal() })
    yield* examineDatabase(connect, FOREIGN, serverKeysOf(config))
    if (direct !== config.DATABASE_URL) yield await examinePooler(config.DATABASE_URL)
    yield* checkReplicas(connect, config)
    return
  }
  try {
    if (!isInitialised(config.DATA_DIR)) {
      yield none(`there is no database in ${config.DATA_DIR} (DATA_DIR)`)
      return
    }
    const embedded = await startEmbedded({ dataDir: config.DATA_DIR, log: quietLog })
    try {
      yield* examineDatabase({ ...embedded.config('owner') }, EMBEDDED, serverKeysOf(config))
    } finally {
      await embedded.stop()
    }
  } catch (error) {
    yield bad('database', (error as Error).message, EMBEDDED)
  }
}

const none = (says: string): Check => ({
  ...bad(
    'database',
    says,
    'tradepost start creates one; or set DATA_DIR to the directory that contains the database',
  ),
  isMissing: true,
})

const FOREIGN = 'start PostgreSQL, or correct DATABASE_URL: postgres://user:password@host:5432/name'
const EMBEDDED =
  'read postgres/postgres.log in DATA_DIR; if the data is beyond repair, restore a backup'

async function* examineDatabase(
  connect: Connection,
  fix: string,
  serverKeys: ServerKeys,
): AsyncGenerator<Check> {
  const answer = await ask(connect)
  if (answer instanceof Error) {
    yield bad('database', `the database cannot be used: ${reasonOf(answer)}`, fix)
    return
  }
  const { version, number, encoding, skewMs, isReadOnly } = answer
  if (number < VERSION_MIN) {
    yield bad('database', `PostgreSQL ${version} is too old`, 'upgrade it to 15 or newer')
    return
  }
  const wrong = wrongEncoding(encoding)
  if (wrong) {
    yield bad('database', wrong.says, wrong.fix)
    return
  }
  if (isReadOnly) {
    yield bad('database', `PostgreSQL ${version} is read-only`, 'point DATABASE_URL at the primary')
    return
  }
  const advice = adviceOn(await inspectLine(connect))
  if (advice && !advice.works) {
    yield bad('pooler', advice.says, POOLER)
    return
  }
  if (advice) yield warn('pooler', advice.says, POOLER)
  yield ok('database', `PostgreSQL ${version} is running`)
  yield skewOf(skewMs)
  yield await migrations(connect)
  const db = openDatabase({ connection: connect, connectionsMax: 1 })
  try {
    yield* checkDatabaseKeys(db, serverKeys)
    yield* checkPauses(db)
    yield* checkBackups(db, new Date())
  } catch (error) {
    // The next start creates the table or the column.
    if (!/^42(P01|703)$/.test((error as { code?: string }).code ?? '')) throw error
  } finally {
    await db.close()
  }
}

/** Checks that statements through the pooler have a time limit. */
async function examinePooler(url: Secret): Promise<Check> {
  const client = new pg.Client({
    connectionTimeoutMillis: CONNECT_MS,
    connectionString: url.reveal(),
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ ms: number }>(
      "select setting::int as ms from pg_settings where name = 'statement_timeout'",
    )
    if (rows[0]!.ms > 0) return ok('pooler', 'DATABASE_URL works through a connection pooler')
    const says = 'statements through the connection pooler have no time limit yet'
    return warn('pooler', says, 'start the server once, then reconnect the pooler (RECONNECT)')
  } catch (error) {
    return bad('pooler', `DATABASE_URL cannot be used: ${reasonOf(error as Error)}`, FOREIGN)
  } finally {
    await client.end().catch(() => {})
  }
}

/** Yields a check that failed if a key in the database cannot be read. */
async function* checkDatabaseKeys(db: Db, serverKeys: ServerKeys): AsyncGenerator<Check> {
  try {
    const [first] = await unreadableKeys(db, serverKeys)
    if (first) yield badKeys(first.problem)
  } catch (error) {
    if ((error as { code?: string }).code === '42P01') throw error
    yield badKeys((error as Error).message)
  }
}

/** There can be one for each business; the latest are enough. */
const STOPS_MAX = 20

/** Yields a warning for everything that is paused or stopped, because it is easy to forget. */
async function* checkPauses(db: Db): AsyncGenerator<Check> {
  for (const { what, business_id, reason, paused_at } of await listPauses(db)) {
    const name = what === 'writes' ? 'all writes' : what
    const whose = business_id === null ? '' : ` of business ${business_id}`
    const says = `${name}${whose} paused since ${paused_at.toISOString().slice(0, 16)}Z: ${reason}`
    const fix = what === 'writes' ? 'tradepost read-only off' : 'tradepost resume'
    yield warn('paused', says, fix)
  }
  for (const { what, business_id, live, connection_id, name, reason, at } of await listStops(
    db,
    STOPS_MAX,
  )) {
    const mode = live ? 'live' : 'test'
    const of = `of business ${business_id} in ${mode} mode`
    const since = `since ${at.toISOString().slice(0, 16)}Z${reason ? `: ${reason}` : ''}`
    yield what === 'payouts'
      ? warn(
          'paused',
          `payouts ${of} stopped ${since}`,
          `tradepost payouts resume --business ${business_id} --mode ${mode}`,
        )
      : warn(
          'paused',
          `connection ${connection_id} (${name}) ${of} paused ${since}`,
          `tradepost providers resume ${connection_id}`,
        )
  }
}

function badKeys(problem: string): Check {
  const [says = '', fix = 'restore the database from a backup'] = split(problem)
  return bad('keys', says, fix)
}

const POOLER = 'set DATABASE_DIRECT_URL as well; see the operations guide'

const VERSION_MIN = 150_000
const CONNECT_MS = 5_000

interface Answer {
  version: string
  number: number
  encoding: string
  /** How far the database's clock is ahead of ours. */
  skewMs: number
  /** True for a standby or a demoted server. */
  isReadOnly: boolean
}

async function ask(connect: Connection): Promise<Answer | Error> {
  const client = new pg.Client({ connectionTimeoutMillis: CONNECT_MS, ...connect })
  client.on('error', () => {})
  try {
    await client.connect()
    const before = Date.now()
    const { rows } = await client.query<Omit<Answer, 'skewMs'> & { at: Date }>(
      `select current_setting('server_version') as version,
              current_setting('server_version_num')::int as number, clock_timestamp() as at,
              current_setting('server_encoding') as encoding,
              pg_is_in_recovery() or current_setting('transaction_read_only')::boolean
                as "isReadOnly"`,
    )
    const { at, ...found } = rows[0]!
    const middle = (before + Date.now()) / 2
    return { ...found, skewMs: at.getTime() - middle }
  } catch (error) {
    return error as Error
  } finally {
    await client.end().catch(() => {})
  }
}

const SKEW_MS_MAX = 2_000

function skewOf(skewMs: number): Check {
  const ms = Math.trunc(Math.abs(skewMs))
  if (Math.abs(skewMs) <= SKEW_MS_MAX)
    return ok('clocks', "this machine's clock agrees with the database's")
  const says = `the database's clock is ${ms} ms ${skewMs > 0 ? 'ahead of' : 'behind'} this machine's`
  return warn('clocks', says, 'synchronise both machines with NTP')
}

async function migrations(connect: Connection): Promise<Check> {
  try {
    const missing = await missingMigrations({ connect, dir: MIGRATIONS })
    if (missing.length === 0) return ok('schema', 'up to date')
    return ok('schema', `the next start will update the schema: ${missing.join(', ')}`)
  } catch (error) {
    const fix = 'run the version of Tradepost that this database belongs to'
    return bad('schema', reasonOf(error as Error), fix)
  }
}

const reasonOf = ({ message, errors }: Error & { errors?: Error[] }) =>
  message || errors?.[0]?.message || 'it is not responding'
