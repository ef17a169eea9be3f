import pg from 'pg'
import type { Config } from '../config.ts'
import { startEmbedded } from '../db/embedded.ts'
import { missingMigrations } from '../db/migrate.ts'
import { MIGRATIONS } from '../db/open.ts'
import { adviceOn, inspectLine } from '../db/pooler.ts'
import { bad, type Check, ok, warn } from './doctor-checks.ts'
import { isMade, quietLog } from './open.ts'

type Connection = pg.ClientConfig

/** The database answers, is of a version that will do, and fits this code. */
export async function* checkDatabase(config: Config): AsyncGenerator<Check> {
  if (config.DATABASE_URL) {
    yield* examine({ connectionString: config.DATABASE_URL.reveal() }, FOREIGN)
    return
  }
  try {
    if (!isMade(config.DATA_DIR)) {
      yield none(`there is no database in ${config.DATA_DIR} (DATA_DIR)`)
      return
    }
    const embedded = await startEmbedded({ dataDir: config.DATA_DIR, log: quietLog })
    try {
      yield* examine({ ...embedded.config('owner') }, EMBEDDED)
    } finally {
      await embedded.stop()
    }
  } catch (error) {
    yield bad('database', (error as Error).message, EMBEDDED)
  }
}

const none = (says: string): Check => ({
  ...bad('database', says, 'npm start creates one; or set DATA_DIR to the directory that has one'),
  isMissing: true,
})

const FOREIGN = 'start it, and correct DATABASE_URL: postgres://user:password@host:5432/name'
const EMBEDDED = 'read postgres/postgres.log in DATA_DIR; a backup restores what is beyond mending'

async function* examine(connect: Connection, mend: string): AsyncGenerator<Check> {
  const answer = await ask(connect)
  if (answer instanceof Error) {
    yield bad('database', `it cannot be used: ${reasonOf(answer)}`, mend)
    return
  }
  const { version, number, skewMs, isReadOnly } = answer
  if (number < VERSION_MIN) {
    yield bad('database', `PostgreSQL ${version} is too old`, 'update it to 15 or newer')
    return
  }
  if (isReadOnly) {
    yield bad('database', `PostgreSQL ${version} is read-only`, 'point DATABASE_URL at the primary')
    return
  }
  const advice = adviceOn(await inspectLine(connect))
  if (advice) yield (advice.works ? warn : bad)('pooler', advice.says, POOLER)
  yield ok('database', `PostgreSQL ${version} answers`)
  yield skewOf(skewMs)
  yield await migrations(connect)
}

const POOLER = 'point DATABASE_URL directly at PostgreSQL; read the page on operations'

const VERSION_MIN = 150_000
const CONNECT_MS = 5_000

interface Answer {
  version: string
  number: number
  /** How far its clock is ahead of ours. */
  skewMs: number
  /** A standby, or a server that was demoted. */
  isReadOnly: boolean
}

async function ask(connect: Connection): Promise<Answer | Error> {
  const client = new pg.Client({ connectionTimeoutMillis: CONNECT_MS, ...connect })
  client.on('error', () => {})
  try {
    await client.connect()
    const before = Date.now()
    const { rows } = await client.query<Omit<Answer, 'skewMs'> & { at: Date }>(
      `select current_setting('server_version') as version,
              current_setting('server_version_num')::int as number, clock_timestamp() as at,
              pg_is_in_recovery() or current_setting('transaction_read_only')::boolean
                as "isReadOnly"`,
    )
    const { at, ...found } = rows[0]!
    const middle = (before + Date.now()) / 2
    return { ...found, skewMs: at.getTime() - middle }
  } catch (error) {
    return error as Error
  } finally {
    await client.end().catch(() => {})
  }
}

const SKEW_MS_MAX = 2_000

function skewOf(skewMs: number): Check {
  const ms = Math.trunc(Math.abs(skewMs))
  if (Math.abs(skewMs) <= SKEW_MS_MAX) return ok('clocks', "ours and the database's agree")
  const says = `the database's is ${ms} ms ${skewMs > 0 ? 'ahead of' : 'behind'} ours`
  return warn('clocks', says, 'keep both machines right by NTP')
}

async function migrations(connect: Connection): Promise<Check> {
  try {
    const missing = await missingMigrations({ connect, dir: MIGRATIONS })
    if (missing.length === 0) return ok('schema', 'up to date')
    return ok('schema', `the next start brings it up to date: ${missing.join(', ')}`)
  } catch (error) {
    const mend = 'run the version of Tradepost that this database belongs to'
    return bad('schema', reasonOf(error as Error), mend)
  }
}

const reasonOf = ({ message, errors }: Error & { errors?: Error[] }) =>
  message || errors?.[0]?.message || 'it does not answer'
