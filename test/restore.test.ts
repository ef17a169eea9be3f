import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { allChecks } from '../src/audit.ts'
import { browserAt } from '../src/business/people/people.fixture.ts'
import { beginHere, databaseSettings, expectRefused } from '../src/cli/cli.fixture.ts'
import { openDatabase } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { runAudit } from '../src/ledger/audit.ts'
import {
  openShop,
  type Script,
  scripted,
  toMorning,
} from '../src/reconciliation/reconciliation.fixture.ts'
import { form, noisy, openMedia } from '../src/sales/products/media/media.fixture.ts'
import { callerWith, startSecond, startServer, testDatabase } from './harness.ts'
import { openOlderDatabase } from './older-database.ts'

/* The drill: a business is backed up under load, its database is lost, and the backup is restored.
 * Meanwhile the provider has gone on. */

const script = {} as Script
const connectors: NonNullable<Parameters<typeof startServer>[0]>['connectors'] = (simulator) => ({
  simulator,
  paystack: scripted(simulator, script),
})
const server = await startServer({ jobs: false, connectors })
const { db, clock } = server
const INVOICES = '/api/payment-service/external/v1/invoices'
const EVENTS = '/api/user-service/external/v1/events'
const MONEY = '/api/transaction-service/external/v1'
const DONE = { status: 'Successful', message: 'Paid' } as const

const scratch = await mkdtemp(join(inject('fastestFolder'), 'tradepost-restore-'))
const databases: string[] = []
const asSuperuser = async (statement: string) => {
  const client = new pg.Client(inject('cluster').superuser)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
/** Creates an empty database, dropped after the file. */
async function emptyDatabase(): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  databases.push(name)
  await asSuperuser(`create database ${name} owner ${inject('cluster').owner.user}`)
  return name
}
beforeAll(() => toMorning(server))
afterAll(async () => {
  for (const name of databases) await asSuperuser(`drop database ${name} with (force)`)
  await rm(scratch, { recursive: true, force: true })
})

