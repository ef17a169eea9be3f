import pg from 'pg'
import { describe, expect, test, vi } from 'vitest'
import { times } from '../../test/concurrency.ts'
import { asOwner, startServer } from '../../test/harness.ts'
import { Problem } from '../lib/problem.ts'
import { AGAIN, openBatch } from './batch.ts'
import { openDatabase } from './database.ts'
import { openWriter } from './dedicated-connection.ts'
import { ConcurrentChange } from './failures.ts'
import { batchedOnce, type Effect } from './transaction-batch.ts'

const PATH = '/api/payment-service/external/v1/invoices'
const INVOICE = { customerEmail: 'ada@example.com', amount: 1500.5 }
const key = (key: string) => ({ 'idempotency-key': key })

const server = await startServer()
const { db, post } = server
const count = async () => (await db.one<{ n: number }>`select count(*) as n from invoices`).n

const ONE_BUSINESS = { db: { isDivided: false }, businessOf: () => 1 }

describe('a batch', async () => {
  await asOwner(server.name, async (client) => {
    await client.query('create table drops (n int primary key check (n <> 13))')
    await client.query('grant select, insert on drops to tradepost_app')
  })
  const statements: number[] = []
  const own = openDatabase({ connection: server.connection, connectionsMax: 2 })
  const writer = openWriter(own)
  const batch = openBatch<number, number>({
    ...ONE_BUSINESS,
    async write(items) {
      statements.push(items.length)
      await writer.query({
        name: 'drop',
        text: 'insert into drops select unnest($1::int[])',
        values: [`{${items.join(',')}}`],
      })
      return items.map((n) => n * 2)
    },
  })
  const stored = async () => (await db.one<{ n: number }>`select count(*) as n from drops`).n

  test('collects items into the next statement while one is running', async () => {
    const results = await Promise.all(Array.from({ length: 600 }, (_, i) => batch.add(100 + i)))

    expect(results).toEqual(Array.from({ length: 600 }, (_, i) => 2 * (100 + i)))
    expect(statements.length).toBeLessThan(6)
    expect(Math.max(...statements)).toBe(256)
    expect(await stored()).toBe(600)
  })

  test('gives a bad row its own error, and every other row its result', async () => {
    const before = await stored()
    const items = [...Array.from({ length: 40 }, (_, i) => 2000 + i), 13, 100, 2040]
    const results = await Promise.allSettled(items.map((n) => batch.add(n)))

    const failed = results.flatMap((result, i) => (result.status === 'rejected' ? [items[i]] : []))
    expect(failed).toEqual([13, 100])
    expect(await stored()).toBe(before + 41)
  })

  test('keeps the order of arrival around a bad row if an item needs another batch', async () => {
    const order: number[] = []
    const isAgain = new Set([2001, 2002])
    const ordered = openBatch<number, number>({
      ...ONE_BUSINESS,
      async write(items) {
        if (items.includes(13)) await db.run`select 1 / 0`
        return items.map((n) => {
          if (isAgain.delete(n)) return AGAIN
          order.push(n)
          return n
        })
      },
    })
    const items = [2000, 2001, 2002, 13, 2003, 2004]
    const results = await Promise.allSettled(items.map((n) => ordered.add(n)))
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual(items.map((n) => n !== 13))
    expect(order).toEqual([2000, 2001, 2002, 2003, 2004])
  })

  test('fails items that have waited too long as busy, and writes later ones', async () => {
    const gate = Promise.withResolvers<void>()
    const slow = openBatch<number, number>({
      ...ONE_BUSINESS,
      async write(items) {
        if (items.includes(1)) await gate.promise
        return [...items]
      },
    })
    const first = slow.add(1)
    await new Promise(setImmediate)
    const second = slow.add(2)
    const now = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + 6_000)
    const third = slow.add(3)
    gate.resolve()

    await expect(second).rejects.toMatchObject({ code: 'server_busy', kind: 'unavailable' })
    expect(await Promise.all([first, third])).toEqual([1, 3])
    clock.mockRestore()
  })

  test('reports an unknown outcome to everyone when the connection is lost during a statement', async () => {
    const text = 'select pg_backend_pid() as pid'
    const { rows } = await writer.query({ name: 'pid', text, values: [] })
    const { pid } = rows[0]
    // Otherwise it could give up waiting for the lock before its connection is lost.
    await writer.query({ text: 'set lock_timeout = 0', values: [] })
    const holder = new pg.Client(server.connection)
    await holder.connect()
    await holder.query('begin')
    await holder.query('insert into drops values (3000)')
    const waiting = Promise.allSettled([batch.add(3000), batch.add(3001)])
    const waitingForLock = () =>
      db.many`select from pg_stat_activity where pid = ${pid} and wait_event_type = 'Lock'`
    await expect.poll(waitingForLock).toHaveLength(1)
    await db.run`select pg_terminate_backend(${pid})`
    const results = await waiting
    await holder.query('rollback')
    await holder.end()

    for (const result of results) {
      expect(result).toMatchObject({ reason: { code: 'outcome_unknown', kind: 'internal' } })
    }
    expect(await batch.add(3002)).toBe(6004)
    await own.close()
  })
})

