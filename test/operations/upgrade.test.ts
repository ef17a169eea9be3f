import { randomBytes, randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, expect, inject, test } from 'vitest'
import { databaseSettings, openHome } from '../../src/cli/cli.fixture.ts'
import { callerWith } from '../harness.ts'
import { NEXT, nextVersion, previousVersion } from './versions.ts'

/* An upgrade without a pause: servers of two versions share a database under load. */

const INVOICES = '/api/payment-service/external/v1/invoices'

/** What a migration may do: the servers of the version before go on meanwhile. */
const EXPANSION = {
  '9000_upgrade_column': `alter table invoices add column upgrade_note text;
    create table upgrade_notes (business_id bigint primary key, note text not null);`,
  '9001_upgrade_index': `-- Step by step
    create index concurrently if not exists upgrade_index on invoices (business_id, upgrade_note)
      where upgrade_note is not null;`,
}

const nextRoot = await nextVersion(EXPANSION)
const before = await openHome(await previousVersion())
const next = await openHome(nextRoot)
const database = `upgrade_${randomBytes(6).toString('hex')}`
const administer = async (text: string) => {
  const client = new pg.Client(inject('cluster').superuser)
  await client.connect()
  await client.query(text)
  await client.end()
}
await administer(`create database ${database} owner ${inject('cluster').owner.user}`)
afterAll(async () => {
  await administer(`drop database ${database} with (force)`)
  await rm(nextRoot, { recursive: true, force: true })
})
const settings = { ...databaseSettings(database), RATE_LIMIT: '0' }

/** A request did not reach a server, so a load balancer sends it to another one. */
const UNSENT = ['ECONNREFUSED', 'ECONNRESET']

test('servers of two versions share a database, and no request is lost', async () => {
  const old = await before.start(settings)
  const made = await before.tradepostApart(['business', 'create', 'Ada', '--json'], settings)
  const { keys } = JSON.parse(made.stdout)

  /** What a load balancer does: requests go to one of these, in turns. */
  let targets = [old.url]
  let isLoading = true
  let turn = 0
  const served = new Map<string, number>()
  const statuses = new Set<number>()
  const stored = new Map<string, string>()

  async function create(key: string): Promise<void> {
    const body = { customerEmail: 'ada@example.com', amount: 1_000, note: key }
    for (;;) {
      const url = targets[turn++ % targets.length]!
      try {
        const { call } = callerWith(url, keys.testSecret)
        const reply = await call('POST', INVOICES, body, { 'idempotency-key': key })
        statuses.add(reply.status)
        served.set(url, (served.get(url) ?? 0) + 1)
        if (reply.status === 201) return void stored.set(key, reply.body.data.reference)
        return
      } catch (error) {
        if (!UNSENT.includes((error as { code?: string }).code ?? '')) throw error
      }
    }
  }
  const clients = Array.from({ length: 8 }, async () => {
    while (isLoading) await create(randomUUID())
  })
  const more = async (url: string) => {
    const from = served.get(url) ?? 0
    await expect.poll(() => served.get(url) ?? 0, { timeout: 60_000 }).toBeGreaterThan(from + 50)
  }
  await more(old.url)

  // The database is migrated while the old servers go on.
  const ahead = await next.tradepostApart(['doctor', '--json'], settings)
  expect(JSON.parse(ahead.stdout).checks).toContainEqual(
    expect.objectContaining({
      name: 'schema',
      says: expect.stringContaining('9000_upgrade_column'),
    }),
  )
  const migrated = await next.tradepostApart(['migrate', '--json'], settings)
  expect(JSON.parse(migrated.stdout).applied).toEqual(
    expect.arrayContaining(Object.keys(EXPANSION)),
  )
  await more(old.url)

  // A server of the old version that is started now would not know the schema.
  const late = await before.tradepostApart(['start'], settings)
  expect(late.status).toBe(1)
  expect(late.stderr).toMatch(
    /^error: the database is at 9001, this code only knows \d{4}: run the newer Tradepost[^\n]*\n$/,
  )

  // Both versions serve, then only the new one.
  const fresh = await next.start(settings)
  expect(fresh.told()).toContain(`Tradepost ${NEXT} is ready`)
  targets = [old.url, fresh.url]
  await more(old.url)
  await more(fresh.url)
  const drained = before.tradepostApart(['drain'], settings)
  const ready = async () => (await fetch(`${old.url}/health/ready`)).status
  await expect.poll(ready, { timeout: 30_000 }).toBe(503)
  await more(old.url)
  targets = [fresh.url]
  expect((await drained).status).toBe(0)
  expect(await old.stop()).toBe(0)
  await more(fresh.url)
  isLoading = false
  await Promise.all(clients)

  expect([...statuses]).toEqual([201])
  const client = new pg.Client({ ...inject('cluster').owner, database })
  await client.connect()
  const { rows } = await client.query('select note, reference from invoices')
  await client.end()
  expect(rows).toHaveLength(stored.size)
  expect(new Map(rows.map(({ note, reference }) => [note, reference]))).toEqual(stored)
  await fresh.stop()
  const audit = await next.tradepostApart(['audit', '--json'], settings)
  expect(JSON.parse(audit.stdout)).toMatchObject({ findings: [] })
}, 240_000)

test('a new server that starts without the step before migrates the database itself', async () => {
  const name = `${database}_late`
  await administer(`create database ${name} owner ${inject('cluster').owner.user}`)
  const own = { ...databaseSettings(name), RATE_LIMIT: '0' }
  try {
    const old = await before.start(own)
    const fresh = await next.start(own)
    const client = new pg.Client({ ...inject('cluster').owner, database: name })
    await client.connect()
    const { rows } = await client.query('select max(version) as last from schema_migrations')
    await client.end()
    expect(rows).toEqual([{ last: 9001 }])
    for (const server of [old, fresh]) {
      expect((await fetch(`${server.url}/health/ready`)).status).toBe(200)
      expect(await server.stop()).toBe(0)
    }
  } finally {
    await administer(`drop database ${name} with (force)`)
  }
}, 120_000)
