import { mkdir, mkdtemp, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { findings } from '../../test/corruption/findings.ts'
import { startSecond, startServer } from '../../test/harness.ts'
import { openReceiver } from '../../test/webhook-receiver.ts'
import { sendDue, tellEvents } from '../developers/webhooks/webhooks.fixture.ts'
import { archiveLine, openArchive } from './archive.ts'

const WEBHOOKS = '/api/user-service/external/v1/webhooks'
const REQUESTS = '/api/user-service/external/v1/requests'
const DAYS = 40
const DAY_MS = 86_400_000

const directory = await mkdtemp(join(tmpdir(), 'tradepost-archive-'))
afterAll(() => rm(directory, { recursive: true }))
const options = {
  mailDays: DAYS,
  mailListDays: 2 * DAYS,
  deliveryDays: DAYS,
  requestLog: { days: DAYS, everyMs: 3_600_000 },
  archive: openArchive(directory),
}
const server = await startServer({ jobs: false, ...options })
const receiver = await openReceiver()
const { clock, db } = server

/** The lines of one kind about a business, in order. */
async function archived(businessId: number, kind: string) {
  const folder = join(directory, `${businessId}-test`)
  const files = await readdir(folder).catch(() => [])
  const ofKind = files.filter((file) => file.startsWith(`${kind}-`)).sort()
  const texts = await Promise.all(ofKind.map((file) => readFile(join(folder, file), 'utf8')))
  const lines = texts.join('').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line))
}

/** A business that has sent two emails and delivered two events. */
async function openShop() {
  const { businessId, keys } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const endpoint = await caller.post(WEBHOOKS, { url: receiver.url, events: ['invoice.created'] })
  const { reference } = endpoint.body.data
  const invoices = await tellEvents(caller, 2)
  await server.runJob('mail')
  await sendDue(server)
  await server.app.requestLog.flush()
  return { businessId, ...caller, invoices, deliveries: `${WEBHOOKS}/${reference}/deliveries` }
}

/** Logs copies of a request, each a little earlier, at most `hours` hours. */
const addRequests = (businessId: number, count: number, hours = 0) =>
  db.run`
    insert into request_log (business_id, live, at, id, key_id, request_id, method, operation,
      url, duration_ms, status, replayed, truncated, bodies_dropped, ip, request_body)
    select business_id, live, at - ${hours}::int * n / ${count}::int * interval '1 hour',
      id * 10000 + n, key_id, request_id || n, method, operation, url, duration_ms, status,
      replayed, truncated, bodies_dropped, ip,
      to_json(repeat('body ', 800))::text
    from (select * from request_log where business_id = ${businessId} limit 1) r,
      generate_series(1, ${count}) n`

/** Runs a job once on another server. */
const runOn = ({ app, db }: Pick<typeof server, 'app' | 'db'>, job: string) =>
  app.jobs.find(({ name }) => name === job)!.run(db, clock.now())

const deleteAll = async (jobs = ['letters', 'mail-expiry', 'request-log', 'webhook-prune']) => {
  for (const job of jobs) await server.runJob(job)
}

const rowsOf = async (businessId: number) =>
  db.one<Record<'mails' | 'contents' | 'requests' | 'deliveries' | 'attempts', number>>`
    select (select count(*) from mails where business_id = ${businessId}) as mails,
      (select count(*) from letters where business_id = ${businessId}) as contents,
      (select count(*) from request_log where business_id = ${businessId}) as requests,
      (select count(*) from webhook_deliveries where business_id = ${businessId}) as deliveries,
      (select count(*) from webhook_attempts where business_id = ${businessId}) as attempts`

const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id).sort()

const unwritten = (code: string) => expect.stringContaining(`cannot be written: ${code}`)

const NOTHING = { mails: 0, contents: 0, requests: 0, deliveries: 0, attempts: 0 }

