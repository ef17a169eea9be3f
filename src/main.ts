import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Logger, pino } from 'pino'
import { buildApp } from './app.ts'
import { firstBusiness } from './business/account/bootstrap.ts'
import { type FirstOwner, firstOwner } from './business/people/accounts.ts'
import {
  allowsLoopback,
  type Config,
  ConfigError,
  publicUrlOf,
  readConfig,
  storageOf,
} from './config.ts'
import { type OpenedDatabase, openConfigured } from './db/connect.ts'
import { openDatabase } from './db/database.ts'
import { openIds } from './db/ids.ts'
import { closeDrained } from './http/server.ts'
import { type RunningJobs, startJobs } from './jobs/jobs.ts'
import { systemClock } from './lib/clock.ts'
import { LOG_OPTIONS } from './log.ts'
import { VERSION } from './version.ts'

export interface Started {
  url: string
  /** Stops the server as SIGTERM does: finishes open requests and accepts no new ones. */
  stop(): Promise<void>
}

/** How long the database connections can take to close when the server stops. */
const CLOSE_MS = 5_000

const DATABASE_WAIT_MS = 60_000

/** How long after startup to free the memory that it used: all jobs have run once by then. */
const SETTLED_MS = 3_000

export async function startTradepost(
  environment: NodeJS.ProcessEnv = process.env,
  signal?: AbortSignal,
): Promise<Started> {
  const config = readConfig(environment)
  const log = openLog(config)
  const stops: (() => Promise<void> | void)[] = []
  const stop = async (): Promise<void> => {
    for (const undo of stops.splice(0).reverse()) await undo()
  }
  try {
    // This comes first, so that nothing is created for a server that cannot listen.
    await requireFree(config)
    const database = await openConfigured(config, log, {
      waitMs: DATABASE_WAIT_MS,
      ...(signal && { signal }),
    })
    stops.push(() => database.stop())
    return await serve(config, log, database, stops, stop)
  } catch (error) {
    await stop()
    throw error
  }
}

async function serve(
  config: Config,
  log: Logger,
  database: OpenedDatabase,
  stops: (() => Promise<void> | void)[],
  stop: () => Promise<void>,
): Promise<Started> {
  const db = openDatabase({
    connection: database.app,
    connectionsMax: config.DATABASE_CONNECTIONS,
    prepare: config.DATABASE_PREPARE,
    onError: (error) => log.warn({ err: error }, 'a database connection was lost'),
  })
  // A connection that is never returned must not prevent the rest from stopping.
  stops.push(() => Promise.race([db.close(), sleep(CLOSE_MS, undefined, { ref: false })]))
  const ids = openIds(db)
  const port = config.PORT === 0 ? await freePort(config.HOST) : config.PORT
  const publicUrl = publicUrlOf(config, port)
  let jobs: RunningJobs | undefined
  const app = await buildApp({
    db,
    ids,
    clock: systemClock,
    log,
    nudge: (name, afterMs) => jobs?.nudge(name, afterMs),
    publicUrl,
    rateLimit: { perSecond: config.RATE_LIMIT, burst: config.RATE_LIMIT * 2 },
    simulatorDelayMs: config.SIMULATOR_DELAY_MS,
    idempotencyMs: config.IDEMPOTENCY_HOURS * 3_600_000,
    trustProxy: config.TRUST_PROXY,
    smtp: smtpOf(config),
    metricsToken: config.METRICS_TOKEN,
    storage: storageOf(config),
    requestLog: { days: config.REQUEST_LOG_DAYS },
    mailDays: config.MAIL_DAYS,
    webhooks: { allowsLoopback: allowsLoopback(config) },
  })
  const url = await app.server.listen({ port, host: config.HOST }).catch((error) => {
    throw cannotListen(error, config.HOST, port)
  })
  stops.push(() => closeDrained(app.server))
  // This comes last because the test key is shown only once, so every other step must have
  // succeeded.
  const first = await firstBusiness(db, ids, config.DATA_DIR, database.isEmbedded)
  jobs = startJobs(db, systemClock, app.jobs, log)
  stops.push(() => jobs?.stop())
  log.info({ url, version: VERSION, embedded: database.isEmbedded }, 'started')
  const mailbox = !config.SMTP_URL && !config.PUBLIC_URL
  // Anyone who reads a log must not be able to become an owner.
  const isTerminal = Boolean(process.stderr.isTTY)
  const owner = await firstOwner(db, publicUrl, isTerminal, systemClock.now())
  announce({ url: config.PUBLIC_URL ?? url, mailbox, owner, ...first })
  const settling = setTimeout(giveBackMemory, SETTLED_MS).unref()
  stops.push(() => clearTimeout(settling))
  return { url, stop }
}

/**
 * Frees the memory used during startup. Loading a few hundred modules makes V8's young generation
 * grow to 64 MB, which V8 keeps even though an idle server uses only 2 MB of it. Freeing it reduces
 * resident memory from 147 MB to 109 MB. It grows again with the first requests that need it.
 * Blocks the event loop for about 50 ms.
 */
function giveBackMemory(): void {
  // The only way to start V8's garbage collection for low memory, the only kind that shrinks the
  // heap.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { type: string; flavor: string }) => void
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', flavor: 'last-resort' })
}

/** Throws an error that says what to do if the server cannot listen. */
async function requireFree({ HOST, PORT }: Config): Promise<void> {
  const probe = createServer()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  probe.once('error', (error) => reject(cannotListen(error, HOST, PORT)))
  probe.listen(PORT, HOST, () => probe.close(() => resolve()))
  await promise
}

/** Chooses a free port, because links name the port before the server listens on it. */
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

function smtpOf({ SMTP_URL: url, MAIL_FROM: from }: Config) {
  return url && from ? { url, from } : undefined
}

/** Logs to standard output: text for people if it is a terminal, otherwise JSON lines. */
function openLog(config: Config): Logger {
  const level = process.stdout.isTTY && !process.env.LOG_LEVEL ? 'warn' : config.LOG_LEVEL
  return pino(
    { ...LOG_OPTIONS, level },
    pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 1_000 }),
  )
}

interface Announced {
  url: string
  testKey?: string
  isNew: boolean
  /** Whether emails are kept here, to be read on this machine. */
  mailbox: boolean
  /** How the first owner can create an account, as long as there is no owner. */
  owner: FirstOwner
}

/** Prints the next steps for the person who typed the command. */
function announce({ url, testKey, isNew, mailbox, owner }: Announced) {
  const rows = [
    '',
    `  Tradepost ${VERSION} is ready${isNew ? ', with a first business and its test wallet' : ''}.`,
    '',
    `  Dashboard  ${owner.link ?? url}`,
    ...(owner.command ? [`  Owner       sign up with the link from: ${owner.command}`] : []),
    `  API        ${url}/api/…`,
    `  Reference  ${url}/docs`,
    ...(mailbox ? [`  Mailbox    ${url}/mailbox`] : []),
    `  Test key   ${testKey ?? 'create one with: npx tradepost keys create'}`,
    '',
  ]
  process.stderr.write(`${rows.join('\n')}\n`)
}

export { ConfigError }
