import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { KEEP_ALIVE } from './client.ts'
import { type Bulk, selectMigrations } from './copy.ts'
import type { Db, Tx } from './database.ts'
import { carryOut } from './distributed/distribute.ts'
import { DROPPED, isDistributed, readPlan } from './distributed/plan.ts'
import type { Log } from './log.ts'

/**
 * Migrates a database to the schema this code needs, using numbered SQL files that only go forward.
 *
 * A migration is `migrations/0001_name.sql`, plain SQL without `begin` and `commit`: each file runs
 * in a separate transaction. A file that begins with `-- Step by step` runs each statement on its
 * own, so that indexes are built `concurrently` and checks are validated while other servers write.
 * Each of those statements must be harmless to run again.
 *
 * Never change a file that has been applied anywhere; correct it in a new file. Migrations do not
 * include the app role's rights: see `grantApp`.
 */
interface MigrateOptions {
  /**
   * Must connect as the tables' owner, and directly to PostgreSQL, because a pooler would lose the
   * lock.
   */
  connect: pg.ClientConfig
  /** The directory with the SQL files. */
  dir: string
  log: Log
  /** How long to wait for another server that is migrating. Default: 2 minutes. */
  waitMs?: number
  /** Only migrate up to this version, for the backup of an older database. */
  last?: number
  /**
   * True while a backup is being restored: other servers do not start until `endRestoring`,
   * whatever happens to this process.
   */
  isRestoring?: boolean
}

interface Migration {
  version: number
  name: string
  text: string
  sha256: string
}

interface Applied {
  version: number
  name: string
  sha256: string
}

const VERSION_MIN = 150_000
const WAIT_MS = 120_000
const LOCK_TIMEOUT_MS = 3_000
/**
 * Long, because a step waits for older transactions, such as an audit, and nothing else has to wait
 * for the step.
 */
const STEP_LOCK_TIMEOUT_MS = 60_000
const STEP_BY_STEP = '-- Step by step'
const ATTEMPTS_MAX = 8
/**
 * The session lock of the migrating process. It ends with the connection, even if the process is
 * killed.
 */
const LOCK = [0x74726164, 10]
const LOCK_TIMED_OUT = '55P03'
/** After this, a serialisation failure or a deadlock, the next attempt can succeed. */
const PASSING = [LOCK_TIMED_OUT, '40001', '40P01']

/**
 * Applies missing migrations in order and returns their names, and whether the database is divided
 * among machines. If two servers start at once, each
 * file is applied once. On failure, throws a one-line error for the operator; the files before the
 * failed one stay applied.
 */
export async function migrate(
  options: MigrateOptions,
): Promise<{ applied: string[]; isDivided: boolean }> {
  const { last = Number.POSITIVE_INFINITY } = options
  const migrations = readMigrations(options.dir).filter(({ version }) => version <= last)
  const client = new pg.Client({
    connectionTimeoutMillis: 5_000,
    ...KEEP_ALIVE,
    ...options.connect,
    application_name: 'tradepost migrate',
  })
  client.on('error', () => {})
  await client.connect()
  try {
    await requireFit(client)
    // Each migration commits without waiting for the disk, because the first write that does wait
    // saves them all. If the machine fails before, the next start applies the lost ones again.
    await client.query('set synchronous_commit = off')
    await takeLock(client, options.waitMs ?? WAIT_MS)
    await refuseHalfDistributed(client)
    const before = await history(client)
    if (options.isRestoring) await noteRestoring(client)
    const missing = compare(migrations, options.isRestoring ? withoutNote(before) : before)
    const isDivided = await isDistributed(client)
    for (const migration of missing) {
      await apply(client, migration, options.log, isDivided)
      if (isDivided) await distributeNew(client)
    }
    await grantApp((text, values) => client.query(text, values))
    return { applied: missing.map(({ name }) => name), isDivided }
  } finally {
    await client.end()
  }
}

/**
 * Applies missing migrations in the transaction of a restore, so that nobody sees the tables before
 * payouts are held. Nobody else uses the tables, so indexes are not built concurrently.
 */
