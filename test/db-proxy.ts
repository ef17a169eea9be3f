import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll } from 'vitest'

/** A connection to the database that a test can cut, freeze and restore. */
export interface Proxy {
  connection: pg.ClientConfig
  /** Ends open connections and refuses new ones, as if the database were down. */
  cut(): void
  /** Passes nothing on and closes nothing, as if a cable were unplugged. */
  freeze(): void
  /**
   * Cuts the connection after passing these bytes on to the database. Resolves once it is cut and
   * the database has run the statement.
   */
  cutAfter(bytes: string): Promise<void>
  /** The same, without passing them on. */
  cutBefore(bytes: string): Promise<void>
  restore(): void
  /** Delays everything from the database, like a remote one. */
  slow(ms: number): void
  /** Returns the statements that passed since the last call, in the order in which they ran. */
  takeStatements(): string[]
}

type State = 'open' | 'cut' | 'frozen'

/** Starts a proxy between a server and the cluster of this run, until the end of the file. */
export async function startProxy(connection: pg.ClientConfig): Promise<Proxy> {
  const { close, ...proxy } = await openProxy(connection)
  afterAll(close)
  return proxy
}

/** Starts a proxy before a cluster, until it is closed. It listens in a directory. */
export async function openProxy(
  connection: pg.ClientConfig,
): Promise<Proxy & { close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tradepost-line-'))
  const port = connection.port ?? 5432
  const name = `.s.PGSQL.${port}`
  const sockets = new Set<Socket>()
  let state: State = 'open'
  let trigger: { bytes: string; pass: boolean; cut(): void } | undefined
  let delayMs = 0
  let statements: string[] = []

  const { host = '' } = connection
  const reach = () =>
    host.startsWith('/') ? connect(join(host, name)) : connect(Number(port), host)

  const listener = createServer((near) => {
    if (state === 'cut') return void near.destroy()
    const far = reach()
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    const passOn = (bytes: Buffer) => state === 'open' && near.writable && near.write(bytes)
    // Timers of equal length end in the order in which they were set.
    far.on('data', (bytes) => {
      if (delayMs === 0) passOn(bytes)
      else setTimeout(passOn, delayMs, bytes)
    })
    const read = statementReader((statement) => statements.push(statement))
    near.on('data', (bytes: Buffer) => {
      if (state !== 'open') return
      read(bytes)
      if (trigger === undefined || !bytes.includes(trigger.bytes)) return void far.write(bytes)
      // The database's response never arrives.
      near.removeAllListeners('close')
      near.destroy()
      far.removeAllListeners('data').resume()
      // The database closes its end once it has run the statement.
      far.once('close', trigger.cut)
      if (trigger.pass) far.end(bytes)
      else far.destroy()
      cut()
    })
  })
  await new Promise<void>((resolve) => listener.listen(join(folder, name), resolve))

  function cutAt(bytes: string, pass: boolean): Promise<void> {
    return new Promise((resolve) => {
      trigger = { bytes, pass, cut: resolve }
    })
  }

  function cut(): void {
    state = 'cut'
    for (const socket of sockets) if (!socket.writableEnded) socket.destroy()
  }
  async function close(): Promise<void> {
    cut()
    await new Promise((resolve) => listener.close(resolve))
    await rm(folder, { recursive: true, force: true })
  }
  return {
    close,
    connection: { ...connection, host: folder },
    cut,
    freeze: () => {
      state = 'frozen'
    },
    cutAfter: (bytes) => cutAt(bytes, true),
    cutBefore: (bytes) => cutAt(bytes, false),
    restore: () => {
      // Frozen connections lost bytes, so they are unusable.
      for (const socket of sockets) socket.destroy()
      state = 'open'
      trigger = undefined
    },
    slow: (ms) => {
      delayMs = ms
    },
    takeStatements: () => {
      const taken = statements
      statements = []
      return taken
    },
  }
}

/**
 * Returns a function that reads what a client sends on one connection, and reports the text of each
 * statement that it runs.
 */
function statementReader(report: (statement: string) => void): (bytes: Buffer) => void {
  const prepared = new Map<string, string>()
  let rest = Buffer.alloc(0)
  let isStarted = false
  let bound = ''

  function note(type: string, body: Buffer): void {
    const [first = '', second = ''] = body.toString('utf8').split('\0', 2)
    if (type === 'Q') report(first)
    if (type === 'P') prepared.set(first, second)
    if (type === 'B') bound = second
    if (type === 'E') report(prepared.get(bound) ?? bound)
  }

  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    for (;;) {
      // Only the first message has no type.
      const typeLength = isStarted ? 1 : 0
      if (rest.length < typeLength + 4) return
      const end = typeLength + rest.readInt32BE(typeLength)
      if (rest.length < end) return
      if (isStarted) note(String.fromCharCode(rest[0]!), rest.subarray(5, end))
      isStarted = true
      rest = rest.subarray(end)
    }
  }
}
