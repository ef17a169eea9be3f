import type { Logger } from 'pino'
import {
  appOptionsOf,
  closePool,
  eventRetentionOf,
  openPool,
  tracingOf,
} from './app/from-config.ts'
import { buildApp, buildJobs } from './app.ts'
import { clusterTop, openConfiguredShipper } from './backup/wal/archive.ts'
import { shipLast, walJob, warnWithoutBase } from './backup/wal/ship.ts'
import { firstBusiness } from './business/account/bootstrap.ts'
import { type FirstOwner, firstOwner } from './business/people/accounts.ts'
import { type Config, publicUrlOf } from './config.ts'
import { type OpenedDatabase, ownsTables } from './db/connect.ts'
import { openIds } from './db/ids.ts'
import { openKeyring } from './encryption/keyring.ts'
import { serverKeysOf } from './encryption/server-keys.ts'
import { openDraining } from './http/draining.ts'
import { freePort, listen } from './http/ports.ts'
import { closeDrained } from './http/server.ts'
import { type RunningJobs, startJobs } from './jobs/jobs.ts'
import { systemClock } from './lib/clock.ts'
import { type Control, openControl } from './processes/control.ts'
import { type Drain, openDrain } from './processes/drain.ts'
import { NUDGE_TOPIC, type Nudge } from './processes/link.ts'
import { giveBackMemorySoon } from './processes/memory.ts'
import { openWorkers } from './processes/workers.ts'
import { command } from './root.ts'
import { VERSION } from './version.ts'

/** What a server does, and in how many processes (docs/design/processes.md). */
export interface Roles {
  web: boolean
  jobs: boolean
  /** How many processes handle the requests; 0 if this process does. */
  workers: number
}

/** Undo the steps of a start, last step first. */
export type Stops = (() => Promise<void> | void)[]

interface Serving {
  config: Config
  connectionsMax: number
  log: Logger
  database: OpenedDatabase
  stops: Stops
}

interface Served {
  url: string | undefined
  drain: Drain
}

/** Runs a server with these roles on an open database. */
export async function serve(roles: Roles, serving: Serving): Promise<Served> {
  const { config, connectionsMax, log, database, stops } = serving
  const wal = roles.jobs ? await openConfiguredShipper(config, database.superuser) : undefined
  if (wal) stops.push(() => shipLast(wal, log))
  stops.push(await tracingOf(config, log))
  const pool = { connection: database.app, connectionsMax, isPooled: database.isPooled }
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
  // Only the owner can delete events. Requests never use this connection.
  const owner = ownsTables(database)
    ? db
    : openPool(
        { ...config, DATABASE_REPLICA_URL: undefined },
        { connection: database.owner, connectionsMax: 1, isPooled: false },
        log,
      )
  if (owner !== db) stops.push(() => closePool(owner))
  const eventRetention = eventRetentionOf(config, owner)
  const draining = openDraining()
  const own = { db, ids, keyring, log, nudge, publicUrl, peers: workers, eventRetention }
  const options = appOptionsOf(config, { ...own, draining })
  const isServer = roles.web && !workers
  const app = await (isServer ? buildApp(options) : buildJobs(options))
  stops.push(() => closeDrained(app.server))
  if (workers) {
    stops.push(workers.stop)
    await workers.start({ ...pool, port })
  } else {
    const ownPort = roles.web ? port : config.WORKER_PORT
    if (ownPort !== undefined) await listen(app.server, { host: config.HOST, port: ownPort })
  }
  const url = roles.web ? publicUrlOf({ ...config, PUBLIC_URL: undefined }, port) : undefined
  // This comes last because the test key is shown only once, so every other step must have
  // succeeded.
  const first = roles.web
    ? await firstBusiness(db, { ids, keyring }, config.DATA_DIR, database.isEmbedded)
    : undefined
  const allJobs = wal ? [...app.jobs, walJob(wal)] : app.jobs
  jobs = startJobs(db, systemClock, allJobs, log, { runs: runsOf(roles) })
  if (wal) warnWithoutBase(clusterTop(config), log)
  stops.push(() => jobs?.stop())
  const drain = openDrain({ draining, workers, jobs, settled: app.deliverer.idle, log })
  stops.push(drain.stop)
  const answer = (what: Control) => {
    if (what === 'drain') void drain.begin()
    return drain.status()
  }
  stops.push(await openControl(config.DATA_DIR, answer, log))
  log.info({ url, version: VERSION, embedded: database.isEmbedded, ...roles }, 'started')
  if (first && url) {
    const mailbox = !config.SMTP_URL && !config.PUBLIC_URL
    // Anyone who reads a log must not be able to become an owner.
    const isTerminal = Boolean(process.stderr.isTTY)
    const owner = await firstOwner(db, publicUrl, isTerminal, systemClock.now())
    announce({ url: config.PUBLIC_URL ?? url, mailbox, owner, hasJobs: roles.jobs, ...first })
  } else process.stderr.write(`Tradepost ${VERSION} runs background jobs.\n`)
  stops.push(giveBackMemorySoon())
  return { url, drain }
}

/** Which jobs the first process of a server runs. */
function runsOf({ web, jobs }: Roles) {
  if (!jobs) return 'own'
  return web ? 'all' : 'unnudged'
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
    ...(owner.command ? [`  Owner      sign up with the link from: ${owner.command}`] : []),
    `  API        ${url}/api/…`,
    `  Reference  ${url}/docs`,
    ...(mailbox ? [`  Mailbox    ${url}/mailbox`] : []),
    ...(hasJobs ? [] : [`  Jobs       run them with: ${command()} start --worker`]),
    `  Test key   ${testKey ?? `create one with: ${command()} keys create`}`,
    '',
  ]
  process.stderr.write(`${rows.join('\n')}\n`)
}
