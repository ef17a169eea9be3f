import type pg from 'pg'
import { describe, expect, test } from 'vitest'
import { events, type Rows, rows } from '../../test/corruption/tampering.ts'
import { asOwner, startServer, undone } from '../../test/harness.ts'
import { PROTECTED_ROWS } from '../audit.ts'
import { memberOf } from '../business/people/people.fixture.ts'
import { dbOn } from '../db/database.ts'
import { forgetEvents } from '../events/digest.ts'
import { openShop } from '../money/settlements/settlements.fixture.ts'
import type { Positions } from './position.ts'
import { auditSince } from './since.ts'

const server = await startServer({ jobs: false })
const { clock, db } = server
const SETTINGS = '/api/user-service/external/v1/profile/settings'
const INVOICES = '/api/payment-service/external/v1/invoices'
const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const PAYOUT = { amount: 900, bankCode: '058', accountNumber: '0000000001' }
const BEGIN: Positions = { at: null, tenants: [], logs: [] }

/** Audits within the transaction of a client, from these positions. */
async function auditOn(client: pg.Client, from: Positions) {
  const tx = dbOn((query) => client.query(query), { prepare: false })
  return auditSince(tx, (work) => work(tx), from, PROTECTED_ROWS, clock.now())
}

/** Returns the findings after a change that is rolled back: `table id: problem [check]`. */
const saidAfter = (from: Positions, change: (client: pg.Client) => Promise<unknown>) =>
  undone(server.name, async (client) => {
    await change(client)
    const { findings } = await auditOn(client, from)
    return findings.map(({ check, table, id, problem }) => `${table} ${id}: ${problem} [${check}]`)
  })

const audit = (from: Positions) => undone(server.name, (client) => auditOn(client, from))

await asOwner(server.name, (client) =>
  client.query("update schema_migrations set applied_at = applied_at - interval '9 days'"),
)

async function seal(): Promise<void> {
  for (const job of ['ledger-seal', 'digest-seal']) while ((await server.runJob(job)) > 0);
}

/** A shop in which something of every protected kind happens, after `before` is called. */
async function filled(): Promise<Rows & { before: Positions }> {
  const shop = await openShop(server)
  const { businessId: business, caller } = shop
  await caller.post(INVOICES, { customerEmail: 'old@example.com', amount: 100 })
  await seal()
  const { positions: before, findings } = await audit(BEGIN)
  expect(findings).toEqual([])
  const { id: subaccount, page } = await shop.stall()
  await shop.pay(5_000, page)
  await caller.post('/api/simulator/wallet', { amount: 2_000 })
  const owner = await memberOf(server, 'owner', business)
  const finance = await memberOf(server, 'finance', business)
  const viewer = await memberOf(server, 'viewer', business)
  const settlementAccount = { bankCode: '058', accountNumber: '0123456789' }
  await owner.put(SETTINGS, { transferApprovalAbove: 1, settlementAccount })
  const { reference } = (await finance.post(TRANSFERS, PAYOUT)).body.data
  expect((await owner.post(`${TRANSFERS}/${reference}/approve`)).status).toBe(200)
  const { reference: waiting } = (await caller.post(TRANSFERS, PAYOUT)).body.data
  const invoice = await caller.post(INVOICES, { customerEmail: 'ada@example.com', amount: 700 })
  await shop.settle()
  const { id } = invoice.body.data
  const found = await db.one<Omit<Rows, 'business' | 'owner' | 'viewer' | 'subaccount'>>`
    select
      (select id from transfers where reference = ${reference}) as sent,
      (select id from transfers where reference = ${waiting}) as held,
      (select max(id) from settlements where business_id = ${business}) as settlement,
      (select id from events where object_id = ${id} and sequence = 1) as created,
      (select id from events where object_id = ${id} and sequence = 2) as last,
      ${id}::bigint as invoice, 0::bigint as asked, nextval('ids') as free,
      (select id from ledger_journals
        where business_id = ${business} and cause_type = 'simulation') as simulated`
  return { ...found, business, owner: owner.id, viewer: viewer.id, subaccount, before }
}

const of = await filled()

/** Rows that the server wrote before the position, or never. */
const isOlder = ([title]: (typeof rows)[number]) =>
  /mode live$|never|second factor|request|digest of a note/.test(title)

/** The row that must be named, or the problem if any row can be. */
const named = (words: string): string => /^\w+ \d+/.exec(words)?.[0] ?? words

