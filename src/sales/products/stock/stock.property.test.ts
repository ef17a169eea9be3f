import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../../../test/harness.ts'
import { fc } from '../../../../test/property.ts'
import { runAudit } from '../../../ledger/audit.ts'
import { addMs } from '../../../lib/clock.ts'
import { Problem } from '../../../lib/problem.ts'
import { stockChecks } from './audit.ts'
import { openShelf } from './inventory.fixture.ts'
import { reserveStock } from './reserve.fixture.ts'
import { extendReservations, releaseStock, restock, sellStock, stockExpiryJob } from './service.ts'

// For more runs: STOCK_RUNS=1000 npm test.
const numRuns = Number(process.env.STOCK_RUNS ?? 25)
const timeout = 60_000 + numRuns * 1_000

const ITEMS = 3
const CAUSES = 4
const start = new Date('2026-11-21T10:00:00.000Z')

const cause = fc.nat({ max: CAUSES - 1 })
const minutes = fc.integer({ min: 1, max: 30 })
const line = fc.record({
  item: fc.nat({ max: ITEMS - 1 }),
  quantity: fc.integer({ min: 1, max: 4 }),
})
const operation = fc.oneof(
  fc.record({
    op: fc.constant('reserve' as const),
    cause,
    lines: fc.array(line, { maxLength: 4 }),
    minutes,
  }),
  fc.record({ op: fc.constant('renew' as const), cause, minutes }),
  fc.record({ op: fc.constantFrom('release', 'sell', 'takeBack', 'expire'), cause }),
)
type Operation =
  | { op: 'reserve'; cause: number; lines: { item: number; quantity: number }[]; minutes: number }
  | { op: 'renew'; cause: number; minutes: number }
  | { op: 'release' | 'sell' | 'takeBack' | 'expire'; cause: number }

interface Reservation {
  quantity: number
  status: string
  until: number
}

/** Stock as one would keep it by hand: reservations are looked up each time. */
class Shelf {
  /** Null is not tracked. */
  readonly onHand: (number | null)[]
  readonly causes = Array.from({ length: CAUSES }, () => new Map<number, Reservation>())
  /** Causes that were replaced, with whatever they still reserve. */
  readonly replaced: Map<number, Reservation>[] = []

  constructor(onHand: readonly (number | null)[]) {
    this.onHand = [...onHand]
  }

  count(item: number, status: string): number {
    const own = this.all()
      .map((lines) => lines.get(item))
      .filter((one) => one?.status === status)
    return own.reduce((sum, one) => sum + one!.quantity, 0)
  }

  all() {
    return [...this.causes, ...this.replaced]
  }

  /** A cause reserves only once, so a new one takes the place of one that has. */
  replace(cause: number): void {
    this.replaced.push(this.causes[cause]!)
    this.causes[cause] = new Map()
  }

  has(item: number, quantity: number): boolean {
    const onHand = this.onHand[item]!
    return onHand === null || onHand - this.count(item, 'Reserved') >= quantity
  }

  /** Returns whether it succeeded. */
  apply(operation: Operation, minute: number): boolean {
    const lines = this.causes[operation.cause]!
    switch (operation.op) {
      case 'reserve': {
        const wanted = new Map<number, number>()
        for (const { item, quantity } of operation.lines) {
          wanted.set(item, (wanted.get(item) ?? 0) + quantity)
        }
        if ([...wanted].some(([item, quantity]) => !this.has(item, quantity))) return false
        const until = minute + operation.minutes
        for (const [item, quantity] of wanted) {
          lines.set(item, { quantity, status: 'Reserved', until })
        }
        return true
      }
      case 'renew':
        return this.again(lines, 'Reserved', minute + operation.minutes)
      case 'release':
        for (const one of lines.values()) if (one.status === 'Reserved') one.status = 'Released'
        return true
      case 'sell': {
        const open = [...lines].filter(([, one]) => /Reserved|Released/.test(one.status))
        if (!this.again(lines, 'Sold')) {
          this.apply({ op: 'release', cause: operation.cause }, minute)
          return false
        }
        for (const [item, { quantity }] of open) this.add(item, -quantity)
        return true
      }
      case 'takeBack':
        for (const [item, one] of lines) {
          if (one.status !== 'Sold') continue
          one.status = 'Returned'
          this.add(item, one.quantity)
        }
        return true
      case 'expire':
        for (const own of this.all()) {
          for (const one of own.values()) {
            if (one.status === 'Reserved' && one.until <= minute) one.status = 'Released'
          }
        }
        return true
    }
  }

