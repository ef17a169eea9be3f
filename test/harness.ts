import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, inject } from 'vitest'
import { type App, type AppOptions, buildApp } from '../src/app.ts'
import { createBusiness } from '../src/business/account/bootstrap.ts'
import { openPeople } from '../src/business/team/mails.ts'
import { clientWith } from '../src/db/client.ts'
import { openDatabase } from '../src/db/database.ts'
import { openIds } from '../src/db/ids.ts'
import { closeDrained } from '../src/http/server.ts'
import { runDue, startJobs } from '../src/jobs/jobs.ts'
import { addMs } from '../src/lib/clock.ts'
import { LOG_OPTIONS } from '../src/log.ts'
import { on } from './citus/cluster.ts'
import { openEmptier } from './emptied.ts'
import { checkToldEvents } from './event-schema-check.ts'
import { TEMPLATE } from './global-setup.ts'
import { testKeyring } from './keyring.ts'
import { type Reply, send } from './request.ts'

export type { Reply }

/** A clock that a test can move. It keeps running, so that times keep their order. */
function movableClock() {
  let offsetMs = 0
  return {
    now: () => addMs(new Date(), offsetMs),
    advance: (ms: number) => {
      offsetMs += ms
    },
    reset: () => {
      offsetMs = 0
    },
  }
}

/** Creates a database with all migrations, dropped after the file. */
export async function testDatabase(options: { connectionsMax?: number } = {}) {
  const database = await copyTemplate(options)
  afterAll(database.close)
  return database
}

async function copyTemplate({ connectionsMax = 10 } = {}) {
  const { owner, app } = inject('cluster')
  const name = `test_${randomBytes(6).toString('hex')}`
  await asAdmin(
    `create database ${name} owner ${owner.user} template ${TEMPLATE} strategy file_copy`,
  )
  const db = openDatabase({
    connection: { ...app, database: name },
    connectionsMax,
    // On a slow machine, two hundred concurrent calls wait longer than the default.
    connectMs: 15_000,
  })

  let closed = false
  async function close(): Promise<void> {
    if (closed) return
    closed = true
    await db.close()
    await undoing.get(name)?.end()
    undoing.delete(name)
    await asAdmin(`drop database ${name} with (force)`)
  }
  const clock = movableClock()
  const keyring = testKeyring()
  const connection = { ...app, database: name }
  return { name, db, ids: openIds(db), keyring, clock, connection, close }
}

