import { once } from 'node:events'
import pg from 'pg'
import { from, to } from 'pg-copy-streams'
import { clientWith, KEEP_ALIVE } from './client.ts'
import { type Db, dbOn, type Tx } from './database.ts'

/* Reads and writes whole tables, for backups. Unlike the pool's, this connection waits as long as
 * it takes. */

export interface Table {
  name: string
  columns: string[]
}

const Client = clientWith(undefined, () => {})

/** Connects without time limits. `db` and `tx` run in the transaction that the caller starts. */
export async function openBulk(connection: pg.ClientConfig) {
  const client = new Client({
    connectionTimeoutMillis: 5_000,
    ...KEEP_ALIVE,
    ...connection,
    application_name: 'tradepost backup',
  })
  // The statement that is running reports it, too.
  client.on('error', () => {})
  await client.connect()
  const run = (statement: { text: string; values: unknown[] }) => client.query(statement)
  const db: Db = dbOn(run, { prepare: false })
  const tx: Tx = { ...db, query: run, after: () => {} }
  await client.query(
    `set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = 0;
     set client_encoding = 'UTF8'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres';
     set timezone = 'UTC'; set extra_float_digits = 3`,
  )
  return {
    db,
    tx,
    execute: (text: string, values?: unknown[]) => client.query(text, values),
    /** Returns the content of a table in the text format of COPY. */
    read: (table: Table): AsyncIterable<Buffer> =>
      client.query(to(`copy ${described(table)} to stdout`)),
    /** Returns how many rows it has written. */
    async write(table: Table, content: AsyncIterable<Buffer>): Promise<number> {
      const into = client.query(from(`copy ${described(table)} from stdin`))
      const failed = Promise.withResolvers<never>()
      failed.promise.catch(() => {})
      into.once('error', failed.reject)
      try {
        for await (const chunk of content) {
          if (!into.write(chunk)) await Promise.race([once(into, 'drain'), failed.promise])
        }
      } catch (error) {
        into.destroy()
        throw error
      }
      const ended = once(into, 'finish')
      into.end()
      await Promise.race([ended, failed.promise])
      return into.rowCount
    },
    close: () => client.end().catch(() => {}),
  }
}

export type Bulk = Awaited<ReturnType<typeof openBulk>>

const described = ({ name, columns }: Table): string =>
  `${quoted(name)} (${columns.map(quoted).join(', ')})`

export const quoted = (name: string): string => pg.escapeIdentifier(name)

/** Returns the tables of the schema, except for the list of migrations. */
export const selectTables = (db: Db) =>
  db.many<Table & { bytes: number }>`
    select c.relname as name, pg_table_size(c.oid) as bytes,
      array(select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        order by a.attnum) as columns
    from pg_class c
    where c.relkind = 'r' and c.relpersistence = 'p'
      and c.relnamespace = current_schema()::regnamespace
      and c.relname <> 'schema_migrations'
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by c.relname`

/** What a backup says about the migrations of its database. */
export interface AppliedMigration {
  version: number
  name: string
  sha256: string
}

export const selectMigrations = (db: Db) =>
  db.many<AppliedMigration>`
    select version, name, sha256 from schema_migrations order by version`

/** Returns something that is in a database already, or undefined if it is empty. */
export async function firstRelation(db: Db): Promise<string | undefined> {
  const found = await db.maybe<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f') and n.nspname <> 'information_schema'
      and n.nspname !~ '^pg_'
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by c.relname limit 1`
  return found?.name
}

/** Says how many servers and commands are connected. Returns undefined if there are none. */
export async function connectedSays(execute: Bulk['execute']): Promise<string | undefined> {
  // Otherwise, PostgreSQL repeats its first response within a transaction.
  await execute('select pg_stat_clear_snapshot()')
  const { rows } = await execute(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()
       and application_name = 'tradepost'`,
  )
  const { count } = rows[0]
  if (count === 0) return undefined
  return `servers or commands are connected (${count} connections): stop them first`
}

/**
 * Removes foreign keys and indexes while tables are loaded, because to add them afterwards is many
 * times as fast, and tables can then be loaded in any order. Returns the statements that add them.
 */
export async function dropIndexes({ db, execute }: Bulk): Promise<string[]> {
  const keys = await db.many<{ name: string; table: string; definition: string }>`
    select conname as name, conrelid::regclass::text as table,
      pg_get_constraintdef(oid) as definition
    from pg_constraint
    where contype = 'f' and connamespace = current_schema()::regnamespace`
  const indexes = await db.many<{ name: string; definition: string }>`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = current_schema()::regnamespace and not i.indisprimary
      and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`
  for (const { name, table } of keys) {
    await execute(`alter table ${table} drop constraint ${quoted(name)}`)
  }
  for (const { name } of indexes) await execute(`drop index ${name}`)
  return [
    ...indexes.map(({ definition }) => definition),
    ...keys.map(
      ({ name, table, definition }) =>
        `alter table ${table} add constraint ${quoted(name)} ${definition}`,
    ),
  ]
}
