import type { Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import type { NewEvent } from './append.ts'

/** How often an event was committed by this process, and the sum of the amounts in its data. */
export interface EventCount {
  type: string
  live: boolean
  currency: string
  /** Empty if the data has none. */
  channel: string
  count: number
  /** The sum of `amountMinor`, as a number for metrics. */
  sumMinor: number
}

type Amount = { amountMinor?: unknown; currency?: unknown; channel?: unknown }

// Each database has its own counts, found by its source of ids. Only tests use several databases in
// one process.
const counts = new WeakMap<Ids, Map<string, EventCount>>()

/**
 * Counts events that have an amount, once they are committed. There is one count for each
 * combination of the labels, whatever the number of businesses.
 */
export function countEvents(tx: Tx, ids: Ids, events: readonly NewEvent[]): void {
  const counted = events.filter(({ data }) => (data as Amount).amountMinor !== undefined)
  if (counted.length > 0) tx.after(() => countAll(ids, counted))
}

function countAll(ids: Ids, events: readonly NewEvent[]): void {
  for (const event of events) count(ids, event)
}

function count(ids: Ids, { type, live, data }: NewEvent): void {
  const { amountMinor, currency, channel } = data as Amount
  const labels = { type, live, currency: String(currency), channel: String(channel ?? '') }
  const known = countsOf(ids)
  const key = `${type} ${live} ${labels.currency} ${labels.channel}`
  const one = known.get(key) ?? { ...labels, count: 0, sumMinor: 0 }
  one.count++
  one.sumMinor += Number(amountMinor ?? 0)
  known.set(key, one)
}

/** Returns the counts of the events that were written with these ids. */
export const eventCounts = (ids: Ids): EventCount[] => [...countsOf(ids).values()]

function countsOf(ids: Ids): Map<string, EventCount> {
  let known = counts.get(ids)
  if (!known) {
    known = new Map()
    counts.set(ids, known)
  }
  return known
}
