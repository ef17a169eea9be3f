import pg from 'pg'
import type { Connection } from '../embedded.ts'
import type { Cluster } from './cluster.ts'
import { PORT } from './postmaster.ts'

/** One connection a process: the proof of who answers, the sign that we are here, and the alarm. */
export interface Session {
  client: pg.Client
  socketDir: string
}

/**
 * `absent`: nobody listens. `busy`: somebody does, and is starting, recovering or stopping.
 * A server that is not ours is thrown as an error for the operator.
 */
export type Found = Session | 'absent' | 'busy'

const CONNECT_MS = 2_000
/** Advisory locks: each process of ours holds USE shared; who gets it alone is the last one. */
const FAMILY = 0x74726164
const USE = 1
const PREPARE = 2

const DATABASE = 'tradepost'
const OWNER = 'tradepost_owner'
const APP = 'tradepost_app'

const USERS = { superuser: 'postgres', owner: OWNER, app: APP }

export function connection(
  cluster: Cluster,
  socketDir: string,
  role: keyof typeof USERS,
  database = DATABASE,
): Connection {
  const user = USERS[role]
  const password = cluster.password(user)
  return { host: socketDir, port: PORT, user, password, database, ssl: false }
}

/** Joins the server that listens in `socketDir`, once it has proved to be ours. */
export async function openSession(cluster: Cluster, socketDir: string): Promise<Found> {
  const client = new pg.Client({
    ...connection(cluster, socketDir, 'superuser', 'postgres'),
    application_name: `tradepost supervisor ${process.pid}`,
    connectionTimeoutMillis: CONNECT_MS,
  })
  // Without a listener the loss of a connection ends the process.
  client.on('error', () => {})
  try {
    await client.connect()
    const joined = await join(client, cluster, socketDir)
    if (joined) await prepare(client, cluster)
    if (joined) return { client, socketDir }
    await client.end()
    return 'busy'
  } catch (error) {
    client.end().catch(() => {})
    return whatItMeans(error, socketDir)
  }
}

async function join(client: pg.Client, cluster: Cluster, socketDir: string): Promise<boolean> {
  const { rows } = await client.query(
    `select system_identifier::text as identifier, current_setting('data_directory') as dir,
            pg_try_advisory_lock_shared($1, $2) as joined
       from pg_control_system()`,
    [FAMILY, USE],
  )
  const { identifier, dir, joined } = rows[0]
  if (identifier !== cluster.systemIdentifier) throw new Foreign(socketDir, `it runs on ${dir}`)
  return joined
}

class Foreign extends Error {
  constructor(socketDir: string, why: string) {
    super(
      `another PostgreSQL answers in ${socketDir} (${why}): stop it, or set DATA_DIR to another ` +
        'directory',
    )
  }
}

function whatItMeans(error: unknown, socketDir: string): 'absent' | 'busy' {
  if (error instanceof Foreign) throw error
  const { code = '', message } = error as { code?: string; message: string }
  if (code.startsWith('28')) throw new Foreign(socketDir, message)
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'absent'
  if (code === 'EACCES') throw new Error(`no permission to use the database in ${socketDir}`)
  return 'busy'
}

/** Makes the roles and the database where they are missing. */
async function prepare(client: pg.Client, cluster: Cluster) {
  if (await prepared(client)) return
  await client.query('select pg_advisory_lock($1, $2)', [FAMILY, PREPARE])
  try {
    for (const role of [OWNER, APP]) {
      const password = cluster.password(role)
      const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
      if (rowCount === 0) await client.query(`create role ${role} login password '${password}'`)
    }
    if (await prepared(client)) return
    await client.query(`create database ${DATABASE} owner ${OWNER} template template0`)
    await client.query(`revoke all on database ${DATABASE} from public`)
    await client.query(`grant connect, temporary on database ${DATABASE} to ${APP}`)
  } finally {
    await client.query('select pg_advisory_unlock($1, $2)', [FAMILY, PREPARE])
  }
}

/** The database is made last. */
async function prepared(client: pg.Client): Promise<boolean> {
  const found = await client.query('select from pg_database where datname = $1', [DATABASE])
  return found.rowCount === 1
}

/**
 * Gives up our part in the server. True when nobody of ours is left in it: from then on nobody can
 * join either, until the connection ends, so that it can be stopped.
 */
export async function leave({ client }: Session): Promise<boolean> {
  const { rows } = await client.query(
    'select pg_advisory_unlock_shared($1, $2), pg_try_advisory_lock($1, $2) as last',
    [FAMILY, USE],
  )
  return rows[0].last
}
