import { afterEach, describe, expect, test } from 'vitest'
import { counted, FAR_MS, outcomeOf, times } from '../../../test/concurrency.ts'
import { startProxy } from '../../../test/db-proxy.ts'
import { testDatabase } from '../../../test/harness.ts'
import { eventChecks } from '../../developers/events/audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { addMs } from '../../lib/clock.ts'
import { discountChecks } from './audit.ts'
import { expiresAt, later, now, openUses } from './redemptions.fixture.ts'
import { discountExpiryJob } from './service.ts'

const database = await testDatabase()
const { db } = database
const opened = await openUses(database)
const { tenant, discount, countsOf, usesOf, eventsOf, elsewhere } = opened
const { reserve, renew, keep, free, takeBack, expire, nextCause } = opened
const proxy = await startProxy(database.connection)

afterEach(async () => {
  proxy.slow(0)
  expect(await runAudit(db, [...discountChecks, ...eventChecks])).toEqual([])
})

describe('a discount use', () => {
  test('is counted once, with an event; the last one exhausts the code', async () => {
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

  test('is released once, and is then available again', async () => {
    const { id, code } = await discount({ maxUses: 1, maxUsesPerCustomer: 1 })
    const cause = await nextCause()
    await reserve(cause, code)
    await times(20, () => free(cause))
    expect(await countsOf(id)).toEqual({ used: 0, reserved: 0, 'ada@example.com': 0 })
    const next = await nextCause()
    expect(await outcomeOf(() => reserve(next, code))).toBe('done')
  })

  test('that was paid is released only by a refund, once', async () => {
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

  test('that was released is counted late within the limits', async () => {
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
    expect(await outcomeOf(() => renew(other, later))).toBe('exhausted')
    expect(await usesOf(other)).toBe('Released')

    const { code: once } = await discount({ maxUsesPerCustomer: 1 })
    const [first, second] = [await nextCause(), await nextCause()]
    await reserve(first, once)
    await free(first)
    await reserve(second, once)
    expect(await keep(first)).toBe(false)
    expect(await outcomeOf(() => renew(first, later))).toBe('customer_limit')
  })

  test('is extended, never shortened; a released one is reserved again', async () => {
    await expire()
    const { id, code } = await discount({ maxUses: 1 })
    const cause = await nextCause()
    await reserve(cause, code)
    await renew(cause, addMs(now, 60 * 60_000))
    await renew(cause, now)
    expect(await expire()).toBe(0)
    await free(cause)
    await renew(cause, expiresAt)
    expect(await countsOf(id)).toEqual({ used: 0, reserved: 1, 'ada@example.com': 1 })
    await keep(cause)
    await renew(cause, expiresAt)
    expect(await usesOf(cause)).toBe('Used')
  })

  test('of a cause without one is ignored', async () => {
    const cause = await nextCause()
    await renew(cause, expiresAt)
    await free(cause)
    await takeBack(cause)
    expect(await keep(cause)).toBe(true)
    expect(await usesOf(cause)).toBeUndefined()
  })
})

describe('expiry', () => {
  test('releases expired uses and no others', async () => {
    await expire()
    const { id, code } = await discount({})
    await reserve(await nextCause(), code)
    expect(await expire(addMs(expiresAt, -1))).toBe(0)
    expect(await expire(expiresAt, db)).toBe(1)
    expect(await expire(expiresAt)).toBe(0)
    expect(await countsOf(id)).toEqual({ used: 0, reserved: 0, 'ada@example.com': 0 })
  })

  test('by a test clock that is ahead affects the test data of its business only', async () => {
    await expire()
    const { code } = await discount({})
    await reserve(await nextCause(), code)
    expect(await discountExpiryJob.run(db, later, tenant.businessId + 1_000_000)).toBe(0)
    expect(await discountExpiryJob.run(db, later, tenant.businessId)).toBe(1)
  })

  test('in two processes at once, alongside buyers, releases once', async () => {
    await expire()
    const some = await times(4, () => discount({ maxUses: 500 }))
    await times(240, async (i) => {
      const email = `buyer${i % 7}@example.com`
      await reserve(await nextCause(), some[i % 4]!.code, { email })
    })
    // Not expired yet: no job may take these between their reservation and their payment.
    const fresh = { at: later, until: addMs(later, 60_000), email: 'eve@example.com' }
    const swept = await elsewhere((there) =>
      times(12, async (i) => {
        if (i % 3 === 0) {
          const causeId = await nextCause()
          await reserve(causeId, some[i % 4]!.code, fresh)
          await keep(causeId)
          return 0
        }
        return expire(expiresAt, i % 2 ? db : there)
      }),
    )
    const left = await expire()
    expect(swept.reduce((sum, n) => sum + n, left)).toBe(240)
    for (const { id } of some) expect(await countsOf(id)).toMatchObject({ reserved: 0 })
  })

  test('simultaneous with payment and cancellation has one winner', async () => {
    for (let round = 0; round < 15; round++) {
      const { id, code } = await discount({ maxUses: 1 })
      const cause = await nextCause()
      await reserve(cause, code)
      const [kept] = await Promise.all([keep(cause), expire(), free(cause), expire(), keep(cause)])
      // In time, or late because no other buyer took it.
      expect([kept, await usesOf(cause)]).toEqual([true, 'Used'])
      expect(await countsOf(id)).toEqual({ used: 1, reserved: 0, 'ada@example.com': 1 })
    }
  })
})

describe('at once', () => {
  test.each([
    ['near', 0],
    ['far away', FAR_MS],
  ])(
    '200 uses of a code for 10 use exactly 10, with a database that is %s',
    async (_title, delay) => {
      const { id, code } = await discount({ maxUses: 10 })
      const causes = await times(200, nextCause)
      proxy.slow(delay)
      const outcomes = await elsewhere(
        (far) =>
          times(200, (i) =>
            outcomeOf(() => reserve(causes[i]!, code, { email: `b${i}@example.com` }, far)),
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

  test('50 uses of one customer, in any case, use only the two allowed', async () => {
    const { id, code } = await discount({ maxUsesPerCustomer: 2, maxUses: 100 })
    const causes = await times(50, nextCause)
    const outcomes = await times(50, (i) =>
      outcomeOf(() =>
        reserve(causes[i]!, code, { email: i % 2 ? 'ADA@Example.COM' : 'ada@example.com' }),
      ),
    )
    expect(counted(outcomes)).toEqual({ done: 2, customer_limit: 48 })
    expect(await countsOf(id)).toEqual({ used: 0, reserved: 2, 'ada@example.com': 2 })
  })
})
