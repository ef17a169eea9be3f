import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { migrate } from './migrate.ts'

const quiet = () => {}
let warnings: string[] = []
const warn = (_fields: object, message: string) => void warnings.push(message)
const log = { info: quiet, warn, error: quiet }

let dir: string
let database: string
let databases = 0

const asRole = (role: 'owner' | 'app' | 'superuser', name = database) => ({
  ...inject('cluster')[role],
  database: name,
})

async function administer(text: string): Promise<void> {
  const admin = new pg.Client(asRole('superuser', 'postgres'))
  await admin.connect()
  await admin.query(text)
  await admin.end()
}

beforeEach(async () => {
  warnings = []
  database = `migrated_${process.pid}_${++databases}`
  await administer(`create database ${database} owner tradepost_owner`)
  dir = mkdtempSync(join(tmpdir(), 'migrations-'))
})

afterEach(async () => {
  rmSync(dir, { recursive: true, force: true })
  await administer(`drop database ${database} with (force)`)
})

const file = (name: string, text: string) => writeFileSync(join(dir, name), text)

async function run(waitMs = 30_000) {
  const { applied } = await migrate({ connect: asRole('owner'), dir, log, waitMs })
  return { applied }
}

async function query(text: string, role: 'owner' | 'app' | 'superuser' = 'owner') {
  const client = new pg.Client(asRole(role))
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

test('files are applied once, in order, and recorded', async () => {
  file('0001_first.sql', 'create table t (id int);\ninsert into t values (1);')
  file('0002_second.sql', 'insert into t select id + 1 from t;')
  expect(await run()).toEqual({ applied: ['0001_first', '0002_second'] })
  expect(await run()).toEqual({ applied: [] })
  file('0003_third.sql', 'insert into t values (3);')
  expect(await run()).toEqual({ applied: ['0003_third'] })
  expect(await query('select id from t order by id')).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
  expect(await query('select version, name from schema_migrations order by version')).toEqual([
    { version: 1, name: '0001_first' },
    { version: 2, name: '0002_second' },
    { version: 3, name: '0003_third' },
  ])
})

test('ten concurrent migrations apply each file once', async () => {
  file('0001_first.sql', 'create table t (id int);')
  file('0002_second.sql', 'select pg_sleep(0.1); insert into t values (1);')
  const results = await Promise.all(Array.from({ length: 10 }, () => run()))
  expect(results.flatMap(({ applied }) => applied).sort()).toEqual(['0001_first', '0002_second'])
  expect(await query('select id from t')).toEqual([{ id: 1 }])
})

test('waiting for another migration times out, and a killed one keeps no lock', async () => {
  file('0001_first.sql', 'create table t (id int);')
  const other = new pg.Client(asRole('owner'))
  other.on('error', () => {})
  await other.connect()
  await other.query('select pg_advisory_lock(1953653092, 10)')
  await expect(run(200)).rejects.toThrow('another server has been migrating this database')
  const { rows } = await other.query('select pg_backend_pid() as pid')
  await query(`select pg_terminate_backend(${rows[0].pid})`, 'superuser')
  expect(await run()).toEqual({ applied: ['0001_first'] })
})

test('a failing file is rolled back, and the error says where and why', async () => {
  file('0001_first.sql', 'create table t (id int);')
  file('0002_second.sql', 'create table u (id int); insert into nowhere values (1);')
  await expect(run()).rejects.toThrow(/^0002_second\.sql could not be applied: .*"nowhere"/)
  expect(await query("select to_regclass('t') is not null as t, to_regclass('u') as u")).toEqual([
    { t: true, u: null },
  ])
  file('0002_second.sql', 'create table u (id int);')
  expect(await run()).toEqual({ applied: ['0002_second'] })
})

test('a lock held for a while is retried, and the log says whose transaction it is', async () => {
  file('0001_first.sql', 'create table t (id int);')
  await run()
  file('0002_second.sql', 'alter table t add column name text;')
  const other = new pg.Client({ ...asRole('owner'), application_name: 'tradepost backup' })
  await other.connect()
  await other.query('begin; lock table t in access share mode')
  const migrated = run()
  // Longer than one attempt waits, so only a second attempt can succeed.
  await other.query('select pg_sleep(3.2)')
  await other.query('commit')
  await other.end()
  expect(await migrated).toEqual({ applied: ['0002_second'] })
  expect(warnings).toEqual([
    expect.stringMatching(
      /^0002_second\.sql is waiting: .*; the oldest transaction is by "tradepost backup" \(/,
    ),
  ])
})

const STEPS = `-- Step by step, so that others write meanwhile.
drop index concurrently if exists t_id;
create index concurrently t_id on t (id);

-- Only its text has a semicolon; within a line.
alter table t validate constraint t_positive;
`

const BEFORE_STEPS = `create table t (id int); insert into t values (1);
  alter table t add constraint t_positive check (id > 0) not valid;`

test('a step-by-step file builds its indexes while others write', async () => {
  file('0001_first.sql', BEFORE_STEPS)
  await run()
  file('0002_second.sql', STEPS)
  const other = new pg.Client(asRole('owner'))
  await other.connect()
  await other.query('begin; insert into t values (2)')
  const migrated = run()
  const isWaiting = () =>
    query(`select from pg_stat_activity
      where application_name = 'tradepost migrate' and wait_event_type = 'Lock'`)
  await expect.poll(async () => (await isWaiting()).length, { timeout: 30_000 }).toBe(1)
  await query("set lock_timeout = '1s'; insert into t values (3)")
  await other.query('commit')
  await other.end()
  expect(await migrated).toEqual({ applied: ['0002_second'] })
  const made = await query(`select i.indisvalid, c.convalidated from pg_index i, pg_constraint c
    where i.indexrelid = 't_id'::regclass and c.conname = 't_positive'`)
  expect(made).toEqual([{ indisvalid: true, convalidated: true }])
})

test('a step-by-step file starts over after a failed step', async () => {
  file('0001_first.sql', BEFORE_STEPS.replace('(1)', '(-1)'))
  await run()
  file('0002_second.sql', STEPS)
  await expect(run()).rejects.toThrow(/^0002_second\.sql could not be applied: .*"t_positive"/)
  await query('delete from t')
  expect(await run()).toEqual({ applied: ['0002_second'] })
})

test('a database newer than the code is rejected', async () => {
  for (const n of [1, 2, 3]) file(`000${n}_x.sql`, `create table t${n} (id int);`)
  await run()
  rmSync(join(dir, '0002_x.sql'))
  rmSync(join(dir, '0003_x.sql'))
  await expect(run()).rejects.toThrow(
    /^the database is at 0003, this code only knows 0001: run the newer/,
  )
})

test('a database with a migration unknown to this code is rejected', async () => {
  for (const n of [1, 2, 3]) file(`000${n}_x.sql`, `create table t${n} (id int);`)
  await run()
  rmSync(join(dir, '0002_x.sql'))
  await expect(run()).rejects.toThrow('the database has 0002_x, which this code does not know')
})

test('a changed file that was already applied is rejected; other line endings are no change', async () => {
  file('0001_first.sql', 'create table t (\n  id int\n);\n')
  await run()
  file('0001_first.sql', 'create table t (\r\n  id int\r\n);\r\n')
  expect(await run()).toEqual({ applied: [] })
  file('0001_first.sql', 'create table t (\n  id bigint\n);\n')
  await expect(run()).rejects.toThrow(/^0001_first\.sql was changed after it was applied/)
})

test('a file numbered below an applied one is rejected', async () => {
  file('0002_second.sql', 'create table t (id int);')
  await run()
  file('0001_first.sql', 'create table u (id int);')
  await expect(run()).rejects.toThrow('0001_first.sql came after 0002 was applied: renumber it')
})

test.each([
  [['1_first.sql'], 'is not named like 0001_name.sql'],
  [['0001_a.sql', '0001_b.sql'], 'have the number 0001'],
])('file names %j are rejected', async (names, message) => {
  for (const name of names) file(name, 'select 1;')
  await expect(run()).rejects.toThrow(message)
})

test('the app role serves requests and cannot change append-only rows', async () => {
  file(
    '0001_first.sql',
    `create table invoices (id int);
     create sequence ids;
     create table events (id int) partition by range (id);
     create table events_1 partition of events for values from (1) to (100);
     create table ledger_transfers (id int);`,
  )
  await run()
  await query('insert into invoices values (1)', 'app')
  await query("update invoices set id = nextval('ids')", 'app')
  await query('delete from invoices', 'app')
  for (const table of ['events', 'events_1', 'ledger_transfers']) {
    await query(`insert into ${table} values (1)`, 'app')
    await query(`select * from ${table}`, 'app')
    for (const change of [
      `update ${table} set id = 2`,
      `delete from ${table}`,
      `truncate ${table}`,
    ]) {
      await expect(query(change, 'app'), change).rejects.toMatchObject({ code: '42501' })
    }
  }
  const forbidden = ['truncate invoices', 'drop table invoices', 'delete from schema_migrations']
  for (const change of [...forbidden, "select setval('ids', 1)", 'create table mine (id int)']) {
    await expect(query(change, 'app'), change).rejects.toMatchObject({ code: '42501' })
  }
})

test('the next start restores rights that have drifted', async () => {
  file('0001_first.sql', 'create table events (id int); create table invoices (id int);')
  await run()
  await query('grant all on events to tradepost_app; revoke all on invoices from tradepost_app')
  await run()
  await expect(query('delete from events', 'app')).rejects.toMatchObject({ code: '42501' })
  await query('delete from invoices', 'app')
})
