import { beforeAll, describe, expect, test } from 'vitest'
import { startServer, testDatabase } from '../../test/harness.ts'
import { allChecks } from '../audit.ts'
import { createBusiness } from '../business/account/bootstrap.ts'
import { type Database, typed } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import { sweepAll } from '../jobs/jobs.ts'
import { runAudit } from '../ledger/audit.ts'
import { addMs } from '../lib/clock.ts'
import { DAY_MS } from './calendar.ts'
import { BATCH_ROWS } from './earlier.ts'
import { type Seeded, type SeedRequest, seedShop } from './seed.ts'

const server = await startServer({ sweepers: false })
const { db, clock, get } = server
const tenant = { businessId: server.business.businessId, live: false }
const INVOICES = '/api/payment-service/external/v1/invoices'

type Options = Partial<SeedRequest> & Pick<SeedRequest, 'tenant'>
const seed = (into: { db: Database; ids: Ids }, options: Options) =>
  seedShop(into.db, into.ids, {
    seed: 1,
    now: clock.now(),
    publicUrl: 'http://127.0.0.1',
    ...options,
  })

/** The one value of a query. */
async function value<T = number>(query: string, from: Database = db): Promise<T> {
  const text = `select (${query}) as value`
  const [row] = await from.withClient(async (client) => typed(await client.query(text)))
  return (row as { value: T }).value
}

const counted = (rows: { name: string; count: number }[]) =>
  Object.fromEntries(rows.map(({ name, count }) => [name, count]))

const now = clock.now()
let seeded: Seeded
beforeAll(async () => {
  seeded = await seed(server, { tenant, rows: 150, now })
})

describe('the rows', () => {
  test('have every state of an invoice and of a payment', async () => {
    const invoices = await db.many<{ name: string; count: number }>`
      select status as name, count(*) from invoices group by status`
    const { all, ...states } = seeded.invoices
    expect(counted(invoices)).toEqual(states)
    expect(all).toBe(150)
    expect(Object.keys(states).sort()).toEqual(['Draft', 'Paid', 'PartiallyPaid', 'Sent', 'Void'])

    const transactions = await db.many<{ name: string }>`
      select distinct status || ' ' || channel as name from transactions order by name`
    expect(transactions.map(({ name }) => name)).toEqual([
      'Abandoned BANK_TRANSFER',
      'Abandoned USSD',
      'Failed USSD',
      'Successful BANK_TRANSFER',
      'Successful OFFLINE',
      'Successful USSD',
    ])
    expect(seeded.overdue).toBeGreaterThan(0)
    expect(await value('select count(*) from transactions where excess_minor > 0')).toBe(
      seeded.overpayments,
    )
    expect(seeded.overpayments).toBeGreaterThan(0)
    expect(await value(`select count(*) from deposits where status = 'Rejected'`)).toBeGreaterThan(
      0,
    )
  })

  test('are as many as was said', async () => {
    const { mails, events, journals } = seeded
    const made = await db.one<Record<string, number>>`
      select (select count(*) from mails) as mails, (select count(*) from events) as events,
        (select count(*) from ledger_journals where cause_type = 'transaction') as journals,
        (select count(*) from invoices) + (select count(*) from invoice_texts)
        + (select count(*) from transaction_texts)
        + (select count(*) from transactions) + (select count(*) from virtual_accounts)
        + (select count(*) from deposits) + (select count(*) from mails)
        + (select count(*) from events)
        + 2 * (select count(*) from ledger_journals where cause_type = 'transaction')
        + (select count(*) from ledger_transfers where kind <> 'opening') as written`
    expect(made).toEqual({
      mails: mails.all,
      events: events.all,
      journals: journals.all,
      written: seeded.rowsWritten,
    })
  })

  test('pass the audit, sealed, and the books agree with the payments', async () => {
    expect(await runAudit(db, allChecks)).toEqual([])
    expect(await value('select count(*) from ledger_unsealed')).toBe(0)
    const wrong = await db.many`
      select i.id, i.status from invoices i
      left join (
        select purpose_id as id, sum(amount_minor) filter (where excess_minor = 0) as paid
        from transactions where paid_at is not null group by purpose_id
      ) t using (id)
      where i.paid_minor <> coalesce(paid, 0)
        or (i.status = 'Paid') <> (i.paid_minor = i.amount_minor)
        or (i.status = 'PartiallyPaid') <> (i.paid_minor > 0 and i.paid_minor < i.amount_minor)`
    expect(wrong).toEqual([])

    const unposted = await db.many`
      select t.id from transactions t
      left join ledger_journals j on j.cause_type = 'transaction' and j.cause_id = t.id
        and j.verb = 'settle' and j.created_at = t.paid_at
      where (t.status = 'Successful' and t.channel <> 'OFFLINE') <> (j.id is not null)`
    expect(unposted).toEqual([])

    const { data } = (await get('/api/user-service/external/v1/wallet/balance')).body
    const opening = 1_000_000_00
    const net = Number(
      await value(`select sum(paid_minor - excess_minor - fee_minor) from transactions
        where paid_at is not null and channel <> 'OFFLINE'`),
    )
    expect(data[0].availableMinor).toBe(opening + net)
    const told = await value(`select sum((data::jsonb ->> 'amountMinor')::bigint) from events
      where type = 'wallet.funded'`)
    expect(Number(told)).toBe(net)
  })

  test('count the events of each object without a gap', async () => {
    const objects = ['invoices', 'transactions', 'virtual_accounts', 'ledger_accounts']
    for (const table of objects) {
      const wrong = await value(`select count(*) from ${table} o
        where event_sequence <> (select count(*) from events e where e.object_id = o.id)`)
      expect([table, wrong]).toEqual([table, 0])
    }
  })

  test('count the events of the wallet in the order of their time', async () => {
    const disordered = await db.many`
      select * from (
        select sequence, created_at, lag(created_at) over (order by sequence) as before
        from events where object_type = 'wallet'
      ) as told where before > created_at`
    expect(disordered).toEqual([])
  })

  test('add up, lie in the past, and name nobody who exists', async () => {
    const invoices = await db.many<{ line_items: string | null; amount_minor: bigint }>`
      select line_items, amount_minor from invoices`
    for (const { line_items, amount_minor } of invoices) {
      const lines = JSON.parse(line_items ?? '[]') as [string, number, string, string][]
      const sum = lines.reduce((all, [, , , amount]) => all + BigInt(amount), 0n)
      if (lines.length > 0) expect(sum).toBe(amount_minor)
    }
    const latest = await value<Date>('select max(created_at) from events')
    expect(latest.getTime()).toBeLessThan(clock.now().getTime())
    const days = await value(`select max(created_at)::date - min(created_at)::date from invoices`)
    expect(days).toBeGreaterThan(330)
    expect(
      await value(`select count(*) from invoices
        where customer_email !~ '@(example\\.(com|org|net)|[a-z0-9-]+\\.example)$'`),
    ).toBe(0)
  })
})