export async function migrateWithin({ tx, execute }: Bulk, dir: string): Promise<void> {
  const applied = withoutNote(await selectMigrations(tx))
  for (const { version, name, text, sha256 } of compare(readMigrations(dir), applied)) {
    const isStepwise = text.startsWith(STEP_BY_STEP)
    try {
      await execute(isStepwise ? text.replaceAll(/\bconcurrently\b/gi, '') : text)
    } catch (error) {
      throw new Error(`${name}.sql could not be applied: ${(error as Error).message}`, {
        cause: error,
      })
    }
    await tx.run`
      insert into schema_migrations (version, name, sha256)
      values (${version}::int, ${name}, ${sha256})`
  }
  await grantApp(execute)
}

/**
 * Returns the names of the migrations that `migrate` would apply, without changing the database.
 * Like `migrate`, throws if the database schema is not one that this version can use.
 */
export async function missingMigrations({
  connect,
  dir,
}: Pick<MigrateOptions, 'connect' | 'dir'>): Promise<string[]> {
  const client = new pg.Client({ connectionTimeoutMillis: 5_000, ...connect })
  client.on('error', () => {})
  await client.connect()
  try {
    await requireFit(client)
    const applied = (await isBegun(client)) ? await selectApplied(client) : []
    return compare(readMigrations(dir), applied).map(({ name }) => name)
  } finally {
    await client.end()
  }
}

function readMigrations(dir: string): Migration[] {
  const found = readdirSync(dir)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file): Migration => {
      const digits = /^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1]
      if (!digits) throw new Error(`${join(dir, file)} is not named like 0001_name.sql`)
      // Git may have changed the line endings.
      const text = readFileSync(join(dir, file), 'utf8').replaceAll('\r\n', '\n')
      const sha256 = createHash('sha256').update(text).digest('hex')
      return { version: Number(digits), name: file.slice(0, -'.sql'.length), text, sha256 }
    })
  const twice = found.find(({ version }, i) => version === found[i + 1]?.version)
  if (twice) throw new Error(`two migrations in ${dir} have the number ${digits(twice.version)}`)
  return found
}

async function requireFit(client: pg.Client) {
  const { rows } = await client.query<{ number: number; encoding: string }>(
    `select current_setting('server_version_num')::int as number,
       current_setting('server_encoding') as encoding`,
  )
  const { number, encoding } = rows[0]!
  if (number < VERSION_MIN) {
    const found = Math.floor(number / 10_000)
    throw new Error(`the database is PostgreSQL ${found}, and Tradepost needs version 15 or newer`)
  }
  const wrong = wrongEncoding(encoding)
  if (wrong) throw new Error(`${wrong.says}: ${wrong.fix}`)
}

/**
 * Says what to do if a database has another encoding than UTF-8. It could not store every name, and
 * statements that compute hashes of texts would fail.
 */
export function wrongEncoding(encoding: string): { says: string; fix: string } | undefined {
  if (encoding === 'UTF8') return undefined
  return {
    says: `the encoding of the database is ${encoding}, and Tradepost needs UTF8`,
    fix: "create another one with: create database NAME template template0 encoding 'UTF8'",
  }
}

/** Polls, because a session that waits inside the server blocks work in other sessions. */
async function takeLock(client: pg.ClientBase, waitMs: number) {
  for (const until = Date.now() + waitMs; ; await sleep(50)) {
    const { rows } = await client.query('select pg_try_advisory_lock($1, $2) as taken', LOCK)
    if (rows[0].taken) return
    if (Date.now() > until) {
      const seconds = Math.round(waitMs / 1000)
      throw new Error(`another server has been migrating this database for over ${seconds} s`)
    }
  }
}

/** Runs `work` while no server can migrate or start. */
export async function withMigrationLock<T>(
  client: pg.ClientBase,
  work: () => Promise<T>,
): Promise<T> {
  await takeLock(client, WAIT_MS)
  try {
    return await work()
  } finally {
    await client.query('select pg_advisory_unlock($1, $2)', LOCK).catch(() => {})
  }
}

async function refuseHalfDistributed(client: pg.ClientBase): Promise<void> {
  const { rowCount } = await client.query('select where to_regclass($1) is not null', [DROPPED])
  if (rowCount === 0) return
  throw new Error('the database is not distributed completely: run tradepost distribute again')
}

/**
 * Distributes tables that a migration has just created. The next migration can then add foreign
 * keys from them to other tables.
 */
async function distributeNew(client: pg.ClientBase): Promise<void> {
  const { tables, foreignKeys } = await readPlan(client)
  await carryOut(client, { tables, foreignKeys })
}

