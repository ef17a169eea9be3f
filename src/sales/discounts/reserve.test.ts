import { afterEach, describe, expect, test } from 'vitest'
import { outcomeOf, times } from '../../../test/concurrency.ts'
import { startProxy } from '../../../test/db-proxy.ts'
import { sessionsWaiting, testDatabase } from '../../../test/harness.ts'
import type { Tx } from '../../db/database.ts'
import { eventChecks } from '../../developers/events/audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import type { Problem } from '../../lib/problem.ts'
import { discountChecks } from './audit.ts'
import { anything, expiresAt, now, openUses } from './redemptions.fixture.ts'
import { reserveDiscount } from './service.ts'

const database = await testDatabase()
const { db, name } = database
const { tenant, discount, countsOf, usesOf, eventsOf, reserve, nextCause } =
  await openUses(database)
const proxy = await startProxy(database.connection)

afterEach(async () => {
  proxy.slow(0)
  expect(await runAudit(db, [...discountChecks, ...eventChecks])).toEqual([])
})

describe('reserving a use', () => {
  test('counts it for the code and the customer, and returns the discount', async () => {
    const { id, code } = await discount({ value: 12.5, maxUses: 5, maxUsesPerCustomer: 2 })
    const cause = await nextCause()
    expect(await reserve(cause, ` ${code.toLowerCase()} `, { email: 'Ada@Example.com' })).toEqual({
      discountId: id,
      discount_minor: 12_500n,
    })
    expect(await countsOf(id)).toEqual({ used: 0, reserved: 1, 'ada@example.com': 1 })
    expect(await usesOf(cause)).toBe('Reserved')
    expect(await eventsOf(id)).toEqual(['1 discount.created'])
  })

  test('applies to the named products and their price only', async () => {
    const [shirt, cap, shoe] = [1, 2, 3].map((n) => 1_000_000_000 + n) as [number, number, number]
    const { id, code } = await discount({ value: 50, minSpend: 30 })
    await db.run`update discounts set product_ids = ${[shirt, cap]}::bigint[] where id = ${id}`
    const line = (productId: number | null, amount_minor: bigint) => ({ productId, amount_minor })
    const of = async (...lines: ReturnType<typeof line>[]) =>
      reserve(await nextCause(), code, { lines }).then(
        ({ discount_minor }) => discount_minor,
        (problem: Problem) => problem.fields.code,
      )
    expect(await of(line(shirt, 2000n), line(cap, 1001n), line(shoe, 9000n))).toBe(1501n)
    expect(await of(line(shirt, 2999n), line(shoe, 9000n))).toEqual(['min_spend'])
    expect(await of(line(shoe, 9000n), line(null, 9000n))).toEqual(['not_applicable'])
    expect(await of()).toEqual(['not_applicable'])
  })

  test.each([
    [{ type: 'percentage', value: 100 }, 100_000n],
    [{ type: 'percentage', value: 0.01 }, 10n],
    [{ type: 'percentage', value: 50, maxDiscount: 0.99 }, 99n],
    [{ type: 'fixed', value: 999.99 }, 99_999n],
    [{ type: 'fixed', value: 5_000 }, 100_000n],
    [{ type: 'fixed', value: 5_000, maxDiscount: 2_000 }, 100_000n],
    [{ type: 'fixed', value: 500, maxDiscount: 20 }, 2_000n],
  ] as const)('of %j takes %s kobo off 1,000 naira, never more', async (terms, off) => {
    const { code } = await discount(terms)
    expect((await reserve(await nextCause(), code)).discount_minor).toBe(off)
  })

  test.each([
    ['not_found', undefined, {}],
    ['inactive', { status: 'Inactive', startsAt: '2026-12-01' }, {}],
    ['not_started', { startsAt: '2026-11-21T10:00:00.001Z', currency: 'USD' }, {}],
    ['done', { startsAt: '2026-11-21T10:00:00.000Z' }, {}],
    ['expired', { endsAt: '2026-11-21T10:00:00.000Z', currency: 'USD' }, {}],
    ['done', { endsAt: '2026-11-21T10:00:00.001Z' }, {}],
    ['not_applicable', { currency: 'USD', minSpend: 5_000 }, {}],
    ['not_applicable', {}, { currency: 'USD' }],
    ['min_spend', { minSpend: 1_000.01 }, {}],
    ['done', { minSpend: 1_000 }, {}],
  ] as const)('is %s for %j', async (expected, terms, wish) => {
    const code = terms ? (await discount({ maxUses: 1, ...terms })).code : 'NO-SUCH-CODE'
    const cause = await nextCause()
    expect(await outcomeOf(() => reserve(cause, code, wish))).toBe(expected)
    expect(await usesOf(cause)).toBe(expected === 'done' ? 'Reserved' : undefined)
  })

  test('is refused once the uses are gone, of the code or of the customer', async () => {
    const { id, code } = await discount({ maxUses: 2, maxUsesPerCustomer: 1 })
    const as = async (email: string) => {
      const cause = await nextCause()
      return outcomeOf(() => reserve(cause, code, { email }))
    }
    expect(await as('ada@example.com')).toBe('done')
    expect(await as('ADA@example.com')).toBe('customer_limit')
    expect(await as('bola@example.com')).toBe('done')
    expect(await as('chi@example.com')).toBe('exhausted')
    expect(await countsOf(id)).toEqual({
      used: 0,
      reserved: 2,
      'ada@example.com': 1,
      'bola@example.com': 1,
    })
  })

  test('names the field as the caller wrote it', async () => {
    const causeId = await nextCause()
    const refused = db.transaction((tx) =>
      reserveDiscount(tx, tenant, {
        causeId,
        code: 'NONE',
        lines: anything,
        currency: 'NGN',
        email: 'ada@example.com',
        expiresAt,
        now,
        field: 'discountCode',
      }),
    )
    await expect(refused).rejects.toMatchObject({
      code: 'discount_refused',
      fields: { discountCode: ['not_found'] },
    })
  })

  test('twice for one cause counts once, in sequence and at once', async () => {
    const { id, code } = await discount({ maxUses: 5 })
    const cause = await nextCause()
    const first = await reserve(cause, code)
    expect(await reserve(cause, code)).toEqual(first)
    const another = await nextCause()
    await times(20, () => reserve(another, code))
    expect(await countsOf(id)).toMatchObject({ reserved: 2 })
  })

  test('uses the terms as they are once the discount is locked', async () => {
    const { id, code } = await discount({ value: 50 })
    const [cause, late] = [await nextCause(), await nextCause()]
    const [use] = await whileChanging(
      (tx) => tx.run`update discounts set value_minor = 1000 where id = ${id}`,
      () => reserve(cause, code),
    )
    expect((await use).discount_minor).toBe(10_000n)
    const stored = await db.one<{ discount_minor: bigint }>`
      select discount_minor from discount_uses where cause_id = ${cause}`
    expect(stored.discount_minor).toBe(10_000n)

    const [refused] = await whileChanging(
      (tx) => tx.run`update discounts set status = 'Inactive' where id = ${id}`,
      () => outcomeOf(() => reserve(late, code)),
    )
    expect(await refused).toBe('inactive')
    expect(await countsOf(id)).toMatchObject({ reserved: 1 })
  })

  /** Starts `work` behind a change that commits once `work` waits for it. */
  const whileChanging = <T>(change: (tx: Tx) => Promise<unknown>, work: () => Promise<T>) =>
    db.transaction(async (tx): Promise<[Promise<T>]> => {
      await change(tx)
      const begun = work()
      while ((await sessionsWaiting(name)) === 0);
      return [begun]
    })
})
