import { expect, test } from 'vitest'
import { openHome } from '../../src/cli/cli.fixture.ts'
import { quietLog } from '../../src/cli/open.ts'
import { openDatabase } from '../../src/db/database.ts'
import { openReplicas } from '../../src/db/replicas.ts'
import { Secret } from '../../src/lib/tokens.ts'
import { callerWith } from '../harness.ts'
import { ENCRYPTION_KEY } from '../keyring.ts'
import { startPrimaryAndStandby } from './standby.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'
const TRANSFERS = '/api/transaction-service/external/v1/transactions'

const { start, json, tradepost } = await openHome()
const { primary, standby } = await startPrimaryAndStandby()
const settings = {
  DATABASE_URL: primary.url,
  DATABASE_REPLICA_URL: standby.url,
  TRADEPOST_ENCRYPTION_KEY: ENCRYPTION_KEY,
  RATE_LIMIT: '0',
}
const host = `127.0.0.1:${standby.port}`
const { keys } = await json(['business', 'create', 'Ada Ventures'], settings)
const { url } = await start(settings)
const { call, get } = callerWith(url, keys.testSecret)

async function create(note: string): Promise<string> {
  const reply = await call('POST', INVOICES, { customerEmail: 'ada@example.com', amount: 1, note })
  expect(reply.status).toBe(201)
  return reply.body.data.reference
}

const newest = async (): Promise<string> =>
  (await get(`${INVOICES}?limit=1`)).body.data[0].reference

const exported = async (): Promise<string> => (await get(`${INVOICES}/export`)).text

/** Reads a metric's value, of any label that is named. */
async function metric(name: string, label = ''): Promise<number> {
  const { text } = await get('/metrics', { authorization: '' })
  const lines: string[] = text.split('\n')
  const line = lines.find((one) => one.startsWith(name) && one.includes(label))
  return line === undefined ? Number.NaN : Number(line.split(' ').at(-1))
}
const served = (server: 'replica' | 'primary') =>
  metric('tradepost_replica_reads_total', `server="${server}"`)
const isUsed = () => metric('tradepost_replica_used', host)

const doctor = async (): Promise<{ level: string; says: string }[]> => {
  const { stdout } = await tradepost(['doctor', '--json'], { ...settings, PORT: '0' })
  return JSON.parse(stdout).checks.filter(({ name }: { name: string }) => name === 'replica')
}

test('lists and exports use the replica, and contain what the caller has just written', async () => {
  await expect.poll(isUsed).toBe(1)
  const before = await served('replica')
  for (let i = 0; i < 40; i++) {
    const reference = await create(`note ${i}`)
    expect(await newest()).toBe(reference)
    if (i % 10 === 0) expect(await exported()).toContain(reference)
  }
  expect(await served('replica')).toBeGreaterThan(before)
  expect((await get(`${TRANSFERS}?limit=1`)).status).toBe(200)
  expect(await metric('tradepost_replica_lag_seconds', host)).toBeGreaterThanOrEqual(0)
  expect(await doctor()).toEqual([
    expect.objectContaining({ level: 'ok', says: `${host} has every commit of the primary` }),
  ])
})

test('a replica of a distributed database is used like its primary', async () => {
  const connection = { connectionString: primary.url, isDivided: true }
  const db = openReplicas(
    { DATABASE_REPLICA_URL: new Secret(standby.url), DATABASE_PREPARE: undefined },
    openDatabase({ connection, connectionsMax: 2 }),
    quietLog,
  )
  const used = () => db.reading(async ({ replica, isDivided }) => ({ replica, isDivided }))
  await expect.poll(used).toEqual({ replica: host, isDivided: true })
  await db.close()
})

test('the audit reads the replica, and contains what was committed before it began', async () => {
  const reference = await create('audited')
  const { status, stdout } = await tradepost(['audit'], settings)
  expect(stdout).toContain(`Read from the replica ${host}.`)
  expect(stdout).toContain('found no errors')
  expect(status).toBe(0)
  await primary.query(`update invoices set paid_minor = 1 where reference = '${reference}'`)
  expect((await tradepost(['audit'], settings)).stdout).toContain('Found errors')
  await primary.query(`update invoices set paid_minor = 0 where reference = '${reference}'`)
  expect((await tradepost(['audit', '--since'], settings)).stdout).toContain(
    `Read from the replica ${host}.`,
  )
})

test('a replica that does not replay is left out until it has caught up', async () => {
  await expect.poll(isUsed).toBe(1)
  await standby.query('select pg_wal_replay_pause()')
  const before = await served('primary')
  for (let i = 0; i < 5; i++) {
    const reference = await create(`late ${i}`)
    expect(await newest()).toBe(reference)
    expect(await exported()).toContain(reference)
  }
  expect(await served('primary')).toBe(before + 10)
  expect(await isUsed()).toBe(0)
  await expect.poll(() => metric('tradepost_replica_lag_seconds', host)).toBeGreaterThan(0)
  expect(await doctor()).toEqual([
    expect.objectContaining({ level: 'warn', says: expect.stringMatching('behind the primary') }),
  ])
  await standby.query('select pg_wal_replay_resume()')
  await expect.poll(isUsed).toBe(1)
  const reference = await create('after')
  expect(await newest()).toBe(reference)
})

test('without the replica, reads use the primary', async () => {
  await primary.query('alter system reset synchronous_standby_names')
  await primary.query('select pg_reload_conf()')
  await standby.kill()
  for (let i = 0; i < 5; i++) {
    const reference = await create(`alone ${i}`)
    expect(await newest()).toBe(reference)
    expect(await exported()).toContain(reference)
  }
  // The processes of a killed server end one after another.
  await expect.poll(isUsed).toBe(0)
  expect(await doctor()).toEqual([expect.objectContaining({ level: 'warn' })])
  const { stdout } = await tradepost(['audit'], settings)
  expect(stdout).toContain('Read from the primary, because no replica could be used.')
})

test('a server that is not a copy of the database is never read', async () => {
  await primary.query("create database other template template0 encoding 'UTF8'")
  const other = primary.url.replace(/postgres$/, 'other')
  const { stdout } = await tradepost(['audit'], { ...settings, DATABASE_REPLICA_URL: other })
  expect(stdout).toContain('Read from the primary')
  const { checks } = JSON.parse(
    (await tradepost(['doctor', '--json'], { ...settings, DATABASE_REPLICA_URL: other })).stdout,
  )
  expect(checks).toContainEqual(
    expect.objectContaining({ says: expect.stringMatching('not a copy of this database') }),
  )
})