describe('the server', () => {
  test('200 lists what was made, by state, overdue, by page and by name', async () => {
    const { all: _all, ...states } = seeded.invoices
    for (const [status, total] of Object.entries({ ...states, Overdue: seeded.overdue })) {
      const { body } = await get(`${INVOICES}?status=${status}`)
      expect([status, body.meta.total]).toEqual([status, total])
    }
    const last = await get(`${INVOICES}?limit=100&page=2&sort=ASC`)
    expect([last.status, last.body.data.length]).toEqual([200, 50])
    const [invoice] = last.body.data
    const found = await get(`${INVOICES}?search=${encodeURIComponent(invoice.customerName)}`)
    expect(found.body.data.map(({ id }: { id: number }) => id)).toContain(invoice.id)
  })

  test('200 shows the page of an invoice in each state that has one', async () => {
    for (const status of ['Sent', 'PartiallyPaid', 'Paid', 'Void', 'Overdue']) {
      const { body } = await get(`${INVOICES}?status=${status}&limit=1`)
      const { pathname } = new URL(body.data[0].hostedUrl)
      const page = await get(pathname)
      expect([status, page.status]).toEqual([status, 200])
      expect(page.text).toContain(body.data[0].invoiceNumber)
      expect([status, (await get(`${pathname}/pdf`)).status]).toEqual([status, 200])
    }
  })

  test('sends nothing of it, and goes on reminding in the days after', async () => {
    const told = () => value('select count(*) from events')
    const mailed = () => value(`select count(*) from mails`)
    const before = [await told(), await mailed()]
    const sweepers = server.app.sweepers.filter(({ name }) => name !== 'mail')
    for (const { sweep } of sweepers) await sweepAll(db, now, sweep)
    expect([await told(), await mailed()]).toEqual(before)
    expect(await value(`select count(*) from mails where status = 'Queued'`)).toBe(0)

    clock.advance(5 * DAY_MS)
    await server.sweep('invoice-schedule')
    expect(await value(`select count(*) from mails where status = 'Queued'`)).toBeGreaterThan(0)
  })
})