  private again(lines: Map<number, Reservation>, status: string, until = 0): boolean {
    const gone = [...lines].filter(([, one]) => one.status === 'Released')
    if (gone.some(([item, { quantity }]) => !this.has(item, quantity))) return false
    for (const one of lines.values()) {
      if (!/Reserved|Released/.test(one.status)) continue
      one.status = status
      one.until = Math.max(one.until, until)
    }
    return true
  }

  private add(item: number, quantity: number): void {
    const had = this.onHand[item]!
    if (had !== null) this.onHand[item] = had + quantity
  }
}

describe('stock and a plain model of it', async () => {
  const database = await testDatabase()
  const { db, ids } = database
  const { tenant, product, levelOf } = await openShelf(database)

  async function apply(
    operation: Operation,
    items: number[],
    causeId: number,
    now: Date,
  ): Promise<boolean> {
    const about = { causeId, now }
    try {
      return await db.transaction(async (tx) => {
        if (operation.op === 'reserve') {
          const lines = operation.lines.map(({ item, quantity }) => ({
            itemId: items[item]!,
            quantity,
          }))
          const expiresAt = addMs(now, operation.minutes * 60_000)
          await reserveStock(tx, ids, tenant, { ...about, lines, expiresAt })
        } else if (operation.op === 'renew') {
          const expiresAt = addMs(now, operation.minutes * 60_000)
          await extendReservations(tx, ids, tenant, { ...about, expiresAt })
        } else if (operation.op === 'release') await releaseStock(tx, tenant, about)
        else if (operation.op === 'takeBack') await restock(tx, tenant, about)
        else if (operation.op === 'sell') {
          return (await sellStock(tx, ids, tenant, about)).length === 0
        } else await stockExpiryJob.run(db, now)
        return true
      })
    } catch (error) {
      if (error instanceof Problem && error.code === 'out_of_stock') return false
      throw error
    }
  }

  test('agree after every operation', { timeout }, async () => {
    const onHand = fc.array(fc.oneof(fc.nat({ max: 8 }), fc.constant(null)), {
      minLength: ITEMS,
      maxLength: ITEMS,
    })
    const operations = fc.array(operation, { minLength: 10, maxLength: 40 })
    let era = 0
    const property = fc.asyncProperty(onHand, operations, async (levels, steps) => {
      const model = new Shelf(levels)
      const items: number[] = []
      for (const level of levels) items.push(await product(level))
      const causes = await Promise.all(Array.from({ length: CAUSES }, () => ids.next()))
      // Leftovers of earlier runs are released here, because they expired long before this one
      // starts.
      const epoch = addMs(start, era++ * 86_400_000)
      await stockExpiryJob.run(db, epoch)
      for (const [minute, step] of steps.entries()) {
        const now = addMs(epoch, minute * 60_000)
        if (step.op === 'reserve' && model.causes[step.cause]!.size > 0) {
          model.replace(step.cause)
          causes[step.cause] = await ids.next()
        }
        const isDone = await apply(step as Operation, items, causes[step.cause]!, now)
        expect([minute, isDone]).toEqual([minute, model.apply(step as Operation, minute)])
        for (const [i, item] of items.entries()) {
          expect({ minute, ...(await levelOf(item)) }).toEqual({
            minute,
            on_hand: model.onHand[i] ?? 0,
            reserved: model.count(i, 'Reserved'),
            sold: model.count(i, 'Sold'),
          })
        }
      }
    })
    await fc.assert(property, { numRuns })
    expect(await runAudit(db, stockChecks)).toEqual([])
  })
})
