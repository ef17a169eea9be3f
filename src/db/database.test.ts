import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { startProxy } from '../../test/db-proxy.ts'
import { asOwner, testDatabase } from '../../test/harness.ts'
import { Problem } from '../lib/problem.ts'
import { openDatabase, type Tx } from './database.ts'

const { db, name, connection } = await testDatabase()
await asOwner(name, async (client) => {
  await client.query('create table boxes (id int primary key, n int not null check (n >= 0))')
  await client.query('grant select, insert, update, delete on boxes to tradepost_app')
  await client.query('insert into boxes select i, 0 from generate_series(1, 10) i')
})
const inBox = async (id: number) =>
  (await db.one<{ n: number }>`select n from boxes where id = ${id}`).n
const add = (tx: Tx, id: number, n = 1) => tx.run`update boxes set n = n + ${n} where id = ${id}`

/** Returns the Problem that a piece of work fails with. */
async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    () => undefined,
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(Problem)
  return error
}

/** Opens for all as soon as this many have arrived. */
function gate(wanted: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let arrived = 0
  return () => {
    arrived++
    if (arrived >= wanted) resolve()
    return promise
  }
}

describe('the number of rows', () => {
  const rows = (n: number) => db.many<{ i: number }>`select * from generate_series(1, ${n}::int) i`

  test('one expects exactly one', async () => {
    expect(await db.one`select 7 as n`).toEqual({ n: 7 })
    await expect(db.one`select 7 as n where false`).rejects.toThrow(/^0 rows came back/)
    await expect(db.one`select generate_series(1, 2)`).rejects.toThrow(/^2 rows came back/)
  })

  test('maybe expects one or none', async () => {
    expect(await db.maybe`select 7 as n`).toEqual({ n: 7 })
    expect(await db.maybe`select 7 as n where false`).toBeUndefined()
    await expect(db.maybe`select generate_series(1, 2)`).rejects.toThrow(/^2 rows came back/)
  })

  test('many takes any number', async () => {
    expect(await rows(0)).toEqual([])
    expect(await rows(3)).toEqual([{ i: 1 }, { i: 2 }, { i: 3 }])
  })

  test('run returns how many were affected', async () => {
    expect(await db.run`update boxes set n = n where id <= ${3}`).toBe(3)
    expect(await db.run`update boxes set n = n where false`).toBe(0)
  })
})

describe('values', () => {
  test('of *_minor are bigint, other integers are numbers, timestamps are Dates', async () => {
    const row = await db.one`select 9007199254740993::int8 as paid_minor, 12::int8 as id,
      null::int8 as other_minor, '2026-01-02T03:04:05.678Z'::timestamptz as at`
    expect(row).toEqual({
      paid_minor: 9_007_199_254_740_993n,
      id: 12,
      other_minor: null,
      at: new Date('2026-01-02T03:04:05.678Z'),
    })
  })

  test('never become part of the statement', async () => {
    const evil = "'; drop table boxes; --"
    expect(await db.one`select ${evil}::text as said`).toEqual({ said: evil })
    expect(await inBox(1)).toBe(0)
  })
})

describe('a transaction', () => {
  test('keeps nothing when its work throws', async () => {
    const work = db.transaction(async (tx) => {
      await add(tx, 1)
      throw new Error('no')
    })
    await expect(work).rejects.toThrow('no')
    expect(await inBox(1)).toBe(0)
  })

  test('runs its after effects after the commit, and never after a rollback', async () => {
    const seen: string[] = []
    await db.transaction(async (tx) => {
      tx.after(() => seen.push('committed'))
      await add(tx, 2)
      expect(seen).toEqual([])
    })
    await db
      .transaction(async (tx) => {
        tx.after(() => seen.push('rolled back'))
        await add(tx, 2, -100)
      })
      .catch(() => {})
    expect(seen).toEqual(['committed'])
    expect(await inBox(2)).toBe(1)
  })

  test('does not count as committed when an error inside it was swallowed', async () => {
    const work = db.transaction(async (tx) => {
      await add(tx, 1)
      await add(tx, 1, -100).catch(() => {})
      return 'done'
    })
    await expect(work).rejects.toThrow('The transaction was rolled back (ROLLBACK)')
    expect(await inBox(1)).toBe(0)
  })

  test('runs again after a deadlock, until both transactions succeed', async () => {
    const both = gate(2)
    let runs = 0
    const lockInOrder = (first: number, second: number) =>
      db.transaction(async (tx) => {
        runs++
        await add(tx, first)
        await both()
        await add(tx, second)
      })
    await Promise.all([lockInOrder(3, 4), lockInOrder(4, 3)])
    expect(runs).toBe(3)
    expect([await inBox(3), await inBox(4)]).toEqual([2, 2])
  })

  test('runs again after a serialisation failure', async () => {
    const both = gate(2)
    let runs = 0
    const addWhatIsSeen = () =>
      db.transaction(async (tx) => {
        runs++
        await tx.run`set transaction isolation level repeatable read`
        const { n } = await tx.one<{ n: number }>`select n from boxes where id = 5`
        await both()
        await tx.run`update boxes set n = ${n + 1} where id = 5`
      })
    await Promise.all([addWhatIsSeen(), addWhatIsSeen()])
    expect(runs).toBe(3)
    expect(await inBox(5)).toBe(2)
  })

  test('gives up after six attempts', async () => {
    let runs = 0
    const work = db.transaction(async (tx) => {
      runs++
      await tx.run`do $$ begin raise exception using errcode = '40001', message = 'again'; end $$`
    })
    await expect(work).rejects.toThrow('again')
    expect(runs).toBe(6)
  })

  test('is committed, and its other effects run, even if an effect fails', async () => {
    const errors: unknown[] = []
    const own = openDatabase({
      connection,
      connectionsMax: 1,
      onError: (...error) => errors.push(error),
    })
    onTestFinished(() => own.close())
    const failure = new Error('out of order')
    let runs = 0
    const done = await own.transaction(async (tx) => {
      await add(tx, 8)
      tx.after(() => {
        throw failure
      })
      tx.after(() => runs++)
      return 'done'
    })
    expect([done, runs, errors]).toEqual(['done', 1, [[failure, 'an effect of a commit failed']]])
    expect(await inBox(8)).toBe(1)
  })

  test('that waits too long for a lock has done nothing', async () => {
    const holder = new pg.Client(connection)
    await holder.connect()
    onTestFinished(() => holder.end())
    await holder.query('begin; update boxes set n = n where id = 6')
    const problem = await problemOf(db.transaction((tx) => add(tx, 6)))
    expect(problem).toMatchObject({ kind: 'unavailable', code: 'database_unavailable' })
    await holder.query('rollback')
    expect(await inBox(6)).toBe(0)
  })

  test('with a statement that takes too long has done nothing', async () => {
    const work = db.transaction(async (tx) => {
      await add(tx, 6)
      await tx.run`set local statement_timeout = 20`
      await tx.run`select pg_sleep(60)`
    })
    expect(await problemOf(work)).toMatchObject({
      kind: 'unavailable',
      code: 'database_unavailable',
      retryAfterSeconds: 1,
    })
    expect(await inBox(6)).toBe(0)
  })
})