/** Connects as the owner of the tables, who can do damage that the server's role cannot. */
export async function asOwner<T>(name: string, work: (client: pg.Client) => Promise<T>) {
  marked.add(name)
  const client = new pg.Client({ ...inject('cluster').owner, database: name })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** One client per database for transactions that are rolled back, so that it keeps its plans. */
const undoing = new Map<string, pg.Client>()
const UndoingClient = clientWith(undefined, () => {})

/** The same in a transaction that is rolled back, so that other tests do not see it. */
export async function undone<T>(name: string, work: (client: pg.Client) => Promise<T>) {
  let client = undoing.get(name)
  if (!client) {
    client = new UndoingClient({ ...inject('cluster').owner, database: name })
    undoing.set(name, client)
    await client.connect()
  }
  await client.query('begin isolation level repeatable read')
  try {
    return await work(client)
  } finally {
    await client.query('rollback')
  }
}

/** Counts the sessions of a database that wait for a lock, on all machines of the cluster. */
export async function sessionsWaiting(name: string): Promise<number> {
  const counts = inject('cluster').nodes.map((node) =>
    on({ database: 'postgres', ...node }, (client) =>
      client.query<{ n: string }>(
        `select count(*) as n from pg_stat_activity
         where datname = $1 and wait_event_type = 'Lock'`,
        [name],
      ),
    ),
  )
  return (await Promise.all(counts)).reduce((sum, { rows }) => sum + Number(rows[0]!.n), 0)
}

/** Runs the statement on each machine of the cluster. */
async function asAdmin(statement: string): Promise<void> {
  for (const node of inject('cluster').nodes) {
    await on({ database: 'postgres', ...node }, (client) => client.query(statement))
  }
}

type Opened = Pick<Awaited<ReturnType<typeof copyTemplate>>, 'db' | 'ids' | 'keyring' | 'clock'>

interface Options extends Partial<Pick<AppOptions, SettingName>> {
  /** Requests per second; 0, the default, turns the limit off. */
  rateLimit?: number
  /** False stops the jobs, so that a test can call `runJob` when it needs to. */
  jobs?: boolean
  /** True makes its public URL its own URL, so that browsers can follow its links. */
  isReachable?: boolean
}
type SettingName =
  | 'sharedLimits'
  | 'simulatorDelayMs'
  | 'idempotencyMs'
  | 'handlerTimeoutMs'
  | 'slowRequests'
  | 'trustProxy'
  | 'smtp'
  | 'mailDays'
  | 'mailListDays'
  | 'deliveryDays'
  | 'archive'
  | 'eventRetention'
  | 'metricsToken'
  | 'requestLog'
  | 'storage'
  | 'webhooks'
  | 'publicUrl'
  | 'connectors'
  | 'draining'

interface FirstOptions extends Options {
  /** True if a test inserts impossible events; the final check of events is then skipped. */
  plantsEvents?: boolean
}

/**
 * Starts a complete server with its own database, listening on loopback. Tests use it over HTTP.
 * A server without jobs can be reused from another file of this process: its database is empty
 * again, while ids and metrics continue. It is not reused if a file read its `app` or
 * `connection`, or changed its database as the owner.
 */
export async function startServer({ plantsEvents = false, ...options }: FirstOptions = {}) {
  const isPlain =
    !plantsEvents &&
    options.jobs === false &&
    Object.keys(options).length === 1 &&
    inject('cluster').nodes.length === 1
  const opened = (isPlain && spares.pop()) || (await openServer(options, isPlain))
  const { db, ids, keyring, clock, name, connection, directory, app, url, logLines, nudged } =
    opened

  let closed = false
  async function close(): Promise<void> {
    if (closed) return
    closed = true
    await opened.close(async () => {
      if (!plantsEvents) await checkToldEvents(db)
    })
  }
  afterAll(async () => {
    if (closed || !isPlain || marked.has(name)) return close()
    closed = true
    await checkToldEvents(db)
    if (await opened.empty()) spares.push(opened)
    else await opened.close()
  })

  const business = await newBusiness(opened)
  const as = (key: string) => callerWith(url, key)
  return {
    get app() {
      marked.add(name)
      return app
    },
    get connection() {
      marked.add(name)
      return connection
    },
    url,
    logLines,
    nudged,
    db,
    ids,
    keyring,
    /** Sends emails to the members of a business. */
    people: openPeople({ ids, clock, nudge: () => {} }),
    clock,
    name,
    /** The directory of its files. */
    directory,
    close,
    business,
    as,
    ...as(business.keys.testSecret),
    newBusiness: (title?: string) => newBusiness(opened, title),
    /** Runs one job until it finds nothing. */
    async runJob(name: string): Promise<number> {
      const job = app.jobs.find((one) => one.name === name)!
      const done = await runDue(db, clock.now(), job.run)
      const outlasting = (await job.outlasting?.()) ?? []
      return outlasting.length === 0 ? done : done + (await runDue(db, clock.now(), job.run))
    },
  }
}

/** Databases whose server other files must not reuse. */
const marked = new Set<string>()
/** Servers whose file has ended, for the next file. */
const spares: Awaited<ReturnType<typeof openServer>>[] = []
/** The number of files per server, because deleted rows make its tables grow. */
const FILES_MAX = 15

async function openServer(options: Options, isPlain: boolean) {
  const database = await copyTemplate()
  const { db, clock, name, close: closeDatabase } = database
  const directory = join(tmpdir(), name)
  const served = await serve(database, { storage: { directory }, ...options })
  const { app, logLines, nudged } = served
  const superuser = { ...inject('cluster').superuser, database: name }
  const emptier = isPlain ? await openEmptier(superuser) : undefined
  let files = 1

  return {
    ...database,
    ...served,
    directory,
    /** Prepares the server for another file. Returns false if it must be closed instead. */
    async empty(): Promise<boolean> {
      if (!emptier || files++ >= FILES_MAX || existsSync(directory)) return false
      app.server.server.closeAllConnections()
      await app.requestLog.flush()
      await runDue(db, clock.now(), app.jobs.find(({ name }) => name === 'page_views')!.run)
      clock.reset()
      logLines.length = 0
      nudged.length = 0
      return emptier.empty()
    },
    /** Stops the server, runs `look` on its database, and drops it. */
    async close(look = async () => {}): Promise<void> {
      await emptier?.close()
      await served.close()
      try {
        await look()
      } finally {
        await closeDatabase()
        await rm(directory, { recursive: true, force: true })
      }
    },
  }
}

interface SecondOptions extends Options {
  /** Its connection to the database, if not that of the first server. */
  connection?: pg.ClientConfig
  connectionsMax?: number
  /** How long its statements wait for a lock. */
  lockMs?: number
  /** How long they wait for a connection. */
  connectMs?: number
}

/** Starts another server on the same database, with its own connections and settings. */
export async function startSecond(
  first: Awaited<ReturnType<typeof startServer>>,
  {
    connection = first.connection,
    connectionsMax = 4,
    lockMs,
    connectMs,
    ...options
  }: SecondOptions = {},
) {
  const waits = { ...(lockMs && { lockMs }), ...(connectMs && { connectMs }) }
  const db = openDatabase({ connection, connectionsMax, ...waits })
  const storage = { directory: first.directory }
  const settings = { jobs: false, storage, ...options }
  const own = { db, ids: openIds(db), keyring: testKeyring(), clock: first.clock }
  const second = await serve(own, settings)
  async function close(): Promise<void> {
    await second.close()
    await db.close()
  }
  afterAll(close)
  return { ...second, db, close, ...callerWith(second.url, first.business.keys.testSecret) }
}

/** Fast settings for password hashes, because tests sign in hundreds of people. */
const LEAST_COST = { memoryCost: 64, timeCost: 1, parallelism: 1 }

async function serve(
  { db, ids, keyring, clock }: Opened,
  {
    rateLimit = 0,
    jobs: runsJobs = true,
    isReachable = false,
    ...settings
  }: Options & Pick<AppOptions, 'storage'>,
) {
  const port = isReachable ? await freePort() : 0
  const logLines: string[] = []
  const sink = { write: (line: string) => void logLines.push(line) }
  const log = pino({ ...LOG_OPTIONS, level: 'debug' }, sink)
  const nudged: string[] = []
  let nudge = (_name: string, _afterMs?: number): void => {}

  const app: App = await buildApp({
    db,
    ids,
    keyring,
    clock,
    log,
    nudge: (job, afterMs) => {
      nudged.push(job)
      nudge(job, afterMs)
    },
    publicUrl: isReachable ? `http://127.0.0.1:${port}` : 'http://127.0.0.1',
    rateLimit: { perSecond: rateLimit, burst: rateLimit * 2 },
    simulatorDelayMs: 20,
    proveStreamsMs: 200,
    idempotencyMs: 24 * 3_600_000,
    trustProxy: [],
    metricsToken: undefined,
    webhooks: { allowsLoopback: true },
    passwordCost: LEAST_COST,
    ...settings,
  })
  const url = await app.server.listen({ port, host: '127.0.0.1' })
  const running = runsJobs ? startJobs(db, clock, app.jobs, log) : undefined
  if (running) nudge = running.nudge

  async function close(): Promise<void> {
    if (running) await running.stop()
    else for (const job of app.jobs) job.stop?.()
    await closeDrained(app.server)
  }
  return { app, url, logLines, nudged, close }
}

function freePort(): Promise<number> {
  const server = createServer()
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

const newBusiness = ({ db, clock, ...deps }: Opened, name = 'Ada Ventures') =>
  db.transaction((tx) => createBusiness(tx, deps, { name, now: clock.now() }))

/** Sends requests with a key; `headers` override it. */
export function callerWith(url: string, key: string) {
  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    return send(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) }),
    })
  }
  type Headers_ = Record<string, string>
  return {
    call,
    get: (path: string, headers?: Headers_) => call('GET', path, undefined, headers),
    post: (path: string, body: unknown = {}, headers?: Headers_) =>
      call('POST', path, body, headers),
    put: (path: string, body: unknown = {}, headers?: Headers_) => call('PUT', path, body, headers),
  }
}
