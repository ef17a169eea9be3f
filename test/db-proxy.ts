import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll } from 'vitest'

/** A connection to the database that a test can cut, freeze and restore. */
export interface Proxy {
  connection: pg.ClientConfig
  /** Ends what is open, and refuses what comes, as when the database has gone. */
  cut(): void
  /** Lets nothing through and says nothing, as when a cable was pulled. */
  freeze(): void
  /**
   * Cuts the line when these bytes come by on their way to the database, having let them pass.
   * Resolves when it is cut.
   */
  cutAfter(bytes: string): Promise<void>
  /** The same, without letting them pass. */
  cutBefore(bytes: string): Promise<void>
  mend(): void
  /** Whatever comes from the database takes so long more, as one that is far away. */
  slow(ms: number): void
}

type State = 'open' | 'cut' | 'frozen'

/** Stands between a server and the cluster of this run. */
export async function startProxy(connection: pg.ClientConfig): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), 'tradepost-line-'))
  const port = connection.port ?? 5432
  const name = `.s.PGSQL.${port}`
  const sockets = new Set<Socket>()
  let state: State = 'open'
  let trigger: { bytes: string; pass: boolean; cut(): void } | undefined
  let delayMs = 0

  const listener = createServer((near) => {
    if (state === 'cut') return void near.destroy()
    const far = connect(join(connection.host!, name))
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    const passOn = (bytes: Buffer) => state === 'open' && near.writable && near.write(bytes)
    // Timers of one length end in the order in which they were set.
    far.on('data', (bytes) => {
      if (delayMs === 0) passOn(bytes)
      else setTimeout(passOn, delayMs, bytes)
    })
    near.on('data', (bytes) => {
      if (state !== 'open') return
      if (trigger === undefined || !bytes.includes(trigger.bytes)) return void far.write(bytes)
      // The answer of the database never arrives.
      near.removeAllListeners('close')
      near.destroy()
      far.removeAllListeners('data').resume()
      if (trigger.pass) far.end(bytes)
      else far.destroy()
      cut()
      trigger.cut()
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
  afterAll(async () => {
    cut()
    await new Promise((resolve) => listener.close(resolve))
    await rm(folder, { recursive: true, force: true })
  })
  return {
    connection: { ...connection, host: folder },
    cut,
    freeze: () => {
      state = 'frozen'
    },
    cutAfter: (bytes) => cutAt(bytes, true),
    cutBefore: (bytes) => cutAt(bytes, false),
    mend: () => {
      // What was frozen lost bytes: nothing of it can be trusted.
      for (const socket of sockets) socket.destroy()
      state = 'open'
      trigger = undefined
    },
    slow: (ms) => {
      delayMs = ms
    },
  }
}