describe('the archive', () => {
  test('has deliveries with their attempts, and requests with their bodies', async () => {
    const { businessId, get, deliveries } = await openShop()
    const { data } = (await get(deliveries)).body
    expect(data).toHaveLength(2)
    const shown = await Promise.all(
      data.map(async ({ id }: { id: string }) => {
        const { body: _body, ...delivery } = (await get(`${deliveries}/${id}`)).body.data
        return delivery
      }),
    )
    const ids = await db.many<{ id: string }>`
      select request_id as id from request_log where business_id = ${businessId} order by at, id`
    const requests = await Promise.all(
      ids.map(async ({ id }) => (await get(`${REQUESTS}/${id}`)).body.data),
    )
    expect(requests.some(({ requestBody }) => requestBody?.includes('ada@example.com'))).toBe(true)
    expect(await archived(businessId, 'deliveries')).toEqual([])

    clock.advance((DAYS + 1) * DAY_MS)
    await server.app.requestLog.flush()
    await deleteAll()
    const lines = await archived(businessId, 'deliveries')
    const head = { businessId, mode: 'test', webhook: deliveries.split('/').at(-2) }
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
    expect(lines.sort(byId)).toEqual(shown.map((one) => ({ ...head, ...one })).sort(byId))
    expect(lines[0].attemptLog).toEqual([expect.objectContaining({ number: 1, status: 200 })])
    const calls = (await archived(businessId, 'requests')).filter(({ requestId }) =>
      ids.some(({ id }) => id === requestId),
    )
    expect(calls).toEqual(requests.map((one) => ({ businessId, ...one })))
    expect(await rowsOf(businessId)).toMatchObject({ requests: 0, deliveries: 0, attempts: 0 })
    expect(await findings(server)).toEqual([])
  })

  test('has an email with its content, and again when it leaves the lists', async () => {
    const { businessId, invoices } = await openShop()
    const mails = await db.many<{ id: number }>`
      select id from mails where business_id = ${businessId} order by id`
    expect(mails).toHaveLength(2)
    clock.advance((DAYS + 1) * DAY_MS)
    await deleteAll()
    const lines = await archived(businessId, 'emails')
    expect(idsOf(lines)).toEqual(idsOf(mails))
    expect(lines.map(({ subjectId }) => subjectId).sort()).toEqual(
      invoices.map(({ id }) => id).sort(),
    )
    for (const line of lines) {
      expect(line).toMatchObject({ businessId, mode: 'test', kind: 'invoice', attempts: 1 })
      expect(line).toMatchObject({ to: 'ada@example.com', status: 'Captured', lastError: null })
      expect(line.content.text).toContain('9.00')
      expect(line.content.html).toContain('9.00')
    }
    expect(await rowsOf(businessId)).toMatchObject({ mails: 2, contents: 0 })
    clock.advance(DAYS * DAY_MS)
    await deleteAll()
    const later = (await archived(businessId, 'emails')).slice(2)
    expect(idsOf(later)).toEqual(idsOf(mails))
    expect(later.map(({ content }) => content)).toEqual([null, null])
    expect(await rowsOf(businessId)).toEqual(NOTHING)
  })

  test('keeps what cannot be written to it, and goes on with other businesses', async () => {
    const { businessId } = await openShop()
    const other = await openShop()
    const before = await rowsOf(businessId)
    expect(Object.values(before).every((count) => count > 0)).toBe(true)
    clock.advance((2 * DAYS + 1) * DAY_MS)
    const blocked = join(directory, `${businessId}-test`)
    await writeFile(blocked, 'not a folder')
    for (const job of ['letters', 'mail-expiry', 'request-log', 'webhook-prune']) {
      await expect(server.runJob(job)).rejects.toMatchObject({
        message: `Old rows of some businesses were kept: ${businessId}`,
        cause: expect.objectContaining({ message: unwritten('ENOTDIR') }),
      })
    }
    expect(await rowsOf(businessId)).toEqual(before)
    expect(await rowsOf(other.businessId)).toEqual(NOTHING)
    await rm(blocked)
    await deleteAll(['mail-expiry', 'request-log', 'webhook-prune'])
    expect(await rowsOf(businessId)).toEqual(NOTHING)
    for (const shop of [businessId, other.businessId]) {
      const contents = (await archived(shop, 'emails')).map(({ content }) => content)
      expect(contents.filter((content) => content?.text.includes('9.00'))).toHaveLength(
        before.mails,
      )
      expect(await archived(shop, 'requests')).toHaveLength(before.requests)
      expect(await archived(shop, 'deliveries')).toHaveLength(before.deliveries)
    }
  })

  test('goes on with others if a business that fails has more rows than one run reads', async () => {
    const { businessId } = await openShop()
    const other = await openShop()
    await addRequests(businessId, 600)
    const before = await rowsOf(businessId)
    clock.advance((DAYS + 1) * DAY_MS)
    const blocked = join(directory, `${businessId}-test`)
    await writeFile(blocked, 'not a folder')
    await expect(server.runJob('request-log')).rejects.toThrow(`were kept: ${businessId}`)
    expect(await rowsOf(businessId)).toEqual(before)
    expect(await rowsOf(other.businessId)).toMatchObject({ requests: 0 })
    await rm(blocked)
    await deleteAll(['request-log'])
    expect(await archived(businessId, 'requests')).toHaveLength(before.requests)
  })

  test('writes nothing if one of several files cannot be opened', async () => {
    const { businessId } = await openShop()
    // So that the rows are of two months.
    await addRequests(businessId, 3, 32 * 24)
    const before = await rowsOf(businessId)
    const { month } = await db.one<{ month: string }>`
      select to_char(max(at) at time zone 'UTC', 'YYYY-MM') as month
      from request_log where business_id = ${businessId}`
    clock.advance((DAYS + 1) * DAY_MS)
    const folder = join(directory, `${businessId}-test`)
    const blocked = join(folder, `requests-${month}.ndjson`)
    await mkdir(blocked, { recursive: true })
    for (const _ of [1, 2]) {
      await expect(server.runJob('request-log')).rejects.toMatchObject({
        cause: expect.objectContaining({ message: unwritten('EISDIR') }),
      })
    }
    await rmdir(blocked)
    expect(await archived(businessId, 'requests')).toEqual([])
    expect(await rowsOf(businessId)).toEqual(before)
    await deleteAll(['request-log'])
    expect(await archived(businessId, 'requests')).toHaveLength(before.requests)
  })

  test('keeps everything if its directory does not exist', async () => {
    const { businessId } = await openShop()
    const before = await rowsOf(businessId)
    clock.advance((2 * DAYS + 1) * DAY_MS)
    const archive = openArchive(join(directory, 'not', 'mounted'))
    const second = await startSecond(server, { ...options, archive })
    for (const job of ['letters', 'mail-expiry', 'request-log', 'webhook-prune']) {
      await expect(runOn(second, job)).rejects.toMatchObject({
        cause: expect.objectContaining({ message: unwritten('ENOENT') }),
      })
    }
    await second.close()
    expect(await rowsOf(businessId)).toEqual(before)
    await deleteAll()
  })

  test('keeps records on legal hold', async () => {
    const { businessId } = await openShop()
    const before = await rowsOf(businessId)
    await db.run`
      insert into legal_holds (id, business_id, reason, created_at)
      values (1, ${businessId}, 'A court asked', now())`
    clock.advance((2 * DAYS + 1) * DAY_MS)
    await deleteAll()
    expect(await rowsOf(businessId)).toEqual(before)
    expect(await archived(businessId, 'emails')).toEqual([])
    await db.run`delete from legal_holds where business_id = ${businessId}`
    await deleteAll()
    expect(await rowsOf(businessId)).toEqual(NOTHING)
  })

  test('has the same rows if tables are divided among machines', async () => {
    const { businessId, invoices } = await openShop()
    const before = await rowsOf(businessId)
    // As for a call by a partner, which has no key.
    await db.run`update request_log set key_id = 0 where business_id = ${businessId}`
    const connection = { ...server.connection, isDivided: true }
    const second = await startSecond(server, { ...options, connection })
    const deleteThere = async () => {
      for (const job of ['letters', 'mail-expiry', 'request-log', 'webhook-prune']) {
        await runOn(second, job)
      }
    }
    clock.advance((DAYS + 1) * DAY_MS)
    await deleteThere()
    clock.advance(DAYS * DAY_MS)
    await deleteThere()
    await second.close()
    expect(await rowsOf(businessId)).toEqual(NOTHING)
    const emails = await archived(businessId, 'emails')
    expect(emails.map(({ subjectId }) => subjectId).sort()).toEqual(
      [...invoices, ...invoices].map(({ id }) => id).sort(),
    )
    expect(await archived(businessId, 'requests')).toHaveLength(before.requests)
    expect(await archived(businessId, 'deliveries')).toHaveLength(before.deliveries)
  })

  test('has each row once, whole, even if two processes delete at the same time', async () => {
    const { businessId } = await openShop()
    await addRequests(businessId, 3_000)
    const { requests } = await rowsOf(businessId)
    clock.advance((DAYS + 1) * DAY_MS)
    const second = await startSecond(server, { ...options, archive: openArchive(directory) })
    await Promise.all(
      [server, second].map(async (one) => {
        while ((await rowsOf(businessId)).requests > 0) await runOn(one, 'request-log')
      }),
    )
    await second.close()
    const lines = await archived(businessId, 'requests')
    expect(lines).toHaveLength(requests)
    expect(new Set(lines.map(({ requestId }) => requestId)).size).toBe(requests)
  })

  test('continues on a new line after a crash in the middle of a line', async () => {
    const row = { business_id: 1, live: true, created_at: new Date('2026-01-31T00:00:00Z') }
    const append = () => options.archive.append('events', [archiveLine(row, { id: 2 })])
    await append()
    const file = join(directory, '1-live', 'events-2026-01.ndjson')
    const line = '{"businessId":1,"mode":"live","id":2}'
    expect(await readFile(file, 'utf8')).toBe(`${line}\n`)
    await writeFile(file, line.slice(0, 20))
    await append()
    expect(await readFile(file, 'utf8')).toBe(`${line.slice(0, 20)}\n${line}\n`)
  })
})
