import { afterEach, describe, expect, test } from 'vitest'
import { counted, FAR_MS, outcomeOf, times } from '../../../../test/concurrency.ts'
import { startProxy } from '../../../../test/db-proxy.ts'
import { testDatabase } from '../../../../test/harness.ts'
import { eventChecks } from '../../../developers/events/audit.ts'
import { runAudit } from '../../../ledger/audit.ts'
import { addMs } from '../../../lib/clock.ts'
import { stockChecks } from './audit.ts'
import { openShelf } from './inventory.fixture.ts'
import { reserveStock } from './reserve.fixture.ts'
import { stockExpiryJob } from './service.ts'
import { expiresAt, later, now, openDesk, type Wish } from './stock.fixture.ts'

const database = await testDatabase()
const { db, ids } = database
const desk = await openDesk(database)
const { tenant, product, levelOf, statusesOf, eventsOf, here, secondDesk } = desk
const { reserve, renew, release, sell, takeBack, expire, nextCause } = desk
const proxy = await startProxy(database.connection)

afterEach(async () => {
  proxy.slow(0)
  expect(await runAudit(db, [...stockChecks, ...eventChecks])).toEqual([])
})

const deadlocksOf = () =>
  db.one<{ deadlocks: number }>`
    select deadlocks from pg_stat_database where datname = current_database()`

