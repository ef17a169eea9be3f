import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { callerWith, type Reply, sessionsWaiting, startServer } from '../../test/harness.ts'
import { TIMEOUTS } from './database.ts'

const PATH = '/api/payment-service/external/v1/invoices'
const PLAIN = '/api/payment-service/v1/invoices'
const SETTINGS = '/api/user-service/external/v1/profile/settings'
const INVOICE = { customerEmail: 'ada@example.com', amount: 1500.5 }

const server = await startServer({ jobs: false })
const { db, post, put, get, business, clock } = server
const key = (value: string) => ({ 'idempotency-key': value })
const count = async () => (await db.one<{ n: number }>`select count(*) as n from invoices`).n
const stored = (value: string) => db.many`select 1 from idempotency_keys where key = ${value}`
const isReplay = ({ headers }: Reply) => headers.get('idempotent-replayed') === 'true'

/** The simulator resolves this account to ADA OBI. */
const TRANSFER = { amount: 1_000, bankCode: '058', accountNumber: '0123456785' }

const draft = async () => {
  const { body } = await post(PATH, { ...INVOICE, sendImmediately: false })
  return `${PATH}/${body.data.reference}`
}

/** Starts a second process on the same database. Returns a client for it. */
async function otherProcess() {
  const args = ['--import', './src/loader.js', 'test/other-server.ts']
  const child = spawn(process.execPath, [...args, JSON.stringify(server.connection)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  afterAll(async () => {
    child.stdin.end()
    await exited
  })
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve)
    void exited.then(() => reject(new Error('the other server ended before it was ready')))
  })
  return callerWith(url, business.keys.testSecret)
}

/** A transaction of another client that stays open until the test ends it. */
async function openTransaction(): Promise<pg.Client> {
  const client = new pg.Client(server.connection)
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  return client
}

/** Takes a key like another process whose request is running; `like` is a finished key. */
const hold = (client: pg.Client, value: string, like: string) =>
  client.query(
    `insert into idempotency_keys
       (business_id, live, scope, key, fingerprint, status, body, created_at, expires_at)
     select business_id, live, scope, $1, fingerprint, status, body, created_at, expires_at
     from idempotency_keys where key = $2`,
    [value, like],
  )

function expectOneEffect(replies: Reply[], status: number): void {
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([status]))
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  expect(replies.filter((reply) => !isReplay(reply))).toHaveLength(1)
}

describe('concurrent equal requests', async () => {
  const other = await otherProcess()
  const both = <T>(ask: (to: typeof other, i: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: 100 }, (_, i) => ask(i % 2 ? other : server, i)))

  test('201 creates one invoice from a hundred requests through two processes', async () => {
    for (const round of ['a', 'b', 'c']) {
      const before = await count()
      expectOneEffect(await both(({ post }) => post(PATH, INVOICE, key(`race-${round}`))), 201)
      expect(await count()).toBe(before + 1)
    }
  })

  test('200 creates one transaction from a hundred requests through two processes', async () => {
    const path = await draft()
    expectOneEffect(await both(({ post }) => post(`${path}/send`, {}, key('race-send'))), 200)
    const reference = path.split('/').at(-1)!
    const { event_sequence } = await db.one<{ event_sequence: number }>`
      select event_sequence from invoices where reference = ${reference}`
    expect(event_sequence).toBe(2)
  })

  test('409 for all of a hundred impossible requests, and the key is free again', async () => {
    const path = await draft()
    await post(`${path}/void`)
    const replies = await both(({ post }) => post(`${path}/send`, {}, key('race-refused')))
    expect(new Set(replies.map(({ status, body }) => `${status} ${body.errorCode}`))).toEqual(
      new Set(['409 invoice_state']),
    )
    expect(await stored('race-refused')).toEqual([])
  })

  test('201 for one and 422 for every other when different requests share a key', async () => {
    const before = await count()
    const replies = await both(({ post }, i) =>
      post(PATH, { ...INVOICE, amount: 1 + (i % 10) }, key('race-mixed')),
    )
    const made = replies.filter(({ status }) => status === 201)
    const refused = replies.filter(({ status }) => status === 422)
    expect([made.length, refused.length]).toEqual([10, 90])
    expect(new Set(made.map(({ text }) => text)).size).toBe(1)
    expect(await count()).toBe(before + 1)
  })
})

