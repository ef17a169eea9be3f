import { expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { commandsOn } from '../cli/cli.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock, get, post, runJob } = server
const { json } = commandsOn(server.name)
const MINUTE_MS = 60_000

async function metrics() {
  const { text } = await get('/metrics', { authorization: '' })
  const valuesOf = (name: string) => {
    const lines = text.matchAll(new RegExp(`^${name}\\{queue="(\\w+)"\\} (\\S+)$`, 'gm'))
    return Object.fromEntries([...lines].map(([, queue, value]) => [queue, Number(value)]))
  }
  return {
    text,
    rows: valuesOf('tradepost_late_rows'),
    seconds: valuesOf('tradepost_late_seconds'),
  }
}

test('200 counts work that has been due for over a minute, and how long', async () => {
  const before = (await metrics()).rows
  expect(Object.keys(before).sort()).toEqual([
    'checkouts',
    'emails',
    'payments',
    'provider_notices',
    'provider_orders',
    'seals',
    'webhooks',
  ])
  await post('/api/user-service/external/v1/webhooks', { url: 'https://example.com/hook' })
  await post('/api/payment-service/external/v1/invoices', {
    customerEmail: 'bola@example.com',
    amount: 10_000,
  })
  await post('/api/transaction-service/external/v1/transaction-with-ussd', {
    channel: 'USSD',
    amount: 500,
  })
  await post('/api/payment-service/external/v1/initialize-checkout', {
    customerEmail: 'bola@example.com',
    amount: 700,
  })
  await post('/api/simulator/wallet', { amount: 100 })
  const isWaiting = ({ rows }: Awaited<ReturnType<typeof metrics>>, queue: string) =>
    (rows[queue] ?? 0) > (before[queue] ?? 0)
  expect(isWaiting(await metrics(), 'emails')).toBe(false)

  clock.advance(5 * MINUTE_MS)
  const later = await metrics()
  for (const queue of ['emails', 'webhooks', 'provider_orders', 'seals']) {
    expect(isWaiting(later, queue), queue).toBe(true)
    expect(later.seconds[queue], queue).toBeGreaterThanOrEqual(200)
  }
  clock.advance(60 * MINUTE_MS)
  const expired = await metrics()
  for (const queue of ['payments', 'checkouts']) expect(isWaiting(expired, queue), queue).toBe(true)

  await runJob('mail')
  expect((await metrics()).rows.emails).toBe(0)
})

test('200 does not count orders that wait until payouts are resumed', async () => {
  const { businessId, keys } = await server.newBusiness()
  const shop = server.as(keys.testSecret)
  const late = async () => (await metrics()).rows.provider_orders!
  clock.advance(60 * MINUTE_MS)
  const before = await late()
  await json('payouts', 'stop', '--business', String(businessId))
  const { status } = await shop.post('/api/transaction-service/external/v1/transfers', {
    amount: 100,
    bankCode: '058',
    accountNumber: '0123456785',
  })
  expect(status).toBe(201)
  clock.advance(5 * MINUTE_MS)
  expect(await late()).toBe(before)
  await json('payouts', 'resume', '--business', String(businessId))
  expect(await late()).toBe(before + 1)
})

test('200 counts statements that failed by SQLSTATE', async () => {
  const count = async () =>
    Number(
      /^tradepost_database_errors_total\{sqlstate="22012"\} (\d+)$/m.exec(
        (await metrics()).text,
      )?.[1] ?? 0,
    )
  const before = await count()
  await expect(db.one`select 1 / 0 as nothing`).rejects.toThrow('division by zero')
  await expect(db.transaction((tx) => tx.one`select 1 / 0 as nothing`)).rejects.toThrow()
  expect(await count()).toBe(before + 2)
})
