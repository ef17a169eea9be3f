import { type AddressInfo, createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { appOptionsOf, closePool, openPool } from './app/from-config.ts'
import { buildApp, buildJobs } from './app.ts'
import { firstBusiness } from './business/account/bootstrap.ts'
import { type FirstOwner, firstOwner } from './business/people/accounts.ts'
import { type Config, ConfigError, connectionsOfEach, publicUrlOf, readConfig } from './config.ts'
import { type OpenedDatabase, openConfigured } from './db/connect.ts'
import { openIds } from './db/ids.ts'
import { openKeyring } from './encryption/keyring.ts'
import { requireServerKeys, serverKeysOf } from './encryption/server-keys.ts'
import { closeDrained } from './http/server.ts'
import { type RunningJobs, startJobs } from './jobs/jobs.ts'
import { systemClock } from './lib/clock.ts'
import { openLog } from './log.ts'
import { giveBackMemorySoon } from './processes/memory.ts'
import { NUDGE_TOPIC, type Nudge } from './processes/nudges.ts'
import { openWorkers } from './processes/workers.ts'
import { VERSION } from './version.ts'

/** What a server does, and in how many processes (docs/design/processes.md). */
export interface Roles {
  web: boolean
  jobs: boolean
  /** How many processes handle the requests; 0 if this process does. */
  workers: number
}

export interface Started {
  /** Undefined if the server does not listen. */
  url: string | undefined
  /** Stops the server as SIGTERM does: finishes open requests and accepts no new ones. */
  stop(): Promise<void>
}

const DATABASE_WAIT_MS = 60_000

/**
 * The number of connections that the embedded database has for servers, besides those for commands
 * and its own sessions.
 */
const EMBEDDED_CONNECTIONS_MAX = 50

type Stops = (() => Promise<void> | void)[]

export async function startTradepost(
  roles: Roles,
  environment: NodeJS.ProcessEnv = process.env,
  signal?: AbortSignal,
): Promise<Started> {
  const config = readConfig(environment)
  requireServerKeys(config)
  const connectionsMax = connectionsOfEach(config, environment, roles.workers + 1)
  const log = openLog({ level: config.LOG_LEVEL })
  const stops: Stops = []
  const stop = async (): Promise<void> => {
    for (const undo of stops.splice(0).reverse()) await undo()
  }
  try {
    // This comes first, so that nothing is created for a server that cannot listen.
    const port = roles.web ? config.PORT : config.WORKER_PORT
    if (port !== undefined) await requireFree(config.HOST, port)
    const database = await openConfigured(config, log, {
      waitMs: DATABASE_WAIT_MS,
      ...(signal && { signal }),
    })
    stops.push(() => database.stop())
    requireRoom(database, roles, connectionsMax)
    const url = await serve(roles, { config, connectionsMax, log, database, stops })
    return { url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

interface Serving {
  config: Config
  connectionsMax: number
  log: Logger
  database: OpenedDatabase
  stops: Stops
}

/** Runs a server with these roles on an open database, and returns its URL. */
async function serve(roles: Roles, serving: Serving): Promise<string | undefined> {
  const { config, connectionsMax, log, database, stops } = serving
  const pool = { connection: database.app, connectionsMax }
  const db = openPool(config, pool, log)
  stops.push(() => closePool(db))
  const ids = openIds(db)
  const keyring = openKeyring(serverKeysOf(config))
  await keyring.load(db)
  const port = config.PORT === 0 ? await freePort(config.HOST) : config.PORT
  const publicUrl = publicUrlOf(config, port)
  let jobs: RunningJobs | undefined
  const nudge = (name: string, afterMs?: number) => jobs?.nudge(name, afterMs)
  const workers = roles.workers > 0 ? openWorkers(roles.workers, log) : undefined
  workers?.on(NUDGE_TOPIC, (nudges: Nudge[]) => {
    for (const [name, afterMs] of nudges) nudge(name, afterMs)
  })
  const options = appOptionsOf(config, { db, ids, keyring, log, nudge, publicUrl, peers: workers })
  const isServer = roles.web && !workers
  const app = await (isServer ? buildApp(options) : buildJobs(options))
  stops.push(() => closeDrained(app.server))
  if (workers) {
    stops.push(workers.stop)
    await workers.start({ ...pool, port })
  } else {
    const ownPort = roles.web ? port : config.WORKER_PORT
    if (ownPort !== undefined) await listen(app.server, config.HOST, ownPort)
  }
  const url = roles.web ? publicUrlOf({ ...config, PUBLIC_URL: undefined }, port) : undefined
  // This comes last because the test key is shown only once, so every other step must have
  // succeeded.
  const first = roles.web
    ? await firstBusiness(db, { ids, keyring }, config.DATA_DIR, database.isEmbedded)
    : undefined
  jobs = startJobs(db, systemClock, app.jobs, log, { runs: runsOf(roles) })
  stops.push(() => jobs?.stop())
  log.info({ url, version: VERSION, embedded: database.isEmbedded, ...roles }, 'started')
  if (first && url) {
    const mailbox = !config.SMTP_URL && !config.PUBLIC_URL
    // Anyone who reads a log must not be able to become an owner.
    const isTerminal = Boolean(process.stderr.isTTY)
    const owner = await firstOwner(db, publicUrl, isTerminal, systemClock.now())
    announce({ url: config.PUBLIC_URL ?? url, mailbox, owner, hasJobs: roles.jobs, ...first })
  } else process.stderr.write(`Tradepost ${VERSION} runs background jobs.\n`)
  stops.push(giveBackMemorySoon())
  return url
}

/** Which jobs the first process of a server runs. */
function runsOf({ web, jobs }: Roles) {
  if (!jobs) return 'own'
  return web ? 'all' : 'unnudged'
}

/**
 * Throws an error that says what to do if the embedded database does not have enough connections
 * for all processes.
 */
function requireRoom({ isEmbedded }: OpenedDatabase, { workers }: Roles, connections: number) {
  if (!isEmbedded || (workers + 1) * connections <= EMBEDDED_CONNECTIONS_MAX || workers === 0)
    return
  throw new Error(
    `The embedded database has room for ${EMBEDDED_CONNECTIONS_MAX} connections: use fewer ` +
      'workers or a lower DATABASE_CONNECTIONS, or set DATABASE_URL to your own PostgreSQL.',
  )
}

async function listen(server: FastifyInstance, host: string, port: number): Promise<void> {
  await server.listen({ port, host }).catch((error) => {
    throw cannotListen(error, host, port)
  })
}

/** Throws an error that says what to do if the server cannot listen. */
async function requireFree(host: string, port: number): Promise<void> {
  const probe = createServer()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  probe.once('error', (error) => reject(cannotListen(error, host, port)))
  probe.listen(port, host, () => probe.close(() => resolve()))
  await promise
}

/** Chooses a free port, because links contain the port before the server listens on it. */
function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, host, () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const says: Record<string, string> = {
    EADDRINUSE: `Port ${port} is in use: stop the program that uses it, or set PORT to another port.`,
    EADDRNOTAVAIL: `This machine does not have the address ${host}: set HOST to one of its addresses.`,
    ENOTFOUND: `The host ${host} does not exist: set HOST to an address of this machine.`,
    EACCES: `Ordinary users cannot use port ${port}: set PORT to a number above 1023.`,
  }
  return new Error(says[error.code ?? ''] ?? error.message, { cause: error })
}

interface Announced {
  url: string
  testKey?: string
  isNew: boolean
  /** Whether emails are kept here, to be read on this machine. */
  mailbox: boolean
  /** How the first owner can create an account, if there is no owner yet. */
  owner: FirstOwner
  hasJobs: boolean
}

/** Prints the next steps for the person who typed the command. */
function announce({ url, testKey, isNew, mailbox, owner, hasJobs }: Announced) {
  const rows = [
    '',
    `  Tradepost ${VERSION} is ready${isNew ? ', with a first business and its test wallet' : ''}.`,
    '',
    `  Dashboard  ${owner.link ?? url}`,
    ...(owner.command ? [`  Owner       sign up with the link from: ${owner.command}`] : []),
    `  API        ${url}/api/…`,
    `  Reference  ${url}/docs`,
    ...(mailbox ? [`  Mailbox    ${url}/mailbox`] : []),
    ...(hasJobs ? [] : ['  Jobs       run them with: npx tradepost start --worker']),
    `  Test key   ${testKey ?? 'create one with: npx tradepost keys create'}`,
    '',
  ]
  process.stderr.write(`${rows.join('\n')}\n`)
}

export { ConfigError }
