import type pg from 'pg'
import { describe, expect, test } from 'vitest'
import { findingsWithin } from '../../../test/corruption/findings.ts'
import {
  events,
  money,
  type Rows,
  rows,
  type Tampering,
} from '../../../test/corruption/tampering.ts'
import { asOwner, startServer, undone } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { protectedIntents } from '../../business/audit-log/audit.ts'
import { memberOf } from '../../business/people/people.fixture.ts'
import { dbOn } from '../../db/database.ts'
import { forgetEvents } from '../../events/digest.ts'
import { runAudit } from '../../ledger/audit.ts'
import { writeRowNote } from '../../ledger/row-notes.ts'
import { openShop } from '../../money/settlements/settlements.fixture.ts'

const server = await startServer({ jobs: false })
const { clock, db } = server
const SETTINGS = '/api/user-service/external/v1/profile/settings'
const INVOICES = '/api/payment-service/external/v1/invoices'
const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const PAYOUT = { amount: 900, bankCode: '058', accountNumber: '0000000001' }

/** The audit's findings within a transaction: `table id: problem [check]`. */
async function saidBy(client: pg.Client): Promise<string[]> {
  const found = await findingsWithin(client, allChecks)
  return found.map(({ check, table, id, problem }) => `${table} ${id}: ${problem} [${check}]`)
}

/** Makes everything count as written after digests existed, so that all of it must have them. */
await asOwner(server.name, (client) =>
  client.query("update schema_migrations set applied_at = applied_at - interval '9 days'"),
)

async function filled(): Promise<Rows> {
  const shop = await openShop(server)
  const { businessId: business, caller } = shop
  const { id: subaccount, page } = await shop.stall()
  await shop.pay(5_000, page)
  await caller.post('/api/simulator/wallet', { amount: 2_000 })
  const owner = await memberOf(server, 'owner', business)
  const finance = await memberOf(server, 'finance', business)
  const viewer = await memberOf(server, 'viewer', business)
  const settlementAccount = { bankCode: '058', accountNumber: '0123456789' }
  const settings = { transferApprovalAbove: 1, settlementAccount }
  expect(await owner.put(SETTINGS, settings)).toMatchObject({ status: 200 })
  const { reference } = (await finance.post(TRANSFERS, PAYOUT)).body.data
  expect((await owner.post(`${TRANSFERS}/${reference}/approve`)).status).toBe(200)
  const { reference: waiting } = (await caller.post(TRANSFERS, PAYOUT)).body.data
  const invoice = await caller.post(INVOICES, { customerEmail: 'ada@example.com', amount: 700 })
  await shop.settle()

  const found = await db.one<Omit<Rows, 'business' | 'owner' | 'viewer' | 'subaccount'>>`
    select
      (select id from transfers where reference = ${reference}) as sent,
      (select id from transfers where reference = ${waiting}) as held,
      (select max(id) from settlements where business_id = ${business}) as settlement,
      (select id from events where object_id = ${invoice.body.data.id} and sequence = 1) as created,
      (select id from events where object_id = ${invoice.body.data.id} and sequence = 2) as last,
      ${invoice.body.data.id}::bigint as invoice,
      (select id from ledger_journals
        where business_id = ${business} and cause_type = 'simulation') as simulated,
      0::bigint as asked, nextval('ids') as free`
  return { ...found, business, owner: owner.id, viewer: viewer.id, subaccount }
}

const of = await filled()
/** The state while the outcome of a member's request is unknown. */
async function ask(): Promise<number> {
  return db.transaction(async (tx) => {
    const { id } = await tx.one<{ id: number }>`
      insert into audit_asked
        (business_id, id, live, at, person_id, person_name, ip, request_id, action)
      values (${of.business}, nextval('ids'), false, ${clock.now()}, ${of.owner}, 'Ada',
        '127.0.0.1', 'req_1', 'create_invoice')
      returning id`
    await writeRowNote(tx, protectedIntents, { businessId: of.business, live: false }, id)
    return id
  })
}
of.asked = await ask()

