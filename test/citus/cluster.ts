import pg from 'pg'
import { distribute } from '../../src/db/distributed/distribute.ts'
import { withMigrationLock } from '../../src/db/migrate.ts'

/**
 * A Citus cluster for the tests, if CITUS_URL is set: the URL of a superuser on the coordinator, to
 * a database with the extension and with the workers (CONTRIBUTING.md).
 */
export interface Citus {
  /** The machines; the coordinator is the first. */
  nodes: pg.ClientConfig[]
  /** Adds the extension and the workers to a database that exists on all machines. */
  prepare(database: string, shards?: number): Promise<void>
  /** Distributes its tables, and makes it a template that can be copied on each machine. */
  finish(database: string): Promise<void>
}

export async function openCitus(url: string): Promise<Citus> {
  const { hostname, port, username, password } = new URL(url)
  const user = decodeURIComponent(username)
  const secret = password && { password: decodeURIComponent(password) }
  const coordinator: pg.ClientConfig = {
    host: hostname,
    port: Number(port || 5432),
    user,
    ...(secret || {}),
  }
  const workers = await on({ connectionString: url }, async (client) => {
    const { rows } = await client.query<{ host: string; port: number }>(
      `select nodename as host, nodeport as port from pg_dist_node
       where groupid > 0 and noderole = 'primary' order by groupid`,
    )
    return rows
  })
  if (workers.length === 0) throw new Error('CITUS_URL leads to a database without Citus workers')
  const nodes = [coordinator, ...workers.map((worker) => ({ ...coordinator, ...worker }))]

  return {
    nodes,
    // Few, because each table of each test database has a file for each of them.
    async prepare(database, shards = 4) {
      for (const node of nodes) {
        await on({ ...node, database }, (client) => client.query('create extension citus'))
      }
      await on({ ...coordinator, database }, async (client) => {
        const { host, port } = coordinator
        await client.query('select citus_set_coordinator_host($1, $2)', [host, port])
        for (const { host, port } of workers) {
          await client.query('select citus_add_node($1, $2)', [host, port])
        }
        await client.query(`alter database ${database} set citus.shard_count = ${shards}`)
      })
    },
    async finish(database) {
      await distribute({ ...coordinator, database }, withMigrationLock, () => {})
      for (const node of nodes) {
        await on({ ...node, database: 'postgres' }, async (client) => {
          await client.query(`alter database ${database} allow_connections false`)
          await client.query(
            'select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1',
            [database],
          )
        })
      }
    },
  }
}

export async function on<T>(
  connection: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
