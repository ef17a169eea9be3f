import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../test/harness.ts'
import { runAudit } from './audit.ts'
import { funding, newTenant } from './ledger.fixture.ts'
import { postJournals } from './ledger.ts'
import { ledgerSeal, sealLedger } from './seals.ts'

const now = new Date('2026-11-21T10:00:00.000Z')

describe('seals', async () => {
  const { db, ids } = await testDatabase()

  async function posted(count: number) {
    const tenant = await newTenant(db, ids)
    const journals = Array.from({ length: count }, (_, i) => ({
      ...funding(tenant, i + 1, 100n),
      now,
    }))
    const rows = await db.transaction((tx) => postJournals(tx, ids, journals))
    return { tenant, journalIds: rows.map((row) => row!.journalId) }
  }

  const sealsOf = (businessId: number) =>
    db.many<{ seq: number; journal_id: number; hash: Buffer; transfer_id: number }>`
      select s.seq, t.journal_id, s.hash, s.transfer_id
      from ledger_seals s join ledger_transfers t on t.id = s.transfer_id
      where s.business_id = ${businessId} order by s.seq`

  test('anyone can recompute the hash from the previous seal and the transfer', async () => {
    const { tenant, journalIds } = await posted(2)
    expect(await sealLedger(db, now, 10)).toBe(2)
    const accounts = await db.many<{ id: number }>`
      select id from ledger_accounts where business_id = ${tenant.businessId} order by kind`
    const [provider, wallet] = accounts.map(({ id }) => String(id))

    const seals = await sealsOf(tenant.businessId)
    let previous = Buffer.alloc(32)
    for (const [i, { transfer_id, hash }] of seals.entries()) {
      const time = '2026-11-21T10:00:00.000000Z'
      const content = [
        ...[String(tenant.businessId), 'false', String(transfer_id), provider, wallet, '100'],
        ...[
          'NGN',
          'deposit',
          time,
          String(journalIds[i]),
          'deposit',
          String(i + 1),
          'fund',
          time,
          time,
        ],
      ]
      const text = JSON.stringify(content)
      previous = createHash('sha256').update(previous).update(text).digest()
      expect(hash.toString('hex')).toBe(previous.toString('hex'))
    }
    expect(seals).toHaveLength(2)
  })

  test('a run continues where the last one ended and seals nothing twice', async () => {
    const { tenant, journalIds } = await posted(5)
    const counts = []
    for (let i = 0; i < 4; i++) counts.push(await sealLedger(db, now, 2))

    expect(counts).toEqual([2, 2, 1, 0])
    const seals = await sealsOf(tenant.businessId)
    expect(seals.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
    expect(new Set(seals.map(({ journal_id }) => journal_id))).toEqual(new Set(journalIds))
  })

  test('several concurrent processes seal everything once', async () => {
    const tenants = await Promise.all([posted(60), posted(60), posted(60), posted(60)])
    const process = async () => {
      let total = 0
      for (let idle = 0; idle < 3; ) {
        const sealed = await sealLedger(db, now, 25)
        total += sealed
        idle = sealed === 0 ? idle + 1 : 0
      }
      return total
    }
    const totals = await Promise.all([process(), process(), process()])

    expect(totals.reduce((sum, total) => sum + total)).toBe(240)
    for (const { tenant } of tenants) {
      const seals = await sealsOf(tenant.businessId)
      expect(seals.map(({ seq }) => seq)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1))
    }
    expect(await runAudit(db)).toEqual([])
  })

  test('a transfer that is committed late is sealed late, and none is lost', async () => {
    const tenant = await newTenant(db, ids)
    let commit = () => {}
    const waits = new Promise<void>((resolve) => {
      commit = resolve
    })
    let begun = () => {}
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve
    })
    const slow = db.transaction(async (tx) => {
      const rows = await postJournals(tx, ids, [{ ...funding(tenant, 1, 5n, 'USD'), now }])
      begun()
      await waits
      return rows[0]!.journalId
    })
    await hasBegun
    const [quick] = await db.transaction((tx) => postJournals(tx, ids, [funding(tenant, 2, 5n)]))
    expect(await sealLedger(db, now, 10)).toBe(1)
    commit()
    const late = await slow
    expect(await sealLedger(db, now, 10)).toBe(1)

    const seals = await sealsOf(tenant.businessId)
    expect(seals.map(({ journal_id }) => journal_id)).toEqual([quick!.journalId, late])
  })

  test('the job does nothing for a test clock', async () => {
    const { tenant } = await posted(1)
    expect(await ledgerSeal.run(db, now, tenant.businessId)).toBe(0)
    expect(await ledgerSeal.run(db, now)).toBe(1)
  })
})
