import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { createBusiness } from '../src/business/account/bootstrap.ts'
import { openDatabase } from '../src/db/database.ts'
import { distribute } from '../src/db/distributed/distribute.ts'
import { openIds } from '../src/db/ids.ts'
import { migrate, withMigrationLock } from '../src/db/migrate.ts'
import { openKeyring } from '../src/encryption/keyring.ts'
import { keysInText } from '../src/encryption/server-keys.ts'
import { type Citus, on, openCitus } from '../test/citus/cluster.ts'
import { type Figure, median, type Options, report } from './figures.ts'
import { type Load, type Loaded, load, type Requests } from './load.ts'
import { NOUNS } from './routes-cases.ts'
import { cpuSeconds, cpuSecondsOfAll, launch, parentOf } from './server.ts'

/** The connections of the server connect to each machine, and read its catalogue. */
const WARM_UP_SECONDS = 10
/** How many businesses share the load. */
const BUSINESSES = [1, 100]
/** The default of Citus. */
const SHARDS = 32
/** How many invoices are read in turn, of all businesses together. */
const READS = 2_000
/** How long charges may take to settle after the load. */
const SETTLE_MS_MAX = 120_000

type Target = Awaited<ReturnType<typeof startTarget>>

interface Measured extends Loaded {
  /** The CPU time of the server and of all machines, for each request. */
  cpuMs: number
}

/**
 * Measures a server on a Citus cluster beside a server on one of its machines alone, which is the
 * same PostgreSQL with an ordinary database. They take turns in every round. Needs `CITUS_URL`, as
 * the tests on Citus do (CONTRIBUTING.md).
 */
export async function measureDistributed({ seconds, rounds }: Options): Promise<Figure[]> {
  const url = process.env.CITUS_URL
  if (!url) {
    console.log('distributed: set CITUS_URL to measure a Citus cluster (CONTRIBUTING.md)')
    return []
  }
  const citus = await openCitus(url)
  const postmasters = await Promise.all(citus.nodes.map(postmasterOf))
  const started: Target[] = []
  const start = async (isDivided: boolean) => {
    const target = await startTarget(citus, isDivided, postmasters)
    started.unshift(target)
    return target
  }
  try {
    const single = await start(false)
    const divided = await start(true)
    const figures: Figure[] = []
    for (const count of BUSINESSES) {
      for (const { what, requestsOf, afterwards } of CASES) {
        const requests = {
          single: await requestsOf(single, count),
          divided: await requestsOf(divided, count),
        }
        const taken: { single: Measured; divided: Measured }[] = []
        for (let round = 0; round <= rounds; round++) {
          const time = round === 0 ? WARM_UP_SECONDS : seconds
          const one = await measured(single, { ...requests.single, seconds: time })
          await afterwards?.(single)
          const many = await measured(divided, { ...requests.divided, seconds: time })
          await afterwards?.(divided)
          taken.push({ single: one, divided: many })
        }
        const named = `${what}, ${count} ${count === 1 ? 'business' : 'businesses'}`
        figures.push(...report(figuresOf(named, taken.slice(1))))
      }
    }
    return figures
  } finally {
    for (const target of started) await target.stop()
  }
}

async function measured(target: Target, options: Load): Promise<Measured> {
  const before = await target.cpuSeconds()
  const loaded = await load(options)
  return { ...loaded, cpuMs: ((await target.cpuSeconds()) - before) * (1_000 / loaded.requests) }
}

/** Returns the process that starts all others of a PostgreSQL server on this machine. */
const postmasterOf = (node: pg.ClientConfig): Promise<number> =>
  on({ ...node, database: 'postgres' }, async (client) => {
    const { rows } = await client.query('select pg_backend_pid() as pid')
    return parentOf(rows[0].pid)
  })

interface Case {
  what: string
  requestsOf(target: Target, businesses: number): Promise<Requests>
  /** Runs after the load of each round. */
  afterwards?(target: Target): Promise<void>
}

const CASES: Case[] = [
  {
    what: 'POST invoices',
    requestsOf: async (target, count) => ({
      ...creating(target, count, 'invoice'),
      isIdempotent: true,
    }),
  },
  { what: 'get invoice by id', requestsOf: reading },
  {
    what: 'list 20 invoices',
    requestsOf: async ({ port, keys }, count) => ({
      port,
      method: 'GET',
      keys: keys.slice(0, count),
      paths: [NOUNS.invoice.list],
    }),
  },
  {
    what: 'start USSD charges',
    requestsOf: async (target, count) => creating(target, count, 'transaction'),
    afterwards: untilSettled,
  },
]

function creating(
  { port, keys }: Target,
  count: number,
  noun: 'invoice' | 'transaction',
): Requests {
  const [path, body] = NOUNS[noun].create
  return { port, method: 'POST', keys: keys.slice(0, count), paths: [path], bodies: [body] }
}

