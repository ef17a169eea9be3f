import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startProxy } from '../../test/db-proxy.ts'
import {
  asOwner,
  type Reply,
  sessionsWaiting,
  startSecond,
  startServer,
} from '../../test/harness.ts'
import { nextReply, openSocket } from '../../test/raw.ts'

const PATH = '/api/payment-service/external/v1/invoices'
const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'
const PROFILE = '/api/user-service/external/v1/profile'
const SETTINGS = '/api/user-service/external/v1/profile/settings'
const INVOICE = { customerEmail: 'ada@example.com', amount: 5 }
const key = (value: string) => ({ 'idempotency-key': value })

const first = await startServer()
const count = async () => (await first.db.one<{ n: number }>`select count(*) as n from invoices`).n

/** A second client's connection, closed after the test. */
async function stranger(): Promise<pg.Client> {
  const client = new pg.Client(first.connection)
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** Waits until this many sessions of the database are waiting for a lock. */
async function untilWaiting(waiting: number): Promise<void> {
  await expect.poll(() => sessionsWaiting(first.name)).toBe(waiting)
}

function expectUnavailable({ status, body, headers }: Reply): void {
  expect([status, body.errorCode]).toEqual([503, 'database_unavailable'])
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  expect(headers.get('x-request-id')).toBe(body.requestId)
}

describe('the database is gone', async () => {
  const line = await startProxy(first.connection)
  // Its request log would commit on its own and release work that waits for a commit.
  const requestLog = { days: 0 }
  const server = await startSecond(first, { connection: line.connection, requestLog })
  const { get, post, put } = server

  test('503 with Retry-After; live but not ready; recovers on its own', async () => {
    expect((await post(PATH, INVOICE)).status).toBe(201)
    expect((await get('/health/ready')).status).toBe(200)
    const before = await count()
    line.cut()

    expectUnavailable(await get(PATH))
    expectUnavailable(await post(PATH, INVOICE))
    expectUnavailable(await post(PATH, INVOICE, key('gone')))
    expectUnavailable(await put(SETTINGS, { feeBearer: 'customer' }))
    expectUnavailable(await get('/health/ready'))
    expect((await get('/health/live')).status).toBe(200)
    const page = await fetch(`${server.url}/i/1t-1-${'x'.repeat(22)}`)
    expect([page.status, page.headers.get('content-type')]).toEqual([
      503,
      'text/html; charset=utf-8',
    ])
    expect(await count()).toBe(before)

    line.restore()
    await expect.poll(async () => (await get('/health/ready')).status).toBe(200)
    expect((await post(PATH, INVOICE, key('gone'))).status).toBe(201)
    expect((await get(PATH)).status).toBe(200)
    expect(await count()).toBe(before + 1)
  })

  test('503 with Retry-After when the connection is silently dead', async () => {
    expect((await get(PATH)).status).toBe(200)
    line.freeze()
    const late = Promise.all([get(PATH), put(SETTINGS, { feeBearer: 'customer' })])
    expectUnavailable(await get('/health/ready'))
    expect((await get('/health/live')).status).toBe(200)
    for (const reply of await late) expectUnavailable(reply)

    line.restore()
    await expect.poll(async () => (await get(PATH)).status).toBe(200)
  }, 30_000)

  test('500 outcome_unknown when a commit’s reply is lost; the same key finds it', async () => {
    const change = { origins: ['https://lost.example'] }
    void line.cutAfter('commit')
    const lost = await put(SETTINGS, change, key('lost-answer'))
    expect([lost.status, lost.body.errorCode]).toEqual([500, 'outcome_unknown'])

    line.restore()
    await expect.poll(async () => (await get('/health/ready')).status).toBe(200)
    const found = await put(SETTINGS, change, key('lost-answer'))
    expect([found.status, found.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(found.body.data.origins).toEqual(['https://lost.example'])
  })

  test('500 outcome_unknown when a batch’s reply is lost; the same key finds it', async () => {
    expect((await post(PATH, INVOICE)).status).toBe(201)
    const before = await count()
    void line.cutAfter('lost-batch')
    const lost = await post(PATH, INVOICE, key('lost-batch'))
    expect([lost.status, lost.body.errorCode]).toEqual([500, 'outcome_unknown'])

    line.restore()
    await expect.poll(async () => (await get('/health/ready')).status).toBe(200)
    const found = await post(PATH, INVOICE, key('lost-batch'))
    expect([found.status, found.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expect(await count()).toBe(before + 1)
  })

  test('201 soon after all connections were killed, and the process survives', async () => {
    const killer = await stranger()
    const kill = () =>
      killer.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`)
    const statuses = new Set<number>()
    for (let round = 0; round < 5; round++) {
      const during = Array.from({ length: 20 }, () => post(PATH, INVOICE))
      await kill()
      for (const { status } of await Promise.all(during)) statuses.add(status)
    }
    for (const status of statuses) expect([201, 500, 503]).toContain(status)
    await expect.poll(async () => (await post(PATH, INVOICE)).status).toBe(201)
  })
})

describe('the database is busy', async () => {
  const server = await startSecond(first, { connectionsMax: 3 })
  const { get, post, put } = server

  test('503 with Retry-After when a table stays locked', async () => {
    const holder = await stranger()
    const before = await count()
    await holder.query('begin; lock table invoices in access exclusive mode')
    const replies = await Promise.all([
      get(PATH),
      post(PATH, INVOICE),
      post(PATH, INVOICE, key('busy')),
    ])
    for (const { status, headers } of replies) {
      expect([409, 503]).toContain(status)
      expect(headers.has('retry-after')).toBe(true)
    }
    await holder.query('rollback')
    expect(await count()).toBe(before)
    expect((await post(PATH, INVOICE, key('busy'))).status).toBe(201)
  })

  test('503 for requests without a free connection, 200 as soon as there is one', async () => {
    const holder = await stranger()
    await holder.query('begin; lock table businesses in access exclusive mode')
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        put(SETTINGS, { origins: [`https://shop${i}.example`] }),
      ),
    )
    // Requests with a connection waited for the lock; the others waited for a connection.
    for (const { status, body, headers } of replies) {
      expect([status, headers.has('retry-after')], JSON.stringify(body)).toEqual([503, true])
    }
    await holder.query('rollback')
    expect((await put(SETTINGS, { origins: ['https://shop.example'] })).status).toBe(200)
  })

  test('200 or 503 for each of a burst of 300, and never 500', async () => {
    const body = (i: number) => ({ amount: 100, channel: 'USSD', bankCode: '058', orderId: i + 1 })
    const replies = await Promise.all(
      Array.from({ length: 300 }, (_, i) => (i % 3 ? post(USSD, body(i)) : get(PROFILE))),
    )
    const served = replies.filter(({ status }) => status === 200).length
    for (const { status, body, headers } of replies) {
      if (status === 200) continue
      expect([status, headers.has('retry-after')], JSON.stringify(body)).toEqual([503, true])
    }
    expect(served).toBeGreaterThan(0)
    expect((await get(PROFILE)).status).toBe(200)
  }, 180_000)

  test('503, not 409, for a new key whose work waits for a lock', async () => {
    const holder = await stranger()
    await holder.query('begin; lock table business_settings in access exclusive mode')
    const change = { feeBearer: 'customer' }
    expectUnavailable(await put(SETTINGS, change, key('locked-out')))
    await holder.query('rollback')
    expect((await put(SETTINGS, change, key('locked-out'))).status).toBe(200)
  })
})

describe('the database is read-only', async () => {
  const server = await startSecond(first)
  const { get, post, put } = server

  /** Applies to new connections; existing ones have ended then, as when a server is demoted. */
  async function setReadOnly(isReadOnly: boolean): Promise<void> {
    const { database } = first.connection
    const killer = await stranger()
    await asOwner(database!, async (client) => {
      await client.query('set default_transaction_read_only = off')
      await client.query(
        `alter database "${database}" set default_transaction_read_only = ${isReadOnly}`,
      )
    })
    await killer.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and usename = current_user and pid <> pg_backend_pid()`)
  }

  test('503 and not ready meanwhile; 201 as soon as it is writable again', async () => {
    expect((await post(PATH, INVOICE)).status).toBe(201)
    const before = await count()
    await setReadOnly(true)
    await expect.poll(async () => (await get('/health/ready')).status).toBe(503)
    for (let round = 0; round < 3; round++) {
      expectUnavailable(await post(PATH, INVOICE))
      expectUnavailable(await post(PATH, INVOICE, key('read-only')))
      expectUnavailable(await put(SETTINGS, { feeBearer: 'customer' }))
      expect((await get(PATH)).status).toBe(200)
      expect((await get('/health/live')).status).toBe(200)
    }
    await setReadOnly(false)
    await expect.poll(async () => (await get('/health/ready')).status).toBe(200)
    expect((await post(PATH, INVOICE, key('read-only'))).status).toBe(201)
    expect((await put(SETTINGS, { feeBearer: 'business' })).status).toBe(200)
    expect(await count()).toBe(before + 1)
  })
})

describe('the database cannot be reached', () => {
  test.each([
    ['its name does not resolve', { host: 'no-such-host.invalid' }],
    ['it refuses the user', { user: 'nobody_known' }],
    ['it does not exist', { database: 'no_such_database' }],
  ])('503 and not ready because %s', async (_why, wrong) => {
    const { get } = await startSecond(first, { connection: { ...first.connection, ...wrong } })
    expectUnavailable(await get(PATH))
    expectUnavailable(await get('/health/ready'))
    expect((await get('/health/live')).status).toBe(200)
  })
})

describe('the server stops', () => {
  test('200 before, and soon closed despite silent and half-sent connections', async () => {
    const { url, app, get } = await startSecond(first)
    const never = await openSocket(url)
    const half = await openSocket(url)
    half.write('GET /health/live HTTP/1.1\r\nHost:')
    expect((await get('/health/live')).status).toBe(200)
    await app.server.close()
    await expect.poll(() => never.destroyed || never.readableEnded).toBe(true)
  })

  test('200 for requests in progress; refuses new ones and drops idle connections', async () => {
    // However slow this machine is, the lock attempt does not time out before the server stops.
    const { url, app, get, post, put } = await startSecond(first, { lockMs: 8_000 })
    const { body } = await post(PATH, INVOICE)
    // This connection still expects a body, so it is not idle when the close starts.
    const line = await openSocket(url)
    line.write('POST /health/live HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n')
    expect((await nextReply(line)).status).toBe(405)
    const holder = await stranger()
    await holder.query('begin')
    await holder.query('select 1 from invoices where id = $1 for update', [body.data.id])
    const underWay = post(`${PATH}/${body.data.reference}/void`)
    const alsoUnderWay = put(SETTINGS, { feeBearer: 'business' })
    await untilWaiting(1)

    let isClosed = false
    const closing = app.server.close().then(() => {
      isClosed = true
    })
    await expect.poll(() => get('/health/live').catch(() => 'refused')).toBe('refused')
    line.write('xGET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n')
    const { status, body: refusal, headers } = await nextReply(line)
    expect([status, refusal.errorCode]).toEqual([503, 'closing'])
    expect([headers.get('connection'), headers.get('retry-after')]).toEqual(['close', '1'])
    expect(isClosed).toBe(false)
    await holder.query('commit')

    expect((await underWay).body.data.status).toBe('Void')
    expect((await alsoUnderWay).status).toBe(200)
    await closing
    await expect(fetch(`${url}/health/live`)).rejects.toThrow()
  }, 10_000)
})
