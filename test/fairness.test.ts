import { expect, test } from 'vitest'
import { openDraining } from '../src/http/draining.ts'
import { JOB_ROWS_MAX } from '../src/jobs/jobs.ts'
import { times, untilDone } from './concurrency.ts'
import { callerWith, startSecond, startServer } from './harness.ts'

/* One business with very many requests, or very much due work, does not hold up the others. */

const INVOICES = '/api/payment-service/external/v1/invoices'
const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const PROFILE = '/api/user-service/external/v1/profile'

const server = await startServer({ jobs: false })
const { db, clock } = server

async function business() {
  const { businessId, keys } = await server.newBusiness()
  return { businessId, key: keys.testSecret, ...server.as(keys.testSecret) }
}

/** Runs a job once, on one batch of rows. */
async function runOnce(name: string): Promise<void> {
  const job = server.app.jobs.find((one) => one.name === name)!
  await job.run(db, clock.now())
  await job.outlasting?.()
}

test('the order job sends the transfer of another business with its next batch', async () => {
  const [busy, quiet] = [await business(), await business()]
  const transfer = { amount: 100, bankCode: '058', accountNumber: '0123456785' }
  const many = JOB_ROWS_MAX + 50
  const replies = await times(many, () => untilDone(() => busy.post(TRANSFERS, transfer)))
  for (const { status } of replies) expect(status).toBe(201)
  expect((await quiet.post(TRANSFERS, transfer)).status).toBe(201)

  await runOnce('transfer-orders')
  const sent = ({ businessId }: { businessId: number }) =>
    db.one<{ n: number }>`
      select count(*) as n from provider_orders
      where business_id = ${businessId} and kind = 'transfer' and sent_at is not null`
  expect(await sent(quiet)).toEqual({ n: 1 })
  expect(await sent(busy)).toEqual({ n: JOB_ROWS_MAX - 1 })
})

test('the mail job sends the email of another business with its next batch', async () => {
  const [busy, quiet] = [await business(), await business()]
  const invoice = { customerEmail: 'ada@example.com', amount: 100 }
  await times(1_000, () => untilDone(() => busy.post(INVOICES, invoice)))
  const { body } = await quiet.post(INVOICES, invoice)
  expect(body.status).toBe('success')

  await runOnce('mail')
  const waiting = ({ businessId }: { businessId: number }) =>
    db.one<{ n: number }>`
      select count(*) as n from mails where business_id = ${businessId} and status = 'Queued'`
  expect(await waiting(quiet)).toEqual({ n: 0 })
  expect((await waiting(busy)).n).toBeGreaterThanOrEqual(950)
})

test('reminders of another business are due with the next batch', async () => {
  const [busy, quiet] = [await business(), await business()]
  const dueDate = new Date(clock.now().getTime() + 10 * 86_400_000).toISOString().slice(0, 10)
  const invoice = { customerEmail: 'ada@example.com', amount: 100, dueDate }
  await times(2 * JOB_ROWS_MAX, () => untilDone(() => busy.post(INVOICES, invoice)))
  expect((await quiet.post(INVOICES, invoice)).status).toBe(201)
  const left = (who?: number) =>
    db.one<{ n: number }>`
      select count(*) as n from invoices
      where business_id = ${who ?? quiet.businessId} and next_step_at <= ${clock.now()}`
  clock.advance(11 * 86_400_000)
  expect(await left()).toEqual({ n: 1 })

  const name = server.app.jobs.find(({ name }) => /invoice/.test(name))!.name
  await runOnce(name)
  expect(await left()).toEqual({ n: 0 })
  expect((await left(busy.businessId)).n).toBeGreaterThan(0)
  clock.reset()
})

test('requests of another business get the next connection', async () => {
  const [busy, quiet] = [await business(), await business()]
  const draining = openDraining()
  // As long as the test may take: no request gives up while the only connection is held.
  const narrow = await startSecond(server, { connectionsMax: 1, connectMs: 60_000, draining })
  const from = (key: string) => callerWith(narrow.url, key)
  const order: string[] = []
  const ask = async (who: string, key: string) => {
    const { status } = await from(key).get(PROFILE)
    expect(status).toBe(200)
    order.push(who)
  }
  await ask('busy', busy.key)
  await ask('quiet', quiet.key)
  order.length = 0

  const held = await narrow.db.connect()
  const many = times(100, () => ask('busy', busy.key))
  // Not counted by the pool, where requests whose key is looked up wait as one.
  await expect.poll(() => draining.traffic().open).toBe(100)
  const one = ask('quiet', quiet.key)
  await expect.poll(() => draining.traffic().open).toBe(101)
  held.release()
  await Promise.all([one, many])
  // Each request takes a connection several times.
  expect(order.indexOf('quiet')).toBeLessThan(50)
})