async function history(client: pg.Client): Promise<Applied[]> {
  if (!(await isBegun(client))) {
    await client.query(
      `create table schema_migrations (
         version    int primary key,
         name       text not null,
         sha256     text not null,
         applied_at timestamptz not null default now()
       )`,
    )
  }
  return await selectApplied(client)
}

/** The row that says that a restore has not ended. An older version does not know it either. */
const RESTORING = { version: 0, name: 'restore_unfinished' }

const noteRestoring = (client: pg.Client) =>
  client.query(
    `insert into schema_migrations (version, name, sha256) values ($1, $2, '')
     on conflict do nothing`,
    [RESTORING.version, RESTORING.name],
  )

const withoutNote = (applied: Applied[]): Applied[] =>
  applied.filter(({ version }) => version !== RESTORING.version)

/** Returns whether a restore of this database was started and has not ended. */
export async function isRestoring(db: Db): Promise<boolean> {
  const { begun } = await db.one<{ begun: boolean }>`
    select to_regclass('schema_migrations') is not null as begun`
  if (!begun) return false
  const note = await db.maybe`
    select from schema_migrations where version = ${RESTORING.version}::int`
  return note !== undefined
}

/** Lets servers start on a database that was restored. */
export const endRestoring = (tx: Tx): Promise<number> =>
  tx.run`delete from schema_migrations where version = ${RESTORING.version}::int`

async function isBegun(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("select to_regclass('schema_migrations') is not null as made")
  return rows[0].made
}

async function selectApplied(client: pg.Client): Promise<Applied[]> {
  const { rows } = await client.query<Applied>(
    'select version, name, sha256 from schema_migrations order by version',
  )
  return rows
}

/**
 * Returns the migrations still to apply. Throws if the code and the database do not belong
 * together.
 */
function compare(migrations: Migration[], applied: Applied[]): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.version, migration]))
  const latest = applied.at(-1)?.version ?? 0
  const newest = migrations.at(-1)?.version ?? 0
  if (latest > newest) {
    throw new Error(
      `the database is at ${digits(latest)}, this code only knows ${digits(newest)}: ` +
        'run the newer Tradepost, or restore a backup from before the update',
    )
  }
  for (const { version, name, sha256 } of applied) {
    if (version === RESTORING.version) {
      throw new Error(
        'a backup is being restored into this database, or was not restored completely',
      )
    }
    const migration = known.get(version)
    if (!migration) throw new Error(`the database has ${name}, which this code does not know`)
    if (migration.sha256 !== sha256) {
      throw new Error(
        `${migration.name}.sql was changed after it was applied to this database: undo the change ` +
          'and put it into a new migration',
      )
    }
  }
  const late = migrations.find(({ version }) => version < latest && !has(applied, version))
  if (late)
    throw new Error(`${late.name}.sql came after ${digits(latest)} was applied: renumber it`)
  return migrations.filter(({ version }) => version > latest)
}

/**
 * Throws unless this code has all migrations that a backup's database had, so that it can be
 * restored.
 */
export function requireKnown(applied: Applied[], dir: string): void {
  compare(readMigrations(dir), applied)
}

function has(applied: Applied[], version: number): boolean {
  return applied.some((each) => each.version === version)
}

async function apply(
  client: pg.Client,
  { version, name, text, sha256 }: Migration,
  log: Log,
  isDivided: boolean,
) {
  const began = Date.now()
  const file = `${name}.sql`
  const note = () =>
    client.query('insert into schema_migrations (version, name, sha256) values ($1, $2, $3)', [
      version,
      name,
      sha256,
    ])
  if (text.startsWith(STEP_BY_STEP)) {
    await client.query(
      `set lock_timeout = ${STEP_LOCK_TIMEOUT_MS}; set statement_timeout = 0;
       set idle_in_transaction_session_timeout = 0`,
    )
    for (const step of stepsOf(text)) {
      await retryOnLockTimeout(client, file, log, () => client.query(step))
    }
    await note()
  } else {
    await retryOnLockTimeout(client, file, log, () =>
      inTransaction(client, async () => {
        // Citus cannot create some tables in a query of several statements.
        for (const part of isDivided ? stepsOf(text) : [text]) await client.query(part)
        await note()
      }),
    )
  }
  log.info({ migration: name, ms: Date.now() - began }, 'migrated')
}

/** Splits a file into statements, each of which ends a line with a semicolon. */
function stepsOf(text: string): string[] {
  return text
    .split(/;[ \t]*(?:\n|$)/)
    .filter((step) => step.split('\n').some((line) => line.trim() && !line.startsWith('--')))
}

