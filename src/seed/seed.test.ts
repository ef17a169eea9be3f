import { beforeAll, describe, expect, test } from 'vitest'
import { startServer, testDatabase } from '../../test/harness.ts'
import { openReceiver } from '../../test/webhook-receiver.ts'
import { allChecks } from '../audit.ts'
import { createBusiness } from '../business/account/bootstrap.ts'
import { type Member, memberOf } from '../business/people/people.fixture.ts'
import type { Database } from '../db/database.ts'
import { endpointAt } from '../developers/webhooks/webhooks.fixture.ts'
import { runDue } from '../jobs/jobs.ts'
import { runAudit } from '../ledger/audit.ts'
import { addMs } from '../lib/clock.ts'
import { connect } from '../providers/providers.fixture.ts'
import { BATCH_ROWS, type Seeded, type SeedRequest, seedShop } from './seed.ts'

const DAY_MS = 24 * 3_600_000
const INVOICES = '/api/payment-service/external/v1/invoices'
const server = await startServer({ jobs: false })
const { db, clock, get, directory } = server
const { businessId } = server.business
const tenant = { businessId, live: false }
const now = clock.now()

type Reconciled = { problem: string | null; differences: number }
type Options = Partial<SeedRequest> & Pick<SeedRequest, 'tenant'>
const seed = (into: Pick<typeof server, 'db' | 'ids' | 'keyring'>, options: Options) =>
  seedShop(into.db, into.ids, {
    seed: 1,
    keyring: into.keyring,
    now: clock.now(),
    publicUrl: 'http://127.0.0.1',
    idempotencyMs: DAY_MS,
    storage: { directory },
    ...options,
  })

/** The single value of a query. */
async function value<T = number>(query: string, from: Database = db): Promise<T> {
  const text = `select (${query}) as value`
  const { rows } = await from.withClient((client) => client.query<{ value: T }>(text))
  return rows[0]!.value
}

let seeded: Seeded
let events: number
let owner: Member
beforeAll(async () => {
  seeded = await seed(server, { tenant, rows: 150, now, isDemo: true })
  events = await value('select count(*) from events where not live')
  owner = await memberOf(server, 'owner', businessId)
}, 120_000)

const SALES = '/api/transaction-service/v1'
const GOODS = '/api/payment-service/v1'
const USERS = '/api/user-service/v1'

/** The lists of each dashboard screen and the states of their filters. */
const SCREENS: [path: string, states?: string[]][] = [
  [
    `${SALES}/transactions`,
    ['Pending', 'Successful', 'Failed', 'Abandoned', 'PartiallyRefunded', 'Refunded'],
  ],
  [`${GOODS}/invoices`, ['Draft', 'Sent', 'Overdue', 'PartiallyPaid', 'Paid', 'Void']],
  [`${GOODS}/payment-pages/get-pages`, ['Published', 'Unpublished']],
  [`${GOODS}/products/get-products`, ['Draft', 'Active', 'Archived']],
  [`${GOODS}/products/get-discount-codes`],
  [`${SALES}/orders`, ['Pending', 'Paid', 'Cancelled', 'Refunded']],
  [`${GOODS}/initialize-checkout?state=Open`],
  [`${GOODS}/initialize-checkout?state=Paid`],
  [`${SALES}/virtual-accounts`, ['Open', 'Paid', 'Expired']],
  [`${SALES}/deposits`, ['Accepted', 'Rejected']],
  [`${SALES}/deposits?returnStatus=Held`],
  [`${SALES}/deposits?returnStatus=ReturnedByProvider`],
  [`${SALES}/disputes`, ['Open', 'UnderReview', 'Won', 'Lost', 'Accepted']],
  [`${SALES}/refunds`, ['Pending', 'Processing', 'Processed', 'Failed', 'NeedsAttention']],
  [
    `${SALES}/transfer/get-transfer-list?page=1&limit=20&businessId=${businessId}`,
    ['Unverified', 'Pending', 'Successful', 'Failed', 'Blocked', 'Rejected'],
  ],
  [`${SALES}/settlements`, ['Pending', 'Paid', 'Failed']],
  [`${GOODS}/utility/transactions`, ['Pending', 'Successful', 'Failed']],
  [`${SALES}/subaccounts/all?page=1&limit=20&sort=desc&sortKey=createdAt`],
  [`${SALES}/split-page/all?page=1&limit=20&sort=desc`],
  [`${USERS}/wallet/ledger`],
  [`${USERS}/webhooks`],
  [`${USERS}/events`],
  [`${USERS}/requests`, ['2xx', '4xx']],
  [`${USERS}/partners`],
  ['/console/customers'],
  ['/console/keys'],
  ['/console/ledger'],
  ['/console/mails'],
  ['/console/reconciliation'],
  ['/console/differences'],
  ['/console/unresolved'],
  ['/console/audit'],
]