/** Creates so many invoices of each business that `reading` finds enough. */
async function fill(target: Target): Promise<void> {
  const { db, businessIds } = target
  for (;;) {
    const made = await db.many<{ n: number }>`
      select count(*) as n from invoices where not live group by business_id`
    const least = READS / Math.max(...BUSINESSES)
    if (made.filter(({ n }) => n >= least).length === businessIds.length) return
    await load({ ...creating(target, businessIds.length, 'invoice'), seconds: 5 })
  }
}

/** Reads as many invoices of each business, so that each path meets the key of its business. */
async function reading({ port, keys, db, businessIds }: Target, count: number): Promise<Requests> {
  const lists: string[][] = []
  for (const businessId of businessIds.slice(0, count)) {
    const rows = await db.many<{ id: number; reference: string }>`
      select id, reference from invoices
      where business_id = ${businessId} and not live order by id limit ${READS / count}`
    lists.push(rows.map(NOUNS.invoice.get))
  }
  const each = Math.min(...lists.map(({ length }) => length))
  const inTurn = Array.from({ length: each }, (_, i) => lists.map((list) => list[i]!))
  return { port, method: 'GET', keys: keys.slice(0, count), paths: inTurn.flat() }
}

async function untilSettled({ db, businessIds }: Target): Promise<void> {
  const began = performance.now()
  for (const businessId of businessIds) {
    const isPending = async () => {
      const { pending } = await db.one<{ pending: boolean }>`
        select exists (
          select from transactions
          where business_id = ${businessId} and purpose = 'charge' and status = 'Pending'
        ) as pending`
      return pending
    }
    while (await isPending()) {
      if (performance.now() - began > SETTLE_MS_MAX) throw new Error('charges do not settle')
      await sleep(50)
    }
  }
}

/** Starts a server on a separate database, with 100 businesses. */
async function startTarget(citus: Citus, isDivided: boolean, postmasters: readonly number[]) {
  const database = `tradepost_bench_${randomBytes(4).toString('hex')}`
  const nodes = isDivided ? citus.nodes : citus.nodes.slice(0, 1)
  await onEach(nodes, `create database ${database}`)
  const connection = { ...nodes[0]!, database }
  if (isDivided) await citus.prepare(database, SHARDS)
  await migrate({ connect: connection, dir: 'migrations', log: quiet })
  if (isDivided) await distribute(connection, withMigrationLock, () => {})
  const key = randomBytes(32).toString('base64')
  const keyring = openKeyring(keysInText('TRADEPOST_ENCRYPTION_KEY', key))
  const db = openDatabase({ connection: { ...connection, isDivided }, connectionsMax: 4 })
  await keyring.load(db)
  const ids = openIds(db)
  const created = []
  for (let i = 0; i < Math.max(...BUSINESSES); i++) {
    const name = `Bench ${i + 1}`
    created.push(
      await db.transaction((tx) => createBusiness(tx, { ids, keyring }, { name, now: new Date() })),
    )
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'tradepost-bench-'))
  const server = await launch({
    DATABASE_URL: urlOf(connection),
    TRADEPOST_ENCRYPTION_KEY: key,
    DATA_DIR: dataDir,
    RATE_LIMIT: '0',
    LOG_LEVEL: 'warn',
  })
  const target = {
    db,
    port: server.port,
    cpuSeconds: async () => {
      const seconds = [cpuSeconds(server.pid), ...postmasters.map(cpuSecondsOfAll)]
      return (await Promise.all(seconds)).reduce((sum, one) => sum + one, 0)
    },
    keys: created.map(({ keys }) => keys.testSecret),
    businessIds: created.map(({ businessId }) => businessId),
    async stop() {
      await server.stop()
      await db.close()
      await onEach(nodes, `drop database ${database} with (force)`)
      await rm(dataDir, { recursive: true, force: true })
    },
  }
  await fill(target)
  return target
}

const quiet = { info() {}, warn: console.warn, error: console.error }

async function onEach(nodes: readonly pg.ClientConfig[], statement: string): Promise<void> {
  for (const node of nodes) {
    await on({ ...node, database: 'postgres' }, (client) => client.query(statement))
  }
}

function urlOf({ user, password, host, port, database }: pg.ClientConfig): string {
  const url = new URL(`postgres://${host}:${port}/${database}`)
  url.username = user ?? ''
  url.password = typeof password === 'string' ? password : ''
  return url.href
}

function figuresOf(what: string, rounds: { single: Measured; divided: Measured }[]): Figure[] {
  const figure = (field: 'perSecond' | 'p99Ms' | 'cpuMs', unit: string, words: string): Figure => ({
    what: what + words,
    unit,
    value: median(rounds.map(({ divided }) => divided[field])),
    reference: { name: 'one PostgreSQL', value: median(rounds.map(({ single }) => single[field])) },
    ratio: median(rounds.map(({ divided, single }) => divided[field] / single[field])),
  })
  return [
    figure('perSecond', '/s', ''),
    figure('p99Ms', ' ms', ': p99'),
    figure('cpuMs', ' ms', ': CPU time'),
  ]
}
