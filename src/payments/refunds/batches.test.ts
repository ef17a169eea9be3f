import { afterEach, expect, test } from 'vitest'
import { counted, statusesOf, times, untilDone } from '../../../test/concurrency.ts'
import { findings } from '../../../test/corruption/findings.ts'
import { startProxy } from '../../../test/db-proxy.ts'
import { callerWith, startSecond, startServer } from '../../../test/harness.ts'
import { connect } from '../../providers/providers.fixture.ts'
import { SIMULATOR_CONNECTION } from '../../providers/providers.ts'
import { openShop, REFUNDS } from './refunds.fixture.ts'

const TRANSFERS = '/api/transaction-service/external/v1/transfers'

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

async function shop() {
  const opened = await openShop(server)
  const { businessId, keys } = opened
  const at = (url: string) => {
    const { post } = callerWith(url, keys.testSecret)
    return (path: string, body: object, headers?: Record<string, string>) =>
      untilDone(() => post(path, body, headers))
  }
  const refundAt = (url: string) => {
    const post = at(url)
    return (body: object, headers?: Record<string, string>) => post(REFUNDS, body, headers)
  }
  const stored = () => db.many<{ reference: string; amount_minor: bigint; events: number }>`
    select reference, amount_minor, (
      select count(*) from events e
      where e.business_id = r.business_id and e.object_type = 'refund' and e.object_id = r.id
    ) as events
    from refunds r where business_id = ${businessId}`
  return { ...opened, at, refundAt, stored }
}

const key = (key: string) => ({ 'idempotency-key': key })

/** The amounts of 64 refunds, which together exceed the payments. */
const AMOUNTS = Array.from({ length: 64 }, (_, i) => [3, 40, 7.5, 0.01][i % 4]!)

test.each([
  ['a payment', 'one server'],
  ['a payment', 'two servers'],
  ['a payment with three shares', 'two servers'],
  ['a payment with three shares', 'one server far away'],
])('201 for what is left of %s and 400 for the rest, for 64 at once at %s', async (what, where) => {
  const { paid, shared, payment, refundAt, stored } = await shop()
  const { id } = what === 'a payment' ? await paid(200) : await shared(200, [33, 33, 33])
  const urls = where === 'two servers' ? [server.url, other.url] : [server.url]
  if (where === 'one server far away') [proxy.slow(20), urls.splice(0, 1, slow.url)]
  const sends = urls.map(refundAt)
  const replies = await times(64, (i) =>
    sends[i % sends.length]!({ transactionId: id, amount: AMOUNTS[i] }),
  )

  const taken = replies
    .filter(({ status }) => status === 201)
    .reduce((sum, { body }) => sum + BigInt(body.data.amountMinor), 0n)
  expect((await payment(id)).refunding_minor).toBe(taken)
  const left = Number(20_000n - taken) / 100
  expect(left).toBeGreaterThanOrEqual(0)
  for (const [i, { status, body }] of replies.entries()) {
    if (status === 201) continue
    expect([status, body.errorCode]).toEqual([400, 'refund_exceeds_payment'])
    expect(AMOUNTS[i]).toBeGreaterThan(left)
  }
  const rows = await stored()
  expect(rows.reduce((sum, { amount_minor }) => sum + amount_minor, 0n)).toBe(taken)
  expect(new Set(rows.map(({ events }) => events))).toEqual(new Set([1]))
})

test('201 for the others, if some are refused, each with its own error', async () => {
  const { paid, shared, invoice, transactionOf, refund, refundAt, stored } = await shop()
  const whole = await paid(1_000)
  const split = await shared(1_000, [20, 30])
  const cash = await invoice(500)
  await cash.page('/pay', { channel: 'USSD' })
  const pending = await transactionOf(cash.reference)
  await refund({ transactionId: whole.id, amount: 1, reference: 'used-before' })
  const send = refundAt(slow.url)
  proxy.slow(20)
  const odd: Record<number, [body: object, outcome: string]> = {
    3: [{ transactionId: 999_999_999, amount: 1 }, '404 transaction_not_found'],
    9: [{ transactionId: whole.id, amount: 5_000 }, '400 refund_exceeds_payment'],
    20: [{ transactionId: split.id, amount: 5_000 }, '400 refund_exceeds_payment'],
    21: [{ transactionId: whole.id, amount: 1.005 }, '400 validation_failed'],
    33: [{ transactionId: pending.id, amount: 1 }, '409 transaction_state'],
    // Too much is asked for, but the reference comes first.
    47: [
      { transactionId: whole.id, amount: 5_000, reference: 'used-before' },
      '409 refund_reference_used',
    ],
    50: [
      { transactionId: whole.id, transactionReference: split.reference, amount: 1 },
      '400 validation_failed',
    ],
  }
  const replies = await times(64, (i) =>
    send(odd[i]?.[0] ?? { transactionId: (i % 2 ? whole : split).id, amount: (100 + i) / 100 }),
  )
  const outcomes = replies.map((reply) => Object.keys(statusesOf([reply]))[0])
  expect(outcomes).toEqual(Array.from({ length: 64 }, (_, i) => odd[i]?.[1] ?? '201'))
  expect(await stored()).toHaveLength(1 + 57)
})

