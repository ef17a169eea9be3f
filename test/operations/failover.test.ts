import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openHome } from '../../src/cli/cli.fixture.ts'
import { callerWith } from '../harness.ts'
import { ENCRYPTION_KEY } from '../keyring.ts'
import { startPrimaryAndStandby } from './standby.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'
const RECOVERED_MS = 15_000

const { start, json } = await openHome()
const { primary, standby } = await startPrimaryAndStandby()
const settings = {
  DATABASE_URL: `postgres://postgres@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/postgres`,
  TRADEPOST_ENCRYPTION_KEY: ENCRYPTION_KEY,
  RATE_LIMIT: '0',
}

test('503 while the primary is gone; the standby takes over, and nothing is lost or doubled', {
  timeout: 180_000,
}, async () => {
  const { keys } = await json(['business', 'create', 'Ada Ventures'], settings)
  const { url, stop } = await start(settings)
  const { call, get } = callerWith(url, keys.testSecret)

  /** What clients know: for each key, the reference that a response had, if there was one. */
  const known = new Map<string, string | undefined>()
  const statuses = new Map<number, number>()
  let lastRefusalAt = 0
  let isLoading = true

  /** Repeats a request with the same key until it has a response, as a client should. */
  async function create(key: string): Promise<void> {
    known.set(key, undefined)
    for (;;) {
      const body = { customerEmail: 'ada@example.com', amount: 1_000, note: key }
      const reply = await call('POST', INVOICES, body, { 'idempotency-key': key }).catch(() => null)
      const status = reply?.status ?? 0
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status === 201) return void known.set(key, reply!.body.data.reference)
      expect([0, 409, 500, 503]).toContain(status)
      if (status === 500) expect(reply!.body.errorCode).toBe('outcome_unknown')
      lastRefusalAt = Date.now()
      await sleep(100)
    }
  }
  const clients = Array.from({ length: 16 }, async () => {
    while (isLoading) await create(randomUUID())
  })

  await expect.poll(() => known.size).toBeGreaterThan(200)
  const ready = () => get('/health/ready').then(({ status }) => status)
  expect(await ready()).toBe(200)
  await primary.kill()
  const killedAt = Date.now()
  await expect.poll(ready).toBe(503)
  expect((await get('/health/live')).status).toBe(200)
  await standby.query('select pg_promote()')
  const promotedAt = Date.now()
  await expect.poll(ready, { timeout: RECOVERED_MS }).toBe(200)

  const before = known.size
  await expect.poll(() => known.size).toBeGreaterThan(before + 200)
  isLoading = false
  await Promise.all(clients)
  expect(lastRefusalAt).toBeGreaterThan(killedAt)
  expect(lastRefusalAt - promotedAt).toBeLessThan(RECOVERED_MS)
  expect(statuses.get(503)).toBeGreaterThan(0)

  const rows = await standby.query('select reference, note from invoices')
  const stored = new Map(rows.map(({ note, reference }) => [note, reference]))
  expect(rows).toHaveLength(known.size)
  expect(stored).toEqual(known)
  await stop()
  expect(await json(['audit'], settings)).toMatchObject({ findings: [] })
})