describe('the shop', () => {
  test.each(SCREENS)('has records for the screen %s', async (path, states = []) => {
    for (const state of ['', ...states]) {
      const filter = state && `${path.includes('?') ? '&' : '?'}status=${state}`
      const { status, body } = await owner.get(path + filter)
      expect([state, status, body.data?.length > 0]).toEqual([state, 200, true])
    }
  })

  test('has a team with every role, and a pending invitation', async () => {
    const { data } = (await owner.get('/console/team')).body
    const roles = data.members.map(({ role }: { role: string }) => role)
    expect(new Set(roles).size).toBe(6)
    expect(data.invitations).toHaveLength(1)
  })

  test('has days on which the simulator agrees with the books, and one on which it does not', async () => {
    const { data } = (await owner.get('/console/reconciliation')).body
    expect(data).toHaveLength(5)
    const found = data.map(({ problem, differences }: Reconciled) => [problem, differences])
    expect(found.sort()).toEqual([...Array(4).fill([null, 0]), [null, 2]])
    expect(data.map(({ status }: { status: string }) => status)).toContain('Closed')
    expect(Math.min(...data.map(({ matched }: { matched: number }) => matched))).toBeGreaterThan(0)
  })

  test('has successful and failed deliveries', async () => {
    const states = await db.many`
      select distinct status from webhook_deliveries where business_id = ${businessId}
        and status <> 'Pending' order by status`
    expect(states).toEqual([{ status: 'Delivered' }, { status: 'Failed' }])
  })

  test('has its own branding, which payers see', async () => {
    const { body } = await get(`${INVOICES}?status=Sent&limit=1`)
    const page = await get(new URL(body.data[0].hostedUrl).pathname)
    expect(page.text).toContain('/accent/9a4524.css')
    const [logo] = /\/brand\/\w{22}\/[\w-]+\.png/.exec(page.text)!
    expect((await fetch(server.url + logo)).headers.get('content-type')).toBe('image/png')
  })

  test('has the requested number of invoices and payments, in every state', async () => {
    const { all, ...states } = seeded.invoices
    expect(all).toBe(150)
    for (const [status, total] of Object.entries({ ...states, Overdue: seeded.overdue })) {
      const { body } = await get(`${INVOICES}?status=${status}`)
      expect([status, body.meta.total]).toEqual([status, total])
    }
    expect(await value('select count(*) from transactions where excess_minor > 0')).toBe(
      seeded.overpayments,
    )
    expect(seeded.overpayments).toBeGreaterThan(0)
    expect(await value(`select count(*) from deposits where status = 'Rejected'`)).toBeGreaterThan(
      0,
    )
    expect(seeded.events.all).toBe(events)
  })

  test('passes the audit, sealed', async () => {
    expect(await runAudit(db, allChecks)).toEqual([])
    expect(await value('select count(*) from ledger_unsealed')).toBe(0)
  })

  test('lies in the past and names no real people', async () => {
    const latest = await value<Date>('select max(created_at) from events where not live')
    expect(latest.getTime()).toBeLessThanOrEqual(clock.now().getTime())
    const days = await value(`select max(created_at)::date - min(created_at)::date from invoices`)
    expect(days).toBeGreaterThan(330)
    expect(
      await value(`select count(*) from invoices
        where customer_email !~ '@(example\\.(com|org|net)|[a-z0-9-]+\\.example)$'`),
    ).toBe(0)
  })

  test('has customers that search finds by name, and an invoice page in every state', async () => {
    const last = await get(`${INVOICES}?limit=100&page=2&sort=ASC`)
    expect([last.status, last.body.data.length]).toEqual([200, 50])
    const [invoice] = last.body.data
    const found = await get(`${INVOICES}?search=${encodeURIComponent(invoice.customerName)}`)
    expect(found.body.data.map(({ id }: { id: number }) => id)).toContain(invoice.id)
    for (const status of ['Sent', 'PartiallyPaid', 'Paid', 'Void', 'Overdue']) {
      const { body } = await get(`${INVOICES}?status=${status}&limit=1&sort=ASC`)
      const { pathname } = new URL(body.data[0].hostedUrl)
      const page = await get(pathname)
      expect([status, page.status]).toEqual([status, 200])
      expect(page.text).toContain(body.data[0].invoiceNumber)
      expect([status, (await get(`${pathname}/pdf`)).status]).toEqual([status, 200])
    }
  })

  test('is refused on the same business, and nothing is added', async () => {
    const again = seed(server, { tenant, rows: 150 })
    await expect(again).rejects.toThrow('the shop of seed 1 already exists')
    await expect(seed(server, { tenant })).rejects.toThrow('150 invoices, until')
    expect(await value('select count(*) from invoices')).toBe(150)
  })

  test('is extended with another seed, without new branding', async () => {
    const more = await seed(server, { tenant, seed: 2, rows: 10 })
    expect(more).toMatchObject({ invoices: { all: 10 }, isBranded: false })
    expect(await value('select count(*) from invoices')).toBe(160)
    expect(await runAudit(db, allChecks)).toEqual([])
  })

  test('is refused for live mode, for future days and with a provider', async () => {
    const live = { ...tenant, live: true }
    await expect(seed(server, { tenant: live })).rejects.toThrow('can only be created in test mode')
    const until = '2999-01-01'
    await expect(seed(server, { tenant, seed: 3, until })).rejects.toThrow('in the future')
    const { businessId } = await server.newBusiness('Connected')
    await connect(server, businessId)
    const connected = seed(server, { tenant: { businessId, live: false }, rows: 1 })
    await expect(connected).rejects.toThrow('is connected to a provider')
  })
})