test('201 once for everything left, with simultaneous refunds of parts', async () => {
  const { shared, payment, refundAt } = await shop()
  const { id } = await shared(500, [10, 15, 20], 'subaccounts')
  const send = refundAt(slow.url)
  proxy.slow(20)
  const replies = await times(32, (i) =>
    send({ transactionId: id, ...(i !== 16 && { amount: (100 + i) / 100 }) }),
  )
  const { 201: made = 0, ...others } = statusesOf(replies)
  expect(replies[16]!.status).toBe(201)
  expect(others).toEqual(made === 32 ? {} : { '400 refund_exceeds_payment': 32 - made })
  expect((await payment(id)).refunding_minor).toBe(50_000n)
})

test('201 twice with the same bytes for a key that is sent to both servers at once', async () => {
  const { paid, refundAt, stored } = await shop()
  const { id } = await paid(1_000)
  const sends = [refundAt(server.url), refundAt(other.url)]
  const body = { transactionId: id, amount: 2 }
  const replies = await times(64, (i) => sends[i % 2]!(body, key(`k-${i >> 1}`)))
  expect(statusesOf(replies)).toEqual({ 201: 64 })
  const texts = replies.map(({ text }) => text)
  for (let i = 0; i < 64; i += 2) expect(texts[i]).toBe(texts[i + 1])
  expect(new Set(texts).size).toBe(32)
  expect(await stored()).toHaveLength(32)
  expect((await sends[0]!(body, key('k-7'))).text).toBe(texts[14])
})

test('201 for one of 32 with one reference, for several payments, at both servers', async () => {
  const { paid, refundAt, stored } = await shop()
  const payments = await times(4, () => paid(100))
  const sends = [refundAt(server.url), refundAt(other.url)]
  const replies = await times(32, (i) =>
    sends[i % 2]!({ transactionId: payments[i % 4]!.id, amount: 60, reference: 'refund-42' }),
  )
  expect(statusesOf(replies)).toEqual({ 201: 1, '409 refund_reference_used': 31 })
  expect(await stored()).toHaveLength(1)
})

test('201 for what the wallet allows, for refunds and transfers at both servers at once', async () => {
  const { paid, at, post, wallet, payment } = await shop()
  const payments = await times(8, () => paid(1_000))
  const { available } = await wallet()
  const account = { bankCode: '058', accountNumber: '0123456785' }
  // The fee is ₦50.
  await post(TRANSFERS, { ...account, amount: available - 50 - 3_000 })
  const before = (await wallet()).held
  const sends = [at(server.url), at(other.url)]
  const replies = await times(64, (i) => {
    const send = sends[(i >> 1) % 2]!
    return i % 2
      ? send(TRANSFERS, { ...account, amount: 90 })
      : send(REFUNDS, { transactionId: payments[(i >> 1) % 8]!.id, amount: 100 })
  })
  const taken = 100 * replies.filter(({ status }) => status === 201).length
  const { available: left, held } = await wallet()
  expect(counted(replies.map(({ status }) => status))).toEqual({ 201: 30, 400: 34 })
  expect([taken, left, held - before]).toEqual([3_000, 0, 3_000])
  const refunding = await Promise.all(payments.map(async ({ id }) => payment(id)))
  const refunded = replies.filter(({ status }, i) => status === 201 && i % 2 === 0).length
  const sum = refunding.reduce((all, { refunding_minor }) => all + refunding_minor, 0n)
  expect(sum).toBe(BigInt(refunded) * 10_000n)
})

test('201 for all, if the server does not know the provider of one payment', async () => {
  const { businessId, paid, refundAt } = await shop()
  const payments = await times(8, () => paid(100))
  const connectionId = await connect(server, businessId, { provider: 'paystack' })
  const moveTo = (id: number) => db.run`
    update provider_orders set connection_id = ${id}
    where business_id = ${businessId} and not live and kind = 'charge'
      and subject_id = ${payments[3]!.id}`
  await moveTo(connectionId)
  // As during an upgrade that adds a provider.
  const old = await startSecond(server, {
    connection: proxy.connection,
    connectors: () => ({ paystack: undefined }) as object,
  })
  const send = refundAt(old.url)
  proxy.slow(20)
  const replies = await times(8, (i) => send({ transactionId: payments[i]!.id, amount: 10 }))
  expect(statusesOf(replies)).toEqual({ 201: 8 })
  const providers = await db.many<{ provider: string; connection_id: number }>`
    select r.provider, o.connection_id from refunds r
    join provider_orders o on o.business_id = r.business_id and o.live = r.live
      and o.kind = 'refund' and o.subject_id = r.id
    where r.business_id = ${businessId} and r.transaction_id = ${payments[3]!.id}`
  expect(providers).toEqual([{ provider: 'paystack', connection_id: connectionId }])
  await moveTo(SIMULATOR_CONNECTION)
})
