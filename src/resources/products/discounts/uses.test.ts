import type { ClientConfig } from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { startProxy } from '../../../../test/db-proxy.ts'
import { testDatabase } from '../../../../test/harness.ts'
import { openDatabase, type Tx } from '../../../db/database.ts'
import { runAudit } from '../../../ledger/audit.ts'
import { addMs } from '../../../lib/clock.ts'
import { Problem } from '../../../lib/problem.ts'
import { eventChecks } from '../../events/audit.ts'
import { discountChecks } from './audit.ts'
import { discountExpirySweeper } from './expire.ts'
import { openDiscounts } from './testing.ts'
import {
  freeDiscount,
  keepDiscount,
  renewDiscount,
  reserveDiscount,
  takeBackDiscount,
} from './uses.ts'

const database = await testDatabase()
const { db, ids } = database
const proxy = await startProxy(database.connection)
const now = new Date('2026-11-21T10:00:00.000Z')
const expiresAt = addMs(now, 15 * 60_000)
const later = addMs(expiresAt, 1)
const { tenant, discount, countsOf, usesOf, eventsOf } = await openDiscounts(database, now)

afterEach(async () => {
  proxy.slow(0)
  expect(await runAudit(db, [...discountChecks, ...eventChecks])).toEqual([])
})

async function elsewhere<T>(
  work: (there: typeof db) => Promise<T>,
  connection: ClientConfig = database.connection,
): Promise<T> {
  const second = openDatabase({ connection, connectionsMax: 10 })
  try {
    return await work(second)
  } finally {
    await second.close()
  }
}

const anything = [{ productId: null, amount_minor: 100_000n }]

interface Wish {
  email?: string
  lines?: { productId: number | null; amount_minor: bigint }[]
  currency?: string
  at?: Date
  until?: Date
}

const reserve = (causeId: number, code: string, wish: Wish = {}, from = db) =>
  from.transaction((tx) =>
    reserveDiscount(tx, tenant, {
      causeId,
      code,
      lines: wish.lines ?? anything,
      currency: wish.currency ?? 'NGN',
      email: wish.email ?? 'ada@example.com',
      expiresAt: wish.until ?? expiresAt,
      now: wish.at ?? now,
    }),
  )
const renew = (causeId: number, until: Date) =>
  db.transaction((tx) => renewDiscount(tx, tenant, { causeId, expiresAt: until, now }))
const keep = (causeId: number) =>
  db.transaction((tx) => keepDiscount(tx, ids, tenant, { causeId, now: later }))
const free = (causeId: number) => db.transaction((tx) => freeDiscount(tx, tenant, { causeId, now }))
const takeBack = (causeId: number) =>
  db.transaction((tx) => takeBackDiscount(tx, tenant, { causeId, now: later }))
const sweep = (at = later, from = db) => discountExpirySweeper.sweep(from, at)

const nextCause = () => ids.next()
const times = <T>(n: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, i) => work(i)))

/** `done`, or the reason of the refusal; a database that is too busy is asked again. */
async function outcome(work: () => Promise<unknown>): Promise<string> {
  for (;;) {
    try {
      await work()
      return 'done'
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.kind !== 'unavailable') return error.fields.code?.[0] ?? error.code
    }
  }
}
const counted = (outcomes: string[]) =>
  Object.fromEntries([...Map.groupBy(outcomes, (one) => one)].map(([k, all]) => [k, all.length]))