/** A shop with its own database. */
async function shopOf(options: Partial<SeedRequest>) {
  const { db, ids, keyring } = await testDatabase()
  const { businessId } = await db.transaction((tx) =>
    createBusiness(tx, { ids, keyring }, { name: 'Twin', now: clock.now() }),
  )
  const into = { tenant: { businessId, live: false }, until: '2026-03-01' }
  return { db, ids, keyring, into, made: () => seed({ db, ids, keyring }, { ...into, ...options }) }
}

test('sends nothing, whatever falls due, even if the history ended long ago', async () => {
  const { db, made } = await shopOf({ rows: 90 })
  const { overdue } = await made()
  expect(overdue).toBeGreaterThan(0)
  const counted = () => value('select (select count(*) from events) + count(*) from mails', db)
  const before = await counted()
  for (const { run } of server.app.jobs) await runDue(db, addMs(now, DAY_MS), run)
  expect(await counted()).toBe(before)
  expect(await value(`select count(*) from mails where status = 'Queued'`, db)).toBe(0)
}, 120_000)

test('sends nothing to the endpoints of a business, and leaves them and its queued emails as they are', async () => {
  const receiver = await openReceiver()
  receiver.answer = (response) => response.writeHead(503).end()
  const { businessId, keys } = await server.newBusiness('Hooked')
  await endpointAt(server, { url: receiver.url, businessId })
  const invoice = { customerEmail: 'ada@example.com', amount: 100 }
  const { data } = (await server.as(keys.testSecret).post(INVOICES, invoice)).body
  const stored = async () => ({
    endpoints: await db.many`select * from webhooks where business_id = ${businessId}`,
    deliveries: await db.many`select * from webhook_deliveries where business_id = ${businessId}`,
    mails: await db.many`
      select * from mails where business_id = ${businessId} and subject_id = ${data.id}`,
  })
  const before = await stored()
  expect(before.deliveries.length).toBeGreaterThan(0)
  expect(before.mails).toMatchObject([{ status: 'Queued' }])
  const { events } = await seed(server, { tenant: { businessId, live: false }, rows: 60 })
  expect(events.all).toBeGreaterThan(100)
  expect(receiver.received).toEqual([])
  expect(await stored()).toEqual(before)
}, 120_000)

