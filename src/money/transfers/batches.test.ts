import { afterEach, expect, test } from 'vitest'
import { counted, statusesOf, times, untilDone } from '../../../test/concurrency.ts'
import { findings } from '../../../test/corruption/findings.ts'
import { startProxy } from '../../../test/db-proxy.ts'
import { asOwner, callerWith, type Reply, startSecond, startServer } from '../../../test/harness.ts'
import { limitedBy } from '../../business/people/people.fixture.ts'

const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const BALANCE = '/api/user-service/external/v1/wallet/balance'
const ACCOUNT = { bankCode: '058', accountNumber: '0123456785' }
/** The fee for the amounts below. */
const FEE = 10

const server = await startServer({ jobs: false })
const { db } = server
const proxy = await startProxy(server.connection)
const other = await startSecond(server)
/** While its database is slow, everything that is sent at once is in one or two batches. */
const slow = await startSecond(server, { connection: proxy.connection, connectionsMax: 10 })

afterEach(async () => {
  proxy.slow(0)
  expect(await findings(server)).toEqual([])
})

async function shop(available = 1_000_000) {
  const { businessId, keys } = await server.newBusiness()
  const at = (url: string) => {
    const { post } = callerWith(url, keys.testSecret)
    return (body: object, headers?: Record<string, string>) =>
      untilDone(() => post(TRANSFERS, { ...ACCOUNT, ...body }, headers))
  }
  const near = at(server.url)
  if (available < 1_000_000) await near({ amount: 1_000_000 - 50 - available })
  const wallet = async () => {
    const { body } = await server.as(keys.testSecret).get(BALANCE)
    return body.data[0].available as number
  }
  const stored = () => db.many<{ id: number; transfer_reference: string; events: number }>`
    select id, transfer_reference, (
      select count(*) from events e
      where e.business_id = t.business_id and e.object_type = 'transfer' and e.object_id = t.id
    ) as events
    from transfers t where business_id = ${businessId} order by id`
  return { businessId, near, at, wallet, stored }
}

const key = (key: string) => ({ 'idempotency-key': key })

/** The amounts of 64 transfers, which together exceed the balance. */
const AMOUNTS = Array.from({ length: 64 }, (_, i) => [100, 1_700, 350, 4_000][i % 4]!)

test.each(['one server', 'two servers', 'one server far away'])(
  '201 for what the balance allows and 400 for the rest, for 64 at once at %s',
  async (where) => {
    const { at, wallet, stored } = await shop(30_000)
    const urls = where === 'two servers' ? [server.url, other.url] : [server.url]
    if (where === 'one server far away') [proxy.slow(20), urls.splice(0, 1, slow.url)]
    const sends = urls.map(at)
    const replies = await times(64, (i) => sends[i % sends.length]!({ amount: AMOUNTS[i] }))

    const [left, rows] = [await wallet(), await stored()]
    const sent = replies.flatMap(({ status }, i) => (status === 201 ? AMOUNTS[i]! + FEE : []))
    expect(left).toBe(30_000 - sent.reduce((sum, minor) => sum + minor, 0))
    expect(left).toBeGreaterThanOrEqual(0)
    for (const [i, { status, body }] of replies.entries()) {
      if (status === 201) continue
      expect([status, body.errorCode]).toEqual([400, 'insufficient_balance'])
      expect(AMOUNTS[i]! + FEE).toBeGreaterThan(left)
    }
    // The first one took the rest of the million.
    expect(rows).toHaveLength(1 + sent.length)
    expect(new Set(rows.map(({ events }) => events))).toEqual(new Set([1]))
  },
)

test('201 for the others, if some are refused, each with its own error', async () => {
  const { at, near, wallet, stored } = await shop()
  await near({ amount: 50, transferReference: 'used-before' })
  const send = at(slow.url)
  proxy.slow(20)
  const odd: Record<number, [body: object, outcome: string]> = {
    5: [{ amount: 2_000_000 }, '400 insufficient_balance'],
    17: [{ amount: 10, transferReference: 'used-before' }, '409 transfer_reference_used'],
    // Nothing is left to send, but the reference comes first.
    31: [{ amount: 3_000_000, transferReference: 'used-before' }, '409 transfer_reference_used'],
    40: [{ amount: 10, bankCode: '000' }, '400 validation_failed'],
  }
  const replies = await times(64, (i) => send(odd[i]?.[0] ?? { amount: 100 + i }))

  const outcomes = replies.map((reply) => Object.keys(statusesOf([reply]))[0])
  expect(outcomes).toEqual(Array.from({ length: 64 }, (_, i) => odd[i]?.[1] ?? '201'))
  const amounts = replies.filter(({ status }) => status === 201).map(({ body }) => body.data.amount)
  expect(await wallet()).toBe(
    1_000_000 - 60 - amounts.reduce((sum, amount) => sum + amount + FEE, 0),
  )
  expect(await stored()).toHaveLength(1 + 60)
})

