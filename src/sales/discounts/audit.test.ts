import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { addMs } from '../../lib/clock.ts'
import { openDiscounts } from './discounts.fixture.ts'
import { redeemDiscount, reserveDiscount } from './service.ts'

const database = await testDatabase()
const { db, ids } = database
const now = new Date('2026-11-21T10:00:00.000Z')

/** A code that Ada has used once and reserved once. */
async function usedCode() {
  const { tenant, discount } = await openDiscounts(database, now)
  const { id, code } = await discount({ maxUsesPerCustomer: 2 })
  const [kept, open] = [await ids.next(), await ids.next()]
  await db.transaction(async (tx) => {
    for (const causeId of [kept, open]) {
      await reserveDiscount(tx, tenant, {
        causeId,
        code,
        lines: [{ productId: null, amount_minor: 1_000n }],
        currency: 'NGN',
        email: 'ada@example.com',
        expiresAt: addMs(now, 900_000),
        now,
      })
    }
    await redeemDiscount(tx, ids, tenant, { causeId: kept, now })
  })
  return { businessId: tenant.businessId, id, kept, open }
}
type Rows = Awaited<ReturnType<typeof usedCode>>

type Damage = [title: string, damage: (of: Rows) => Promise<unknown>, found: string[]]

const damages: Damage[] = [
  [
    'a counted use that does not exist',
    ({ id }) => db.run`update discounts set used_count = 2 where id = ${id}`,
    ['discount-uses'],
  ],
  [
    'a reserved use that is not counted',
    ({ id }) => db.run`update discounts set reserved_count = 0 where id = ${id}`,
    ['discount-uses'],
  ],
  [
    'a released use that still counts',
    ({ open }) => db.run`update discount_uses set status = 'Released' where cause_id = ${open}`,
    ['discount-customers', 'discount-uses'],
  ],
  [
    'a completed use that is not counted as completed',
    ({ open }) => db.run`update discount_uses set status = 'Used' where cause_id = ${open}`,
    ['discount-uses'],
  ],
  [
    'a customer whose use is not counted',
    ({ id }) => db.run`update discount_customers set use_count = 1 where discount_id = ${id}`,
    ['discount-customers'],
  ],
  [
    'a customer without counts',
    ({ id }) => db.run`delete from discount_customers where discount_id = ${id}`,
    ['discount-customers'],
  ],
  [
    'a use moved to another customer',
    ({ kept }) => db.run`update discount_uses set customer = 'eve@example.com'
      where cause_id = ${kept}`,
    ['discount-customers', 'discount-customers'],
  ],
  [
    'an event that was never appended',
    ({ id }) => db.run`update discounts set event_sequence = 9 where id = ${id}`,
    ['discount-events'],
  ],
]

describe('the audit of discounts', () => {
  const findingsOf = async ({ businessId, id }: Rows) => {
    const found = (await runAudit(db, allChecks)).filter((one) => one.businessId === businessId)
    expect(found.every((one) => one.id === String(id) && one.problem.length > 10)).toBe(true)
    return found.map(({ check }) => check).sort()
  }

  test('finds nothing in undamaged data', async () => {
    expect(await findingsOf(await usedCode())).toEqual([])
  })

  test('has damage here for each check', () => {
    const ours = allChecks.filter(({ name }) => name.startsWith('discount-'))
    const tried = new Set(damages.flatMap(([, , found]) => found))
    expect(ours.map(({ name }) => name).sort()).toEqual([...tried].sort())
  })

  test.each(damages)('names %s', async (_title, damage, found) => {
    const rows = await usedCode()
    await damage(rows)
    expect(await findingsOf(rows)).toEqual(found)
  })
})
