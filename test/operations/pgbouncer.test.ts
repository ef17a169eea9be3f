import { expect, inject, test } from 'vitest'
import { databaseSettings, databaseUrl, openHome } from '../../src/cli/cli.fixture.ts'
import { callerWith, testDatabase } from '../harness.ts'
import { startPgBouncer } from './pgbouncer.ts'

const SALES = '/api/payment-service/external/v1'
const MONEY = '/api/transaction-service/external/v1'
const USER = '/api/user-service/external/v1'

const { user, password } = inject('cluster').owner as { user: string; password: string }
const bouncer = await startPgBouncer({ user, password })
const { start, tradepost, json } = await openHome()

/** A database through PgBouncer, and directly for updates. */
async function pooledSettings() {
  const { name } = await testDatabase()
  return {
    ...databaseSettings(name),
    DATABASE_URL: bouncer.urlOf(name),
    DATABASE_DIRECT_URL: databaseUrl(name),
  }
}

test('1 without a direct URL, with a line that names the setting', async () => {
  const { DATABASE_DIRECT_URL: _, ...pooled } = await pooledSettings()
  const { status, stderr } = await tradepost(['business', 'list'], pooled)
  expect([status, stderr]).toEqual([1, expect.stringContaining('DATABASE_DIRECT_URL')])
  const doctor = await tradepost(['doctor', '--json'], pooled)
  expect(doctor.status).toBe(1)
  expect(JSON.parse(doctor.stdout).checks).toContainEqual(
    expect.objectContaining({
      name: 'pooler',
      fix: expect.stringContaining('DATABASE_DIRECT_URL'),
    }),
  )
})

test('200 for concurrent payments, lists and batches, and the books are correct', async () => {
  const settings = await pooledSettings()
  const { keys } = await json(['business', 'create', 'Ada Ventures'], settings)
  const { url, stop } = await start({ ...settings, RATE_LIMIT: '0' })
  const { get, post } = callerWith(url, keys.testSecret)

  const invoices = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      post(`${SALES}/invoices`, { customerEmail: `p${i}@example.com`, amount: 1_000 + i }),
    ),
  )
  expect(new Set(invoices.map(({ status }) => status))).toEqual(new Set([201]))
  const others = await Promise.all([
    ...Array.from({ length: 20 }, (_, i) =>
      post(`${SALES}/products/create-product`, { name: `Shirt ${i}`, price: 500, quantity: 5 }),
    ),
    ...Array.from({ length: 20 }, () =>
      post(`${MONEY}/transaction-with-ussd`, { channel: 'USSD', amount: 400 }),
    ),
    ...Array.from({ length: 20 }, () =>
      post(`${MONEY}/transfers`, { amount: 10, bankCode: '058', accountNumber: '0123456785' }),
    ),
    ...Array.from({ length: 20 }, () => get(`${SALES}/invoices?limit=20`)),
    ...Array.from({ length: 20 }, () => get(`${USER}/wallet/balance`)),
  ])
  expect(others.filter(({ status }) => status >= 300).map(({ text }) => text)).toEqual([])

  // One product for many buyers: a batch that waits for row locks.
  const { productId } = others[0]!.body.data
  const buys = await Promise.all(
    Array.from({ length: 12 }, () =>
      post(`${SALES}/initialize-checkout`, {
        customerEmail: 'ada@example.com',
        products: [{ productId, quantity: 1 }],
      }),
    ),
  )
  expect(buys.filter(({ status }) => status === 201)).toHaveLength(5)

  await expect
    .poll(async () => (await get(`${MONEY}/transactions?status=Pending`)).body.data)
    .toHaveLength(5)
  await stop()
  expect(await json(['audit'], settings)).toMatchObject({ findings: [] })
  expect(await json(['rekey'], settings)).toMatchObject({ isContinued: false })
  expect(bouncer.log()).not.toMatch(/unsupported|prepared statement/)
})

test('statements through the pooler have time limits', async () => {
  const settings = await pooledSettings()
  const { stop } = await start(settings)
  await stop()
  await bouncer.reconnect()
  const { stdout } = await tradepost(['doctor', '--json'], settings)
  expect(JSON.parse(stdout).checks).toContainEqual(
    expect.objectContaining({ name: 'pooler', level: 'ok' }),
  )
})
