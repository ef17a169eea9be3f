import { type ChildProcess, spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBusiness } from '../src/business/account/bootstrap.ts'
import { openDatabase } from '../src/db/database.ts'
import { openIds } from '../src/db/ids.ts'
import { throwAwayCluster } from './cluster.ts'

export type Server = Awaited<ReturnType<typeof startServer>>

export interface Starting {
  /** Settings of PostgreSQL that replace the defaults. */
  settings?: Record<string, string>
  environment?: Record<string, string>
  /** Options of `tradepost start`. */
  args?: string[]
  /** Allows `profile`. */
  isProfiled?: boolean
}

/**
 * Starts `tradepost start` on a temporary cluster, with a business and its test key. This process
 * can read and write the same database, but the server's memory and event loop are its own.
 */
export async function startServer({
  settings,
  environment = {},
  args = [],
  isProfiled,
}: Starting = {}) {
  const cluster = await throwAwayCluster({ max_connections: '120', ...settings })
  const db = openDatabase({ connection: cluster.app, connectionsMax: 4 })
  const ids = openIds(db)
  const { keyring } = cluster
  const { keys, businessId } = await db.transaction((tx) =>
    createBusiness(tx, { ids, keyring }, { name: 'Bench', now: new Date() }),
  )
  const launched = await launch(
    { DATA_DIR: cluster.dataDir, RATE_LIMIT: '0', WEBHOOKS_LOOPBACK: 'on', ...environment },
    { args, nodeArgs: isProfiled ? ['--inspect=127.0.0.1:0'] : [] },
  )
  const { pid } = launched
  return {
    cluster,
    db,
    ids,
    keyring,
    businessId,
    port: launched.port,
    pid,
    key: keys.testSecret,
    /** What a request needs to be made by the business's test key. */
    headers: { authorization: `Bearer ${keys.testSecret}` },
    memory: () => memoryOf(pid),
    resetPeak: () => resetPeak(pid),
    untilIdle: () => untilIdle(pid),
    /** The CPU time so far. */
    cpuSeconds: async () => ({
      server: await cpuSeconds(pid),
      database: await cpuSecondsOfAll(cluster.postmasterPid),
    }),
    /** Writes a CPU profile of what the server does until `work` has ended. */
    profile: async <T>(file: string, work: () => Promise<T>) =>
      profile(await launched.inspectorUrl(), file, work),
    async stop() {
      await launched.stop()
      await db.close()
      await cluster.stop()
    },
  }
}

/** Runs `tradepost start`. Resolves when it responds and its database does, too. */
export const launch = (
  environment: Record<string, string>,
  { args = [], nodeArgs = [] }: { args?: string[]; nodeArgs?: string[] } = {},
) =>
  launchNode({
    args: [...nodeArgs, 'bin/tradepost.js', 'start', ...args],
    environment,
    readyPath: '/health/ready',
  })

interface Launching {
  args: string[]
  cwd?: string
  /** It also gets a free PORT, which is also its WORKER_PORT. */
  environment: Record<string, string>
  /** The path that returns 2xx once the server is ready. */
  readyPath: string
}

/** Runs Node. Resolves when the server responds, and throws what it said if it ends before. */
export async function launchNode({ args, cwd, environment, readyPath }: Launching) {
  const port = await freePort()
  const began = performance.now()
  const child = spawn(process.execPath, args, {
    env: { ...process.env, PORT: `${port}`, WORKER_PORT: `${port}`, ...environment },
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-SAID_MAX)
  })
  while (!(await isReady(`http://127.0.0.1:${port}${readyPath}`))) {
    if (child.exitCode !== null) throw new Error(`${args.join(' ')} ended: ${said}`)
    if (performance.now() - began > START_MS_MAX) {
      child.kill()
      throw new Error(`${args.join(' ')} does not respond: ${said}`)
    }
    await sleep(5)
  }
  return {
    port,
    pid: child.pid!,
    startMs: performance.now() - began,
    stop: () => stop(child),
    async inspectorUrl(): Promise<string> {
      return (
        said.match(/ws:\S+/g)?.at(-1) ?? Promise.reject(new Error('started without isProfiled'))
      )
    },
  }
}

const START_MS_MAX = 300_000
const SAID_MAX = 4_000

const isReady = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

/**
 * The resident memory of a process in MB: now, and its peak since the last `resetPeak`. Needs
 * /proc, so it is NaN on macOS.
 */
export async function memoryOf(pid: number): Promise<{ nowMb: number; peakMb: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const mb = (field: string) =>
    (Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) * 1024) / 1e6
  return { nowMb: mb('VmRSS'), peakMb: mb('VmHWM') }
}

const resetPeak = (pid: number) => writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => {})

const IDLE_SHARE = 0.1
const IDLE_WAIT_MS = 60_000

/** Waits until a server has finished what requests leave to its jobs, for at most a minute. */
export async function untilIdle(pid: number): Promise<void> {
  const until = performance.now() + IDLE_WAIT_MS
  for (let before = await cpuSeconds(pid); performance.now() < until; ) {
    await sleep(1_000)
    const now = await cpuSeconds(pid)
    if (!(now - before > IDLE_SHARE)) break
    before = now
  }
}

/** Needs /proc, whose unit is a hundredth of a second. */
export async function cpuSeconds(pid: number): Promise<number> {
  const [user, system] = (await statOf(pid)).slice(12, 14)
  return (Number(user) + Number(system)) / 100
}

/** Also counts the processes that this one has started, including those that have ended. */
export async function cpuSecondsOfAll(pid: number): Promise<number> {
  const [user, system] = (await statOf(pid)).slice(14, 16)
  const running = await Promise.all([pid, ...(await childrenOf(pid))].map(cpuSeconds))
  const ended = (Number(user) + Number(system)) / 100
  // One that has ended meanwhile is not counted.
  return running.reduce((sum, one) => sum + (one || 0), ended)
}

async function childrenOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return children.split(' ').filter(Boolean).map(Number)
}

export const parentOf = async (pid: number): Promise<number> => Number((await statOf(pid))[2])

/** Returns the state of a process and what follows it, from the second field on. */
async function statOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat.slice(stat.lastIndexOf(')')).split(' ')
}

async function profile<T>(url: string, file: string, work: () => Promise<T>): Promise<T> {
  const socket = new WebSocket(url)
  const { promise: opened, resolve, reject } = Promise.withResolvers<unknown>()
  socket.addEventListener('open', resolve)
  socket.addEventListener('error', reject)
  await opened
  const call = (id: number, method: string) =>
    new Promise<{ profile: object }>((done) => {
      const listen = ({ data }: MessageEvent) => {
        const message = JSON.parse(data)
        if (message.id !== id) return
        socket.removeEventListener('message', listen)
        done(message.result)
      }
      socket.addEventListener('message', listen)
      socket.send(JSON.stringify({ id, method }))
    })
  await call(1, 'Profiler.enable')
  await call(2, 'Profiler.start')
  const result = await work()
  const { profile: taken } = await call(3, 'Profiler.stop')
  await writeFile(file, JSON.stringify(taken))
  socket.close()
  return result
}