/** Waits only briefly for a lock, because all other statements on the table wait behind it. */
async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  try {
    await client.query('begin')
    await client.query(
      `set local lock_timeout = ${LOCK_TIMEOUT_MS}; set local statement_timeout = 0;
       set local idle_in_transaction_session_timeout = 0`,
    )
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

async function retryOnLockTimeout(
  client: pg.Client,
  what: string,
  log: Log,
  work: () => Promise<unknown>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work()
      return
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string }
      const says = async () =>
        code === LOCK_TIMED_OUT ? `${message}${await oldestTransaction(client)}` : message
      if (!PASSING.includes(code) || attempt >= ATTEMPTS_MAX) {
        throw new Error(`${what} could not be applied: ${await says()}`, { cause: error })
      }
      if (code === LOCK_TIMED_OUT && attempt === 1) {
        log.warn({}, `${what} is waiting: ${await says()}`)
      }
      await sleep(100 * 2 ** attempt * (0.5 + Math.random()))
    }
  }
}

/** Says whose transaction has lasted longest, such as a backup's: it most likely has the lock. */
async function oldestTransaction(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string; pid: number; seconds: number }>(
    `select application_name as name, pid,
       extract(epoch from clock_timestamp() - xact_start)::int as seconds
     from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend'
       and pid <> pg_backend_pid() and xact_start is not null
     order by xact_start limit 1`,
  )
  const [oldest] = rows
  if (!oldest) return ''
  const { name, pid, seconds } = oldest
  return `; the oldest transaction is by "${name}" (process ${pid}), ${seconds} s ago`
}

function digits(version: number): string {
  return String(version).padStart(4, '0')
}

/** Append-only tables: the app role can neither change nor delete their rows. */
const APPEND_ONLY = [
  'ledger_transfers',
  'ledger_journals',
  'ledger_seals',
  'events',
  'forgotten_events',
  'row_notes',
  'row_notes_begun',
  'digest_seals',
  'audit_log',
  'simulated_fundings',
  'order_notes',
  'restores',
]

const APP = 'tradepost_app'
const READ_ONLY = ['schema_migrations']

/**
 * Grants the app role the rights it needs on each of our tables, and no more. Does nothing if that
 * role does not exist: with a DATABASE_URL that uses a single role, the owner serves the requests.
 *
 * Runs as the owner after migrations. Writes only differences, so a start that changes nothing
 * doesn't take any locks.
 */
async function grantApp(execute: Bulk['execute']): Promise<void> {
  const { rowCount } = await execute('select from pg_roles where rolname = $1', [APP])
  if (rowCount === 0) return
  const { rows } = await execute(DIFFERENCES, [APPEND_ONLY, READ_ONLY, APP])
  for (const { statement } of rows) await execute(statement)
}

// A partition is append-only if its parent is. Relations that belong to extensions are left out.
const DIFFERENCES = `
with ours as (
  select c.oid, c.relkind, c.relname, n.nspname,
         array(select p.relname::text from pg_inherits i join pg_class p on p.oid = i.inhparent
                where i.inhrelid = c.oid) || c.relname::text as names
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('r', 'p', 'v', 'm', 'S')
     and pg_has_role(c.relowner, 'usage')
     and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
     and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
), wanted as (
  select oid, relkind, relname, nspname,
         case when relkind = 'S' then array['usage', 'select']
              when names && $2::text[] then array['select']
              when names && $1::text[] then array['select', 'insert']
              else array['select', 'insert', 'update', 'delete'] end as rights
    from ours
), compared as (
  select w.*, r.name,
         case when relkind = 'S' then has_sequence_privilege($3, oid, r.name)
              else has_table_privilege($3, oid, r.name) end as has,
         r.name = any (rights) as should
    from wanted w,
         unnest(case when relkind = 'S' then array['usage', 'select', 'update']
                     else array['select', 'insert', 'update', 'delete', 'truncate'] end) as r(name)
)
select format('grant usage on schema %I to %I', nspname, $3) as statement
  from (select distinct nspname from ours) as schemas
 where not has_schema_privilege($3, nspname, 'usage')
union all
select format('%s %s on %s %I.%I %s %I', case when should then 'grant' else 'revoke' end, name,
              case when relkind = 'S' then 'sequence' else 'table' end, nspname, relname,
              case when should then 'to' else 'from' end, $3)
  from compared
 where has <> should`