describe('made again', () => {
  test('is refused on the same business, and nothing is added', async () => {
    const again = seed(server, { tenant, rows: 150 })
    await expect(again).rejects.toThrow('the shop of seed 1 is there already')
    await expect(seed(server, { tenant })).rejects.toThrow('150 invoices, until')
    expect(await value('select count(*) from invoices')).toBe(150)
  })

  test('is added to with another seed', async () => {
    const more = await seed(server, { tenant, seed: 2, rows: 10 })
    expect(more.invoices.all).toBe(10)
    expect(await value('select count(*) from invoices')).toBe(160)
    expect(await runAudit(db, allChecks)).toEqual([])
  })

  test('is refused for live data and for days to come', async () => {
    const live = { ...tenant, live: true }
    await expect(seed(server, { tenant: live })).rejects.toThrow('no invented money')
    const until = '2999-01-01'
    await expect(seed(server, { tenant, seed: 3, until })).rejects.toThrow('a day to come')
  })

  test('sends nothing either for a history that ended long ago', async () => {
    const { businessId } = await server.newBusiness('Long ago')
    const until = addMs(clock.now(), -20 * DAY_MS)
      .toISOString()
      .slice(0, 10)
    const { overdue } = await seed(server, {
      tenant: { businessId, live: false },
      rows: 60,
      until,
      now: clock.now(),
    })
    expect(overdue).toBeGreaterThan(0)
    expect(
      await value(`select count(*) from invoices where business_id = ${businessId}
        and next_step_at <= '${clock.now().toISOString()}'`),
    ).toBe(0)
    expect(
      await value(`select count(*) from mails
        where business_id = ${businessId} and created_at > '${until}T00:00:00Z'`),
    ).toBe(0)
  })

  test('goes on after the batch at which it was cut short', async () => {
    const { db, ids } = await testDatabase()
    const rows = BATCH_ROWS + 40
    const { businessId } = await db.transaction((tx) =>
      createBusiness(tx, ids, { name: 'Cut short', now: clock.now() }),
    )
    const into = { tenant: { businessId, live: false }, until: '2026-03-01', rows }
    const onProgress = () => {
      throw new Error('the power is gone')
    }
    await expect(seed({ db, ids }, { ...into, onProgress })).rejects.toThrow('the power is gone')
    expect(await value('select count(*) from invoices', db)).toBe(BATCH_ROWS)

    const other = seed({ db, ids }, { ...into, rows: 7 })
    await expect(other).rejects.toThrow(`begun with --rows ${rows} --until 2026-03-01`)
    const rest = await seed({ db, ids }, { tenant: into.tenant })
    expect(rest).toMatchObject({ continuedAfter: BATCH_ROWS, invoices: { all: 40 }, rows })
    expect(await value('select count(*) from invoices', db)).toBe(rows)
    expect(await runAudit(db, allChecks)).toEqual([])
  })
})

describe('the same seed', () => {
  const TABLES = [
    'invoices',
    'transactions',
    'virtual_accounts',
    'deposits',
    'mails',
    'events',
  ].concat(['ledger_journals', 'ledger_transfers'])
  const until = '2026-03-01'

  /** All rows but what is drawn anew each time. */
  async function contentOf(options: { seed: number }) {
    const { db, ids } = await testDatabase()
    const { businessId } = await db.transaction((tx) =>
      createBusiness(tx, ids, { name: 'Twin', now: clock.now() }),
    )
    await seed({ db, ids }, { ...options, tenant: { businessId, live: false }, rows: 60, until })
    const tables: Record<string, object[]> = {}
    for (const table of TABLES) {
      const text = `select to_jsonb(t)::text as row from ${table} t
        where created_at < '2026-03-02' order by id`
      const { rows } = await db.withClient((client) => client.query<{ row: string }>(text))
      tables[table] = rows.map(({ row }) => JSON.parse(withoutChance(row)))
    }
    return tables
  }

  /** Addresses of pages and references of events are drawn; ids follow each other in both. */
  const withoutChance = (row: string) =>
    row
      .replace(/"token": "\w{22}"/, '"token": ""')
      .replace(/\/i\/[\w-]+/g, '/i/')
      .replace(/evt_\w{24}/g, 'evt_')
      .replace(/"salt": "\w{22}"/, '"salt": ""')

  test('makes the same, and another seed another shop', async () => {
    const first = await contentOf({ seed: 5 })
    expect(first.invoices).toHaveLength(60)
    expect(first.ledger_journals!.length).toBeGreaterThan(20)
    expect(await contentOf({ seed: 5 })).toEqual(first)
    const other = await contentOf({ seed: 6 })
    expect(other.invoices).not.toEqual(first.invoices)
  })
})

test('a business with other terms has its own fees and days', async () => {
  const { businessId, keys } = await server.newBusiness('Terms')
  const other = { businessId, live: false }
  const terms = { feeBearer: 'customer', timeZone: 'America/New_York' }
  const settings = '/api/user-service/external/v1/profile/settings'
  expect((await server.as(keys.testSecret).put(settings, terms)).status).toBe(200)
  await db.run`
    update businesses set test_clock_offset_ms = ${40 * DAY_MS} where id = ${businessId}`
  const { until } = await seed(server, { tenant: other, rows: 40 })
  expect(
    until >
      addMs(clock.now(), 35 * DAY_MS)
        .toISOString()
        .slice(0, 10),
  ).toBe(true)
  const [odd] = await db.many`
    select id from transactions where business_id = ${businessId}
      and channel <> 'OFFLINE' and excess_minor = 0 and payable_minor <> amount_minor + fee_minor`
  expect(odd).toBeUndefined()
  expect(await runAudit(db, allChecks)).toEqual([])
})