test('201 for one of each pair with the same reference, which differ otherwise', async () => {
  const { at, stored } = await shop()
  const send = at(slow.url)
  proxy.slow(20)
  const replies = await times(64, (i) =>
    send({ amount: 10 + i, transferReference: `pair-${i % 32}` }),
  )
  expect(statusesOf(replies)).toEqual({ 201: 32, '409 transfer_reference_used': 32 })
  const names = (await stored()).map(({ transfer_reference }) => transfer_reference)
  expect(names.sort()).toEqual(Array.from({ length: 32 }, (_, i) => `pair-${i}`).sort())
  for (const { status, body } of replies) {
    if (status === 409)
      expect(body.message).toMatch(/already been used by TRF_\w+, which is Pending/)
  }
})

test('201 twice with the same bytes for a key that is sent to both servers at once', async () => {
  const { at, stored } = await shop()
  const sends = [at(server.url), at(other.url)]
  const replies = await times(64, (i) => sends[i % 2]!({ amount: 500 }, key(`k-${i >> 1}`)))
  expect(statusesOf(replies)).toEqual({ 201: 64 })
  const texts = replies.map(({ text }) => text)
  for (let i = 0; i < 64; i += 2) expect(texts[i]).toBe(texts[i + 1])
  expect(new Set(texts).size).toBe(32)
  expect(await stored()).toHaveLength(32)
  // A later repetition gets the same bytes.
  expect((await sends[0]!({ amount: 500 }, key('k-7'))).text).toBe(texts[14])
})

test('422 for a key with another request, at both servers at once', async () => {
  const { at, stored } = await shop()
  const sends = [at(server.url), at(other.url)]
  const replies = await times(32, (i) =>
    sends[i % 2]!({ amount: 10 + (i % 2) }, key(`k-${i >> 1}`)),
  )
  expect(statusesOf(replies)).toEqual({ 201: 16, '422 idempotency_key_reused': 16 })
  expect(await stored()).toHaveLength(16)
})

test('201 for many businesses at once, each from its own wallet', async () => {
  const shops = await times(16, (i) => shop(i % 2 ? 1_000_000 : 150))
  const sends = shops.map(({ at }) => at(slow.url))
  proxy.slow(20)
  const replies = await times(64, (i) => sends[i % 16]!({ amount: 100 }))
  proxy.slow(0)
  const ofShop = (i: number) => replies.filter((_, n) => n % 16 === i)
  for (const [i, { wallet, stored }] of shops.entries()) {
    const sent = i % 2 ? 4 : 1
    const statuses = counted(ofShop(i).map(({ status }) => status))
    expect(statuses).toEqual(i % 2 ? { 201: 4 } : { 201: 1, 400: 3 })
    expect(await wallet()).toBe((i % 2 ? 1_000_000 : 150) - sent * 110)
    expect(await stored()).toHaveLength(sent + (i % 2 ? 0 : 1))
  }
})

test('201 Pending for exactly as many as the daily limit allows', async () => {
  const { businessId, at, stored } = await shop()
  await limitedBy(server, businessId, { dailyApprovalAbove: 20_000 })
  const sends = [at(server.url), at(other.url)]
  const replies = await times(64, (i) => sends[i % 2]!({ amount: 1_000 }))
  expect(counted(replies.map(({ body }) => body.data.status))).toEqual({
    Pending: 20,
    Unverified: 44,
  })
  expect(await stored()).toHaveLength(64)
  // The owner and the finance member get one email about all that wait.
  const mails = await db.many<{ data: string }>`
    select data from mails where business_id = ${businessId} and kind = 'person_news'`
  const about = mails.map(({ data }) => JSON.parse(data).what)
  expect(about.filter((what) => what === 'approval_needed')).toHaveLength(2)
})

test('201 Pending, because refused transfers do not count towards the daily limit', async () => {
  const { businessId, at } = await shop(15_000)
  await limitedBy(server, businessId, { dailyApprovalAbove: 1_100_000 })
  const send = at(slow.url)
  proxy.slow(20)
  const replies = await times(32, (i) => send({ amount: i % 2 ? 90_000 : 500 }))
  expect(statusesOf(replies)).toEqual({ 201: 16, '400 insufficient_balance': 16 })
  const made = replies.filter(({ status }: Reply) => status === 201)
  expect(new Set(made.map(({ body }) => body.data.status))).toEqual(new Set(['Pending']))
})

test('201 for other businesses, while something else holds the wallet of one', async () => {
  const [held, free] = [await shop(), await shop()]
  await held.near({ amount: 100 })
  await asOwner(server.name, async (client) => {
    await client.query('begin')
    await client.query(
      `select from ledger_accounts where business_id = ${held.businessId} for update`,
    )
    const waiting = times(8, () => held.near({ amount: 100 }))
    const replies = await times(8, () => free.near({ amount: 100 }))
    expect(statusesOf(replies)).toEqual({ 201: 8 })
    expect(await held.stored()).toHaveLength(1)
    await client.query('commit')
    expect(statusesOf(await waiting)).toEqual({ 201: 8 })
  })
  expect(await held.wallet()).toBe(1_000_000 - 9 * 110)
})
