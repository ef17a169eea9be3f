import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { urlsOf } from '../lib/service-urls.ts'
import type { Secret } from '../lib/tokens.ts'
import { fromRoot } from '../root.ts'
import { type Connection, TIMEOUTS } from './database.ts'
import { type Embedded, type Meanwhile, startEmbedded } from './embedded.ts'
import { isUnavailable } from './failures.ts'
import { primaryFirst, primaryOf } from './hosts.ts'
import type { Log } from './log.ts'
import { migrate } from './migrate.ts'
import { ONE_PLAN } from './sql.ts'

export const MIGRATIONS = fromRoot('migrations')

export interface OpenedDatabase {
  owner: Connection
  app: Connection
  /** Only of the embedded server. */
  superuser?: pg.ClientConfig
  isEmbedded: boolean
  /** Whether `app` goes through a pooler that can switch sessions after each transaction. */
  isPooled: boolean
  /** The names of the migrations that were applied. */
  applied: string[]
  stop(): Promise<void>
}

type Server = Omit<OpenedDatabase, 'applied'>

/** Returns whether requests use the role that owns the tables. */
export const ownsTables = ({ owner, app }: Pick<OpenedDatabase, 'owner' | 'app'>): boolean =>
  roleOf(owner) === roleOf(app)

const roleOf = ({ user, connectionString = '' }: pg.ClientConfig): string | undefined =>
  user ?? new pg.Client({ connectionString: urlsOf(connectionString)[0] }).user

interface Opening {
  signal?: AbortSignal
  /** How long to keep trying a DATABASE_URL that is not reachable yet. Default: 0. */
  waitMs?: number
  meanwhile?: Meanwhile
  /** Begins or ends archiving of the embedded server's WAL. By default, it goes on as before. */
  archivesWal?: boolean
}

/**
 * Opens DATABASE_URL if it is set, otherwise the embedded server, and updates the schema. Throws if
 * the connection goes through a pooler and DATABASE_DIRECT_URL is not set.
 */
export async function openConfigured(
  config: {
    DATABASE_URL: Secret | undefined
    DATABASE_DIRECT_URL?: Secret | undefined
    DATA_DIR: string
  },
  log: Log,
  { signal, waitMs = 0, meanwhile, archivesWal }: Opening = {},
): Promise<OpenedDatabase> {
  const opened = await openUnchanged(config, log, {
    waitMs,
    ...(signal && { signal }),
    ...(meanwhile && { meanwhile }),
    ...(archivesWal !== undefined && { archivesWal }),
  })
  try {
    const { applied, isDivided } = await migrate({ connect: opened.owner, dir: MIGRATIONS, log })
    if (opened.isPooled) await setDefaults(opened.app, log)
    const { app, owner } = opened
    return { ...opened, app: { ...app, isDivided }, owner: { ...owner, isDivided }, applied }
  } catch (error) {
    await opened.stop()
    throw error
  }
}

/** Opens the same database, whatever schema it has. */
export async function openUnchanged(
  config: Parameters<typeof openConfigured>[0],
  log: Log,
  { signal, waitMs = 0, meanwhile, archivesWal }: Opening = {},
): Promise<Server> {
  return config.DATABASE_URL
    ? await foreign(config.DATABASE_URL, config.DATABASE_DIRECT_URL, { log, waitMs, signal })
    : embedded(
        await startEmbedded({
          dataDir: config.DATA_DIR,
          log,
          archivesWal,
          ...(signal && { signal }),
          ...(meanwhile && { meanwhile }),
        }),
      )
}

interface Reaching {
  log: Log
  waitMs: number
  signal: AbortSignal | undefined
}

async function foreign(
  url: Secret,
  directUrl: Secret | undefined,
  reaching: Reaching,
): Promise<Server> {
  const app = { connectionString: url.reveal() }
  const direct = directUrl ? { connectionString: directUrl.reveal() } : app
  if (directUrl) {
    const line = await reached(direct, reaching)
    if (line.kind !== 'direct') throw new Error('DATABASE_DIRECT_URL leads to a connection pooler')
  }
  const line = await reached(app, reaching)
  const isPooled = directUrl !== undefined && !keepsSession(line)
  const advice = isPooled ? undefined : adviceOn(line)
  if (advice && !advice.works) throw new Error(`the database cannot be used: ${advice.says}`)
  if (advice) reaching.log.warn({}, advice.says)
  const [owner, first] = await Promise.all([primaryOf(direct), primaryFirst(app)])
  return { owner, app: first, isEmbedded: false, isPooled, stop: async () => {} }
}

/** Returns whether our timeouts and prepared statements last as long as the connection. */
const keepsSession = (line: Line) =>
  line.kind === 'direct' || (line.kind === 'session' && line.keepsSettings)

/**
 * A pooler does not pass on the settings of a connection, so they become defaults of the role. The
 * pooler's open sessions keep what they had.
 */
