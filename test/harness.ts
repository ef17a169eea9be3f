import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, inject } from 'vitest'
import { type App, type AppOptions, buildApp } from '../src/app.ts'
import { createBusiness } from '../src/business/account/bootstrap.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { openIds } from '../src/db/ids.ts'
import { closeDrained } from '../src/http/server.ts'
import { runSweepers, sweepAll } from '../src/jobs/jobs.ts'
import { addMs } from '../src/lib/clock.ts'
import { LOG_OPTIONS } from '../src/log.ts'
import { TEMPLATE } from './global-setup.ts'
import { checkToldEvents } from './told-events.ts'

/** A clock that a test can move. It goes on by itself, so that order in time still shows. */
export function movableClock() {
  let offsetMs = 0
  return {
    now: () => addMs(new Date(), offsetMs),
    advance: (ms: number) => {
      offsetMs += ms
    },
  }
}

/** A fresh database with all migrations, dropped after the file. */
export async function testDatabase({ connectionsMax = 10 } = {}) {
  const { superuser, owner, app } = inject('cluster')
  const name = `test_${randomBytes(6).toString('hex')}`
  await asAdmin(
    superuser,
    `create database ${name} owner ${owner.user} template ${TEMPLATE} strategy file_copy`,
  )
  const db = openDatabase({
    connection: { ...app, database: name },
    connectionsMax,
    // On a slow machine two hundred racers wait longer for their turn than anybody should.
    connectMs: 15_000,
  })

  let closed = false
  async function close(): Promise<void> {
    if (closed) return
    closed = true
    await db.close()
    await undoing.get(name)?.end()
    undoing.delete(name)
    await asAdmin(superuser, `drop database ${name} with (force)`)
  }
  afterAll(close)
  const clock = movableClock()
  return { name, db, ids: openIds(db), clock, connection: { ...app, database: name }, close }
}

/** A client of the owner's, for planting damage that the server itself may not do. */
export async function asOwner<T>(name: string, work: (client: pg.Client) => Promise<T>) {
  const client = new pg.Client({ ...inject('cluster').owner, database: name })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** By database: one client for all transactions that are rolled back, so that plans are kept. */
const undoing = new Map<string, pg.Client>()

/** The same in a transaction that is rolled back, so that the next test finds nothing of it. */
export async function undone<T>(name: string, work: (client: pg.Client) => Promise<T>) {
  let client = undoing.get(name)
  if (!client) {
    client = new pg.Client({ ...inject('cluster').owner, database: name })
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

async function asAdmin(connection: pg.ClientConfig, statement: string): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

export interface Reply {
  status: number
  // A test knows what it asked for; a mistake shows as a failed expectation.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any
  text: string
  headers: Headers
}

interface Options extends Partial<Pick<AppOptions, SettingName>> {
  /** Requests a second; 0, the default, turns the limit off. */
  rateLimit?: number
  /** False keeps sweepers still, so that a test runs `sweep` when it wants. */
  sweepers?: boolean
}
type SettingName =
  | 'simulatorDelayMs'
  | 'idempotencyMs'
  | 'handlerTimeoutMs'
  | 'slowRequests'
  | 'trustProxy'
  | 'smtp'
  | 'mailDays'
  | 'metricsToken'
  | 'requestLog'
  | 'storage'
  | 'webhooks'
  | 'publicUrl'

interface FirstOptions extends Options {
  /** True where a test plants events that cannot be; at the end they are not compared. */
  plantsEvents?: boolean
}

/** A whole server on its own database, listening on loopback. Tests speak HTTP to it. */
export async function startServer({ plantsEvents = false, ...options }: FirstOptions = {}) {
  const { db, ids, clock, name, connection, close: closeDatabase } = await testDatabase()
  const directory = join(tmpdir(), name)
  const storage = { directory }
  const { close: closeApp, ...served } = await serve(db, ids, clock, { storage, ...options })
  const { app, url } = served

  let closed = false
  async function close(): Promise<void> {
    if (closed) return
    closed = true
    await closeApp()
    try {
      if (!plantsEvents) await checkToldEvents(db)
    } finally {
      await closeDatabase()
      await rm(directory, { recursive: true, force: true })
    }
  }
  afterAll(close)

  const business = await newBusiness(db, ids, clock.now())
  const as = (key: string) => callerWith(url, key)
  return {
    ...served,
    db,
    ids,
    clock,
    name,
    connection,
    /** Of its files. */
    directory,
    close,
    business,
    as,
    ...as(business.keys.testSecret),
    newBusiness: (title?: string) => newBusiness(db, ids, clock.now(), title),
    /** Runs one sweeper, as often as it finds something. */
    sweep: (sweeper: string) =>
      sweepAll(db, clock.now(), app.sweepers.find((one) => one.name === sweeper)!.sweep),
  }
}

interface SecondOptions extends Options {
  /** How it reaches the database, when not as the first does. */
  connection?: pg.ClientConfig
  connectionsMax?: number
}

/** Another server on the database of a first one, with connections and settings of its own. */
export async function startSecond(
  first: Awaited<ReturnType<typeof startServer>>,
  { connection = first.connection, connectionsMax = 4, ...options }: SecondOptions = {},
) {
  const db = openDatabase({ connection, connectionsMax })
  const storage = { directory: first.directory }
  const settings = { sweepers: false, storage, ...options }
  const second = await serve(db, openIds(db), first.clock, settings)
  async function close(): Promise<void> {
    await second.close()
    await db.close()
  }
  afterAll(close)
  return { ...second, db, close, ...callerWith(second.url, first.business.keys.testSecret) }
}

async function serve(
  db: Database,
  ids: ReturnType<typeof openIds>,
  clock: ReturnType<typeof movableClock>,
  {
    rateLimit = 0,
    sweepers: isSweeping = true,
    ...settings
  }: Options & Pick<AppOptions, 'storage'>,
) {
  const logLines: string[] = []
  const sink = { write: (line: string) => void logLines.push(line) }
  const log = pino({ ...LOG_OPTIONS, level: 'debug' }, sink)
  const nudged: string[] = []
  let nudge = (_name: string, _afterMs?: number): void => {}

  const app: App = await buildApp({
    db,
    ids,
    clock,
    log,
    nudge: (sweeper, afterMs) => {
      nudged.push(sweeper)
      nudge(sweeper, afterMs)
    },
    publicUrl: 'http://127.0.0.1',
    rateLimit: { perSecond: rateLimit, burst: rateLimit * 2 },
    simulatorDelayMs: 20,
    proveStreamsMs: 200,
    idempotencyMs: 24 * 3_600_000,
    trustProxy: [],
    metricsToken: undefined,
    webhooks: { allowsLoopback: true },
    ...settings,
  })
  const url = await app.server.listen({ port: 0, host: '127.0.0.1' })
  const running = isSweeping ? runSweepers(db, clock, app.sweepers, log) : undefined
  if (running) nudge = running.nudge

  async function close(): Promise<void> {
    if (running) await running.stop()
    else for (const sweeper of app.sweepers) sweeper.stop?.()
    await closeDrained(app.server)
  }
  return { app, url, logLines, nudged, close }
}

const newBusiness = (
  db: Database,
  ids: ReturnType<typeof openIds>,
  now: Date,
  name = 'Ada Ventures',
) => db.transaction((tx) => createBusiness(tx, ids, { name, now }))

/** HTTP with a key; `headers` win over it. */
export function callerWith(url: string, key: string) {
  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    const parsed = isJson && text ? JSON.parse(text) : undefined
    return { status: response.status, body: parsed, text, headers: response.headers }
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