test('batches contain rows of several businesses, unless machines divide these', async () => {
  const items = [1, 2, 1, 2, 2].map((business, n) => ({ business, n }))
  const batchesOf = async (isDivided: boolean) => {
    const batches: number[][] = []
    const gate = Promise.withResolvers<void>()
    const batch = openBatch<(typeof items)[number], number>({
      db: { isDivided },
      businessOf: ({ business }) => business,
      async write(own) {
        batches.push(own.map(({ n }) => n))
        await gate.promise
        return own.map(({ n }) => 10 * n)
      },
    })
    const all = Promise.all(items.map((item) => batch.add(item)))
    // None has ended yet: those of several businesses are written at the same time.
    await expect.poll(() => batches.flat().length).toBe(items.length)
    gate.resolve()
    expect(await all).toEqual([0, 10, 20, 30, 40])
    return batches
  }
  expect(await batchesOf(false)).toEqual([[0, 1, 2, 3, 4]])
  expect(await batchesOf(true)).toEqual([
    [0, 2],
    [1, 3, 4],
  ])
})

describe('POST invoices in batches', () => {
  test('201 creates one invoice for equal keys among many others in one batch', async () => {
    const before = await count()
    const requests = Array.from({ length: 120 }, (_, i) =>
      post(PATH, INVOICE, key(i % 3 === 0 ? 'same' : `own-${i}`)),
    )
    const answers = await Promise.all(requests)

    const same = answers.filter((_, i) => i % 3 === 0).map(({ text }) => text)
    expect(new Set(same).size).toBe(1)
    expect(new Set(answers.map(({ body }) => body.data.reference)).size).toBe(81)
    expect(await count()).toBe(before + 81)
  })

  test('422 only for a used key with another body, in the middle of a batch', async () => {
    await post(PATH, INVOICE, key('taken'))
    const answers = await Promise.all([
      post(PATH, INVOICE, key('free-1')),
      post(PATH, { ...INVOICE, amount: 9 }, key('taken')),
      post(PATH, INVOICE, key('free-2')),
      post(PATH, INVOICE, key('taken')),
    ])
    expect(answers.map(({ status }) => status)).toEqual([201, 422, 201, 201])
  })

  test('201 for the others while another process holds a key, and 409 if it keeps holding it', async () => {
    const { businessId } = server.business
    const holder = new pg.Client(server.connection)
    await holder.connect()
    await holder.query('begin')
    await holder.query(
      `insert into idempotency_keys
         (business_id, live, scope, key, fingerprint, created_at, expires_at)
       values ($1, false, 'POST payment-service/invoices', 'held', '\\x00', now(), now())`,
      [businessId],
    )
    let isHeldAnswered = false
    const held = post(PATH, INVOICE, key('held')).finally(() => {
      isHeldAnswered = true
    })
    const others = await Promise.all(
      Array.from({ length: 50 }, (_, i) => post(PATH, INVOICE, key(`beside-${i}`))),
    )
    expect(others.every(({ status }) => status === 201)).toBe(true)
    expect(isHeldAnswered).toBe(false)

    const { status, body, headers } = await held
    expect([status, body.errorCode]).toEqual([409, 'request_in_progress'])
    expect(headers.get('retry-after')).toBe('1')
    await holder.query('rollback')
    await holder.end()
    expect((await post(PATH, INVOICE, key('held'))).status).toBe(201)
  })

  test('201 repeats the first response byte for byte after a restart', async () => {
    const first = await post(PATH, { ...INVOICE, note: 'a "quoted" \\ ₦ 😀 note\n' }, key('later'))
    const row = await db.one<{ body: Buffer }>`
      select body from idempotency_keys where key = 'later'`
    expect(row.body.toString()).toBe(first.text)
    const event = await db.one<{ data: string }>`
      select data from events where object_id = ${first.body.data.id} and sequence = 1`
    expect(JSON.parse(event.data)).toEqual(first.body.data)
    const second = await post(PATH, { ...INVOICE, note: 'a "quoted" \\ ₦ 😀 note\n' }, key('later'))
    expect(second.text).toBe(first.text)
  })
})

