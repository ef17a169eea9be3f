import { describe, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { memberOf, type TestBrowser } from '../business/people/people.fixture.ts'

const server = await startServer({ jobs: false })
const INVOICES = '/api/payment-service/external/v1/invoices'

async function shop() {
  const { businessId, keys } = await server.newBusiness()
  const { post } = server.as(keys.testSecret)
  const owner = await memberOf(server, 'owner', businessId)
  const bill = () => post(INVOICES, { customerEmail: 'ada@example.com', amount: 100 })
  return { businessId, owner, bill }
}

/** Opens a stream like a browser: with only the cookie and no extra headers. */
async function open(browser: TestBrowser, query: string, lastId?: string) {
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  const { status, headers, body } = await fetch(`${server.url}/console/live?${query}`, {
    headers: { cookie: browser.cookie(), ...(lastId && { 'last-event-id': lastId }) },
    signal: ending.signal,
  })
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  /** Reads until the stream contains the text, or ends. */
  const until = async (words: string) => {
    while (!text.includes(words)) {
      const { value, done } = await reader.read()
      if (done) throw new Error(`ended with ${text}`)
      text += value
    }
    const told = text
    text = ''
    return told
  }
  const rest = async () => {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return text
      text += value
    }
  }
  return { status, type: headers.get('content-type'), until, rest }
}

const idIn = (text: string) => /id: (\S+)/.exec(text)![1]!

describe('GET /console/live', () => {
  test('200 notifies everyone who watches that something happened', async () => {
    const { businessId, owner, bill } = await shop()
    const query = `business=${businessId}&mode=test`
    const streams = [await open(owner, query), await open(owner, query)]
    expect(streams.map(({ status, type }) => [status, type])).toEqual(
      streams.map(() => [200, 'text/event-stream']),
    )
    for (const { until } of streams) await until('event: begun')
    for (let i = 0; i < 2; i++) {
      await bill()
      const told = await Promise.all(streams.map(({ until }) => until('event: changed')))
      expect(told[0]).toContain('data: {}')
    }
  })

  test('200 reports what happened between two streams, and nothing of other businesses', async () => {
    const [one, other] = [await shop(), await shop()]
    const query = `business=${one.businessId}`
    const first = await open(one.owner, query)
    const mark = idIn(await first.until('data: {}'))
    const live = await open(one.owner, `${query}&mode=live`)
    await live.until('event: begun')
    await one.bill()
    await other.bill()
    const second = await open(one.owner, query, mark)
    await second.until('event: changed')
    // A live-mode stream reports only live events: none, until the session ends.
    await one.owner.post('/console/sign-out')
    expect(await live.rest()).not.toContain('changed')
  })

  test('200 reports what happened while the page was read, before its stream', async () => {
    const { businessId, owner, bill } = await shop()
    await bill()
    const query = `business=${businessId}`
    const first = await open(owner, query)
    const mark = idIn(await first.until('event: changed'))
    server.clock.advance(60_000)
    const later = await open(owner, query)
    expect(idIn(await later.until('event: begun'))).toBe(mark)
  })

  test('401 without a session, 404 for another business, 400 without one', async () => {
    const [one, other] = [await shop(), await shop()]
    const at = (query: string, headers: Record<string, string>) =>
      fetch(`${server.url}/console/live?${query}`, { headers }).then(({ status }) => status)
    const cookie = one.owner.cookie()
    expect(await at(`business=${one.businessId}`, {})).toBe(401)
    expect(await at(`business=${other.businessId}`, { cookie })).toBe(404)
    expect(await at('business=1&mode=other', { cookie })).toBe(400)
    expect(await at('', { cookie })).toBe(400)
    const authorization = `Bearer ${server.business.keys.testSecret}`
    expect(await at(`business=${one.businessId}`, { cookie, authorization })).toBe(401)
  })

  test('200 does not keep an idle session alive', async () => {
    const { businessId, owner } = await shop()
    const begun = await seenAt(owner.id)
    server.clock.advance(10 * 60_000)
    const stream = await open(owner, `business=${businessId}`)
    await stream.until('event: begun')
    expect(await seenAt(owner.id)).toEqual(begun)
    server.clock.advance(21 * 60_000)
    expect(await stream.rest()).not.toContain('changed')
    expect((await owner.get('/console/me')).status).toBe(401)
  })

  test('503 for more streams than a person needs', async () => {
    const { businessId, owner } = await shop()
    const query = `business=${businessId}`
    const streams = await Promise.all(Array.from({ length: 20 }, () => open(owner, query)))
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200))
    expect((await open(owner, query)).status).toBe(503)
  })
})

const seenAt = async (personId: number) =>
  (
    await server.db.one<{ last_seen_at: Date }>`
      select last_seen_at from sessions where person_id = ${personId}`
  ).last_seen_at
