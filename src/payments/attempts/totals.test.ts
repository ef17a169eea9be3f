import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'

const PATH = '/api/transaction-service/external/v1/transactions/totals'
const DAY_MS = 86_400_000

const server = await startServer({ jobs: false })
const { db, clock } = server
const NOW = clock.now()

interface Made {
  status?: string
  channel?: string
  amount?: bigint
  fee?: bigint
  paid?: bigint | null
  excess?: bigint
  refunded?: bigint
  currency?: string
  at?: Date
  live?: boolean
}

async function shop() {
  const { keys, businessId } = await server.newBusiness()
  const { get } = server.as(keys.testSecret)
  let n = 0
  /** Inserts rows directly, because most states are hard to reach over HTTP. */
  const made = ({ status = 'Successful', channel = 'USSD', at = NOW, ...more }: Made = {}) => {
    const { amount = 10_000n, fee = 250n, excess = 0n, refunded = 0n, currency = 'NGN' } = more
    const isPaid = !['Pending', 'Failed', 'Abandoned'].includes(status)
    const { paid = isPaid ? amount : null, live = false } = more
    n++
    return db.run`
      insert into transactions
        (business_id, live, id, reference, purpose, purpose_id, status, channel, amount_minor,
         fee_minor, fee_bearer, payable_minor, paid_minor, excess_minor, refunding_minor,
         refunded_minor, currency, provider, expires_at, event_sequence, created_at, updated_at)
      values (${businessId}, ${live}, ${1_000_000_000 + n}, ${`TRX_${n}`}, 'test', ${n}, ${status},
        ${channel}, ${amount}, ${fee}, 'business', ${amount}, ${paid}, ${excess}, ${refunded},
        ${refunded}, ${currency}, 'test', ${NOW}, 1, ${at}, ${NOW})`
  }
  const totals = async (query: Record<string, string> = {}, path = PATH) => {
    const { status, body } = await get(`${path}?${new URLSearchParams(query)}`)
    expect([status, body.status]).toEqual([200, 'success'])
    return body.data
  }
  return { get, made, totals, keys }
}

const ago = (days: number) => new Date(NOW.getTime() - days * DAY_MS)
type Sums = Record<string, object>
const nothing = { count: 0, amount: 0, amountMinor: 0 }
const each = (key: string, names: string[], some: Sums) =>
  names.map((name) => ({ [key]: name, ...nothing, ...some[name] }))
const byStatus = (some: Sums) =>
  each(
    'status',
    ['Pending', 'Successful', 'Failed', 'Abandoned', 'PartiallyRefunded', 'Refunded', 'Reversed'],
    some,
  )
const byChannel = (some: Sums) =>
  each('channel', ['USSD', 'BANK_TRANSFER', 'CARD', 'WALLET', 'OFFLINE'], some)