test('a transaction for several effects is divided if others are faster each time', async () => {
  const { businessId } = server.business
  const writtenTogether: number[] = []
  const create = batchedOnce<Effect & { n: number }, string>(
    db,
    async (_tx, items) => {
      if (items.some(({ n }) => n === 3)) {
        throw new ConcurrentChange(new Problem('conflict', 'refund_exceeds_payment', 'Too much'))
      }
      writtenTogether.push(items.length)
      return items.map(({ n }) => ({ made: { answer: { status: 201, body: `made ${n}` } } }))
    },
    () => 0,
  )
  const results = await Promise.allSettled(
    Array.from({ length: 6 }, (_, n) => create({ businessId, live: false, n })),
  )
  expect(
    results.map((one) => (one.status === 'rejected' ? one.reason.code : one.value.body)),
  ).toEqual(['made 0', 'made 1', 'made 2', 'refund_exceeds_payment', 'made 4', 'made 5'])
  expect(Math.max(...writtenTogether)).toBeGreaterThan(1)
})

test('effects are written once if another part of their batch has to wait for a lock', async () => {
  const { businessId } = server.business
  const lock = 'select from effects where is_lock for update'
  await asOwner(server.name, async (holder) => {
    await holder.query('create table effects (n int, is_lock boolean not null default false)')
    await holder.query('insert into effects values (2, true)')
    await holder.query('grant select, insert, update on effects to tradepost_app')
    await holder.query('begin')
    await holder.query(lock)
    const create = batchedOnce<Effect & { n: number }, string>(
      db,
      async (tx, items) => {
        if (items.length > 2) {
          throw new ConcurrentChange(new Problem('conflict', 'refund_exceeds_payment', 'Too much'))
        }
        for (const { n } of items) {
          await tx.query({ text: 'insert into effects values ($1)', values: [n] })
        }
        if (items.length === 1) await holder.query('rollback')
        if (items.some(({ n }) => n === 2)) await tx.query({ text: lock, values: [] })
        return items.map(({ n }) => ({ made: { answer: { status: 201, body: `made ${n}` } } }))
      },
      () => 0,
    )
    const made = await times(4, (n) => create({ businessId, live: false, n }))
    expect(made.map(({ body }) => body)).toEqual(['made 0', 'made 1', 'made 2', 'made 3'])
    const { rows } = await holder.query('select n from effects where not is_lock order by n')
    expect(rows.map(({ n }) => n)).toEqual([0, 1, 2, 3])
  })
})
