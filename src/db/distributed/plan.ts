import type pg from 'pg'
import { connectedSays } from '../copy.ts'
import { REFERENCE_TABLES } from './tables.ts'

export interface PlannedTable {
  name: string
  /** Kept in full on every machine, or divided by `business_id`. */
  kind: 'reference' | 'distributed'
  isDone: boolean
  bytes: number
}

/** A foreign key that is dropped while its tables are distributed, and added again afterwards. */
export interface ForeignKey {
  table: string
  name: string
  definition: string
}

export interface Plan {
  tables: PlannedTable[]
  foreignKeys: ForeignKey[]
  /** What prevents the distribution, each with what to do about it. */
  problems: string[]
  /** Whether an earlier run was interrupted. */
  isContinued: boolean
}

/** Contains the foreign keys that an interrupted run has dropped. */
export const DROPPED = 'distribution_foreign_keys'

const EXTENSIONS = ['plpgsql', 'citus', 'citus_columnar', 'pg_stat_statements']

/**
 * Reads from the catalog how the tables of this database would be distributed, and what prevents
 * it. Changes nothing, and also works without Citus.
 */
export async function readPlan(client: pg.ClientBase): Promise<Plan> {
  const hasCitus = await isDistributable(client)
  const tables = await readTables(client, hasCitus)
  const dropped = await readDropped(client)
  const open = tables.filter(({ isDone }) => !isDone)
  const foreignKeys = [...dropped, ...(await foreignKeysOf(client, open))]
  const problems = [
    ...(await missingParts(client, hasCitus)),
    ...(await strangeThings(client, tables)),
    ...(await undividedKeys(client, tables)),
    ...(await crossingForeignKeys(client, tables)),
    ...(await openSessions(client, open.length > 0 || dropped.length > 0)),
  ]
  return { tables, foreignKeys, problems, isContinued: dropped.length > 0 }
}

/** Returns whether the database has the Citus extension. */
async function isDistributable(client: pg.ClientBase): Promise<boolean> {
  const { rowCount } = await client.query("select from pg_extension where extname = 'citus'")
  return rowCount === 1
}

/** Returns whether Citus has divided the tables of this database. */
export async function isDistributed(client: pg.ClientBase): Promise<boolean> {
  if (!(await isDistributable(client))) return false
  const { rowCount } = await client.query(
    "select from pg_dist_partition where logicalrelid = to_regclass('businesses')",
  )
  return rowCount === 1
}

async function names(client: pg.ClientBase, text: string, values: unknown[] = []) {
  const { rows } = await client.query<{ name: string }>(text, values)
  return rows.map(({ name }) => name)
}

/** The tables of this schema, the largest last, so that the first ones show soon that it works. */
async function readTables(client: pg.ClientBase, hasCitus: boolean): Promise<PlannedTable[]> {
  const done = hasCitus
    ? await names(
        client,
        // Citus also lists local tables with foreign keys to reference tables.
        `select logicalrelid::regclass::text as name from pg_dist_partition
         where partmethod = 'h' or repmodel = 't'`,
      )
    : []
  const { rows } = await client.query<{ name: string; bytes: string; divides: boolean }>(
    `select c.relname as name, pg_total_relation_size(c.oid) as bytes,
       exists (select from pg_attribute
         where attrelid = c.oid and attname = 'business_id') as divides
     from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and c.relname <> $1
       and not exists (select from pg_depend where objid = c.oid and deptype = 'e')
     order by pg_total_relation_size(c.oid), c.relname`,
    [DROPPED],
  )
  const planned = rows.map(
    ({ name, bytes, divides }): PlannedTable => ({
      name,
      kind: divides && !REFERENCE_TABLES.includes(name) ? 'distributed' : 'reference',
      isDone: done.includes(name),
      bytes: Number(bytes),
    }),
  )
  const isReference = ({ kind }: PlannedTable) => kind === 'reference'
  return [...planned.filter(isReference), ...planned.filter((table) => !isReference(table))]
}

async function readDropped(client: pg.ClientBase): Promise<ForeignKey[]> {
  const { rowCount } = await client.query('select where to_regclass($1) is not null', [DROPPED])
  if (rowCount === 0) return []
  const { rows } = await client.query<ForeignKey>(
    `select table_name as table, name, definition from ${DROPPED} order by table_name, name`,
  )
  return rows
}

/** The foreign keys from or to these tables. */
async function foreignKeysOf(
  client: pg.ClientBase,
  tables: readonly PlannedTable[],
): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `select t.relname as table, k.conname as name, pg_get_constraintdef(k.oid) as definition
     from pg_constraint k
     join pg_class t on t.oid = k.conrelid join pg_class o on o.oid = k.confrelid
     where k.contype = 'f' and t.relnamespace = 'public'::regnamespace
       and (t.relname = any($1) or o.relname = any($1))
     order by t.relname, k.conname`,
    [tables.map(({ name }) => name)],
  )
  return rows
}

