import { afterEach, describe, expect, test } from 'vitest'
import { outcomeOf } from '../../../../test/concurrency.ts'
import { startProxy } from '../../../../test/db-proxy.ts'
import { testDatabase } from '../../../../test/harness.ts'
import { eventChecks } from '../../../developers/events/audit.ts'
import { runAudit } from '../../../ledger/audit.ts'
import { stockChecks } from './audit.ts'
import { openShelf } from './inventory.fixture.ts'
import { retireItems } from './service.ts'
import { openDesk, type Wish } from './stock.fixture.ts'

const database = await testDatabase()
const { db } = database
const { tenant, product, levelOf, statusesOf, eventsOf, ...desk } = await openDesk(database)
const { reserve, sell, takeBack, nextCause } = desk
const foreign = await (await openShelf(database)).product(5)
const proxy = await startProxy(database.connection)

afterEach(async () => {
  proxy.slow(0)
  expect(await runAudit(db, [...stockChecks, ...eventChecks])).toEqual([])
})

describe('reserving', () => {
  test('adds up lines of one item and has an event for the threshold that it crosses', async () => {
    const [shirt, cap] = [await product(5, 2), await product(9)]
    const cause = await nextCause()
    await reserve(cause, [
      [shirt, 1],
      [cap, 3],
      [shirt, 2],
    ])
    expect(await levelOf(shirt)).toEqual({ on_hand: 5, reserved: 3, sold: 0 })
    expect(await levelOf(cap)).toEqual({ on_hand: 9, reserved: 3, sold: 0 })
    expect(await statusesOf(cause)).toEqual(['Reserved', 'Reserved'])
    expect(await eventsOf(shirt)).toEqual(['1 product.low_stock'])
    await reserve(await nextCause(), [[shirt, 2]])
    expect(await eventsOf(shirt)).toEqual(['1 product.low_stock', '2 product.out_of_stock'])
    expect(await eventsOf(cap)).toEqual([])
  })

  test('is refused as a whole, naming the short items, and leaves nothing', async () => {
    const [shirt, cap] = [await product(2), await product(9)]
    const cause = await nextCause()
    const refused = reserve(cause, [
      [cap, 1],
      [shirt, 1],
      [shirt, 2],
    ])
    await expect(refused).rejects.toMatchObject({
      code: 'out_of_stock',
      message: `Not enough in stock: Shirt ${shirt} (2 left).`,
      fields: { products: [`Shirt ${shirt} has 2 left`] },
    })
    expect(await statusesOf(cause)).toEqual([])
    expect(await levelOf(cap)).toMatchObject({ reserved: 0 })
  })

  test('of an untracked item always works, and is recorded', async () => {
    const book = await product(null, 1)
    const cause = await nextCause()
    await reserve(cause, [[book, 1_000_000]])
    expect(await levelOf(book)).toEqual({ on_hand: 0, reserved: 1_000_000, sold: 0 })
    expect(await sell(cause)).toEqual([])
    expect(await levelOf(book)).toEqual({ on_hand: 0, reserved: 0, sold: 1_000_000 })
    await takeBack(cause)
    expect(await levelOf(book)).toEqual({ on_hand: 0, reserved: 0, sold: 0 })
    expect(await eventsOf(book)).toEqual([])
  })

  test('of an untracked item that has left the catalogue is refused', async () => {
    const book = await product(null)
    await db.transaction((tx) => retireItems(tx, tenant, [book]))
    const cause = await nextCause()
    expect(await outcomeOf(() => reserve(cause, [[book, 1]]))).toBe('out_of_stock')
    expect(await statusesOf(cause)).toEqual([])
  })

  test.each([
    ['that does not exist', 999_999_999_999],
    ['of another business', foreign],
  ])('of an item %s is refused', async (_title, item) => {
    const shirt = await product(5)
    const cause = await nextCause()
    const wishes: Wish[] = [
      [shirt, 1],
      [item, 1],
    ]
    expect(await outcomeOf(() => reserve(cause, wishes))).toBe('product_not_found')
    expect(await levelOf(shirt)).toMatchObject({ reserved: 0 })
  })

  test('of nothing does nothing', async () => {
    const cause = await nextCause()
    await reserve(cause, [])
    expect(await sell(cause)).toEqual([])
    expect(await statusesOf(cause)).toEqual([])
  })
})
