import { describe, expect, test } from 'vitest'
import { startProxy } from '../../../test/db-proxy.ts'
import { asOwner, startSecond, startServer } from '../../../test/harness.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'
const REQUESTS = '/api/user-service/external/v1/requests'
const INVOICE = { customerEmail: 'ada@example.com', amount: 5 }
const DAY_MS = 86_400_000

/** Writes only when a test says so. */
const byHand = { everyMs: 3_600_000 }
const server = await startServer({ jobs: false, requestLog: byHand })
const { db, clock, business } = server

const idOf = ({ headers }: { headers: Headers }) => headers.get('x-request-id')!

async function stored(ids: readonly string[]): Promise<number> {
  const { n } = await db.one<{ n: number }>`
    select count(*) as n from request_log where request_id = any(${ids}::text[])`
  return n
}

type Server = Pick<Awaited<ReturnType<typeof startSecond>>, 'app'>

/** Waits until everything is written: the first attempts can meet closed connections. */
const written = ({ app }: Server) =>
  expect
    .poll(
      async () => {
        await app.requestLog.flush()
        return app.requestLog.counts().waiting
      },
      { timeout: 20_000 },
    )
    .toBe(0)

describe('the writer', () => {
  test('201 is written soon, automatically', async () => {
    const usual = await startSecond(server)
    const reply = await usual.post(INVOICES, INVOICE)
    expect(reply.status).toBe(201)
    await expect.poll(() => stored([idOf(reply)]), { timeout: 20_000 }).toBe(1)
    await usual.close()
  })

  test('201 of many at once: all are written, once each', async () => {
    const second = await startSecond(server, { requestLog: { ...byHand, rowsMax: 7 } })
    const replies = await Promise.all(
      Array.from({ length: 60 }, () => second.post(INVOICES, INVOICE)),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
    await Promise.all([second.app.requestLog.flush(), second.app.requestLog.flush()])
    await written(second)
    expect(await stored(replies.map(idOf))).toBe(60)
    expect(second.app.requestLog.counts()).toMatchObject({ written: 60, linesDropped: 0 })
    await second.close()
  })

  test('201 before it is written; a stopping server writes the waiting requests', async () => {
    const second = await startSecond(server, { requestLog: byHand })
    const reply = await second.post(INVOICES, INVOICE)
    expect(reply.status).toBe(201)
    expect(second.app.requestLog.counts().waiting).toBe(1)
    expect(await stored([idOf(reply)])).toBe(0)
    await second.close()
    expect(await stored([idOf(reply)])).toBe(1)
  })

  test('201 while nothing can be written; the lines follow later', async () => {
    const second = await startSecond(server, { requestLog: byHand })
    const replies = await asOwner(server.name, async (client) => {
      await client.query('begin; lock table request_log in access exclusive mode')
      const made = [await second.post(INVOICES, INVOICE)]
      const writing = second.app.requestLog.flush()
      made.push(await second.post(INVOICES, INVOICE), await second.post(INVOICES, INVOICE))
      // The writer gives up waiting for the lock, and all lines stay queued.
      await writing
      expect(second.app.requestLog.counts()).toMatchObject({ waiting: 3, written: 0 })
      await client.query('rollback')
      return made
    })
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201])
    await written(second)
    expect(await stored(replies.map(idOf))).toBe(3)
    await second.close()
  })

  test('503 and earlier lines stay queued while the database is down', async () => {
    const proxy = await startProxy(server.connection)
    const second = await startSecond(server, { connection: proxy.connection, requestLog: byHand })
    const before = await second.post(INVOICES, INVOICE)
    expect(before.status).toBe(201)
    proxy.cut()
    await second.app.requestLog.flush()
    const during = await second.get(INVOICES)
    expect(during.status).toBe(503)
    expect(second.app.requestLog.counts()).toMatchObject({ written: 0 })
    const said = second.logLines.filter((line) => line.includes('they are kept in memory'))
    expect(said.length).toBe(1)

    proxy.restore()
    await written(second)
    expect(await stored([idOf(before)])).toBe(1)
    expect((await second.get(`${REQUESTS}/${idOf(before)}`)).body.data.status).toBe(201)
    await second.close()
  })

  test('201 of a line that the database rejects: only that line is skipped', async () => {
    const owner = (statement: string) => asOwner(server.name, (client) => client.query(statement))
    await owner(`alter table request_log add constraint no_poison check (user_agent <> 'poison')`)
    const second = await startSecond(server, { requestLog: byHand })
    const replies = []
    for (const agent of ['a', 'b', 'poison', 'c', 'd']) {
      replies.push(await second.post(INVOICES, INVOICE, { 'user-agent': agent }))
    }
    await written(second)
    expect(await stored(replies.map(idOf))).toBe(4)
    expect(await stored([idOf(replies[2]!)])).toBe(0)
    expect(second.app.requestLog.counts()).toMatchObject({ written: 4, linesDropped: 1 })
    await second.close()
    await owner('alter table request_log drop constraint no_poison')
  })
})

