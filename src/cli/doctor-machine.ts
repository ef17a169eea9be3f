import { accessSync, constants, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { findBinaries } from '../db/embedded/binaries.ts'
import { chooseRunner } from '../db/embedded/runner.ts'
import { bad, type Check, ok, warn } from './doctor-checks.ts'

/** The first Node that strips types without a flag and without a warning. */
const NODE_MIN = [24, 12] as const

export function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isFit = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])
  if (isFit) return ok('node', `${process.version} on ${process.platform} ${process.arch}`)
  const mend = `install Node ${NODE_MIN.join('.')} or newer from https://nodejs.org`
  return bad('node', `${process.version} is too old`, mend)
}

/** Before this there was no Tradepost. */
const YEAR_MIN = 2026

/** A clock that is years off makes every certificate, due date and signature wrong. */
export function checkClock(now: Date): Check {
  const says = `${now.toISOString().slice(0, 19)}Z`
  if (now.getUTCFullYear() >= YEAR_MIN) return ok('clock', says)
  return bad('clock', `${says} lies in the past`, 'set the clock, and keep it right by NTP')
}

const LOOPBACK = /^(?:localhost|127\.|::1$|\[::1\])/

/** Settings that are each right and together surprising. */
export function checkSettings(config: Config): Check[] {
  const { HOST, PUBLIC_URL, RATE_LIMIT, TRUST_PROXY } = config
  const found: Check[] = []
  const isOpen = !LOOPBACK.test(HOST)
  if (isOpen && !PUBLIC_URL) {
    const mend = 'set PUBLIC_URL to the address that payers use'
    found.push(warn('settings', `HOST ${HOST} is open, and payers' links begin with it`, mend))
  }
  if (PUBLIC_URL?.startsWith('http:') && !LOOPBACK.test(new URL(PUBLIC_URL).hostname)) {
    const mend = 'put a reverse proxy with TLS in front and use https'
    found.push(warn('settings', `PUBLIC_URL ${PUBLIC_URL} is not encrypted`, mend))
  }
  if (PUBLIC_URL?.startsWith('https:') && TRUST_PROXY.length === 0) {
    const mend = "set TRUST_PROXY to the proxy's address"
    const says = "TLS ends at a proxy, whose address every caller seems to have: keys' --ip fails"
    found.push(warn('settings', says, mend))
  }
  if (RATE_LIMIT === 0) {
    found.push(warn('settings', 'RATE_LIMIT is off', 'leave it unset, but for benchmarks'))
  }
  return found.length > 0 ? found : [ok('settings', 'as they should be')]
}

/** The programs of the embedded database are there, and run as whoever this is. */
export function checkPrograms({ DATA_DIR }: Config): Check {
  const spare = mkdtempSync(join(tmpdir(), 'tradepost-doctor-'))
  try {
    const { prefix } = chooseRunner(nearest(join(DATA_DIR, 'postgres')), findBinaries(spare))
    return ok('programs', `PostgreSQL runs here${prefix[0] ? ` by ${prefix[0]}` : ''}`)
  } catch (error) {
    const [says = '', mend = 'run npm ci --ignore-scripts again'] = split((error as Error).message)
    return bad('programs', says, mend)
  } finally {
    rmSync(spare, { recursive: true, force: true })
  }
}

/** Our own errors say after a colon what to do. */
function split(message: string): string[] {
  const at = message.lastIndexOf(': ')
  return at < 0 ? [message] : [message.slice(0, at), message.slice(at + 2)]
}

export function checkDataDir({ DATA_DIR }: Config): Check {
  const mend = 'give it to the user who runs Tradepost, or set DATA_DIR to another directory'
  const found = nearest(DATA_DIR)
  if (!statSync(found).isDirectory()) return bad('data', `${found} is not a directory`, mend)
  try {
    accessSync(found, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return bad('data', `${found} may not be read and written by this user`, mend)
  }
  return ok('data', found === DATA_DIR ? DATA_DIR : `${DATA_DIR} is still to be made`)
}

const SOCKET_PATH_BYTES_MAX = process.platform === 'linux' ? 107 : 103

/** A socket's path has a length that the system limits; a short directory stands in. */
export function checkSocket({ DATA_DIR }: Config): Check {
  const inData = join(DATA_DIR, 'postgres', '.s.PGSQL.5432')
  if (Buffer.byteLength(inData) <= SOCKET_PATH_BYTES_MAX) return ok('socket', 'beside the database')
  const short = join(tmpdir(), `tradepost-${'0'.repeat(16)}`, '.s.PGSQL.5432')
  if (Buffer.byteLength(short) <= SOCKET_PATH_BYTES_MAX) {
    return ok('socket', `below ${tmpdir()}, since DATA_DIR is too long a path for one`)
  }
  const mend = 'set DATA_DIR or TMPDIR to a shorter path'
  return bad('socket', 'the paths of DATA_DIR and TMPDIR are too long for a socket', mend)
}

const MIB = 1024 ** 2
const ROOM_MIB = { least: 256, enough: 2048 }

export async function checkDisk({ DATA_DIR }: Config): Promise<Check> {
  const { bavail, bsize } = await statfs(nearest(DATA_DIR))
  const freeMib = Math.floor((bavail * bsize) / MIB)
  const says = `${freeMib} MiB free for DATA_DIR`
  const mend = 'make room, or set DATA_DIR to a larger disk'
  if (freeMib < ROOM_MIB.least) return bad('disk', says, mend)
  return freeMib < ROOM_MIB.enough ? warn('disk', says, mend) : ok('disk', says)
}

/** The path itself, or the nearest directory above it that is there. */
function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path))
}

export async function checkPort({ PORT, HOST }: Config): Promise<Check> {
  const code = await bind(PORT, HOST)
  const where = `${HOST}:${PORT}`
  if (code === undefined) return ok('port', PORT === 0 ? 'any free one' : `${where} is free`)
  if (code === 'EADDRINUSE') {
    if (await isOurs(PORT, HOST)) return ok('port', `Tradepost answers at ${where}`)
    return bad('port', `another program has ${where}`, 'stop it, or set PORT to another one')
  }
  if (code === 'EACCES') {
    return bad('port', `${where} needs rights of the system`, 'set PORT to one from 1024 on')
  }
  return bad('port', `${where} cannot be listened on (${code})`, 'set HOST to an address of yours')
}

/** Listens for a moment; answers why that failed. */
function bind(port: number, host: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const server = createServer()
  server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  server.listen(port, host, () => server.close(() => resolve(undefined)))
  return promise
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
