import pg from 'pg'
import { KEEP_ALIVE } from '../client.ts'
import { DROPPED, type ForeignKey, type Plan, type PlannedTable, readPlan } from './plan.ts'

interface Distributed {
  tables: number
  foreignKeys: number
}

/** Reports a step that begins: `done` of `total` steps are complete. */
type OnStep = (label: string, done: number, total: number) => void

/** Runs `work` while no server can start: `withMigrationLock`. */
type Lock = <T>(client: pg.ClientBase, work: () => Promise<T>) => Promise<T>

/** Reads the plan on a separate connection. Changes nothing. */
export const inspectPlan = (connection: pg.ClientConfig): Promise<Plan> =>
  connected(connection, readPlan)

/**
 * Divides the tables of a Citus database among its machines. Other servers that start meanwhile
 * wait, because this holds the lock of migrations. If it is interrupted, the next call continues.
 * Throws an error with all problems of the plan, before anything is changed.
 */
export const distribute = (
  connection: pg.ClientConfig,
  lock: Lock,
  onStep: OnStep,
): Promise<Distributed> =>
  connected(connection, (client) =>
    lock(client, async () => {
      const plan = await readPlan(client)
      if (plan.problems.length > 0) throw new Error(plan.problems.join('; '))
      return carryOut(client, plan, onStep)
    }),
  )

async function connected<T>(
  connection: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionTimeoutMillis: 5_000,
    ...KEEP_ALIVE,
    ...connection,
    application_name: 'tradepost distribute',
  })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Carries out a plan without problems. Each step commits. */
export async function carryOut(
  client: pg.ClientBase,
  { tables, foreignKeys }: Pick<Plan, 'tables' | 'foreignKeys'>,
  onStep: OnStep = () => {},
): Promise<Distributed> {
  const open = tables.filter(({ isDone }) => !isDone)
  if (open.length === 0 && foreignKeys.length === 0) return { tables: 0, foreignKeys: 0 }
  const total = open.length + foreignKeys.length
  await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0')
  await dropForeignKeys(client, foreignKeys)
  let first = tables.find(({ kind, isDone }) => kind === 'distributed' && isDone)
  for (const [i, table] of open.entries()) {
    onStep(table.name, i, total)
    await inTransaction(client, () => move(client, table, first))
    if (table.kind === 'distributed') first ??= table
  }
  for (const [i, key] of foreignKeys.entries()) {
    onStep(key.table, open.length + i, total)
    await inTransaction(client, () => addForeignKey(client, key))
  }
  await client.query(`drop table if exists ${DROPPED}`)
  onStep('', total, total)
  return { tables: open.length, foreignKeys: foreignKeys.length }
}

/** Citus distributes a table only if it has no foreign key to or from one that it has not. */
const dropForeignKeys = (client: pg.ClientBase, keys: readonly ForeignKey[]) =>
  inTransaction(client, async () => {
    await client.query(
      `create table if not exists ${DROPPED} (
         table_name text not null,
         name       text not null,
         definition text not null,
         primary key (table_name, name)
       )`,
    )
    for (const { table, name, definition } of keys) {
      const { rowCount } = await client.query(
        `insert into ${DROPPED} (table_name, name, definition) values ($1, $2, $3)
         on conflict do nothing`,
        [table, name, definition],
      )
      if (rowCount === 0) continue
      await client.query(`alter table ${quoted(table)} drop constraint ${quoted(name)}`)
    }
  })

/** Places all divided tables like the first one, so that a business's rows stay together. */
async function move(
  client: pg.ClientBase,
  { name, kind }: PlannedTable,
  first: PlannedTable | undefined,
): Promise<void> {
  if (kind === 'reference') await client.query('select create_reference_table($1)', [name])
  else {
    await client.query(
      "select create_distributed_table($1, 'business_id', colocate_with => $2::text)",
      [name, first?.name ?? 'none'],
    )
  }
  // Citus copies the rows, and hides the originals.
  await client.query('select truncate_local_data_after_distributing_table($1)', [name])
}

async function addForeignKey(
  client: pg.ClientBase,
  { table, name, definition }: ForeignKey,
): Promise<void> {
  await client.query(`alter table ${quoted(table)} add constraint ${quoted(name)} ${definition}`)
  await client.query(`delete from ${DROPPED} where table_name = $1 and name = $2`, [table, name])
}

const quoted = pg.escapeIdentifier

async function inTransaction(client: pg.ClientBase, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}