async function setDefaults(app: pg.ClientConfig, log: Log): Promise<void> {
  const connection = await primaryOf(app)
  const client = new pg.Client({ connectionTimeoutMillis: CONNECT_MS, ...connection })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<{ statement: string }>(
      `select format('alter role %I in database %I set %I = %L', current_user, current_database(),
         name, value) as statement
       from unnest($1::text[], $2::text[]) as wanted (name, value)
       where not exists (
         select from pg_db_role_setting s
         join pg_roles r on r.oid = s.setrole join pg_database d on d.oid = s.setdatabase
         where r.rolname = current_user and d.datname = current_database()
           and name || '=' || value = any(s.setconfig))`,
      [Object.keys(SESSION_DEFAULTS), Object.values(SESSION_DEFAULTS)],
    )
    for (const { statement } of rows) await client.query(statement)
    if (rows.length > 0) {
      log.warn({}, 'set defaults of the role; reconnect the pooler once (RECONNECT in PgBouncer)')
    }
  } finally {
    await client.end().catch(() => {})
  }
}

const SESSION_DEFAULTS = {
  statement_timeout: String(TIMEOUTS.statementMs),
  lock_timeout: String(TIMEOUTS.lockMs),
  idle_in_transaction_session_timeout: String(TIMEOUTS.idleInTransactionMs),
  jit: 'off',
}

/**
 * Retries because a container can start before its database accepts connections. A wrong password
 * fails immediately.
 */
async function reached(
  connection: pg.ClientConfig,
  { log, waitMs, signal }: Reaching,
): Promise<Line> {
  const until = Date.now() + waitMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await inspectLine(connection)
    } catch (error) {
      const mayCome = isUnavailable(error) && !/^28/.test((error as { code?: string }).code ?? '')
      if (!mayCome || Date.now() >= until || signal?.aborted) throw error
      if (attempt === 1) log.warn({ err: error }, 'waiting for the database to accept connections')
      await sleep(RETRY_MS, undefined, { ref: true })
    }
  }
}

const RETRY_MS = 1_000

const embedded = (server: Embedded): Server => ({
  owner: { ...server.config('owner') },
  app: { ...server.config('app') },
  superuser: { ...server.config('superuser') },
  isEmbedded: true,
  isPooled: false,
  stop: () => server.stop(),
})

/** What the connection to PostgreSQL goes through. */
type Line =
  /** Nothing, or something that makes no difference. */
  | { kind: 'direct' }
  /**
   * A pooler that keeps one session per connection. Our timeouts take effect if `keepsSettings` is
   * true.
   */
  | { kind: 'session'; keepsSettings: boolean }
  /** A pooler that can switch sessions after each transaction. */
  | { kind: 'transaction' }
  /** A pooler that refuses our timeouts. */
  | { kind: 'refusing' }

const CONNECT_MS = 5_000
const STATEMENT_MS = 9_876

/**
 * Detects a connection pooler. A pooler sends clients its own cancel keys, so the process id in
 * such a key differs from the one that PostgreSQL reports. In transaction mode, two simultaneous
 * connections take turns in one session. Throws connection errors.
 */
export async function inspectLine(wanted: pg.ClientConfig): Promise<Line> {
  const connection = await primaryOf(wanted)
  const open = async () => {
    const client = new pg.Client({
      connectionTimeoutMillis: CONNECT_MS,
      ...connection,
      statement_timeout: STATEMENT_MS,
      options: ONE_PLAN,
    })
    client.on('error', () => {})
    await client.connect()
    return client
  }
  let one: pg.Client
  try {
    one = await open()
  } catch (error) {
    if (/unsupported startup parameter/i.test((error as Error).message)) return { kind: 'refusing' }
    throw error
  }
  try {
    const { pid, timeout } = await sessionOf(one)
    if (pid === (one as unknown as { processID: number }).processID) return { kind: 'direct' }
    const other = await open()
    try {
      if ((await sessionOf(other)).pid === pid) return { kind: 'transaction' }
    } finally {
      await other.end().catch(() => {})
    }
    return { kind: 'session', keepsSettings: timeout === STATEMENT_MS }
  } finally {
    await one.end().catch(() => {})
  }
}

async function sessionOf(client: pg.Client) {
  const { rows } = await client.query<{ pid: number; timeout: number }>(
    `select pg_backend_pid() as pid, setting::int as timeout
     from pg_settings where name = 'statement_timeout'`,
  )
  return rows[0]!
}

/**
 * Returns a message to the operator about a pooler, and whether Tradepost works behind that pooler.
 */
export function adviceOn(line: Line): { works: boolean; says: string } | undefined {
  switch (line.kind) {
    case 'direct':
      return undefined
    case 'refusing':
      return {
        works: false,
        says: `a connection pooler refuses the time-outs that Tradepost sets; ${DIRECTLY}`,
      }
    case 'transaction':
      return {
        works: false,
        says: `a connection pooler in transaction mode is in between; ${DIRECTLY}`,
      }
    case 'session':
      return {
        works: true,
        says: line.keepsSettings
          ? 'a connection pooler in session mode is in between'
          : `a connection pooler drops the time-outs that Tradepost sets; ${DIRECTLY}`,
      }
  }
}

const DIRECTLY =
  'set DATABASE_DIRECT_URL to PostgreSQL itself, or point DATABASE_URL directly at PostgreSQL'
