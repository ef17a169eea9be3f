import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Log } from '../db/log.ts'

/** What a command can ask a server on the same machine. */
export type Control = 'drain' | 'status'

/** A server on this machine that a command can reach. */
export interface Found {
  pid: number
  /**
   * Returns the server's response, undefined if the server has ended, or null if it does not
   * respond within 5 s.
   */
  ask(what: Control): Promise<unknown>
}

/** Limit of the system for the path of a socket; Linux allows four bytes more than others. */
const SOCKET_PATH_BYTES_MAX = process.platform === 'linux' ? 107 : 103
const ANSWER_MS = 5_000
const WORD_BYTES_MAX = 64

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

/** Several machines or containers can share a DATA_DIR, but a socket works only on its own one. */
const prefix = () => `${digest(hostname()).slice(0, 8)}-`

/**
 * Returns where sockets can be: in the data directory or, if that does not exist, cannot be written
 * or has a long path, in the temporary directory.
 */
const directoriesOf = (dataDir: string): string[] => [
  ...(existsSync(dataDir) ? [join(dataDir, 'run')] : []),
  join(tmpdir(), `tradepost-run-${digest(resolve(dataDir)).slice(0, 16)}`),
]

/**
 * Lets commands of the same user reach this server through a Unix socket, which no other user and
 * no request over HTTP can reach. Returns a function that closes it. If no socket can be opened,
 * the server works without it.
 */
export async function openControl(
  dataDir: string,
  answer: (what: Control) => Promise<unknown>,
  log: Log,
): Promise<() => Promise<void>> {
  const failures: unknown[] = []
  for (const directory of directoriesOf(dataDir)) {
    const path = join(directory, `${prefix()}${process.pid}`)
    if (Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX) continue
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      requireOwn(directory)
      await removeStale(directory)
      rmSync(path, { force: true })
      return await listen(path, answer)
    } catch (error) {
      failures.push(error)
    }
  }
  log.warn({ err: failures[0] }, 'tradepost drain cannot reach this server')
  return async () => {}
}

/** Throws if another user could have put something into the directory. */
function requireOwn(directory: string): void {
  if (!isOwn(directory)) throw new Error(`other users have access to ${directory}`)
}

function isOwn(directory: string): boolean {
  const { uid, mode } = lstatSync(directory)
  return uid === (process.getuid?.() ?? uid) && (mode & 0o077) === 0
}

/** Removes the sockets of servers on this machine that were killed. */
async function removeStale(directory: string): Promise<void> {
  for (const name of readdirSync(directory).filter((one) => one.startsWith(prefix()))) {
    const path = join(directory, name)
    if ((await exchange(path, 'status')) === undefined) rmSync(path, { force: true })
  }
}

async function listen(
  path: string,
  answer: (what: Control) => Promise<unknown>,
): Promise<() => Promise<void>> {
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket)
    socket.setTimeout(ANSWER_MS, () => socket.destroy())
    socket.on('error', () => socket.destroy())
    socket.once('close', () => open.delete(socket))
    void reply(socket, answer)
  })
  const { promise, resolve: opened, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(path, opened)
  await promise
  return async () => {
    const closed = new Promise<void>((done) => server.close(() => done()))
    for (const socket of open) socket.destroy()
    await closed
  }
}

async function reply(socket: Socket, answer: (what: Control) => Promise<unknown>): Promise<void> {
  try {
    let said = ''
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      said += chunk
      if (said.length > WORD_BYTES_MAX) break
    }
    if (said !== 'drain' && said !== 'status') socket.destroy()
    else socket.end(JSON.stringify(await answer(said)))
  } catch {
    socket.destroy()
  }
}

/**
 * Returns the servers with this DATA_DIR that run on this machine. Throws if it finds none, but
 * cannot trust one of the directories.
 */
export async function findServers(dataDir: string): Promise<Found[]> {
  const directories = directoriesOf(dataDir).filter((directory) => existsSync(directory))
  // A server leaves out a directory that is not its own, and uses the next one.
  const paths = directories.filter(isOwn).flatMap((directory) =>
    readdirSync(directory)
      .filter((name) => name.startsWith(prefix()))
      .map((name) => join(directory, name)),
  )
  const found: Found[] = []
  const find = async (path: string) => {
    if ((await exchange(path, 'status')) === undefined) return
    const pid = Number(path.slice(path.lastIndexOf('-') + 1))
    found.push({ pid, ask: (what) => exchange(path, what) })
  }
  await Promise.all(paths.map(find))
  if (found.length === 0) {
    for (const directory of directories) requireOwn(directory)
  }
  return found.sort((one, other) => one.pid - other.pid)
}

/**
 * Sends one word, and returns the response, undefined if no server listens there, or null if it
 * does not respond.
 */
async function exchange(path: string, what: Control): Promise<unknown> {
  const socket = connect({ path })
  const silent = new Error('the server does not respond')
  socket.setTimeout(ANSWER_MS, () => socket.destroy(silent))
  try {
    socket.end(what)
    const said = await text(socket)
    return said === '' ? undefined : JSON.parse(said)
  } catch (error) {
    if (error === silent) return null
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ECONNREFUSED' || code === 'ENOENT' || code === 'ECONNRESET') return undefined
    throw error
  }
}