test('resumes after the batch at which it was interrupted', async () => {
  const rows = 2 * BATCH_ROWS
  const shop = await shopOf({ rows })
  const { db, into, made } = shop
  let writes = 0
  const onProgress = () => {
    writes += 1
    if (writes === 3) throw new Error('the power is gone')
  }
  const owners: string[] = []
  const demo = { isDemo: true, onOwner: ({ email }: { email: string }) => void owners.push(email) }
  await expect(seed(shop, { ...into, rows, onProgress, ...demo })).rejects.toThrow('the power')
  // The person who interrupts it already knows how to sign in.
  expect(await db.many`select email from people where email = any(${owners}::text[])`).toHaveLength(
    1,
  )
  const there = await value('select count(*) from invoices', db)
  expect(there).toBeGreaterThan(BATCH_ROWS)
  expect(there).toBeLessThan(rows)
  const other = seed(shop, { ...into, rows: 7 })
  await expect(other).rejects.toThrow(`started with --rows ${rows} --until 2026-03-01`)
  const rest = await made()
  expect(rest).toMatchObject({ continuedAfter: there, invoices: { all: rows - there }, rows })
  expect(await value('select count(*) from invoices', db)).toBe(rows)
  const numbers = 'select count(distinct number) = max(number) from invoices'
  expect(await value(numbers, db)).toBe(true)
  expect(await runAudit(db, allChecks)).toEqual([])
}, 120_000)

test('the same seed creates the same shop, and another seed a different one', async () => {
  const invoicesIn = (from: Database) => from.many<{ customer_email: string }>`
    select i.number, i.status, i.customer_email, i.amount_minor, i.paid_minor, i.line_items,
      i.due_date, i.created_at,
      array_agg(t.channel || t.status || t.created_at order by t.created_at) as payments
    from invoices i left join transactions t on t.purpose_id = i.id
    group by i.business_id, i.live, i.id order by i.number`
  const [one, two] = [await shopOf({ rows: 70, seed: 5 }), await shopOf({ rows: 70, seed: 5 })]
  await one.made()
  await two.made()
  const first = await invoicesIn(one.db)
  expect(first).toHaveLength(70)
  expect(await invoicesIn(two.db)).toEqual(first)

  const others = new Set((await invoicesIn(db)).map((invoice) => invoice.customer_email))
  const shared = first.filter((invoice) => others.has(invoice.customer_email))
  expect(shared.length).toBeLessThan(35)
}, 120_000)

test('a business with other terms uses its own fees and dates', async () => {
  const { businessId, keys } = await server.newBusiness('Terms')
  const other = { businessId, live: false }
  const terms = { feeBearer: 'customer', timeZone: 'America/New_York' }
  const settings = '/api/user-service/external/v1/profile/settings'
  expect((await server.as(keys.testSecret).put(settings, terms)).status).toBe(200)
  await db.run`
    update businesses set test_clock_offset_ms = ${40 * DAY_MS} where id = ${businessId}`
  const { until } = await seed(server, { tenant: other, rows: 70 })
  const soon = addMs(clock.now(), 35 * DAY_MS).toISOString()
  expect(until > soon.slice(0, 10)).toBe(true)
  const [odd] = await db.many`
    select id from transactions where business_id = ${businessId}
      and channel <> 'OFFLINE' and excess_minor = 0 and payable_minor <> amount_minor + fee_minor`
  expect(odd).toBeUndefined()
  expect(await runAudit(db, allChecks)).toEqual([])
}, 120_000)