describe('a repeated key', () => {
  test('201 repeats the first response two hundred times, whatever happened to the invoice since', async () => {
    const first = await post(PATH, { ...INVOICE, note: '₦ "1"\n' }, key('again'))
    await post(`${PATH}/${first.body.data.reference}/void`)
    const before = await count()
    for (let i = 0; i < 200; i++) {
      const again = await post(PATH, { ...INVOICE, note: '₦ "1"\n' }, key('again'))
      expect([again.status, isReplay(again), again.text]).toEqual([201, true, first.text])
      expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
    }
    expect(await count()).toBe(before)
  })

  test.each([
    ['in the other family', PLAIN, INVOICE],
    ['with a trailing slash', `${PATH}/`, INVOICE],
    ['with a query without effect', `${PATH}?x=1`, INVOICE],
    ['in another order', PATH, { amount: 1500.5, customerEmail: 'ada@example.com' }],
    ['with the amount as text', PATH, { ...INVOICE, amount: '1500.50' }],
    ['with white space', PATH, JSON.stringify(INVOICE, null, 9)],
    ['with defaults spelt out', PATH, { ...INVOICE, sendImmediately: true, currency: 'NGN' }],
    ['with an unknown field', PATH, { ...INVOICE, extra: 1 }],
    ['with escapes', PATH, '{"customerEmail":"\\u0061da@example.com","amount":15005e-1}'],
  ])('201 is the same request %s', async (_how, path, body) => {
    const first = await post(PATH, INVOICE, key('same'))
    const again = await post(path, body, key('same'))
    expect([again.status, isReplay(again), again.text]).toEqual([201, true, first.text])
  })

  test.each([
    ['another amount', { ...INVOICE, amount: 1500.51 }],
    ['another currency', { ...INVOICE, currency: 'USD' }],
    ['an extra field', { ...INVOICE, note: 'x' }],
    ['a default reversed', { ...INVOICE, sendImmediately: false }],
    ['other metadata', { ...INVOICE, metadata: {} }],
  ])('422 for %s', async (_what, body) => {
    await post(PATH, INVOICE, key('other'))
    const before = await count()
    const { status, body: refusal } = await post(PATH, body, key('other'))
    expect([status, refusal]).toEqual([
      422,
      {
        status: 'error',
        message: 'This Idempotency-Key was already used with a different request.',
        errors: { 'Idempotency-Key': ['was already used with a different request'] },
        errorCode: 'idempotency_key_reused',
        requestId: expect.any(String),
      },
    ])
    expect(await count()).toBe(before)
  })

  test('201 once through the bare path and both families, which are one operation', async () => {
    const paths = [
      '/transfers',
      '/api/transaction-service/external/v1/transfers',
      '/api/transaction-service/v1/transfers/',
    ]
    const [first, ...others] = await Promise.all(
      paths.map((path) => post(path, TRANSFER, key('bare'))),
    )
    expect(first!.status).toBe(201)
    for (const { status, text } of others) expect([status, text]).toEqual([201, first!.text])
    expect((await post('/transfers', { ...TRANSFER, amount: 2 }, key('bare'))).status).toBe(422)
  })

  test('200 is the same request however the path is escaped', async () => {
    const path = await draft()
    const first = await post(`${path}/void`, {}, key('escaped'))
    const again = await post(`${path.replace('INV_', '%49NV%5F')}/void`, {}, key('escaped'))
    expect([again.status, isReplay(again), again.text]).toEqual([200, true, first.text])
  })

  test('201 again for another business, another mode and another path', async () => {
    const shop = await server.newBusiness('Bola Stores')
    const first = await post(PATH, INVOICE, key('elsewhere'))
    const replies = [
      await server.as(shop.keys.testSecret).post(PATH, INVOICE, key('elsewhere')),
      await server.as(business.keys.liveSecret).post(PATH, INVOICE, key('elsewhere')),
    ]
    for (const reply of replies) {
      expect([reply.status, isReplay(reply)]).toEqual([201, false])
      expect(reply.body.data.id).not.toBe(first.body.data.id)
    }
    const [one, two] = [await draft(), await draft()]
    for (const path of [`${one}/void`, `${two}/void`]) {
      const reply = await post(path, {}, key('elsewhere'))
      expect([reply.status, isReplay(reply)]).toEqual([200, false])
    }
  })

  test('201 after failures, which are not kept', async () => {
    const send = (body: unknown, headers = {}) => post(PATH, body, { ...key('mended'), ...headers })
    expect((await send({ ...INVOICE, amount: -1 })).status).toBe(400)
    expect((await send('{')).status).toBe(400)
    expect((await send(INVOICE, { authorization: 'Bearer no' })).status).toBe(401)
    expect((await send(INVOICE, { 'content-type': 'text/plain' })).status).toBe(415)
    expect(await stored('mended')).toEqual([])
    const { status, headers } = await send(INVOICE)
    expect([status, headers.has('idempotent-replayed')]).toEqual([201, false])
  })

  test('200 for reads, which ignore the key', async () => {
    await post(PATH, INVOICE, key('read'))
    const { status, headers } = await get(PATH, key('read'))
    expect([status, headers.has('idempotent-replayed')]).toEqual([200, false])
  })
})