describe('GET transactions/totals', () => {
  test('200 adds up payments, and counts all by state', async () => {
    const { made, totals } = await shop()
    await made()
    // Includes the fee on top, and an overpayment.
    await made({
      channel: 'BANK_TRANSFER',
      amount: 20_001n,
      fee: 400n,
      paid: 21_401n,
      excess: 1_000n,
    })
    await made({ channel: 'OFFLINE', amount: 7n, fee: 0n })
    await made({ status: 'PartiallyRefunded', refunded: 2_500n })
    await made({ status: 'Refunded', refunded: 10_000n })
    await made({ status: 'Pending', amount: 111n })
    await made({ status: 'Failed', amount: 222n })
    await made({ status: 'Abandoned', amount: 333n, channel: 'CARD' })

    expect(await totals()).toEqual({
      reference: expect.stringMatching(/^TOT_NGN_\d+_\d+$/),
      status: 'Open',
      currency: 'NGN',
      from: expect.any(String),
      until: expect.any(String),
      count: 5,
      amount: 500.08,
      amountMinor: 50_008,
      fees: 11.5,
      feesMinor: 1_150,
      netAmount: 492.58,
      netAmountMinor: 49_258,
      netAfterRefunds: 367.58,
      netAfterRefundsMinor: 36_758,
      overpaidAmount: 10,
      overpaidAmountMinor: 1_000,
      refundedAmount: 125,
      refundedAmountMinor: 12_500,
      byStatus: byStatus({
        Pending: { count: 1, amount: 1.11, amountMinor: 111 },
        Successful: { count: 3, amount: 300.08, amountMinor: 30_008 },
        Failed: { count: 1, amount: 2.22, amountMinor: 222 },
        Abandoned: { count: 1, amount: 3.33, amountMinor: 333 },
        PartiallyRefunded: { count: 1, amount: 100, amountMinor: 10_000 },
        Refunded: { count: 1, amount: 100, amountMinor: 10_000 },
      }),
      byChannel: byChannel({
        USSD: { count: 3, amount: 300, amountMinor: 30_000 },
        BANK_TRANSFER: { count: 1, amount: 200.01, amountMinor: 20_001 },
        OFFLINE: { count: 1, amount: 0.07, amountMinor: 7 },
      }),
    })
  })

  test('200 with 0 for no transactions, and for another currency', async () => {
    const { made, totals } = await shop()
    const none = { count: 0, amountMinor: 0, byStatus: byStatus({}), byChannel: byChannel({}) }
    expect(await totals()).toMatchObject({ currency: 'NGN', ...none })
    await made({ currency: 'USD' })
    expect(await totals()).toMatchObject(none)
    expect(await totals({ currency: 'USD' })).toMatchObject({ currency: 'USD', count: 1 })
    // A currency without decimals.
    await made({ currency: 'JPY', amount: 1_500n, fee: 0n })
    expect(await totals({ currency: 'JPY' })).toMatchObject({ amount: 1_500, amountMinor: 1_500 })
  })

  test('200 covers the last 30 days of the business by default', async () => {
    const { made, totals } = await shop()
    for (const days of [0, 1, 28, 31, 40, 366]) await made({ at: ago(days) })
    const { from, until, count } = await totals()
    expect(count).toBe(3)
    // Midnight in Lagos is 23:00 in UTC.
    expect([from.slice(11), until.slice(11)]).toEqual(['23:00:00.000Z', '23:00:00.000Z'])
    expect(Date.parse(until) - Date.parse(from)).toBe(30 * DAY_MS)
    expect(Date.parse(until)).toBeGreaterThan(NOW.getTime())
    expect(NOW.getTime() - Date.parse(from)).toBeGreaterThan(29 * DAY_MS)
    const exact = { startDate: ago(40).toISOString(), endDate: ago(31).toISOString() }
    expect(await totals(exact)).toMatchObject({ count: 2, status: 'Closed', from: exact.startDate })
    expect(await totals({ startDate: ago(40).toISOString() })).toMatchObject({ count: 5 })
    const upTo = await totals({ endDate: ago(35).toISOString() })
    expect(upTo).toMatchObject({ count: 1, status: 'Closed' })
    expect(await totals(exact)).toMatchObject({ reference: (await totals(exact)).reference })
    expect((await totals({ startDate: '2023-03-01', endDate: '2024-02-29' })).count).toBe(0)
  })

  test('200 without transactions of another business or the other mode', async () => {
    const [one, other] = [await shop(), await shop()]
    await one.made()
    await one.made({ live: true, amount: 5n, fee: 0n })
    expect((await other.totals()).count).toBe(0)
    expect(await one.totals({}, PATH.replace('/external', ''))).toMatchObject({
      count: 1,
      amount: 100,
    })
    const live = await server.as(one.keys.liveSecret).get(PATH)
    expect(live.body.data).toMatchObject({ count: 1, amountMinor: 5 })
  })

  test('200 adds up more than 2^63', async () => {
    const { made, totals } = await shop()
    const most = 9_000_000_000_000_000_000n
    for (let i = 0; i < 2; i++) await made({ amount: most, fee: 0n })
    expect((await totals()).amountMinor).toBe(Number(2n * most))
  })

  test.each([
    ['startDate=2026-02-30', 'startDate'],
    ['endDate=tomorrow', 'endDate'],
    ['startDate=2026-02-02&endDate=2026-02-01', 'startDate'],
    ['startDate=2023-01-01&endDate=2024-01-02', 'startDate'],
    ['startDate=2020-01-01', 'startDate'],
    ['startDate=2099-01-01', 'startDate'],
    ['currency=naira', 'currency'],
    ['currency=XQQ', 'currency'],
    ['currency=', 'currency'],
  ])('400 for %s', async (query, field) => {
    const { get } = await shop()
    const { status, body } = await get(`${PATH}?${query}`)
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })
})
