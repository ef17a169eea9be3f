import { expect, test } from 'vitest'
import { asOwner, testDatabase } from '../../test/harness.ts'
import { planJob } from '../jobs/maintenance.ts'
import { openWriter } from './dedicated-connection.ts'
import { PLAN_EACH_TIME } from './sql.ts'

const { db, name } = await testDatabase({ connectionsMax: 2 })
await asOwner(name, async (client) => {
  await client.query('create table crates (id int primary key, text text, n int)')
  await client.query('grant select, insert on crates to tradepost_app')
})

test('a prepared statement is planned once, not for each value', async () => {
  await db.transaction(async (tx) => {
    for (let id = 0; id < 5; id++) await tx.many`select n from crates where id = ${id}`
    const plans = await tx.one`
      select generic_plans, custom_plans from pg_prepared_statements
      where statement like 'select n from crates%'`
    expect(plans).toEqual({ generic_plans: 5, custom_plans: 0 })
  })
})

test.each([
  ["it's"],
  ['back\\slash'],
  ['$1'],
  ['{"a"}'],
  [null],
  [12],
  [true],
  [new Date('2026-01-02T03:04:05.678Z')],
  [['a', "b'c", 'd"e\\', '{}', 'null', '']],
])('a statement that is planned each time gets %j as any other does', async (value) => {
  const type = Array.isArray(value)
    ? 'text[]'
    : value instanceof Date
      ? 'timestamptz'
      : { string: 'text', number: 'int', boolean: 'boolean', object: 'text' }[
          typeof value as string
        ]
  const strings = (start: string) => {
    const parts = [start, `::${type} as value`]
    return Object.assign(parts, { raw: parts }) as unknown as TemplateStringsArray
  }
  const each = await db.one(
    Object.assign(['', ' select ', `::${type} as value`], { raw: [] }) as never,
    PLAN_EACH_TIME,
    value,
  )
  expect(each).toEqual(await db.one(strings('select '), value))
  expect(each).toEqual({ value })
})

test('plans are thrown away on every connection when a table has doubled', async () => {
  const job = planJob()
  const writer = openWriter(db)
  const pid = async () => (await writer.query({ text: 'select pg_backend_pid()', values: [] })).rows
  await job.run(db, new Date())
  const before = db.generation()
  await job.run(db, new Date())
  expect(db.generation()).toBe(before)
  const writerPid = await pid()

  // Planned while the table is empty.
  const found = () => db.many`select id from crates where text = ${'x'}`
  await found()
  await db.run`
    insert into crates select i, repeat('x', 500), i from generate_series(1, 5000) i`
  await job.run(db, new Date())
  expect(db.generation()).toBe(before + 1)
  await found()
  expect(await pid()).not.toEqual(writerPid)

  await db.run`insert into crates select i, 'x', i from generate_series(5001, 5100) i`
  await job.run(db, new Date())
  expect(db.generation()).toBe(before + 1)
})
