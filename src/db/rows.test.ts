import type pg from 'pg'
import { expect, test } from 'vitest'
import { testDatabase } from '../../test/harness.ts'
import { fc } from '../../test/property.ts'
import { parseTime } from './rows.ts'

const { db } = await testDatabase()

test.each([
  ['UTC', '2026-11-02 10:10:05.123456+00', '2026-11-02T10:10:05.123Z'],
  ['UTC', '2026-11-02 10:10:05.1+00', '2026-11-02T10:10:05.100Z'],
  ['UTC', '2026-02-28 23:59:59+00', '2026-02-28T23:59:59.000Z'],
  ['UTC', '1000-01-01 00:00:00+00', '1000-01-01T00:00:00.000Z'],
  ['UTC', '0044-03-15 12:00:00+00', '0044-03-15T12:00:00.000Z'],
  ['UTC', '12026-11-02 10:10:05.5+00', '+012026-11-02T10:10:05.500Z'],
  ['Africa/Lagos', '2026-11-02 10:10:05.12+01', '2026-11-02T09:10:05.120Z'],
  ['Asia/Kolkata', '2026-11-02 10:10:05.12+05:30', '2026-11-02T04:40:05.120Z'],
  ['America/St_Johns', '2026-11-02 10:10:05-03:30', '2026-11-02T13:40:05.000Z'],
])('in %s, %s is read as a time', async (zone, text, expected) => {
  const row = await db.transaction(async (tx) => {
    await tx.one`select set_config('timezone', ${zone}, true)`
    return tx.one<{ at: Date; shown: string }>`
      select ${text}::timestamptz as at, ${text}::timestamptz::text as shown`
  })
  expect([row.at.toISOString(), row.shown]).toEqual([expected, text])
})

test('every time is read to the millisecond', () => {
  const time = fc.date({
    min: new Date('1000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(time, (at) => {
      // As PostgreSQL prints it.
      const text = at
        .toISOString()
        .replace('T', ' ')
        .replace(/\.?0*Z$/, '+00')
      expect(parseTime(text)).toEqual(at)
    }),
  )
})

test('columns have the types that `Db` promises, and those without a type are text', async () => {
  const row = await db.one`
    select 9007199254740993::bigint as big_minor, -5::bigint as count, null::bigint as none_minor,
      null::bigint as none, 1.50::numeric as exact, true as yes, '{"a":1}'::jsonb as json,
      '2026-11-02'::date as day, '\\x00ff'::bytea as bytes, null::timestamptz as never,
      '{1,2}'::int[] as list, 'x'::varchar as "a ""quoted"" name\n"`
  expect(row).toEqual({
    big_minor: 9007199254740993n,
    count: -5,
    none_minor: null,
    none: null,
    exact: '1.50',
    yes: true,
    json: { a: 1 },
    day: '2026-11-02',
    bytes: Buffer.from([0, 255]),
    never: null,
    list: [1, 2],
    'a "quoted" name\n': 'x',
  })
})

test('columns of the same names can have other types in another statement', async () => {
  expect(await db.one`select 1::bigint as value, 'x' as other`).toEqual({ value: 1, other: 'x' })
  expect(await db.one`select 'y' as value, 2 as other`).toEqual({ value: 'y', other: 2 })
})

test('a statement with its own limit reads rows in the same way', async () => {
  const read = db.transaction((tx) => tx.one`select 3::bigint as value_minor`, {
    statementMs: 5_000,
  })
  expect(await read).toEqual({ value_minor: 3n })
  const late = db.transaction((tx) => tx.one`select pg_sleep(5)`, { statementMs: 50 })
  await expect(late).rejects.toMatchObject({ code: 'database_unavailable' })
})

test('several statements at once return several results', async () => {
  const results = await db.withClient((client) => client.query('select 1 as a; select 2 as b'))
  expect((results as unknown as pg.QueryResult[]).map(({ rows }) => rows)).toEqual([
    [{ a: 1 }],
    [{ b: 2 }],
  ])
})