describe('a key that another process holds', () => {
  test('201 with its response as soon as that request has ended', async () => {
    const first = await post(PATH, INVOICE, key('ended'))
    const holder = await openTransaction()
    await hold(holder, 'held', 'ended')
    const waiting = post(PATH, INVOICE, key('held'))
    await untilWaiting(1)
    await holder.query('commit')
    const { status, text } = await waiting
    expect([status, text]).toEqual([201, first.text])
  })

  test('200 again after it gave up', async () => {
    await put(SETTINGS, { feeBearer: 'business' }, key('given-up-first'))
    const holder = await openTransaction()
    await hold(holder, 'given-up', 'given-up-first')
    const waiting = put(SETTINGS, { feeBearer: 'business' }, key('given-up'))
    await untilWaiting(1)
    await holder.query('rollback')
    const reply = await waiting
    expect([reply.status, isReplay(reply)]).toEqual([200, false])
  })

  test('200 waits past the lock time-out for an effect that commits by itself', async () => {
    const simulate = (value: string) => post('/api/simulator/settlement', {}, key(value))
    const first = await simulate('patient-first')
    const holder = await openTransaction()
    await hold(holder, 'patient', 'patient-first')
    const waiting = simulate('patient')
    await untilWaiting(1)
    await sleep(TIMEOUTS.lockMs + 500)
    await holder.query('commit')
    const { status, text } = await waiting
    expect([status, text]).toEqual([200, first.text])
  })

  test('409 with Retry-After if that request is still running after five seconds', async () => {
    await put(SETTINGS, { feeBearer: 'business' }, key('slow-first'))
    const holder = await openTransaction()
    await hold(holder, 'slow', 'slow-first')
    const repeats = Array.from({ length: 5 }, () =>
      put(SETTINGS, { feeBearer: 'business' }, key('slow')),
    )
    for (const { status, body, headers } of await Promise.all(repeats)) {
      expect([status, body.errorCode]).toEqual([409, 'request_in_progress'])
      expect(Object.keys(body.errors)).toEqual(['Idempotency-Key'])
      expect(headers.get('retry-after')).toBe('1')
    }
    await holder.query('rollback')
    expect((await put(SETTINGS, { feeBearer: 'business' }, key('slow'))).status).toBe(200)
  })
})

/** Waits until this many sessions wait for a lock. The short waits of a batch count too. */
async function untilWaiting(waiting: number): Promise<void> {
  await expect.poll(() => sessionsWaiting(server.name), { interval: 10 }).toBe(waiting)
}

describe('a day later', () => {
  test('201 repeats for as long as the key is kept, and runs again after that', async () => {
    const first = await post(PATH, INVOICE, key('kept'))
    clock.advance(23 * 3_600_000)
    await server.runJob('prune')
    expect((await post(PATH, INVOICE, key('kept'))).text).toBe(first.text)

    clock.advance(2 * 3_600_000)
    const pruned = await server.runJob('prune')
    expect(pruned).toBeGreaterThan(10)
    expect(await db.many`select 1 from idempotency_keys where expires_at < ${clock.now()}`).toEqual(
      [],
    )
    const anew = await post(PATH, INVOICE, key('kept'))
    expect([anew.status, isReplay(anew)]).toEqual([201, false])
    expect(anew.body.data.id).not.toBe(first.body.data.id)
  })
})
