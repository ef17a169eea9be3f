import pg from 'pg'
import { afterAll, expect, inject, test } from 'vitest'
import { asOwner, testDatabase } from '../../test/harness.ts'
import { commandsOn, databaseSettings, expectRefused, openHome } from './cli.fixture.ts'

const { tradepost, tradepostApart } = await openHome()

test('0 applies what is missing, once, and names it', async () => {
  const { name } = await testDatabase()
  const { tradepost: onDatabase, json } = commandsOn(name)
  expect(await json('migrate')).toEqual({ applied: [] })
  const { stdout } = await onDatabase('migrate')
  expect(stdout).toBe('The database is already up to date.\n')

  await asOwner(name, async (client) => {
    await client.query('drop schema public cascade')
    await client.query('create schema public')
  })
  const [one, other] = await Promise.all([json('migrate'), json('migrate')])
  const applied = [...one.applied, ...other.applied]
  expect(applied[0]).toMatch(/^0001_/)
  expect(new Set(applied).size).toBe(applied.length)
  expect(await json('business', 'list')).toEqual([])
})

test('3 creates no embedded database', async () => {
  expectRefused(await tradepost(['migrate']), 3, 'there is no database')
})

async function asSuperuser(statement: string): Promise<void> {
  const client = new pg.Client(inject('cluster').superuser)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

test('1 for a database that is not UTF-8, like start, doctor and audit', async () => {
  const name = `latin_${process.pid}`
  const { user } = inject('cluster').owner
  await asSuperuser(
    `create database ${name} owner ${user} template template0 encoding 'LATIN1' locale 'C'`,
  )
  afterAll(() => asSuperuser(`drop database ${name} with (force)`))
  const says = 'the encoding of the database is LATIN1, and Tradepost needs UTF8: create another'
  const settings = databaseSettings(name)
  expectRefused(await tradepost(['migrate'], settings), 1, says)
  expectRefused(await tradepostApart(['start'], settings), 1, says)

  const { status, stdout } = await tradepost(['doctor', '--json'], settings)
  expect(status).toBe(1)
  expect(JSON.parse(stdout).checks).toContainEqual({
    name: 'database',
    level: 'bad',
    says: 'the encoding of the database is LATIN1, and Tradepost needs UTF8',
    fix: "create another one with: create database NAME template template0 encoding 'UTF8'",
  })

  // Nothing was created, and a database whose tables are already there is refused as well.
  const client = new pg.Client({ ...inject('cluster').owner, database: name })
  await client.connect()
  const { rows } = await client.query("select to_regclass('schema_migrations') as made")
  expect(rows).toEqual([{ made: null }])
  await client.query('create table schema_migrations (version int)')
  await client.end()
  expectRefused(await tradepost(['audit'], settings), 1, says)
})