describe('reserving a use', () => {
  test('counts it for the code and the customer, and answers what comes off', async () => {
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

  test('is for the products that it names, and for what those cost', async () => {
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
    expect(await outcome(() => reserve(cause, code, wish))).toBe(expected)
    expect(await usesOf(cause)).toBe(expected === 'done' ? 'Reserved' : undefined)
  })

  test('is refused once its uses are gone, those of the customer too', async () => {
    const { id, code } = await discount({ maxUses: 2, maxUsesPerCustomer: 1 })
    const as = async (email: string) => {
      const cause = await nextCause()
      return outcome(() => reserve(cause, code, { email }))
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

  test('twice for one cause counts once, one after the other and at once', async () => {
    const { id, code } = await discount({ maxUses: 5 })
    const cause = await nextCause()
    const first = await reserve(cause, code)
    expect(await reserve(cause, code)).toEqual(first)
    const another = await nextCause()
    await times(20, () => reserve(another, code))
    expect(await countsOf(id)).toMatchObject({ reserved: 2 })
  })

  test('goes by the terms as they are once it is held', async () => {
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
      () => outcome(() => reserve(late, code)),
    )
    expect(await refused).toBe('inactive')
    expect(await countsOf(id)).toMatchObject({ reserved: 1 })
  })

  /** Begins `work` after a change that is committed once it waits for it. */
  const whileChanging = <T>(change: (tx: Tx) => Promise<unknown>, work: () => Promise<T>) =>
    db.transaction(async (tx): Promise<[Promise<T>]> => {
      await change(tx)
      const begun = work()
      await somebodyWaits()
      return [begun]
    })

  async function somebodyWaits(): Promise<void> {
    for (;;) {
      const { n } = await db.one<{ n: number }>`
        select count(*)::int as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      if (n > 0) return
    }
  }
})

describe('a use', () => {
  test('is kept once, and told; the last one is the end of the code', async () => {
    const { id, code } = await discount({ value: 10, maxUses: 2 })
    const [one, two] = [await nextCause(), await nextCause()]
    await reserve(one, code)
    await reserve(two, code, { email: 'bola@example.com' })
    expect(await times(10, () => keep(one))).toEqual(Array(10).fill(true))
    expect(await countsOf(id)).toMatchObject({ used: 1, reserved: 1 })
    await keep(two)
    expect(await countsOf(id)).toEqual({
      used: 2,
      reserved: 0,
      'ada@example.com': 1,
      'bola@example.com': 1,
    })
    expect(await eventsOf(id)).toEqual([
      '1 discount.created',
      '2 discount.redeemed',
      '3 discount.redeemed',
      '4 discount.exhausted',
    ])
    const { data } = await db.one<{ data: string }>`
      select data::text as data from events where object_id = ${id} and sequence = 2`
    expect(JSON.parse(data)).toMatchObject({
      code,
      usedCount: 1,
      discountAmount: 100,
      discountAmountMinor: 10_000,
    })
  })

  test('is freed once, and then there is one more', async () => {
    const { id, code } = await discount({ maxUses: 1, maxUsesPerCustomer: 1 })
    const cause = await nextCause()
    await reserve(cause, code)
    await times(20, () => free(cause))
    expect(await countsOf(id)).toEqual({ used: 0, reserved: 0, 'ada@example.com': 0 })
    const next = await nextCause()
    expect(await outcome(() => reserve(next, code))).toBe('done')
  })

  test('that was paid is freed by a refund alone, once', async () => {
    const { id, code } = await discount({ maxUses: 1 })
    const cause = await nextCause()
    await reserve(cause, code)
    await takeBack(cause)
    expect(await countsOf(id)).toMatchObject({ used: 0, reserved: 1 })
    await keep(cause)
    await free(cause)
    expect(await countsOf(id)).toMatchObject({ used: 1, reserved: 0 })
    await times(20, () => takeBack(cause))
    expect(await countsOf(id)).toEqual({ used: 0, reserved: 0, 'ada@example.com': 0 })
    expect(await usesOf(cause)).toBe('Released')
  })

  test('that went is kept late as far as the limits go', async () => {
    const { id, code } = await discount({ maxUses: 2, maxUsesPerCustomer: 1 })
    const [early, other, third] = [await nextCause(), await nextCause(), await nextCause()]
    await reserve(early, code)
    await free(early)
    expect(await keep(early)).toBe(true)
    expect(await countsOf(id)).toEqual({ used: 1, reserved: 0, 'ada@example.com': 1 })
    await reserve(other, code, { email: 'bola@example.com' })
    await free(other)
    await reserve(third, code, { email: 'chi@example.com' })
    expect(await keep(other)).toBe(false)
    expect(await outcome(() => renew(other, later))).toBe('exhausted')
    expect(await usesOf(other)).toBe('Released')

    const { code: once } = await discount({ maxUsesPerCustomer: 1 })
    const [first, second] = [await nextCause(), await nextCause()]
    await reserve(first, once)
    await free(first)
    await reserve(second, once)
    expect(await keep(first)).toBe(false)
    expect(await outcome(() => renew(first, later))).toBe('customer_limit')
  })

  test('is kept aside longer, and never shorter; one that went is put aside again', async () => {
    await sweep()
    const { id, code } = await discount({ maxUses: 1 })
    const cause = await nextCause()
    await reserve(cause, code)
    await renew(cause, addMs(now, 60 * 60_000))
    await renew(cause, now)
    expect(await sweep()).toBe(0)
    await free(cause)
    await renew(cause, expiresAt)
    expect(await countsOf(id)).toEqual({ used: 0, reserved: 1, 'ada@example.com': 1 })
    await keep(cause)
    await renew(cause, expiresAt)
    expect(await usesOf(cause)).toBe('Used')
  })

  test('of a cause that has none is nothing', async () => {
    const cause = await nextCause()
    await renew(cause, expiresAt)
    await free(cause)
    await takeBack(cause)
    expect(await keep(cause)).toBe(true)
    expect(await usesOf(cause)).toBeUndefined()
  })
})

describe('expiry', () => {
  test('frees what is due, and nothing before', async () => {
    await sweep()
    const { id, code } = await discount({})
    await reserve(await nextCause(), code)
    expect(await sweep(addMs(expiresAt, -1))).toBe(0)
    expect(await sweep(expiresAt, db)).toBe(1)
    expect(await sweep(expiresAt)).toBe(0)
    expect(await countsOf(id)).toEqual({ used: 0, reserved: 0, 'ada@example.com': 0 })
  })

  test('of a test clock that runs ahead touches the test data of its business alone', async () => {
    await sweep()
    const { code } = await discount({})
    await reserve(await nextCause(), code)
    expect(await discountExpirySweeper.sweep(db, later, tenant.businessId + 1_000_000)).toBe(0)
    expect(await discountExpirySweeper.sweep(db, later, tenant.businessId)).toBe(1)
  })

  test('of two processes at once, beside buyers, frees once', async () => {
    await sweep()
    const some = await times(4, () => discount({ maxUses: 500 }))
    await times(240, async (i) => {
      const email = `buyer${i % 7}@example.com`
      await reserve(await nextCause(), some[i % 4]!.code, { email })
    })
    // Not due yet: no sweep may take these between their reservation and their payment.
    const fresh = { at: later, until: addMs(later, 60_000), email: 'eve@example.com' }
    const swept = await elsewhere((there) =>
      times(12, async (i) => {
        if (i % 3 === 0) {
          const causeId = await nextCause()
          await reserve(causeId, some[i % 4]!.code, fresh)
          await keep(causeId)
          return 0
        }
        return sweep(expiresAt, i % 2 ? db : there)
      }),
    )
    const left = await sweep()
    expect(swept.reduce((sum, n) => sum + n, left)).toBe(240)
    for (const { id } of some) expect(await countsOf(id)).toMatchObject({ reserved: 0 })
  })

  test('against payment and cancelling at once has one winner', async () => {
    for (let round = 0; round < 15; round++) {
      const { id, code } = await discount({ maxUses: 1 })
      const cause = await nextCause()
      await reserve(cause, code)
      const [kept] = await Promise.all([keep(cause), sweep(), free(cause), sweep(), keep(cause)])
      // In time, or late since nobody else took it.
      expect([kept, await usesOf(cause)]).toEqual([true, 'Used'])
      expect(await countsOf(id)).toEqual({ used: 1, reserved: 0, 'ada@example.com': 1 })
    }
  })
})

describe('at once', () => {
  test.each([
    ['near', 0],
    ['100 ms away', 100],
  ])(
    '200 uses of a code for 10 use exactly 10, with a database that is %s',
    async (_title, delay) => {
      const { id, code } = await discount({ maxUses: 10 })
      const causes = await times(200, nextCause)
      proxy.slow(delay)
      const outcomes = await elsewhere(
        (far) =>
          times(200, (i) =>
            outcome(() => reserve(causes[i]!, code, { email: `b${i}@example.com` }, far)),
          ),
        delay > 0 ? proxy.connection : database.connection,
      )
      expect(counted(outcomes)).toEqual({ done: 10, exhausted: 190 })
      expect(await countsOf(id)).toMatchObject({ used: 0, reserved: 10 })
      await times(200, (i) => keep(causes[i]!))
      expect(await countsOf(id)).toMatchObject({ used: 10, reserved: 0 })
    },
    60_000,
  )

  test('50 uses of one customer, in any case, use the two that are theirs', async () => {
    const { id, code } = await discount({ maxUsesPerCustomer: 2, maxUses: 100 })
    const causes = await times(50, nextCause)
    const outcomes = await times(50, (i) =>
      outcome(() =>
        reserve(causes[i]!, code, { email: i % 2 ? 'ADA@Example.COM' : 'ada@example.com' }),
      ),
    )
    expect(counted(outcomes)).toEqual({ done: 2, customer_limit: 48 })
    expect(await countsOf(id)).toEqual({ used: 0, reserved: 2, 'ada@example.com': 2 })
  })
})
