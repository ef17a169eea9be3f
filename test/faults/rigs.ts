import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { findCluster } from '../../src/db/embedded/cluster.ts'
import { connection, runningPostmaster } from '../../src/db/embedded/postmaster.ts'
import { startEmbedded } from '../../src/db/embedded.ts'
import { type Proxy as DbProxy, openProxy } from '../db-proxy.ts'
import { ENCRYPTION_KEY } from '../keyring.ts'
import { freePort } from '../operations/ports.ts'
import { openPrimaryAndStandby } from '../operations/standby.ts'
import type { startReceiver } from '../webhook-receiver.ts'

/* A server in its own process, on each of the three kinds of database. */

const BIN = fileURLToPath(new URL('../../bin/tradepost.js', import.meta.url))
const STARTED_MS = 120_000
const COMMAND_MS = 240_000
const QUERY_MS = 15_000

type Env = Record<string, string>
type Row = Record<string, unknown>

export interface Rig {
  name: string
  url: string
  server: Server
  /** Selects from the database, without the server and without any proxy. */
  query(text: string, values?: unknown[]): Promise<Row[]>
  /** The ids of the database's processes: its postmaster first. Only of the embedded database. */
  databasePids(): Promise<number[]>
  proxy?: DbProxy
  /** The disk of the database, which can be filled and freed again. */
  disk?: { fill(): Promise<void>; free(): Promise<void> }
  /** The clock of the server and its database, by its distance from the real time. */
  clock?: { set(offsetMs: number): Promise<void> }
  /** Kills the primary and promotes its standby. */
  failOver?(): Promise<void>
  /** Runs `tradepost`, and returns what it printed as JSON. */
  json(...args: string[]): Promise<Body>
  close(): Promise<void>
}

/** The business that the load is for. */
export interface Business {
  id: number
  keys: { testSecret: string; liveSecret: string }
  receiver: Awaited<ReturnType<typeof startReceiver>>['receiver']
}

// biome-ignore lint/suspicious/noExplicitAny: what a command prints
type Body = any

interface Server {
  pid(): number
  start(): Promise<void>
  signal(name: NodeJS.Signals): void
  /** Ends it at once, and waits until it has ended. */
  kill(): Promise<void>
  stop(): Promise<void>
}

const RUNNING = new Set<ChildProcess>()
const DATA_DIRS = new Set<string>()

/** Ends at once what this process has started. */
export function endAll(): void {
  for (const child of RUNNING) child.kill('SIGKILL')
  for (const dir of DATA_DIRS) {
    const cluster = clusterIn(dir)
    const postmaster = cluster && runningPostmaster(cluster)
    if (postmaster) process.kill(postmaster.pid, 'SIGQUIT')
  }
}

function clusterIn(dataDir: string) {
  try {
    return findCluster(join(dataDir, 'postgres'))
  } catch {
    return undefined
  }
}

interface Embedded {
  name?: string
  dataDir?: string
  env?: Env
}

/** The embedded database, which the server starts and supervises. */
export async function openEmbeddedRig(
  scratch: string,
  { name = 'embedded', dataDir = join(scratch, name), env = {} }: Embedded = {},
): Promise<Rig> {
  DATA_DIRS.add(dataDir)
  const rig = await openRig(name, scratch, { DATA_DIR: dataDir, ...env })
  const connect = () => {
    const cluster = findCluster(join(dataDir, 'postgres'))!
    const running = runningPostmaster(cluster)
    return connection(cluster, running?.socketDir ?? cluster.top, 'superuser')
  }
  async function databasePids(): Promise<number[]> {
    const { pid } = runningPostmaster(findCluster(join(dataDir, 'postgres'))!)!
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
    return [pid, ...children.trim().split(' ').filter(Boolean).map(Number)]
  }
  return { ...rig, databasePids, query: (text, values) => queryOn(connect(), text, values) }
}

const quiet = { info() {}, warn() {}, error: console.error }

