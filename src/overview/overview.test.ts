import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { memberOf } from '../business/people/people.fixture.ts'
import { connect } from '../providers/providers.fixture.ts'

const server = await startServer({ jobs: false })
const { clock, db } = server
const INVOICES = '/api/payment-service/external/v1/invoices'
const DAY_MS = 86_400_000

// Moves the clock to the morning, so that no day ends while its sums are checked.
clock.advance(DAY_MS + 9 * 3_600_000 - (clock.now().getTime() % DAY_MS))

async function shop() {
  const { businessId, keys } = await server.newBusiness()
  const { get, post } = server.as(keys.testSecret)
  const owner = await memberOf(server, 'owner', businessId)
  const sell = async (amount: number, customerEmail = 'ada@example.com') => {
    const { body } = await post(INVOICES, { customerEmail, amount })
    const { reference } = body.data
    expect((await post(`${INVOICES}/${reference}/mark-paid`)).status).toBe(200)
    return reference as string
  }
  const look = async (query = '') => (await owner.get(`/console/overview${query}`)).body.data
  return { businessId, get, post, owner, sell, look }
}

const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY_MS)
const dayOf = (at: Date) =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'Africa/Lagos' }).format(at)

/** Moves sales to another day. */
const soldOn = (businessId: number, at: Date) =>
  db.run`update transactions set created_at = ${at} where business_id = ${businessId}`

describe('GET /console/overview', () => {
  test('200 adds up payments by day and channel, compared with the days before', async () => {
    const { businessId, sell, look } = await shop()
    await sell(1_000)
    await soldOn(businessId, daysAgo(35))
    await sell(3_000.5)
    const found = await look()
    expect(found).toMatchObject({
      currency: 'NGN',
      volume: { amount: 3_000.5, amountMinor: 300_050, before: { amount: 1_000 } },
      count: { value: 1, before: 1 },
      successRate: { value: 1, before: 1 },
      balance: { amount: 1_000_000, before: { amount: 0 } },
    })
    expect(found.days).toHaveLength(30)
    expect(found.series).toEqual([
      {
        day: found.days.at(-1),
        channel: 'OFFLINE',
        count: 1,
        amount: 3_000.5,
        amountMinor: 300_050,
      },
    ])
  })

  test('200 compares failed with successful payments, and leaves out open ones', async () => {
    const { businessId, sell, look } = await shop()
    expect((await look()).successRate).toEqual({ value: null, before: null })
    for (let i = 0; i < 4; i++) await sell(100)
    const states = ['Failed', 'Abandoned', 'Pending']
    const rows = await db.many<{ id: number }>`
      select id from transactions where business_id = ${businessId} order by id limit 3`
    for (const [i, { id }] of rows.entries()) {
      await db.run`update transactions set status = ${states[i]!} where business_id = ${businessId}
        and id = ${id}`
    }
    const { from, to } = { from: dayOf(clock.now()), to: dayOf(clock.now()) }
    const found = await look(`?from=${from}&to=${to}`)
    expect([found.successRate.value, found.count.value]).toEqual([1 / 3, 1])
    expect(found.days).toEqual([to])
  })

  test('200 leaves out what the role cannot read', async () => {
    const { businessId, sell } = await shop()
    await sell(10)
    const support = await memberOf(server, 'support', businessId)
    const { data } = (await support.get('/console/overview')).body
    expect([data.volume.amount, data.balance]).toEqual([10, null])
    expect(data.activity.map(({ type }: { type: string }) => type)).toContain('invoice.paid')
    const steps = data.setUp.map(({ step }: { step: string }) => step)
    expect(steps).toEqual(['goods', 'twoFactor'])
  })

  test('200 shows recent activity and the remaining set-up steps', async () => {
    const { sell, look, owner, businessId } = await shop()
    const missing = async () =>
      (await look()).setUp.filter((one: { done: boolean }) => !one.done).map(stepOf)
    const all = ['business', 'settlement', 'goods', 'webhook', 'twoFactor']
    expect(await missing()).toEqual(all)
    const reference = await sell(10)
    expect(await missing()).toEqual(all.filter((step) => step !== 'goods'))
    const [newest] = (await look()).activity
    expect(newest).toMatchObject({ amount: 10, currency: 'NGN', path: expect.any(String) })
    expect((await look()).activity).toContainEqual(
      expect.objectContaining({ type: 'invoice.paid', path: `invoices/${reference}` }),
    )
    owner.choose(businessId, 'live')
    expect(await look()).toMatchObject({ volume: { amount: 0 }, activity: [], series: [] })
    expect(await missing()).toEqual(all.toSpliced(1, 0, 'provider'))
    await connect(server, businessId, { live: true })
    expect(await missing()).not.toContain('provider')
  })

  test('200 shows a sale once, with its customer and invoice number', async () => {
    const { owner, post } = await shop()
    const invoices = '/api/payment-service/external/v1/invoices'
    const customer = { customerEmail: 'ada@example.com', customerName: 'Ada Obi' }
    const { data: invoice } = (await post(invoices, { amount: 500, ...customer })).body
    const activity = async () => (await owner.get('/console/overview')).body.data.activity
    const line = {
      type: 'invoice.sent',
      who: 'Ada Obi',
      about: invoice.invoiceNumber,
      amount: 500,
      path: `invoices/${invoice.reference}`,
    }
    expect(await activity()).toEqual([expect.objectContaining(line)])
    await post(`${invoices}/${invoice.reference}/mark-paid`)
    expect(await activity()).toEqual([expect.objectContaining({ ...line, type: 'invoice.paid' })])
  })

  test('400 for more than 92 days, and for invalid dates', async () => {
    const { owner } = await shop()
    for (const query of ['from=2026-01-01&to=2026-06-01', 'from=yesterday', 'to=2026-02-30']) {
      expect((await owner.get(`/console/overview?${query}`)).status).toBe(400)
    }
    expect((await owner.get('/console/overview?from=2026-01-01&to=2026-04-02')).status).toBe(200)
  })
})

const stepOf = ({ step }: { step: string }) => step

describe('GET /console/ledger', () => {
  test('200 lists every movement, newest first, page by page', async () => {
    const { businessId, post, owner } = await shop()
    for (let i = 1; i <= 4; i++) await post('/api/simulator/wallet', { amount: i })
    const first = (await owner.get('/console/ledger?limit=3')).body
    expect(first.data.map(({ amount }: { amount: number }) => amount)).toEqual([4, 3, 2])
    expect(first.data[0]).toMatchObject({
      kind: 'funding',
      amountMinor: 400,
      currency: 'NGN',
      from: { kind: 'provider_clearing', connection: { id: 1, name: 'Simulator' } },
      to: { kind: 'wallet_available', subaccount: null, connection: null },
      cause: { type: 'simulation' },
    })
    const next = (await owner.get(`/console/ledger?limit=3&cursor=${first.meta.next}`)).body
    expect(next.data.map(({ amount }: { amount: number }) => amount)).toEqual([1, 1_000_000])
    expect(next.meta.next).toBeNull()
    const back = (await owner.get(`/console/ledger?limit=3&cursor=${next.meta.previous}`)).body
    expect(back.data).toEqual(first.data)

    owner.choose(businessId, 'live')
    expect((await owner.get('/console/ledger')).body.data).toEqual([])
    expect((await owner.get(`/console/ledger?cursor=${first.meta.next}`)).status).toBe(400)
    const support = await memberOf(server, 'support', businessId)
    expect((await support.get('/console/ledger')).status).toBe(403)
  })
})