async function missingParts(client: pg.ClientBase, hasCitus: boolean): Promise<string[]> {
  if (!hasCitus) {
    return [
      'this database does not have Citus: install it on every machine, add it to ' +
        'shared_preload_libraries, and run "create extension citus" in this database',
    ]
  }
  const { rowCount } = await client.query(
    "select from pg_dist_node where shouldhaveshards and isactive and noderole = 'primary' limit 1",
  )
  if (rowCount !== 0) return []
  return ['Citus has no worker: add each one with "select citus_add_node(HOST, PORT)"']
}

/** What Tradepost has not created. Citus could refuse it, or separate it from its data. */
async function strangeThings(
  client: pg.ClientBase,
  tables: readonly PlannedTable[],
): Promise<string[]> {
  const extensions = await names(
    client,
    'select extname as name from pg_extension where extname <> all($1) order by 1',
    [EXTENSIONS],
  )
  const others = await names(
    client,
    `select c.relname as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('v', 'm', 'f')
       and not exists (select from pg_depend where objid = c.oid and deptype = 'e')
     union all
     select g.tgname || ' on ' || t.relname from pg_trigger g join pg_class t on t.oid = g.tgrelid
     where not g.tgisinternal and t.relnamespace = 'public'::regnamespace
     order by 1`,
  )
  const foreign = await names(
    client,
    `select relname as name from pg_class
     where relname = any($1) and relnamespace = 'public'::regnamespace
       and not pg_has_role(relowner, 'usage')`,
    [tables.map(({ name }) => name)],
  )
  const unknown = tables.filter(
    ({ name, kind }) => kind === 'reference' && !REFERENCE_TABLES.includes(name),
  )
  return [
    ...extensions.map(
      (name) => `the extension ${name} is not known to work with Citus here: drop it`,
    ),
    ...others.map((name) => `Tradepost has not created ${name} (a view or trigger): drop it`),
    ...unknown.map(
      ({ name }) => `Tradepost does not know the table ${name}: move it to another database`,
    ),
    ...foreign.map((name) => `${name} belongs to another role: connect as its owner`),
  ]
}

/** Unique keys of divided tables that more than one machine would have to check. */
async function undividedKeys(
  client: pg.ClientBase,
  tables: readonly PlannedTable[],
): Promise<string[]> {
  const { rows } = await client.query<{ index: string; table: string }>(
    `select i.indexrelid::regclass::text as index, t.relname as table
     from pg_index i join pg_class t on t.oid = i.indrelid
     where (i.indisunique or i.indisexclusion) and t.relnamespace = 'public'::regnamespace
       and t.relname = any($1)
       and not exists (select from pg_attribute a
         where a.attrelid = t.oid and a.attname = 'business_id' and a.attnum = any(i.indkey))
     order by 1`,
    [tables.filter(({ kind }) => kind === 'distributed').map(({ name }) => name)],
  )
  return rows.map(
    ({ index, table }) =>
      `the unique key ${index} of ${table} does not contain business_id: drop it`,
  )
}

/** Foreign keys whose two rows can be on different machines. */
async function crossingForeignKeys(
  client: pg.ClientBase,
  tables: readonly PlannedTable[],
): Promise<string[]> {
  const distributed = tables.filter(({ kind }) => kind === 'distributed').map(({ name }) => name)
  const crossing = await names(
    client,
    `select k.conname || ' of ' || t.relname as name
     from pg_constraint k
     join pg_class t on t.oid = k.conrelid join pg_class o on o.oid = k.confrelid
     where k.contype = 'f' and t.relnamespace = 'public'::regnamespace and o.relname = any($1)
       and not exists (
         select from unnest(k.conkey, k.confkey) as pair (here, there)
         join pg_attribute a on a.attrelid = t.oid and a.attnum = pair.here
         join pg_attribute b on b.attrelid = o.oid and b.attnum = pair.there
         where t.relname = any($1) and a.attname = 'business_id' and b.attname = 'business_id')
     order by 1`,
    [distributed],
  )
  return crossing.map(
    (name) => `the foreign key ${name} leads to a divided table without business_id: drop it`,
  )
}

/** Servers and commands that are connected would read and write tables that are moving. */
async function openSessions(client: pg.ClientBase, hasWork: boolean): Promise<string[]> {
  const says = hasWork && (await connectedSays((text) => client.query(text)))
  return says ? [says] : []
}
