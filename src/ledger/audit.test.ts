import { describe, expect, test } from 'vitest'
import { findingsWithin } from '../../test/corruption/findings.ts'
import { asOwner, testDatabase, undone } from '../../test/harness.ts'
import type { Database } from '../db/database.ts'
import type { Tenant } from '../lib/caller.ts'
import { auditChecks, runAudit } from './audit.ts'
import { changeCharge, damages, type Rows, unguarded } from './audit-damages.fixture.ts'
import { fees, funding, newTenant, provider, through, transfer, wallet } from './ledger.fixture.ts'
import { hold, postHold, postJournal, postJournals, voidHold } from './ledger.ts'
import { sealLedger } from './seals.ts'

const now = new Date('2026-11-21T10:00:00.000Z')

/**
 * Returns a ledger of two tenants with every kind of row, all sealed except the last journal, and
 * the ids of those rows.
 */
async function filledLedger() {
  const { db, ids, name } = await testDatabase({ connectionsMax: 3 })
  const other = await newTenant(db, ids)
  const tenant = await newTenant(db, ids)
  const journals = await db.transaction(async (tx) => {
    const amounts = { now, amount_minor: 200n, currency: 'NGN' }
    await postJournal(tx, ids, other, funding(other, 1, 900n))
    const funded = await postJournal(tx, ids, tenant, funding(tenant, 1, 1_000n))
    const charged = await postJournal(tx, ids, tenant, chargeOf(tenant))
    await postJournal(tx, ids, tenant, funding(tenant, 2, 50n, 'USD'))
    for (const id of [1, 2, 3]) await hold(tx, ids, tenant, { ...amounts, cause: transfer(id) })
    const paid = await postHold(tx, ids, tenant, { cause: transfer(1), through, now })
    const voided = await voidHold(tx, ids, tenant, { cause: transfer(2), now })
    return { funded, charged, paid, voided }
  })
  await sealLedger(db, now, 100)
  const last = await db.transaction((tx) => postJournal(tx, ids, tenant, funding(tenant, 3, 10n)))
  await insertEvents(db, tenant)

  const rows: Rows = {
    tenant: tenant.businessId,
    wallet: await accountOf(db, tenant, 'wallet_available'),
    dollars: await accountOf(db, tenant, 'wallet_available', 'USD'),
    dollarsAtProvider: await accountOf(db, tenant, 'provider_clearing', 'USD'),
    fees: await accountOf(db, tenant, 'fees'),
    foreign: await accountOf(db, other, 'wallet_available'),
    fundingTransfer: await firstTransferOf(db, journals.funded.journalId),
    charge: await firstTransferOf(db, journals.charged.journalId),
    payout: await firstTransferOf(db, journals.paid.journalId),
    lastTransfer: await firstTransferOf(db, last.journalId),
    funded: journals.funded.journalId,
    paid: journals.paid.journalId,
    voided: journals.voided.journalId,
    last: last.journalId,
  }
  return { db, ids, name, tenant, rows }
}

const chargeOf = (tenant: Tenant) => ({
  ...funding(tenant, 7, 0n),
  cause: { type: 'transaction', id: 7 },
  verb: 'settle',
  moves: [
    { debit: provider(), credit: wallet(), amount_minor: 985n, kind: 'charge' },
    { debit: provider(), credit: fees(), amount_minor: 15n, kind: 'fee' },
  ],
})

async function insertEvents(db: Database, { businessId, live }: Tenant): Promise<void> {
  for (const sequence of [1, 2, 3]) {
    await db.run`
      insert into events (business_id, live, id, reference, type, object_type, object_id, sequence,
        data, created_at)
      values (${businessId}, ${live}, ${5_000 + sequence}, ${`evt_${sequence}`}, 'wallet.funded',
        'wallet', 1, ${sequence}, '{}', ${now})`
  }
}

async function accountOf(db: Database, { businessId }: Tenant, kind: string, currency = 'NGN') {
  const { id } = await db.one<{ id: number }>`
    select id from ledger_accounts
    where business_id = ${businessId} and kind = ${kind} and currency = ${currency}`
  return id
}

async function firstTransferOf(db: Database, journalId: number): Promise<number> {
  const { id } = await db.one<{ id: number }>`
    select min(id) as id from ledger_transfers where journal_id = ${journalId}`
  return id
}

describe('the audit', async () => {
  const { name, tenant, rows } = await filledLedger()

  test('finds nothing in a correct ledger', async () => {
    const { db } = await filledLedger()
    expect(await runAudit(db)).toEqual([])
    await sealLedger(db, now, 100)
    expect(await runAudit(db)).toEqual([])
  })

  test.each(damages)('names $title', async ({ check, table, id, sql }) => {
    const found = await undone(name, async (client) => {
      await client.query(unguarded(sql(rows)))
      return findingsWithin(client, auditChecks)
    })
    const expected = { check, table, ...tenant, id: String(id(rows)) }
    expect(found).toContainEqual({ ...expected, problem: expect.any(String) })
    expect(found.filter((one) => one.businessId !== tenant.businessId)).toEqual([])
  })

  test('the chain names only the one row that changed', async () => {
    const { db, name, tenant, rows } = await filledLedger()
    await asOwner(name, (client) => client.query(changeCharge("kind = 'gift'")(rows)))
    expect(await runAudit(db)).toEqual([
      {
        check: 'seals',
        table: 'ledger_transfers',
        ...tenant,
        id: String(rows.charge),
        problem: 'it or its journal no longer matches seal 2, or the seal was changed',
      },
    ])
  })

  test('every check has a kind of damage here', () => {
    const tried = new Set(damages.map(({ check }) => check))
    expect(auditChecks.filter(({ name }) => !tried.has(name))).toEqual([])
  })

  test('stops at 100 findings a check', async () => {
    const { db, ids, name, tenant } = await filledLedger()
    const many = Array.from({ length: 120 }, (_, i) => funding(tenant, 1_000 + i, 1n))
    await db.transaction((tx) => postJournals(tx, ids, many))
    await asOwner(name, (client) => client.query('delete from ledger_unsealed'))
    expect(await runAudit(db)).toHaveLength(100)
  })
})
