import { expect, test } from 'vitest'
import { asOwner, startServer, testDatabase } from '../../test/harness.ts'
import { commandsOn, expectRefused, openHome } from './cli.fixture.ts'

const { tradepost } = await openHome()

async function planOf(name: string) {
  const { status, stdout } = await commandsOn(name).tradepost('distribute', '--dry-run', '--json')
  return { status, ...JSON.parse(stdout) }
}

test('--dry-run prints the plan; all tables and keys of this version can be distributed', async () => {
  const { name } = await testDatabase()
  const { status, tables, foreignKeys, problems } = await planOf(name)
  expect(status).toBe(1)
  expect(problems).toEqual([expect.stringMatching(/^this database does not have Citus: install/)])
  expect(tables).toContainEqual({
    name: 'people',
    kind: 'reference',
    isDone: false,
    bytes: expect.any(Number),
  })
  const kindOf = (table: string) => tables.find((one: { name: string }) => one.name === table).kind
  expect(kindOf('invoices')).toBe('distributed')
  expect(kindOf('page_links')).toBe('reference')
  expect(foreignKeys).toContainEqual({
    table: 'members',
    name: 'members_person_id_fkey',
    definition: 'FOREIGN KEY (person_id) REFERENCES people(id)',
  })

  const { stdout } = await commandsOn(name).tradepost('distribute', '--dry-run')
  expect(stdout).toMatch(/^invoices +distributed +\d/m)
  expect(stdout).toContain('\nWhat prevents it:\n- this database does not have Citus')
})

test('says what prevents it, and changes nothing', async () => {
  const { name } = await testDatabase()
  await asOwner(name, async (client) => {
    await client.query('create table shelves (id int primary key)')
    await client.query('create view paid as select * from invoices')
    await client.query('create unique index notes_only on order_notes (id)')
    await client.query('alter table people add column invoice_id bigint, add column place bigint')
    await client.query('alter table people add column live boolean')
    await client.query(
      `alter table people add constraint crossing
       foreign key (place, live, invoice_id) references invoices (business_id, live, id)`,
    )
  })
  const before = await planOf(name)
  expect(before.problems.slice(1)).toEqual([
    'Tradepost has not created paid (a view or trigger): drop it',
    'Tradepost does not know the table shelves: move it to another database',
    'the unique key notes_only of order_notes does not contain business_id: drop it',
    'the foreign key crossing of people leads to a divided table without business_id: drop it',
  ])
  expectRefused(
    await commandsOn(name).tradepost('distribute'),
    1,
    'error: this database does not have Citus',
  )
  expect(await planOf(name)).toEqual(before)
})

test('asks to stop the servers first, and to migrate', async () => {
  const server = await startServer({ jobs: false })
  expect((await planOf(server.name)).problems).toContainEqual(
    expect.stringMatching(
      /^servers or commands are connected \(\d+ connections\): stop them first$/,
    ),
  )
  await asOwner(server.name, (client) =>
    client.query('delete from schema_migrations where version > 90'),
  )
  expectRefused(
    await commandsOn(server.name).tradepost('distribute', '--dry-run'),
    1,
    'migrations are missing: run tradepost migrate first',
  )
})

test('2 for the embedded database', async () => {
  expectRefused(await tradepost(['distribute']), 2, 'the embedded database cannot be distributed')
})

test('servers do not start between an interrupted run and the next', async () => {
  const { name } = await testDatabase()
  await asOwner(name, (client) =>
    client.query(
      'create table distribution_foreign_keys (table_name text, name text, definition text)',
    ),
  )
  expectRefused(
    await commandsOn(name).tradepost('business', 'list'),
    1,
    'the database is not distributed completely: run tradepost distribute again',
  )
})