describe.each(['waiting', 'sealed'])('while digests are %s, an audit from a position', (state) => {
  test('finds nothing without changes, and continues after its end', async () => {
    if (state === 'sealed') await seal()
    const whole = await audit(BEGIN)
    const { findings, positions, examined } = await audit(of.before)
    expect([whole.findings, findings]).toEqual([[], []])
    expect(examined.events).toBeLessThanOrEqual(whole.examined.events)
    const again = await audit(positions)
    expect(again.findings).toEqual([])
    if (state === 'sealed') expect(again.examined).toMatchObject({ transfers: 0, notes: 0 })
    expect((await audit(again.positions)).findings).toEqual([])
  })

  const isOfSeals = (title: string) => /replaced digests|digests? /.test(title)
  const tried = events.filter(([title]) => state === 'sealed' || !isOfSeals(title))
  test.each(tried)('reports %s', async (title, sql, says) => {
    // These change the first seals, which come before the position.
    const isOfStart = /replaced digests|from the middle/.test(title)
    for (const from of isOfStart ? [BEGIN] : [BEGIN, of.before]) {
      const said = await saidAfter(from, (client) => client.query(sql(of)))
      for (const words of says(of)) {
        expect(said).toContainEqual(expect.stringContaining(named(words)))
      }
    }
  })
})

describe('an audit from a position', () => {
  test.each(rows.filter((one) => !isOlder(one)))('reports %s', async (_title, sql, says) => {
    const said = await saidAfter(of.before, (client) => client.query(sql(of)))
    for (const words of says(of)) {
      expect(said).toContainEqual(expect.stringContaining(named(words)))
    }
  })

  const transfer = `(select max(id) from ledger_transfers where business_id = $1)`
  test.each([
    ['a changed amount', `update ledger_transfers set amount_minor = 1 where id = ${transfer}`],
    ['a missing transfer', `delete from ledger_transfers where id = ${transfer}`],
    [
      'a changed balance',
      `update ledger_accounts set debits_minor = debits_minor + 1, credits_minor = credits_minor + 2
       where id = (select min(id) from ledger_accounts where business_id = $1
         and kind = 'wallet_available' and not live)`,
    ],
    [
      'missing seals',
      `delete from ledger_seals where business_id = $1
        and seq = (select max(seq) - 1 from ledger_seals where business_id = $1)`,
    ],
    [
      'a chain without its end',
      `delete from ledger_seals where business_id = $1
        and seq = (select max(seq) from ledger_seals where business_id = $1)`,
    ],
    [
      'a changed entry of the audit log',
      `update audit_log set detail = 'X' where business_id = $1
        and seq = (select max(seq) from audit_log where business_id = $1)`,
    ],
    [
      'an audit log without its end',
      `delete from audit_log where business_id = $1
        and seq = (select max(seq) from audit_log where business_id = $1)`,
    ],
  ])('reports %s', async (_title, sql) => {
    const said = await saidAfter(of.before, (client) => client.query(sql, [of.business]))
    expect(said.length).toBeGreaterThan(0)
  })

  test('reports a chain that was rewritten before its position', async () => {
    const { positions } = await audit(BEGIN)
    for (const table of ['ledger_seals', 'digest_seals', 'audit_log']) {
      const said = await saidAfter(positions, (client) =>
        client.query(
          `update ${table} set hash = sha256('x') where business_id = $1
            and seq = (select max(seq) from ${table} where business_id = $1)`,
          [of.business],
        ),
      )
      expect(said).toContainEqual(expect.stringMatching(`^${table} .*truncated or rewritten`))
    }
  })

  test('reports a business that has disappeared', async () => {
    const gone = { ...(await audit(BEGIN)).positions.tenants[0]!, businessId: 1 }
    const { findings, positions } = await audit({ ...BEGIN, tenants: [gone] })
    expect(findings).toMatchObject([{ check: 'heads', table: 'businesses', id: '1' }])
    expect(positions.tenants).toContainEqual(gone)
  })

  test('does not report forgotten events, whether they were compared before or not', async () => {
    const tenant = { businessId: of.business, live: false }
    for (const from of [BEGIN, of.before, (await audit(BEGIN)).positions]) {
      const said = await saidAfter(from, async (client) => {
        const tx = dbOn((query) => client.query(query), { prepare: false })
        // biome-ignore lint/suspicious/noExplicitAny: it only runs statements
        expect(await forgetEvents(tx as any, tenant, [of.created, of.last])).toHaveLength(2)
      })
      expect(said).toEqual([])
    }
  })

  test('does not read older rows again: only the whole audit finds damage there', async () => {
    const { positions } = await audit(BEGIN)
    const [, sql] = events[0]!
    const change = (client: pg.Client) => client.query(sql(of))
    expect(await saidAfter(BEGIN, change)).toHaveLength(1)
    expect(await saidAfter(positions, change)).toEqual([])
  })
})
