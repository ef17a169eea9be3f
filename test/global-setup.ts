import { mkdtemp, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { type Connection, openDatabase } from '../src/db/database.ts'
import { startEmbedded } from '../src/db/embedded.ts'
import { migrate } from '../src/db/migrate.ts'
import { on, openCitus } from './citus/cluster.ts'
import { testKeyring } from './keyring.ts'
import { SCHEMA, type Schema } from './statement-rules/tables.ts'

export const TEMPLATE = 'tradepost_template'

const silent = { info() {}, warn: console.warn, error: console.error }

declare module 'vitest' {
  interface ProvidedContext {
    /** Connections to the cluster of this run, with the roles of the server. */
    cluster: {
      superuser: pg.ClientConfig
      owner: pg.ClientConfig
      app: Connection
      /** The machines, each as a superuser; the first is the one above. */
      nodes: pg.ClientConfig[]
    }
    /** The directory for a test that creates its own cluster. */
    fastestFolder: string
  }
}

/** Starts one cluster per run, without fsync, with a migrated template that each file copies. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await fastestFolder()
  await removeAbandoned(folder)
  const { CITUS_URL } = process.env
  if (CITUS_URL) return await setUpCitus(project, CITUS_URL, folder)
  const dataDir = await mkdtemp(join(folder, `${CLUSTER}${process.pid}-`))
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    // Several files run at once, and some start three servers.
    max_connections: '400',
    max_wal_size: '256MB',
    // Tests need no replication, read-ahead, process titles or vacuum.
    wal_level: 'minimal',
    max_wal_senders: '0',
    io_method: 'sync',
    update_process_title: 'off',
    autovacuum: 'off',
    // A connection that hangs during authentication delays every `drop database` for this long.
    authentication_timeout: '10s',
  }
  const embedded = await startEmbedded({ dataDir, log: silent, settings })
  await migrateTemplate(embedded.config('superuser'), embedded.config('owner', TEMPLATE))
  project.provide('fastestFolder', folder)
  project.provide('cluster', {
    superuser: { ...embedded.config('superuser') },
    owner: { ...embedded.config('owner') },
    app: { ...embedded.config('app') },
    nodes: [{ ...embedded.config('superuser') }],
  })
  return async () => {
    await embedded.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Prepares the template on each machine of a Citus cluster. One user has all roles there. */
async function setUpCitus(project: TestProject, url: string, folder: string) {
  const citus = await openCitus(url)
  const drop = () => dropDatabases(citus.nodes)
  await drop()
  for (const node of citus.nodes) {
    await on({ ...node, database: 'postgres' }, (client) =>
      client.query(`create database ${TEMPLATE}`),
    )
  }
  await citus.prepare(TEMPLATE)
  const user = citus.nodes[0]!
  await fillTemplate({ ...user, database: TEMPLATE })
  await citus.finish(TEMPLATE)
  project.provide('fastestFolder', folder)
  const admin = { ...user, database: 'postgres' }
  const app = { ...user, isDivided: true }
  project.provide('cluster', { superuser: admin, owner: app, app, nodes: citus.nodes })
  return drop
}

/** Drops the databases of this and of earlier runs. */
async function dropDatabases(nodes: readonly pg.ClientConfig[]): Promise<void> {
  for (const node of nodes) {
    await on({ ...node, database: 'postgres' }, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        "select datname as name from pg_database where datname = $1 or datname ~ '^test_[0-9a-f]{12}$'",
        [TEMPLATE],
      )
      for (const { name } of rows) await client.query(`drop database ${name} with (force)`)
    })
  }
}

/** The prefix of cluster names; the process id of the run follows. */
const CLUSTER = 'tradepost-test-'
const NAME = /^tradepost-test-(\d+)-\w{6}$/
const MEMORY = '/dev/shm'
const MEMORY_BYTES_MIN = 2 * 1024 ** 3

/**
 * Returns a folder in memory if there is enough: each test file copies a database of a thousand
 * files, which takes a tenth of the time there.
 */
async function fastestFolder(): Promise<string> {
  const free = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return free >= MEMORY_BYTES_MIN ? MEMORY : tmpdir()
}

/** Stops and removes the clusters of runs that were killed. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const run = NAME.exec(name)?.[1]
    if (run === undefined || isAlive(Number(run))) continue
    const path = join(folder, name)
    const lock = await readFile(join(path, 'postgres/cluster/postmaster.pid'), 'utf8').catch(
      () => '',
    )
    const pid = Number(lock.split('\n')[0])
    const args = pid > 0 ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') : ''
    if (args.includes(path)) process.kill(pid, 'SIGQUIT')
    // The server can still be shutting down.
    await rm(path, { recursive: true, force: true, maxRetries: 20 })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function migrateTemplate(superuser: pg.ClientConfig, owner: pg.ClientConfig) {
  const client = new pg.Client(superuser)
  await client.connect()
  await client.query(`create database ${TEMPLATE} owner ${owner.user}`)
  await client.end()
  await fillTemplate(owner)
}

async function fillTemplate(owner: pg.ClientConfig): Promise<void> {
  await migrate({ connect: owner, dir: 'migrations', log: silent })
  await createKeys(owner)
  // As if upgraded today, because tests insert rows of older versions, which have no digest.
  await asUpgraded(owner)
  await noteSchema(owner)
}

/** Lists the tables with their columns for the check of all statements (`statement-rules`). */
async function noteSchema(owner: pg.ClientConfig): Promise<void> {
  const folder = process.env.TRADEPOST_TEST_STATEMENTS
  if (folder === undefined) return
  const client = new pg.Client(owner)
  await client.connect()
  const { rows } = await client.query<{ schema: Schema }>(
    `select json_object_agg(name, columns) as schema from (
       select table_name as name, json_agg(column_name::text order by ordinal_position) as columns
       from information_schema.columns where table_schema = 'public' 
         and table_name !~ '^citus_'
       group by table_name) as t`,
  )
  await client.end()
  await writeFile(join(folder, SCHEMA), JSON.stringify(rows[0]!.schema))
}

async function createKeys(connection: pg.ClientConfig): Promise<void> {
  const db = openDatabase({ connection, connectionsMax: 2 })
  await testKeyring().load(db)
  await db.close()
}

async function asUpgraded(owner: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(owner)
  await client.connect()
  await client.query(
    "update schema_migrations set applied_at = applied_at - interval '30 days' where version = 1",
  )
  await client.end()
}
