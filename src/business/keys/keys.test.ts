import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { buildApp } from '../../app.ts'
import { openDatabase } from '../../db/database.ts'
import { openIds } from '../../db/ids.ts'
import { addMs } from '../../lib/clock.ts'
import { forgetKeysOf } from './authenticate.ts'
import { HOUR_MS, openKeys, PATH } from './keys.fixture.ts'
import type { KeyRecord } from './record.ts'
import { listKeys } from './service.ts'

const server = await startServer()
const { db, clock, as, business } = server
const { tenant, make, revoke, rotate, statusOf } = openKeys(server)

const eventsOf = (keyId: number) =>
  db.many<{ type: string; sequence: number; data: string }>`
    select type, sequence, data from events
    where business_id = ${tenant.businessId} and object_type = 'api_key' and object_id = ${keyId}
    order by sequence`

describe('the life of a key', async () => {
  const second = await secondServer()

  test('201 stores only its hash, and sends an event', async () => {
    const { key, record } = await make({ label: 'Shop', scopes: ['wallet:read', 'events:read'] })

    expect(key).toMatch(/^sk_test_[0-9A-Za-z]{38}$/)
    expect(record).toMatchObject({
      status: 'Active',
      mode: 'test',
      type: 'secret',
      label: 'Shop',
      hint: `sk_test_…${key.slice(-4)}`,
      scopes: ['wallet:read', 'events:read'],
      reference: expect.stringMatching(/^KEY_[0-9A-Za-z]{20}$/),
    })
    const stored = await db.one<{ row: string }>`
      select to_jsonb(api_keys)::text as row from api_keys where id = ${record.id}`
    expect(stored.row).not.toContain(key.slice(8, 40))
    const events = await eventsOf(record.id)
    expect(events).toMatchObject([{ type: 'api_key.created', sequence: 1 }])
    expect(events[0]?.data).not.toContain(key)
  })

  test('200 records its last use, without delaying the request', async () => {
    const { key, record } = await make()
    const lastUsed = async () =>
      (
        await db.one<{ at: Date | null }>`
        select last_used_at as at from api_keys where id = ${record.id}`
      ).at

    expect(await lastUsed()).toBeNull()
    await statusOf(key)
    await expect.poll(lastUsed).toBeInstanceOf(Date)
    const first = await lastUsed()
    await statusOf(key)
    clock.advance(60_000)
    await statusOf(key)
    await expect.poll(async () => (await lastUsed())! > first!).toBe(true)
  })

  test('401 within a second on a server that was not notified', async () => {
    const { key, record } = await make()
    const ask = () => fetch(second + PATH, { headers: { authorization: `Bearer ${key}` } })
    expect((await ask()).status).toBe(200)

    // By SQL, as another process would: the service would notify both servers of this process.
    await db.run`update api_keys set revoked_at = now() where id = ${record.id}`
    await sleep(1_000)
    expect((await ask()).status).toBe(401)
  })

  test('200 for a second revocation, which changes nothing', async () => {
    const { record } = await make()
    const first = await revoke(record.id)
    clock.advance(1_000)
    const second = await revoke(record.id)

    expect(first.status).toBe('Revoked')
    expect(second).toEqual(first)
    const types = (await eventsOf(record.id)).map(({ type }) => type)
    expect(types).toEqual(['api_key.created', 'api_key.revoked'])
  })

  test('200 for both keys while a rotation overlaps, then for the new one', async () => {
    const old = await make({ label: 'Shop', scopes: ['profile:read'], allowedIps: ['127.0.0.1'] })
    const next = await rotate(old.record.id, 2)

    expect(next.replaced).toMatchObject({ status: 'Replaced', replacedBy: next.record.id })
    expect(next.record).toMatchObject({
      label: 'Shop',
      scopes: ['profile:read'],
      allowedIps: ['127.0.0.1'],
      expiresAt: null,
    })
    expect([await statusOf(old.key), await statusOf(next.key)]).toEqual([200, 200])
    clock.advance(2 * HOUR_MS - 60_000)
    expect([await statusOf(old.key), await statusOf(next.key)]).toEqual([200, 200])
    clock.advance(60_000)
    expect([await statusOf(old.key), await statusOf(next.key)]).toEqual([401, 200])
    expect(await eventsOf(old.record.id)).toMatchObject([
      { type: 'api_key.created', sequence: 1 },
      { type: 'api_key.rotated', sequence: 2 },
    ])
    expect(await eventsOf(next.record.id)).toMatchObject([{ type: 'api_key.created' }])
  })

  test('401 for the old key at once without an overlap', async () => {
    const old = await make()
    expect(await statusOf(old.key)).toBe(200)
    const next = await rotate(old.record.id, 0)

    expect([await statusOf(old.key), await statusOf(next.key)]).toEqual([401, 200])
    expect(next.replaced.status).toBe('Revoked')
  })

  test('200 gives the new key the same lifetime', async () => {
    const old = await make({ expiresAt: addMs(clock.now(), 10 * HOUR_MS) })
    clock.advance(4 * HOUR_MS)
    const { record, replaced } = await rotate(old.record.id, 168)

    const lifeMsOf = ({ expiresAt, createdAt }: KeyRecord) => Number(expiresAt) - Number(createdAt)
    expect(lifeMsOf(record)).toBe(lifeMsOf(old.record))
    expect(replaced.expiresAt).toEqual(old.record.expiresAt)
  })

  test('409 for a rotated or revoked key; one successor from ten rotations at once', async () => {
    const { record } = await make()
    const race = await Promise.allSettled(Array.from({ length: 10 }, () => rotate(record.id, 1)))

    expect(race.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const made = await db.one<{ n: number }>`
      select count(*) as n from events
      where type = 'api_key.rotated' and object_id = ${record.id}`
    expect(made.n).toBe(1)
    const ended = await make()
    await revoke(ended.record.id)
    await expect(rotate(ended.record.id, 1)).rejects.toMatchObject({ kind: 'conflict' })
  })

  test('400 for an overlap that is too long', async () => {
    const { record } = await make()
    for (const hours of [-1, 169, Number.NaN]) {
      await expect(rotate(record.id, hours)).rejects.toMatchObject({ kind: 'invalid' })
    }
  })
})

describe('businesses and modes', () => {
  test('404 for a key of another business or mode', async () => {
    const other = await server.newBusiness('Other Ventures')
    const foreign = { businessId: other.businessId, live: false }
    const { key, record } = await make()

    for (const of of [foreign, { ...tenant, live: true }]) {
      await expect(revoke(record.id, of)).rejects.toMatchObject({ code: 'key_not_found' })
      await expect(rotate(record.id, 1, of)).rejects.toMatchObject({ code: 'key_not_found' })
    }
    expect(await statusOf(key)).toBe(200)
    const ids = (await listKeys(db, foreign, clock.now())).map(({ id }) => id)
    expect(ids).toHaveLength(2)
    expect(ids).not.toContain(record.id)
  })

  test('200 shows each key its own business and mode', async () => {
    const other = await server.newBusiness('Other Ventures')
    const profile = async (key: string) => (await as(key).get(PATH)).body.data

    expect(await profile(business.keys.testSecret)).toMatchObject({
      businessName: 'Ada Ventures',
      mode: 'test',
    })
    expect(await profile(business.keys.liveSecret)).toMatchObject({ mode: 'live' })
    expect(await profile(other.keys.testSecret)).toMatchObject({
      businessId: other.businessId,
      businessName: 'Other Ventures',
    })
  })

  test('200 sees a changed business at once after its cached keys are dropped', async () => {
    const other = await server.newBusiness('Closed Ventures')
    expect(await statusOf(other.keys.testSecret)).toBe(200)
    await db.run`update businesses set status = 'Suspended' where id = ${other.businessId}`
    forgetKeysOf(other.businessId)
    expect(await statusOf(other.keys.testSecret)).toBe(401)
  })
})

test('the log contains no key', async () => {
  for (const key of Object.values(business.keys)) {
    expect(server.logLines.filter((line) => line.includes(key.slice(8)))).toEqual([])
  }
})

/** Another server on the same database, with its own connections. */
async function secondServer(): Promise<string> {
  const db = openDatabase({ connection: server.connection, connectionsMax: 4 })
  const app = await buildApp({
    db,
    ids: openIds(db),
    keyring: server.keyring,
    clock,
    log: pino({ level: 'silent' }),
    nudge: () => {},
    publicUrl: 'http://127.0.0.1',
    rateLimit: { perSecond: 0, burst: 0 },
    simulatorDelayMs: 0,
    idempotencyMs: 24 * 3_600_000,
    trustProxy: [],
    metricsToken: undefined,
    storage: { directory: join(tmpdir(), 'tradepost-no-files') },
    webhooks: { allowsLoopback: true },
  })
  afterAll(async () => {
    await app.server.close()
    await db.close()
  })
  return app.server.listen({ port: 0, host: '127.0.0.1' })
}
