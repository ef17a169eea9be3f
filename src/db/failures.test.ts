import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { asOwner, testDatabase } from '../../test/harness.ts'
import {
  isCheckViolation,
  isLockTimeout,
  isLostConnection,
  isRetryable,
  isUnavailable,
  isUniqueViolation,
  restoreFailure,
} from './failures.ts'

const { name, connection } = await testDatabase()
await asOwner(name, (client) =>
  client.query(`create table boxes (id int constraint boxes_id primary key,
    n int constraint boxes_n check (n >= 0)); grant all on boxes to tradepost_app;
    insert into boxes values (1, 1)`),
)

/** Returns a real error of the database or the driver. */
async function errorOf(work: (client: pg.Client) => Promise<unknown>): Promise<unknown> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  try {
    await work(client)
  } catch (error) {
    return error
  } finally {
    await client.end().catch(() => {})
  }
  throw new Error('nothing failed')
}

const raise = (code: string) => (client: pg.Client) =>
  client.query(`do $$ begin raise exception using errcode = '${code}'; end $$`)

const terminate = async (client: pg.Client) => {
  await client.query('select pg_terminate_backend(pg_backend_pid())')
  await client.query('select 1')
}

describe('classification of database failures', () => {
  test.each([
    ['40001', 'again'],
    ['40P01', 'again'],
    ['53100', 'unavailable'],
    ['53200', 'unavailable'],
    ['53300', 'unavailable'],
    ['58030', 'unavailable'],
    ['55P03', 'unavailable'],
    ['57014', 'unavailable'],
    ['25006', 'unavailable'],
    ['28P01', 'unavailable'],
    ['40003', 'lost'],
    ['57P04', 'lost'],
    ['25P04', 'lost'],
    ['57P01', 'lost'],
    ['57P02', 'lost'],
    ['57P03', 'lost'],
    ['57P05', 'lost'],
    ['08006', 'lost'],
    ['25P03', 'lost'],
    ['22P02', 'ours'],
    ['23505', 'ours'],
    ['42P01', 'ours'],
    ['42501', 'ours'],
    ['P0001', 'ours'],
    ['XX000', 'ours'],
  ])('%s is %s', async (code, meaning) => {
    const error = await errorOf(raise(code))
    expect({
      again: isRetryable(error),
      lost: isLostConnection(error),
      unavailable: isUnavailable(error),
    }).toEqual({
      again: meaning === 'again',
      lost: meaning === 'lost',
      unavailable: meaning === 'lost' || meaning === 'unavailable',
    })
  })

  test('a killed session, a closed server and a wrong address count as lost connections', async () => {
    expect(isLostConnection(await errorOf(terminate))).toBe(true)
    for (const wrong of [
      { host: '127.0.0.1', port: 1 },
      { host: '/nowhere', port: 1 },
    ]) {
      const client = new pg.Client({ ...connection, ...wrong })
      const refusal = await client.connect().catch((error: unknown) => error)
      expect(isLostConnection(refusal)).toBe(true)
    }
  })

  test('a query without a response does too', async () => {
    const client = new pg.Client({ ...connection, query_timeout: 50 })
    await client.connect()
    const silence = await client.query('select pg_sleep(1)').catch((error: unknown) => error)
    expect(isLostConnection(silence)).toBe(true)
    await client.end()
  })

  test('an error from elsewhere is ours', () => {
    for (const error of [undefined, null, 'text', new TypeError('x'), { code: 7 }]) {
      expect([isRetryable(error), isUnavailable(error), isLockTimeout(error)]).toEqual([
        false,
        false,
        false,
      ])
    }
  })
})

describe('a rejected row', () => {
  test('is identified by the name of its constraint', async () => {
    const twice = await errorOf((client) => client.query('insert into boxes values (1, 1)'))
    expect(isUniqueViolation(twice)).toBe(true)
    expect(isUniqueViolation(twice, 'boxes_id')).toBe(true)
    expect(isUniqueViolation(twice, 'boxes_n')).toBe(false)
    const negative = await errorOf((client) => client.query('update boxes set n = -1'))
    expect(isCheckViolation(negative, 'boxes_n')).toBe(true)
    expect(isCheckViolation(negative, 'boxes_id')).toBe(false)
    expect(isUniqueViolation(negative)).toBe(false)
  })
})

describe('an error of a machine that Citus passes on', () => {
  const restored = (message: string, code: string) => {
    const error = Object.assign(new Error(message), { code })
    restoreFailure(error)
    return error
  }

  test('gets its constraint, without the number of the part', () => {
    const message = 'duplicate key value violates unique constraint "idempotency_keys_pkey_102368"'
    for (const code of ['23505', 'XX000']) {
      expect(isUniqueViolation(restored(message, code), 'idempotency_keys_pkey')).toBe(true)
    }
    const check = 'new row for relation "boxes_102009" violates check constraint "boxes_n_102009"'
    expect(isCheckViolation(restored(check, 'XX000'), 'boxes_n')).toBe(true)
  })

  test('gets its code while rows are copied, and another keeps its own', () => {
    expect(isLockTimeout(restored('canceling statement due to lock timeout', 'XX000'))).toBe(true)
    expect(isRetryable(restored('deadlock detected', 'XX000'))).toBe(true)
    expect(restored('something else', 'XX000')).toMatchObject({ code: 'XX000' })
    expect(restored('deadlock detected', '42601')).toMatchObject({ code: '42601' })
  })
})
