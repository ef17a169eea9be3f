import type { Minor } from '../lib/money.ts'
import type { Customer } from './customers.ts'
import {
  ASSEMBLY,
  DELIVERIES,
  FABRICS,
  FURNITURE,
  type Good,
  NOTES,
  SUPPLIES,
  WORK_STEP_MINOR,
  WORKS,
} from './goods.ts'
import { AREAS } from './names.ts'
import type { Random } from './random.ts'

/** A line as `printLines` of the invoices takes it. */
export interface OrderLine {
  name: string
  quantity: number
  unit_minor: Minor
  amount_minor: Minor
}

/** What somebody bought. */
export interface Order {
  /** None for work that is asked for in one sum. */
  lines: OrderLine[]
  amount_minor: Minor
  note: string | null
}

/** Most buy little: cloth, then a piece of furniture; few furnish a room or a hotel. */
export function orderFor(customer: Customer, isLarge: boolean, random: Random): Order {
  if (!isLarge && random.chance(0.09)) return workOrder(random)
  const lines = linesFor(customer, isLarge, random)
  const amount_minor = lines.reduce((sum, line) => sum + line.amount_minor, 0n)
  const note = random.chance(0.45) ? noteFor(customer, random) : null
  return { lines, amount_minor, note }
}

function linesFor({ isOrganisation }: Customer, isLarge: boolean, random: Random): OrderLine[] {
  if (isOrganisation) {
    const count = random.chance(0.25) ? random.whole(3, 6) : random.whole(1, 2)
    return [...linesOf(SUPPLIES, count, random), ...delivery(0.8, random)]
  }
  if (!isLarge && random.chance(0.64)) {
    return [...linesOf(FABRICS, random.whole(1, 3), random), ...delivery(0.3, random)]
  }
  if (random.chance(0.75)) {
    const cushions = random.chance(0.3) ? linesOf(FABRICS, 1, random) : []
    return [...linesOf(FURNITURE, isLarge ? 2 : 1, random), ...cushions, ...delivery(0.75, random)]
  }
  const room = linesOf(FURNITURE, random.whole(3, 6), random)
  return [...room, ...delivery(1, random), lineOf(ASSEMBLY, 1)]
}

/** So many different goods, the first of the list as often as the last. */
function linesOf(goods: readonly Good[], count: number, random: Random): OrderLine[] {
  const start = random.whole(0, goods.length - 1)
  // The lists have 16 and 10 goods: steps of 3 come to each once before any comes again.
  return Array.from({ length: count }, (_, i) => {
    const good = goods[(start + i * 3) % goods.length]!
    // Few are bought much more often than many.
    const quantity = 1 + Math.floor(random.share() ** 2 * good.quantityMax)
    return lineOf(good, quantity)
  })
}

const delivery = (share: number, random: Random): OrderLine[] =>
  random.chance(share) ? [lineOf(random.pick(DELIVERIES), 1)] : []

const lineOf = ({ name, price_minor: unit_minor }: Good, quantity: number): OrderLine => ({
  name,
  quantity,
  unit_minor,
  amount_minor: unit_minor * BigInt(quantity),
})

function workOrder(random: Random): Order {
  const { note, least_minor, steps } = random.pick(WORKS)
  const steps_minor = BigInt(random.whole(0, steps)) * WORK_STEP_MINOR
  return { lines: [], amount_minor: least_minor + steps_minor, note }
}

const noteFor = ({ family }: Customer, random: Random): string =>
  random.pick(NOTES).replace('{family}', family).replace('{area}', random.pick(AREAS))