describe('under overload', () => {
  test('201 anyway: logged first without bodies, then not at all, counted and warned once', async () => {
    const limits = { ...byHand, linesMax: 5, bodiesMax: 2_500 }
    const second = await startSecond(server, { requestLog: limits })
    const replies = []
    for (let i = 0; i < 9; i++) replies.push(await second.post(INVOICES, INVOICE))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
    const { waiting, linesDropped, bodiesDropped } = second.app.requestLog.counts()
    expect([waiting, linesDropped]).toEqual([5, 4])
    expect(bodiesDropped).toBeGreaterThan(0)
    const { text } = await second.get('/metrics', { authorization: '' })
    expect(text).toContain('tradepost_request_log_lines_total{outcome="dropped"} 4')
    expect(text).toContain(
      `tradepost_request_log_lines_total{outcome="without_bodies"} ${bodiesDropped}`,
    )
    expect(text).toContain('tradepost_request_log_waiting 5')
    expect(second.logLines.filter((line) => line.includes('is full')).length).toBe(1)

    await written(second)
    expect(await stored(replies.map(idOf))).toBe(5)
    const shown = async (reply: { headers: Headers }) =>
      (await second.get(`${REQUESTS}/${idOf(reply)}`)).body.data
    expect(await shown(replies[0]!)).toMatchObject({ bodiesDropped: false })
    expect(await shown(replies[4]!)).toMatchObject({
      bodiesDropped: true,
      requestBody: null,
      responseBody: null,
      requestBytes: expect.any(Number),
    })
    // There is space again.
    const later = await second.post(INVOICES, INVOICE)
    expect(await shown(later)).toMatchObject({ status: 201, bodiesDropped: false })
    await second.close()
  })

  test('201 has a line without bodies when requests exceed the rate for bodies', async () => {
    const busy = await startSecond(server, { requestLog: { ...byHand, bodiesPerSecond: 0 } })
    const reply = await busy.post(INVOICES, INVOICE)
    const { data } = (await busy.get(`${REQUESTS}/${idOf(reply)}`)).body
    expect(data).toMatchObject({ status: 201, bodiesDropped: true, requestBody: null })
    await busy.close()
  })
})

describe('retention', () => {
  test('200 until 30 days have passed by the server’s clock, then 404', async () => {
    const live = server.as(business.keys.liveSecret)
    const old = [await server.post(INVOICES, INVOICE), await live.get(INVOICES)]
    await server.app.requestLog.flush()
    clock.advance(29 * DAY_MS)
    const young = await server.get(INVOICES)
    await server.runJob('request-log')
    expect((await server.get(`${REQUESTS}/${idOf(old[0]!)}`)).status).toBe(200)

    clock.advance(1.5 * DAY_MS)
    await server.runJob('request-log')
    expect((await server.get(`${REQUESTS}/${idOf(old[0]!)}`)).status).toBe(404)
    expect(await stored([...old, young].map(idOf))).toBe(1)
  })

  test('200 and an empty list with retention off, which also deletes old lines', async () => {
    const none = await startSecond(server, { requestLog: { days: 0 } })
    const before = await server.get(INVOICES)
    await server.app.requestLog.flush()
    const reply = await none.get(INVOICES)
    await none.app.requestLog.flush()
    expect(await stored([idOf(before)])).toBe(1)
    clock.advance(1_000)
    const { run } = none.app.jobs.find(({ name }) => name === 'request-log')!
    while ((await run(db, clock.now())) > 0);
    expect(await stored([idOf(before), idOf(reply)])).toBe(0)
    expect((await none.get(REQUESTS)).body.data).toEqual([])
    await none.close()
  })

  test('200 is not affected by a test clock that runs ahead', async () => {
    const reply = await server.get(INVOICES)
    await server.post('/api/simulator/clock', { advanceSeconds: 40 * 86_400 })
    await server.app.requestLog.flush()
    await server.runJob('request-log')
    const { status, body } = await server.get(`${REQUESTS}/${idOf(reply)}`)
    expect(status).toBe(200)
    expect(Math.abs(Date.parse(body.data.at) - clock.now().getTime())).toBeLessThan(DAY_MS)
  })
})