/** A database that this process keeps, behind a proxy that can fail. */
export async function openProxiedRig(scratch: string): Promise<Rig> {
  const databaseDir = join(scratch, 'proxied-database')
  const dataDir = join(scratch, 'proxied')
  await mkdir(dataDir)
  DATA_DIRS.add(databaseDir)
  const embedded = await startEmbedded({
    dataDir: databaseDir,
    log: quiet,
    settings: { fsync: 'off', max_connections: '80' },
  })
  const owner = embedded.config('owner')
  const proxy = await openProxy(owner)
  const { user, password, port, database } = owner
  const rig = await openRig('proxied', scratch, {
    DATA_DIR: dataDir,
    DATABASE_URL:
      `postgres://${user}:${password}@localhost:${port}/${database}` +
      `?host=${proxy.connection.host}`,
    TRADEPOST_ENCRYPTION_KEY: ENCRYPTION_KEY,
  })
  return {
    ...rig,
    proxy,
    query: (text, values) => queryOn(embedded.config('superuser', database), text, values),
    async close() {
      await rig.close()
      await proxy.close()
      await embedded.stop()
    },
  }
}

/** A primary and a standby that it replicates to. */
export async function openStandbyRig(scratch: string): Promise<Rig> {
  const dataDir = join(scratch, 'standby')
  await mkdir(dataDir)
  const { primary, standby, close } = await openPrimaryAndStandby(scratch)
  const urls = [standby.port, primary.port].map((port) => `127.0.0.1:${port}`)
  let isPromoted = false
  const rig = await openRig('standby', scratch, {
    DATA_DIR: dataDir,
    DATABASE_URL: `postgres://postgres@${urls.join()}/postgres`,
    TRADEPOST_ENCRYPTION_KEY: ENCRYPTION_KEY,
  })
  return {
    ...rig,
    query: (text, values) =>
      queryOn({ connectionString: (isPromoted ? standby : primary).url }, text, values),
    async failOver() {
      await primary.kill()
      await sleep(500)
      await standby.query('select pg_promote()')
      isPromoted = true
    },
    async close() {
      await rig.close()
      await close()
    },
  }
}

async function queryOn(
  config: pg.ClientConfig,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ ...config, query_timeout: QUERY_MS })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

async function openRig(name: string, scratch: string, own: Env) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  const env: Env = {
    PATH,
    HOME,
    NODE_COMPILE_CACHE,
    NO_COLOR: '1',
    PORT: `${port}`,
    RATE_LIMIT: '0',
    WEBHOOKS_LOOPBACK: 'on',
    SIMULATOR_DELAY_MS: '200',
    LOG_LEVEL: 'warn',
    ...own,
  }
  const log = createWriteStream(join(scratch, `${name}.log`), { flags: 'a' })

  function run(args: string[]): ChildProcess {
    const child = spawn(process.execPath, [BIN, ...args], {
      env,
      cwd: scratch,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    RUNNING.add(child)
    child.once('exit', () => RUNNING.delete(child))
    return child
  }

  let child: ChildProcess | undefined
  const server: Server = {
    pid: () => child!.pid!,
    async start() {
      const started = run(['start'])
      child = started
      started.stdout!.pipe(log, { end: false })
      started.stderr!.pipe(log, { end: false })
      for (const until = Date.now() + STARTED_MS; Date.now() < until; await sleep(50)) {
        if (started.exitCode !== null) break
        if ((await statusOf(`${url}/health/live`)) === 200) return
      }
      throw new Error(`the server did not start: see ${name}.log`)
    },
    signal: (signal) => void child!.kill(signal),
    kill: () => ended(child!, 'SIGKILL'),
    stop: () => ended(child!, 'SIGTERM'),
  }

  async function json(...args: string[]): Promise<Body> {
    const command = run([...args, '--json'])
    const timer = setTimeout(() => command.kill('SIGKILL'), COMMAND_MS)
    const texts = { stdout: '', stderr: '' }
    command.stdout!.on('data', (chunk) => (texts.stdout += chunk))
    command.stderr!.on('data', (chunk) => (texts.stderr += chunk))
    await once(command, 'close')
    clearTimeout(timer)
    try {
      return JSON.parse(texts.stdout)
    } catch {
      throw new Error(`tradepost ${args.join(' ')} failed: ${texts.stderr}${texts.stdout}`)
    }
  }

  await server.start()
  return {
    name,
    url,
    server,
    json,
    databasePids: (): Promise<number[]> => Promise.reject(new Error(`not of ${name}`)),
    async close() {
      await server.stop()
      log.end()
    },
  }
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
}

/** Returns 0 if nobody responds within two seconds. */
export const statusOf = (url: string): Promise<number> =>
  fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    ({ status }) => status,
    () => 0,
  )