describe('reserved stock', () => {
  test('is released once', async () => {
    const shirt = await product(5)
    const cause = await nextCause()
    await reserve(cause, [[shirt, 2]])
    await times(10, () => release(cause))
    expect(await levelOf(shirt)).toEqual({ on_hand: 5, reserved: 0, sold: 0 })
    expect(await statusesOf(cause)).toEqual(['Released'])
  })

  test('is sold once, and put back once', async () => {
    const shirt = await product(5, 3)
    const cause = await nextCause()
    await reserve(cause, [[shirt, 2]])
    await times(10, () => sell(cause))
    expect(await levelOf(shirt)).toEqual({ on_hand: 3, reserved: 0, sold: 2 })
    expect(await eventsOf(shirt)).toEqual(['1 product.low_stock'])
    await times(10, () => takeBack(cause))
    expect(await levelOf(shirt)).toEqual({ on_hand: 5, reserved: 0, sold: 0 })
    await release(cause)
    expect(await sell(cause)).toEqual([])
    expect(await statusesOf(cause)).toEqual(['Returned'])
    expect(await levelOf(shirt)).toEqual({ on_hand: 5, reserved: 0, sold: 0 })
  })

  test('is not put back before it is sold', async () => {
    const shirt = await product(5)
    const cause = await nextCause()
    await reserve(cause, [[shirt, 2]])
    await takeBack(cause)
    expect(await levelOf(shirt)).toEqual({ on_hand: 5, reserved: 2, sold: 0 })
  })

  test('is sold late if there is enough, with an event for the threshold that it crosses', async () => {
    const shirt = await product(2, 1)
    const cause = await nextCause()
    await reserve(cause, [[shirt, 2]])
    await release(cause)
    expect(await sell(cause)).toEqual([])
    expect(await levelOf(shirt)).toEqual({ on_hand: 0, reserved: 0, sold: 2 })
    const told = ['1 product.out_of_stock', '2 product.out_of_stock']
    expect(await eventsOf(shirt)).toEqual(told)
  })

  test('is not sold late if others have bought it, and then none of it is', async () => {
    const [shirt, cap] = [await product(2), await product(4)]
    const cause = await nextCause()
    await reserve(cause, [
      [shirt, 2],
      [cap, 1],
    ])
    await release(cause)
    await reserve(await nextCause(), [[shirt, 1]])
    await renew(cause, later).catch(() => {})
    expect(await sell(cause)).toEqual([
      { itemId: shirt, name: `Shirt ${shirt}`, wanted: 2, available: 1 },
    ])
    expect(await levelOf(shirt)).toEqual({ on_hand: 2, reserved: 1, sold: 0 })
    expect(await levelOf(cap)).toEqual({ on_hand: 4, reserved: 0, sold: 0 })
    expect(await statusesOf(cause)).toEqual(['Released', 'Released'])
  })

  test('is released if the rest of the cause cannot be sold late', async () => {
    const [shirt, cap] = [await product(1), await product(4)]
    const cause = await nextCause()
    await reserve(cause, [
      [shirt, 1],
      [cap, 1],
    ])
    // As left by a run that was interrupted between the two.
    await db.run`update stock_reservations set status = 'Released'
      where cause_id = ${cause} and item_id = ${shirt}`
    await db.run`update stock_items set reserved = 0 where id = ${shirt}`
    await reserve(await nextCause(), [[shirt, 1]])
    expect(await sell(cause)).toMatchObject([{ itemId: shirt, wanted: 1, available: 0 }])
    expect(await statusesOf(cause)).toEqual(['Released', 'Released'])
    expect(await levelOf(cap)).toEqual({ on_hand: 4, reserved: 0, sold: 0 })
  })

  test('is extended, never shortened; released stock is reserved again', async () => {
    const shirt = await product(2)
    const cause = await nextCause()
    await expire()
    await reserve(cause, [[shirt, 2]])
    await renew(cause, addMs(now, 60 * 60_000))
    await renew(cause, now)
    expect(await expire()).toBe(0)
    await release(cause)
    await renew(cause, expiresAt)
    expect(await levelOf(shirt)).toMatchObject({ reserved: 2 })
    expect(await eventsOf(shirt)).toEqual(['1 product.out_of_stock', '2 product.out_of_stock'])
    await release(cause)
    await reserve(await nextCause(), [[shirt, 1]])
    expect(await outcomeOf(() => renew(cause, expiresAt))).toBe('out_of_stock')
    expect(await statusesOf(cause)).toEqual(['Released'])
  })

  test('is counted correctly when tracking starts or stops in the meantime', async () => {
    const [book, shirt] = [await product(null), await product(5)]
    const [early, late] = [await nextCause(), await nextCause()]
    for (const cause of [early, late]) {
      await reserve(cause, [
        [book, 2],
        [shirt, 1],
      ])
    }
    await db.run`update stock_items set tracked = true, on_hand = 10 where id = ${book}`
    await db.run`update stock_items set tracked = false where id = ${shirt}`
    await release(early)
    await sell(late)
    expect(await levelOf(book)).toEqual({ on_hand: 8, reserved: 0, sold: 2 })
    expect(await levelOf(shirt)).toEqual({ on_hand: 5, reserved: 0, sold: 1 })
  })
})

