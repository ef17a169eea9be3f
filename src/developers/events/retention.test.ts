import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startSecond, startServer } from '../../../test/harness.ts'
import { commandsOn, databaseSettings, databaseUrl, openHome } from '../../cli/cli.fixture.ts'
import { openDatabase } from '../../db/database.ts'
import { dataDigest, eventDigest } from '../../events/digest.ts'
import { openArchive } from '../../jobs/archive.ts'
import { runDue } from '../../jobs/jobs.ts'
import { openShop } from '../../money/settlements/settlements.fixture.ts'
import { endpointAt, tellEvents } from '../webhooks/webhooks.fixture.ts'

const DAYS = 40
const DAY_MS = 86_400_000

const server = await startServer({ jobs: false, mailListDays: DAYS })
const { clock, db, name } = server
const owner = openDatabase({
  connection: { ...inject('cluster').owner, database: name },
  connectionsMax: 2,
})
afterAll(() => owner.close())
const directory = await mkdtemp(join(tmpdir(), 'tradepost-archive-'))
afterAll(() => rm(directory, { recursive: true }))
const pruner = await startSecond(server, {
  eventRetention: { days: DAYS, owner },
  archive: openArchive(directory),
})
const { json, tradepost } = commandsOn(name)
const home = await openHome()

async function runJob({ app }: Pick<typeof pruner, 'app'>, job: string): Promise<number> {
  return runDue(db, clock.now(), app.jobs.find((one) => one.name === job)!.run)
}
const prune = () => runJob(pruner, 'event-expiry')

const seal = async () => {
  while ((await server.runJob('digest-seal')) > 0);
}

const eventsOf = (businessId: number) =>
  db.many<{ id: number }>`select id from events where business_id = ${businessId} order by id`

async function newShop() {
  const shop = await openShop(server)
  const { page } = await shop.stall()
  await shop.pay(5_000, page)
  await tellEvents(shop.caller, 2)
  await server.runJob('mail')
  await seal()
  return shop
}

/** The events of one business in the archive, in order. */
async function archived(businessId: number) {
  const folder = join(directory, `${businessId}-test`)
  const files = (await readdir(folder)).sort()
  expect(files.filter((file) => !/^events-\d{4}-\d\d\.ndjson$/.test(file))).toEqual([])
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  return texts.join('').trimEnd().split('\n')
}

/** The digest of an exported event, from its line alone. */
function digestOf(line: string): string {
  const event = JSON.parse(line)
  const data = line.slice(line.indexOf(',"data":') + ',"data":'.length, -1)
  const { businessId, eventId: id, id: reference, type, object: objectType } = event
  const { objectId, sequence, timestamp, salt, mode } = event
  const head = { businessId, live: mode === 'live', id, reference, type, objectType, objectId }
  return eventDigest({ ...head, sequence, at: new Date(timestamp) }, dataDigest(salt, data))
}

const sealedDigests = (businessId: number) =>
  db.many<{ id: number; digest: string }>`
    select u.id, encode(u.digest, 'hex') as digest
    from digest_seals s, unnest(s.ids, s.digests) as u (id, digest)
    where s.business_id = ${businessId} and s.kind = 'event' order by u.id`