describe.each(['waiting', 'sealed'])('while digests are %s, the audit', (state) => {
  test('finds nothing without changes', async () => {
    if (state === 'sealed') while ((await server.runJob('digest-seal')) > 0);
    expect(await runAudit(db, allChecks)).toEqual([])
  })

  const isOfSeals = ([title]: Tampering) => /replaced digests|digests? /.test(title)
  const tried = [...money, ...events, ...rows].filter(
    (one) => state === 'sealed' || !isOfSeals(one),
  )
  test.each(tried)('reports %s', async (_title, sql, says) => {
    const said = await undone(server.name, async (client) => {
      await client.query(sql(of))
      return saidBy(client)
    })
    for (const words of says(of)) {
      expect(said).toContainEqual(expect.stringContaining(words))
    }
  })
})

test('only upgraded databases have a day’s grace for missing digests', async () => {
  const saidOf = (firstVersion: string) =>
    undone(server.name, async (client) => {
      await client.query(
        `update schema_migrations
         set applied_at =
           $1::timestamptz - case when version = 1 then $2::interval else '1 hour' end`,
        [clock.now(), firstVersion],
      )
      const [, writes] = events.find(([title]) => title === 'a forged event that is counted')!
      await client.query(writes(of))
      return saidBy(client)
    })
  expect(await saidOf('30 days')).toEqual([])
  expect(await saidOf('1 hour')).toContainEqual(
    expect.stringMatching(`^events ${of.free}: .* it has no digest`),
  )
})

describe('legitimate states', () => {
  test('forgotten events, with their salts and their data', async () => {
    const said = await undone(server.name, async (client) => {
      const tx = dbOn((query) => client.query(query), { prepare: false })
      const tenant = { businessId: of.business, live: false }
      const before = await tx.one<{ data: string; salt: string }>`
        select data, salt from events where id = ${of.created}`
      expect(before.salt).toMatch(/^\w{22}$/)
      // biome-ignore lint/suspicious/noExplicitAny: it only runs statements
      expect(await forgetEvents(tx as any, tenant, [of.created, of.last])).toHaveLength(2)
      return saidBy(client)
    })
    expect(said).toEqual([])
  })

  test('rows of a version without digests; a day later they have notes and are watched', async () => {
    clock.advance(1_000)
    const until = clock.now()
    await asOwner(server.name, async (client) => {
      await client.query(`
        update events set salt = null;
        delete from row_notes; delete from digest_seals; delete from digest_chains;
        delete from digests_unsealed; delete from simulated_fundings`)
      await client.query(
        `update schema_migrations set applied_at = $1::timestamptz
           - case when version in (36, 71, 91) then interval '1 day' else interval '30 days' end`,
        [new Date(until.getTime() + 3_600_000)],
      )
    })
    expect(await runAudit(db, allChecks)).toEqual([])
    expect(await server.runJob('old-rows')).toBe(0)
    clock.advance(2 * 3_600_000)
    while ((await server.runJob('old-rows')) > 0);
    expect(await runAudit(db, allChecks)).toEqual([])

    const wasNoted = ([title]: Tampering) => !/with the note|digest of a note/.test(title)
    for (const [title, sql, says] of rows.filter(wasNoted)) {
      const said = await undone(server.name, async (client) => {
        await client.query(sql(of))
        return saidBy(client)
      })
      for (const words of says(of)) {
        expect(said, title).toContainEqual(expect.stringContaining(words))
      }
    }
  })

  test('rows whose notes cover fewer columns; a day later all columns are watched', async () => {
    const from = clock.now()
    await asOwner(server.name, async (client) => {
      await client.query(`
        update row_notes set kind = 'settings' where kind = 'business-settings-4';
        update row_notes set kind = 'transfer' where kind = 'transfer-recipient';
        delete from row_notes_begun where kind in ('business-settings-4', 'transfer-recipient')`)
      await client.query('update schema_migrations set applied_at = $1 where version in (71, 91)', [
        from,
      ])
    })
    expect(await runAudit(db, allChecks)).toEqual([])
    expect(await server.runJob('old-rows')).toBe(0)
    clock.advance(25 * 3_600_000)
    while ((await server.runJob('old-rows')) > 0);
    expect(await runAudit(db, allChecks)).toEqual([])
    const said = await undone(server.name, async (client) => {
      await client.query(`update transfers set narration = 'X'`)
      return saidBy(client)
    })
    expect(said).toContainEqual(expect.stringMatching(`^transfers ${of.held}: .*its last note`))
  })
})
