import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { commandsOn } from '../../src/cli/cli.fixture.ts'
import { MIGRATIONS } from '../../src/db/connect.ts'
import { distribute } from '../../src/db/distributed/distribute.ts'
import { migrate, withMigrationLock } from '../../src/db/migrate.ts'
import { type Citus, on, openCitus } from './cluster.ts'

const name = 'test_0123456789ab'
const silent = { info() {}, warn() {}, error() {} }
const [coordinator] = inject('cluster').nodes
const connection = { ...coordinator!, database: name }

let citus: Citus
let directory: string

beforeAll(async () => {
  citus = await openCitus(process.env.CITUS_URL!)
  for (const node of citus.nodes) {
    await on({ ...node, database: 'postgres' }, (client) => client.query(`create database ${name}`))
  }
  await citus.prepare(name)
  directory = await mkdtemp(join(tmpdir(), 'tradepost-migrations-'))
})
afterAll(async () => {
  for (const node of citus.nodes) {
    await on({ ...node, database: 'postgres' }, (client) =>
      client.query(`drop database ${name} with (force)`),
    )
  }
  await rm(directory, { recursive: true })
})

const foreignKeys = () =>
  on(connection, async (client) => {
    const { rows } = await client.query(
      `select conrelid::regclass::text as table, conname, pg_get_constraintdef(oid), convalidated
       from pg_constraint where contype = 'f' and conrelid::regclass::text !~ '_\\d+$'
         and connamespace = 'public'::regnamespace order by 1, 2`,
    )
    return rows
  })

test('keeps rows and foreign keys, continues after an interruption, and runs again', {
  timeout: 300_000,
}, async () => {
  await migrate({ connect: connection, dir: MIGRATIONS, log: silent })
  const { json, tradepost } = commandsOn(name)
  const { id } = await json('business', 'create', 'Ada Ventures')
  const before = await foreignKeys()
  expect(before.length).toBeGreaterThan(80)

  const interrupted = distribute(connection, withMigrationLock, (table) => {
    if (table === 'invoices') throw new Error('interrupted')
  })
  await expect(interrupted).rejects.toThrow('interrupted')
  expect((await tradepost('business', 'list')).stderr).toContain('run tradepost distribute again')
  const { tables } = await json('distribute')
  expect(tables).toBeGreaterThan(0)
  expect(tables).toBeLessThan(100)
  expect(await json('distribute')).toEqual({ tables: 0, foreignKeys: 0 })

  expect(await foreignKeys()).toEqual(before)
  expect((await json('business', 'list')).map((one: { id: number }) => one.id)).toContain(id)
  await on(connection, async (client) => {
    const { rows } = await client.query(
      `select count(distinct colocationid)::int as places from pg_dist_partition where partmethod = 'h'`,
    )
    expect(rows).toEqual([{ places: 1 }])
  })
})

test('a migration distributes the tables that it creates, so that the next can add foreign keys', async () => {
  await cp(MIGRATIONS, directory, { recursive: true })
  await writeFile(
    join(directory, '9998_shelves.sql'),
    `create table shelves (
       business_id bigint not null references businesses (id), live boolean not null,
       id bigint not null, invoice_id bigint,
       primary key (business_id, live, id)
     );`,
  )
  await writeFile(
    join(directory, '9999_keys_of_shelves.sql'),
    `-- Step by step
     alter table shelves add constraint shelves_invoice
       foreign key (business_id, live, invoice_id) references invoices (business_id, live, id);`,
  )
  expect(await migrate({ connect: connection, dir: directory, log: silent })).toEqual({
    applied: ['9998_shelves', '9999_keys_of_shelves'],
    isDivided: true,
  })
  await on(connection, async (client) => {
    const { rows } = await client.query(
      "select partmethod from pg_dist_partition where logicalrelid = 'shelves'::regclass",
    )
    expect(rows).toEqual([{ partmethod: 'h' }])
  })
  const keys = await foreignKeys()
  expect(keys).toContainEqual(expect.objectContaining({ conname: 'shelves_invoice' }))
})