describe('old events', () => {
  test('are written to the archive with what proves them, and then deleted', async () => {
    const { businessId, caller } = await newShop()
    const before = await eventsOf(businessId)
    expect(before.length).toBeGreaterThan(5)
    clock.advance((DAYS + 1) * DAY_MS)
    await tellEvents(caller)
    expect(await prune()).toBeGreaterThanOrEqual(before.length)

    const after = await eventsOf(businessId)
    expect(after).toHaveLength(2)
    const lines = await archived(businessId)
    const digests = lines.map((line) => ({ id: JSON.parse(line).eventId, digest: digestOf(line) }))
    const of = new Set(before.map(({ id }) => id))
    expect(digests.sort((a, b) => a.id - b.id)).toEqual(
      (await sealedDigests(businessId)).filter(({ id }) => of.has(id)),
    )
    expect(digests.map(({ id }) => ({ id }))).toEqual(before)
    expect(await findings(server)).toEqual([])
    await seal()
    expect(await findings(server)).toEqual([])
    expect(await prune()).toBe(0)
  })

  test('stay while their deliveries do, and while a business is on hold', async () => {
    const { businessId, caller } = await newShop()
    const { id } = await endpointAt(server, { url: 'https://shop.example', businessId })
    await tellEvents(caller)
    const deliveries = await db.many<{ id: number }>`
      select event_id as id from webhook_deliveries where webhook_id = ${id} order by event_id`
    expect(deliveries).toHaveLength(2)
    clock.advance((DAYS + 1) * DAY_MS)
    await json('hold', 'add', '--business', String(businessId), '--reason', 'A court asked')
    await prune()
    expect((await eventsOf(businessId)).length).toBeGreaterThan(1)
    await json('hold', 'remove', '--business', String(businessId))
    await prune()
    expect(await eventsOf(businessId)).toEqual(deliveries)
    expect(await server.runJob('webhook-prune')).toBeGreaterThan(0)
    await prune()
    expect(await eventsOf(businessId)).toEqual([])
    expect(await findings(server)).toEqual([])
  })

  test('stay if they cannot be written to the archive', async () => {
    const { businessId } = await newShop()
    const before = await eventsOf(businessId)
    clock.advance((DAYS + 1) * DAY_MS)
    const blocked = join(directory, `${businessId}-test`)
    await writeFile(blocked, 'not a folder')
    await expect(prune()).rejects.toMatchObject({
      cause: expect.objectContaining({ message: expect.stringContaining('ENOTDIR') }),
    })
    expect(await eventsOf(businessId)).toEqual(before)
    await rm(blocked)
    await prune()
    expect(await eventsOf(businessId)).toEqual([])
    expect(await archived(businessId)).toHaveLength(before.length)
  })

  test('stay for ever by default, and the server’s own role cannot delete them', async () => {
    const { businessId } = await newShop()
    clock.advance((DAYS + 1) * DAY_MS)
    expect(await server.runJob('event-expiry')).toBe(0)
    const other = await startSecond(server, { eventRetention: { days: DAYS } })
    onTestFinished(other.close)
    await expect(runJob(other, 'event-expiry')).rejects.toMatchObject({
      cause: expect.objectContaining({ message: expect.stringContaining('permission denied') }),
    })
    expect((await eventsOf(businessId)).length).toBeGreaterThan(5)
    await prune()
  })

  test('go as well if requests have another role than the owner of the tables', async () => {
    clock.reset()
    clock.advance(-(DAYS + 1) * DAY_MS)
    const { businessId } = await newShop()
    clock.reset()
    expect((await eventsOf(businessId)).length).toBeGreaterThan(5)
    const started = await home.start({
      ...databaseSettings(name),
      DATABASE_URL: databaseUrl(name, 'app'),
      DATABASE_DIRECT_URL: databaseUrl(name),
      EVENTS_DAYS: String(DAYS),
    })
    await expect.poll(() => eventsOf(businessId), { timeout: 30_000 }).toEqual([])
    expect(await started.stop()).toBe(0)
  })
})

describe('old emails', () => {
  const mailsOf = (businessId: number) =>
    db.many<{ id: number; hasText: boolean }>`
      select m.id, l.subject is not null as "hasText" from mails m
      left join letters l using (business_id, live, id) where m.business_id = ${businessId}`

  test('leave the lists with their text, unless a customer of the business is on hold', async () => {
    const { businessId } = await newShop()
    expect((await mailsOf(businessId)).filter(({ hasText }) => hasText).length).toBeGreaterThan(1)
    clock.advance((DAYS + 1) * DAY_MS)
    const customer = ['--business', String(businessId), '--customer', 'Ada@example.com']
    await json('hold', 'add', ...customer, '--reason', 'A police request')
    await server.runJob('mail-expiry')
    expect((await mailsOf(businessId)).length).toBeGreaterThan(1)
    await json('hold', 'remove', ...customer)
    await server.runJob('mail-expiry')
    expect(await mailsOf(businessId)).toEqual([])
    expect(await findings(server)).toEqual([])
  })
})

describe('tradepost hold', () => {
  test('lists holds, and says if nothing changes', async () => {
    const { businessId } = await newShop()
    const business = ['--business', String(businessId)]
    const held = await json('hold', 'add', ...business, '--reason', 'A court asked')
    expect(await json('hold', 'list', ...business)).toEqual([held])
    expect(held).toMatchObject({ businessId, customer: null, reason: 'A court asked' })
    const again = await tradepost('hold', 'add', ...business, '--reason', 'Again')
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('already on hold')])
    expect(await tradepost('hold', 'remove', ...business)).toMatchObject({ status: 0 })
    expect(await tradepost('hold', 'remove', ...business)).toMatchObject({ status: 1 })
    expect(
      await db.many`
      select action, detail from audit_log where business_id = ${businessId} order by seq`,
    ).toEqual([
      { action: 'hold.add', detail: 'Put the records of the business on legal hold' },
      { action: 'hold.remove', detail: 'Ended the legal hold on the records of the business' },
    ])
  })
})

describe('tradepost events export', () => {
  test('writes the events before a time to a new file, and deletes nothing', async () => {
    const { businessId } = await newShop()
    const events = await eventsOf(businessId)
    const file = join(directory, `export-${businessId}.ndjson`)
    const options = ['--business', String(businessId), '--to', file]
    const before = new Date(clock.now().getTime() + DAY_MS).toISOString().slice(0, 10)
    const done = await json('events', 'export', ...options, '--before', before)
    const text = await readFile(file, 'utf8')
    expect(done).toMatchObject({ file, events: events.length, bytes: Buffer.byteLength(text) })
    const lines = text.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).eventId).sort((a, b) => a - b)).toEqual(
      events.map(({ id }) => id),
    )
    expect(await eventsOf(businessId)).toEqual(events)

    const again = await tradepost('events', 'export', ...options, '--before', before)
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('already exists')])
    const wrong = await tradepost('events', 'export', ...options, '--before', 'soon')
    expect(wrong.status).toBe(2)
  })
})