describe('expiry', () => {
  test('releases expired reservations and no others', async () => {
    await expire()
    const shirt = await product(5)
    const cause = await nextCause()
    await reserve(cause, [[shirt, 2]])
    expect(await expire(addMs(expiresAt, -1))).toBe(0)
    expect(await expire(expiresAt)).toBe(1)
    expect(await expire(expiresAt)).toBe(0)
    expect(await levelOf(shirt)).toEqual({ on_hand: 5, reserved: 0, sold: 0 })
  })

  test('by a test clock that is ahead affects the test data of its business only', async () => {
    await expire()
    const other = await openShelf(database)
    const [shirt, cap] = [await product(5), await other.product(5)]
    await reserve(await nextCause(), [[shirt, 1]])
    const causeId = await nextCause()
    const lines = [{ itemId: cap, quantity: 1 }]
    await db.transaction((tx) =>
      reserveStock(tx, ids, other.tenant, { causeId, lines, expiresAt, now }),
    )
    expect(await stockExpiryJob.run(db, later, tenant.businessId)).toBe(1)
    expect(await other.levelOf(cap)).toMatchObject({ reserved: 1 })
    expect(await expire()).toBe(1)
  })

  test('in two processes at once releases once', async () => {
    await expire()
    const items = await times(5, () => product(1_000))
    await times(60, async (i) => {
      await reserve(
        await nextCause(),
        items.map((item): Wish => [item, 1 + (i % 3)]),
      )
    })
    const swept = await secondDesk((second) =>
      times(8, async (i) => {
        const desk = i % 2 ? here : second
        let total = 0
        for (let n = await expire(later, desk); n > 0; n = await expire(later, desk)) total += n
        return total
      }),
    )
    await expire()
    expect(swept.reduce((sum, n) => sum + n, 0)).toBe(300)
    for (const item of items) expect(await levelOf(item)).toMatchObject({ reserved: 0 })
  })

  test('simultaneous with sale and cancellation has one winner', async () => {
    for (let round = 0; round < 15; round++) {
      const [shirt, cap] = [await product(3), await product(3)]
      const cause = await nextCause()
      await reserve(cause, [
        [cap, 1],
        [shirt, 2],
      ])
      const [short] = await Promise.all([
        sell(cause),
        expire(),
        release(cause),
        expire(),
        sell(cause),
      ])
      expect(short).toEqual([])
      // Whichever came first, the sale succeeded: in time, or late because there was enough.
      expect(await statusesOf(cause)).toEqual(['Sold', 'Sold'])
      expect(await levelOf(shirt)).toEqual({ on_hand: 1, reserved: 0, sold: 2 })
      expect(await levelOf(cap)).toEqual({ on_hand: 2, reserved: 0, sold: 1 })
    }
  })
})

describe('at once', () => {
  test.each([
    ['near', 0],
    ['far away', FAR_MS],
  ])(
    '200 buyers of 10 items buy exactly 10, with a database that is %s',
    async (_title, delay) => {
      const shirt = await product(10, 3)
      const causes = await times(200, nextCause)
      proxy.slow(delay)
      const outcomes = await secondDesk(
        (far) => times(200, (i) => outcomeOf(() => reserve(causes[i]!, [[shirt, 1]], far))),
        delay > 0 ? proxy.connection : database.connection,
      )
      expect(counted(outcomes)).toEqual({ done: 10, out_of_stock: 190 })
      expect(await levelOf(shirt)).toEqual({ on_hand: 10, reserved: 10, sold: 0 })
      expect(await eventsOf(shirt)).toEqual(['1 product.low_stock', '2 product.out_of_stock'])
      await times(200, (i) => sell(causes[i]!))
      expect(await levelOf(shirt)).toEqual({ on_hand: 0, reserved: 0, sold: 10 })
    },
    60_000,
  )

  test('lines in opposite orders never deadlock', async () => {
    const items = await times(6, () => product(10_000, 9_990))
    const { deadlocks: before } = await deadlocksOf()
    await times(200, async (i) => {
      const order = i % 2 ? items : items.toReversed()
      const cause = await nextCause()
      await reserve(
        cause,
        order.map((item): Wish => [item, 1]),
      )
      await (i % 3 ? sell(cause) : release(cause))
    })
    expect((await deadlocksOf()).deadlocks).toBe(before)
    const sold = 200 - Math.ceil(200 / 3)
    for (const item of items) {
      expect(await levelOf(item)).toEqual({ on_hand: 10_000 - sold, reserved: 0, sold })
    }
  }, 60_000)

  test('late sales of the rest sell no more than is left', async () => {
    const shirt = await product(30)
    const causes = await times(30, nextCause)
    for (const cause of causes) await reserve(cause, [[shirt, 1]])
    await times(30, (i) => release(causes[i]!))
    await db.run`update stock_items set on_hand = 7 where id = ${shirt}`
    const answers = await times(30, (i) => sell(causes[i]!))
    expect(answers.filter((short) => short.length === 0)).toHaveLength(7)
    expect(await levelOf(shirt)).toEqual({ on_hand: 0, reserved: 0, sold: 7 })
  })
})