async function command(args: string[], name: string, dataDir: string) {
  const env = { ...databaseSettings(name), DATA_DIR: dataDir }
  return await beginHere(args, env).ended
}
async function json(args: string[], name: string, dataDir: string) {
  const { status, stdout, stderr } = await command([...args, '--json'], name, dataDir)
  expect([status, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

test('a business comes back from a backup, and what was done since is found', async () => {
  const shop = await openShop(server, script)
  const { businessId, connectionId, member, done, pay, report } = shop
  const { keys } = server.business
  const merchant = server.as(keys.testSecret)
  const backups = join(scratch, 'backups')

  // A business with payments, a file, and a transfer that nobody has sent yet.
  await done('/api/simulator/wallet', { amount: 10_000 })
  const paid = await pay(500)
  await done(`${MONEY}/transfers`, {
    amount: 50,
    bankCode: '058',
    accountNumber: '0123456785',
  })
  const { upload, newProduct } = openMedia(server)
  const { productId } = await newProduct()
  const picture = await upload(form({ productId }, { bytes: await noisy() }))
  expect(picture.status).toBe(200)
  const held = await server.newBusiness()
  const stop = ['payouts', 'stop', '--business', String(held.businessId), '--reason', 'Fraud']
  expect(await json(stop, server.name, server.directory)).toHaveLength(2)
  const unsent = await db.one<{ reference: string; sent_at: Date | null; sent: string }>`
    select reference, sent_at, sent_reference as sent from provider_orders
    where business_id = ${businessId} and kind = 'transfer'`
  expect(unsent.sent_at).toBeNull()

  // Invoices are created while the backup is made.
  const answers = new Map<string, string>()
  const invoice = { customerEmail: 'ada@example.com', amount: 100 }
  const create = async (caller: typeof merchant, key: string) =>
    (await caller.post(INVOICES, invoice, { 'idempotency-key': key })).text
  let isMaking = true
  const load = async (worker: number) => {
    for (let i = 0; isMaking; i++) {
      const key = `load-${worker}-${i}`
      answers.set(key, await create(merchant, key))
    }
  }
  for (let i = 0; i < 20; i++) answers.set(`before-${i}`, await create(merchant, `before-${i}`))
  const workers = Array.from({ length: 4 }, (_, i) => load(i))
  const made = await json(['backup', backups], server.name, server.directory)
  isMaking = false
  await Promise.all(workers)
  expect(made.files).toMatchObject({ count: 1, faults: [] })
  const metrics = await server.get('/metrics', { authorization: '' })
  const [, age] = /^tradepost_backup_age_seconds (\S+)$/m.exec(metrics.text) ?? []
  // The server's clock is ahead.
  expect(Number(age)).toBeLessThan(48 * 3_600)

  // After the backup: the transfer is sent, a payment arrives, and another invoice is created.
  await server.runJob('transfer-orders')
  script.payouts.set(unsent.sent, { kind: 'done', value: DONE })
  report('charge', { providerId: 'P1', reference: 'unknown-here', amount_minor: 750_00n })
  const last = await create(merchant, 'after')
  const lost = JSON.parse(last).data
  await server.close()

  // Into a database that is not empty, nothing is restored.
  const other = await mkdtemp(join(scratch, 'other-'))
  const full = await startServer({ jobs: false })
  expectRefused(await command(['restore', backups], full.name, other), 1, 'is not empty')

  const restoredName = await emptyDatabase()
  const directory = join(scratch, 'restored')
  const restored = await json(['restore', backups], restoredName, directory)
  expect(restored).toMatchObject({ files: 1, faults: [], rows: made.rows })
  expect(restored.orders).toBeGreaterThan(0)
  expect(await json(['audit'], restoredName, directory)).toMatchObject({ findings: [] })

  const connection = { ...inject('cluster').app, database: restoredName }
  const storage = { directory }
  const second = await startSecond(server, { connection, storage, connectors })
  const again = callerWith(second.url, keys.testSecret)
  const runJob = (name: string) =>
    second.app.jobs.find((job) => job.name === name)!.run(second.db, clock.now())

  // A request that the backup has is repeated byte for byte; the others are done again.
  const repeated = await Promise.all(
    [...answers].map(async ([key, text]) => [key, (await create(again, key)) === text] as const),
  )
  for (const [key, isSame] of repeated) if (key.startsWith('before-')) expect(isSame).toBe(true)
  const ids = await second.db.many<{ id: number; number: number }>`
    select id, number from invoices where business_id = ${server.business.businessId}`
  expect(new Set(ids.map(({ number }) => number)).size).toBe(ids.length)

  // No id and no number is given out a second time.
  const { data: next } = JSON.parse(await create(again, 'next'))
  const digits = (text: string) => Number(/\d+$/.exec(text)![0])
  expect(digits(next.invoiceNumber)).toBeGreaterThan(digits(lost.invoiceNumber))
  expect(next.invoiceId ?? next.id).toBeGreaterThan(lost.invoiceId ?? lost.id)

  // An event of an object that the backup has does not repeat a number.
  const { data: first } = JSON.parse(answers.get('before-0')!)
  const numbersOf = async (): Promise<[string, number][]> => {
    const { body } = await again.get(`${EVENTS}?objectId=${first.id}&sort=ASC`)
    return body.data.map((event: { type: string; sequence: number }) => [
      event.type,
      event.sequence,
    ])
  }
  const told = await numbersOf()
  expect(told[0]).toEqual(['invoice.created', 1])
  expect((await again.post(`${INVOICES}/${first.reference}/void`)).status).toBe(200)
  const voided = ['invoice.voided', told.length + 1 + restored.ids]
  expect(await numbersOf()).toEqual([...told, voided])

  // The file is there.
  const { pathname } = new URL(picture.body.data.url)
  expect((await fetch(second.url + pathname)).status).toBe(200)

  // The transfer was sent before, so it is looked up and not sent again.
  clock.advance(60_000)
  await runJob('transfer-orders')
  const order = await second.db.one<{ state: string; tries: number }>`
    select state, tries from provider_orders
    where business_id = ${businessId} and reference = ${unsent.reference}`
  expect(order).toEqual({ state: 'Successful', tries: 1 })

  // Payouts and refunds wait until the operator resumes them.
  const owner = callerWith(second.url, shop.key)
  const refund = await owner.post(`${MONEY}/refunds`, { transactionReference: paid, amount: 100 })
  expect(refund.status).toBeLessThan(300)
  const account = { bankCode: '058', accountNumber: '0123456785' }
  const transfer = await owner.post(`${MONEY}/transfers`, { amount: 20, ...account })
  expect(transfer.status).toBeLessThan(300)
  const waiting = async () => {
    for (const kind of ['transfer', 'refund']) await runJob(`${kind}-orders`)
    const rows = await second.db.many<{ kind: string }>`
      select kind from provider_orders
      where business_id = ${businessId} and sent_at is null and ended_at is null order by kind`
    return rows.map(({ kind }) => kind)
  }
  expect(await waiting()).toEqual(['refund', 'transfer'])
  await json(['payouts', 'resume', '--restored'], restoredName, directory)
  expect(await waiting()).toEqual([])
  // What the operator had stopped before the backup stays stopped.
  const stopped = await second.db.many`
    select business_id as "businessId", payouts_stop_reason as reason, refunds_stopped as refunds
    from provider_settings where payouts_stopped_at is not null order by live`
  const { businessId: heldId } = held
  const still = { businessId: heldId, reason: 'Fraud', refunds: false }
  expect(stopped).toEqual([still, still])

  // What the provider knows and we do not is listed.
  const browser = browserAt(second.url)
  await browser.post('/console/sign-in', { email: member.email, password: member.password })
  const body = { connectionId, from: shop.day }
  expect((await browser.post('/console/reconciliation/run', body)).status).toBe(200)
  for (let i = 0; i < 3; i++) await runJob('reconciliation')
  const { body: listed } = await browser.get('/console/differences?status=Open')
  expect(listed.data).toContainEqual(
    expect.objectContaining({ class: 'missing_here', providerId: 'P1' }),
  )
  expect(await runAudit(second.db, allChecks)).toEqual([])
}, 120_000)

test('a database of an older version is backed up as it is, and migrated after the restore', async () => {
  const older = await openOlderDatabase('0074')
  const { database } = older.client
  try {
    await older.client.query(
      `insert into businesses (id, reference, name, created_at, updated_at)
       values (101, 'BUS_older', 'Ada', '2026-11-01', '2026-11-01')`,
    )
    const backups = join(scratch, 'older')
    await json(['backup', backups], database!, scratch)
    const { rows } = await older.client.query('select max(version) as at from schema_migrations')
    expect(rows).toEqual([{ at: 74 }])
    const name = await emptyDatabase()
    const [held] = await Promise.all([
      stopsAtFirstSight(name),
      json(['restore', backups], name, join(scratch, 'newer')),
    ])
    expect(held).toEqual([
      { live: false, refunds_stopped: true },
      { live: true, refunds_stopped: true },
    ])

    // What a killed restore of a newer backup leaves.
    const left = await emptyDatabase()
    const connect = { ...inject('cluster').owner, database: left }
    const log = { info() {}, warn() {}, error() {} }
    await migrate({ connect, dir: 'migrations', log, isRestoring: true })
    const refused = await command(['restore', backups], left, join(scratch, 'left'))
    expectRefused(refused, 1, 'is unfinished: create a new, empty database')
  } finally {
    await older.close()
  }
}, 60_000)

/** Reads which payouts are stopped, as soon as a server that still runs would see a business. */
async function stopsAtFirstSight(name: string): Promise<object[]> {
  const client = new pg.Client({ ...inject('cluster').owner, database: name })
  client.on('error', () => {})
  await client.connect()
  const count = async (): Promise<number> => {
    const { rows } = await client.query("select to_regclass('businesses') is not null as made")
    if (!rows[0].made) return 0
    return (await client.query('select from businesses')).rowCount ?? 0
  }
  try {
    while ((await count()) === 0) await sleep(1)
    const { rows } = await client.query(
      'select live, refunds_stopped from provider_settings where business_id = 101 order by live',
    )
    return rows
  } finally {
    await client.end()
  }
}

test('1 while a server is connected, because it would send payouts', async () => {
  const backups = join(scratch, 'connected')
  await json(['backup', backups], (await testDatabase()).name, scratch)
  const name = await emptyDatabase()
  const connection = { ...inject('cluster').app, database: name }
  const running = openDatabase({ connection, connectionsMax: 1 })
  await running.one`select 1 as one`
  const restore = () => command(['restore', backups], name, join(scratch, 'connected-data'))
  expectRefused(await restore(), 1, 'servers or commands are connected (1 connections): stop them')
  await running.close()
  // PostgreSQL notices a moment later that the server has gone.
  await expect.poll(async () => (await restore()).status, { timeout: 30_000 }).toBe(0)
}, 60_000)

test('a command that is connected at the end is waited for, not the reason to restore again', async () => {
  const backups = join(scratch, 'doctor')
  await json(['backup', backups], (await testDatabase()).name, scratch)
  const name = await emptyDatabase()
  const observer = new pg.Client({ ...inject('cluster').superuser, database: name })
  await observer.connect()
  const isSo = async (condition: string): Promise<boolean> =>
    (await observer.query(`select ${condition} as "isSo"`)).rows[0].isSo
  const settings = { ...databaseSettings(name), DATA_DIR: join(scratch, 'doctor-data') }
  const { ended } = beginHere(['restore', backups], settings)
  // It has found nobody connected, and begins.
  const begins = () => isSo("to_regclass('schema_migrations') is not null")
  await expect.poll(begins, { interval: 1, timeout: 30_000 }).toBe(true)
  const connection = { ...inject('cluster').app, database: name }
  const running = openDatabase({ connection, connectionsMax: 1 })
  await running.one`select 1 as one`
  const waits = () =>
    isSo(`exists (select from pg_stat_activity where datname = current_database()
      and application_name = 'tradepost backup' and state = 'idle in transaction'
      and query like '%from pg_stat_activity%')`)
  await expect.poll(waits, { interval: 1, timeout: 30_000 }).toBe(true)
  await running.close()
  expect(await ended).toMatchObject({ status: 0, stderr: '' })
  await observer.end()
}, 60_000)

test('no server starts on a database whose restore was interrupted, until it is repeated', async () => {
  const backups = join(scratch, 'interrupted')
  const { name: full } = await testDatabase()
  await json(['backup', backups], full, scratch)
  const name = await emptyDatabase()
  // What a killed restore leaves.
  const connect = { ...inject('cluster').owner, database: name }
  const log = { info() {}, warn() {}, error() {} }
  await migrate({ connect, dir: 'migrations', log, isRestoring: true })
  const refused = await command(['business', 'list'], name, scratch)
  expectRefused(refused, 1, 'a backup is being restored into this database, or was not')
  await json(['restore', backups], name, join(scratch, 'interrupted-data'))
  expect(await json(['business', 'list'], name, scratch)).toEqual([])
}, 60_000)

test('a table that someone else has created does not prevent a restore', async () => {
  const backups = join(scratch, 'others')
  const { name: full } = await testDatabase()
  const client = new pg.Client({ ...inject('cluster').owner, database: full })
  await client.connect()
  await client.query(
    `create table "Copie des données" (id serial, note text);
     insert into "Copie des données" (note) values ('before the repair')`,
  )
  await client.end()
  await json(['backup', backups], full, scratch)
  const name = await emptyDatabase()
  const restored = await json(['restore', backups], name, join(scratch, 'others-data'))
  expect(restored).toMatchObject({ leftOut: ['Copie des données'], faults: [] })
  expect(await json(['audit'], name, join(scratch, 'others-data'))).toMatchObject({ findings: [] })
}, 60_000)