describe('connections', () => {
  test('have time-outs, because PostgreSQL has none by default', async () => {
    const settings = await db.many`select name, setting from pg_settings where name in
      ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') order by name`
    expect(settings).toEqual([
      { name: 'idle_in_transaction_session_timeout', setting: '10000' },
      { name: 'lock_timeout', setting: '2000' },
      { name: 'statement_timeout', setting: '10000' },
    ])
  })

  test('that are killed, idle or in use, are replaced without ending the process', async () => {
    const lost: Error[] = []
    const own = openDatabase({ connection, connectionsMax: 4, onError: (e) => lost.push(e) })
    onTestFinished(() => own.close())
    const kill = (pid: number) => db.one`select pg_terminate_backend(${pid})`

    const idle = await own.one<{ pid: number }>`select pg_backend_pid() as pid`
    await kill(idle.pid)
    await expect.poll(() => lost.length).toBeGreaterThan(0)
    expect(own.stats().total).toBe(0)

    const inUse = own.transaction(async (tx) => {
      const { pid } = await tx.one<{ pid: number }>`select pg_backend_pid() as pid`
      await add(tx, 7)
      await kill(pid)
      // The loss arrives while none of our queries is running.
      await sleep(50)
      await add(tx, 7)
    })
    expect(await problemOf(inUse)).toMatchObject({ kind: 'unavailable' })
    expect(await inBox(7)).toBe(0)
    expect(await own.one`select 1 as n`).toEqual({ n: 1 })
  })

  test('that break are not used again, even if the work swallowed the error', async () => {
    const own = openDatabase({ connection, connectionsMax: 1 })
    onTestFinished(() => own.close())
    const work = own.withClient(async (client) => {
      const { rows } = await client.query('select pg_backend_pid() as pid')
      await db.one`select pg_terminate_backend(${rows[0].pid})`
      await client.query('select 1')
    })
    await expect(work).rejects.toThrow()
    expect(await own.one`select 1 as n`).toEqual({ n: 1 })
  })

  test('that are all in use are waited for, up to a limit', async () => {
    const own = openDatabase({ connection, connectionsMax: 2 })
    onTestFinished(() => own.close())
    const { promise, resolve } = Promise.withResolvers<void>()
    const busy = [1, 2].map(() => own.transaction(() => promise))
    const late = problemOf(own.transaction((tx) => add(tx, 8)))
    expect(await late).toMatchObject({ kind: 'unavailable', code: 'database_unavailable' })
    expect(own.stats()).toEqual({ total: 2, idle: 0, waiting: 0 })
    resolve()
    await Promise.all(busy)
    expect(await own.transaction((tx) => add(tx, 8))).toBe(1)
  })

  test('prepare each statement once, or never behind a pooler that does not support it', async () => {
    for (const prepare of [true, false]) {
      const own = openDatabase({ connection, connectionsMax: 1, prepare })
      for (let i = 0; i < 3; i++) await own.one`select ${i}::int as n`
      const prepared = await own.many`
        select statement from pg_prepared_statements where statement like '%::int as n'`
      expect(prepared).toHaveLength(prepare ? 1 : 0)
      await own.close()
    }
  })
})

describe('a commit', async () => {
  const line = await startProxy(connection)
  const far = openDatabase({ connection: line.connection, connectionsMax: 2 })
  afterAll(() => far.close())

  test('with a lost response is neither reported as undone nor run again', async () => {
    let runs = 0
    void line.cutAfter('commit')
    const work = far.transaction(async (tx) => {
      runs++
      await add(tx, 9)
    })
    expect(await problemOf(work)).toMatchObject({ kind: 'internal', code: 'outcome_unknown' })
    expect(runs).toBe(1)
    await expect.poll(() => inBox(9)).toBe(1)
    line.restore()
  })

  test('that was never sent is reported as not done', async () => {
    await expect.poll(() => far.one`select 1 as n`.catch(() => undefined)).toEqual({ n: 1 })
    const work = far.transaction(async (tx) => {
      await add(tx, 10)
      line.cut()
      await add(tx, 10)
    })
    expect(await problemOf(work)).toMatchObject({ kind: 'unavailable' })
    expect(await inBox(10)).toBe(0)
  })
})
