import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../../../test/harness.ts'
import { runAudit } from '../../../ledger/audit.ts'
import { addMs } from '../../../lib/clock.ts'
import { stockChecks } from './audit.ts'
import { openShelf } from './inventory.fixture.ts'
import { reserveStock } from './reserve.fixture.ts'
import { sellStock } from './service.ts'

const database = await testDatabase()
const { db, ids } = database
const now = new Date('2026-11-21T10:00:00.000Z')

/** Ten shirts, of which one cause has reserved two and another has bought three. */
async function soldShirt() {
  const { tenant, product } = await openShelf(database)
  const shirt = await product(10)
  const [open, sold] = [await ids.next(), await ids.next()]
  await db.transaction(async (tx) => {
    const expiresAt = addMs(now, 900_000)
    for (const [causeId, quantity] of [
      [open, 2],
      [sold, 3],
    ] as const) {
      const lines = [{ itemId: shirt, quantity }]
      await reserveStock(tx, ids, tenant, { causeId, lines, expiresAt, now })
    }
    await sellStock(tx, ids, tenant, { causeId: sold, now })
  })
  return { businessId: tenant.businessId, shirt, open, sold }
}

describe('the audit of stock', () => {
  test('finds nothing in undamaged data', async () => {
    await soldShirt()
    expect(await runAudit(db, stockChecks)).toEqual([])
  })

  test.each([
    [
      'a count of reserved stock that is too high',
      'update stock_items set reserved = reserved + 1',
      'it counts 3 reserved',
    ],
    [
      'a count of sold stock that is too high',
      'update stock_items set sold = 4',
      'it counts 2 reserved and 4 sold',
    ],
    [
      'a sale without its reservation',
      "delete from stock_reservations where status = 'Sold'",
      'its reservations total 2 and 0',
    ],
    [
      'released stock that still counts as reserved',
      "update stock_reservations set status = 'Released' where status = 'Reserved'",
      'its reservations total 0 and 3',
    ],
  ])('names %s', async (_title, damage, words) => {
    const { businessId, shirt } = await soldShirt()
    const from = / where /.test(damage) ? 'and' : 'where'
    await db.run([`${damage} ${from} business_id = ${businessId}`] as never)
    const found = (await runAudit(db, stockChecks)).filter((one) => one.businessId === businessId)
    expect(found).toMatchObject([
      { check: 'stock-reservations', table: 'stock_items', id: String(shirt) },
    ])
    expect(found[0]!.problem).toContain(words)
  })

  test('has damage here for each check', () => {
    expect(stockChecks.map(({ name }) => name)).toEqual(['stock-reservations'])
  })
})
