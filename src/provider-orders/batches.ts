import type { Outcome, Provider } from '../providers/connector/types.ts'
import { aboutOf, type OrderKind, type OrderState } from './kind.ts'
import type { ClaimedOrder } from './queries.ts'
import type { Report } from './queries-reports.ts'

/* New payouts of one business that are due together are sent in one call, if the provider can. */

/** How many orders a batch has at most, so that all of its steps fit into one deadline. */
const BATCH_ROWS_MAX = 20

/** From how many orders on a batch is worth it: with fewer, each has its own, better response. */
const BATCH_ROWS_MIN = 5

interface Waiting {
  business_id: number
  live: boolean
  /** Whether it has never been claimed. What was claimed before is sent alone. */
  is_new: boolean
}

/** Returns the batches among the due orders of a connection, and the orders that are sent alone. */
export function batchesOf<Row extends Waiting>(
  rows: readonly Row[],
  { sendMany }: Pick<OrderKind, 'sendMany'>,
  holder: Pick<Provider, 'payOutMany' | 'batchMax'> | undefined,
): { batches: Row[][]; alone: Row[] } {
  const size = Math.min(holder?.batchMax ?? 0, BATCH_ROWS_MAX)
  if (!sendMany || !holder?.payOutMany || size < BATCH_ROWS_MIN) {
    return { batches: [], alone: [...rows] }
  }
  const fresh = rows.filter((row) => row.is_new)
  const groups = Map.groupBy(fresh, (row) => `${row.business_id} ${row.live}`).values()
  const batches = [...groups]
    .flatMap((group) => sliced(group, size))
    .filter((batch) => batch.length >= BATCH_ROWS_MIN)
  const batched = new Set(batches.flat())
  return { batches, alone: rows.filter((row) => !batched.has(row)) }
}

export const sliced = <Row>(rows: readonly Row[], size: number): Row[][] =>
  Array.from({ length: Math.ceil(rows.length / size) }, (_, i) =>
    rows.slice(i * size, (i + 1) * size),
  )

export interface Batched<Row> {
  order: ClaimedOrder
  row: Row
}

/**
 * Sends a batch of orders that nobody else is acting on. Returns the outcome of each, or that the
 * provider has refused all of them, which then have to be sent alone: the refusal does not say
 * which of them is wrong.
 */
export async function sendBatch<State extends OrderState, Row extends object>(
  provider: Provider,
  kind: Pick<OrderKind<State, Row>, 'sendMany'>,
  batch: readonly Batched<Row>[],
  now: Date,
): Promise<readonly Outcome<State>[] | { refused: Report }> {
  const sendings = batch.map(({ order }) => ({
    about: aboutOf(order, now),
    reference: order.sent_reference,
  }))
  const rows = batch.map(({ row }) => row)
  const outcome = await kind.sendMany!(provider, sendings, rows)
  if (outcome.kind === 'done') return outcome.value
  if (outcome.kind !== 'refused') return batch.map(() => outcome)
  const { code, message } = outcome
  return { refused: { outcome: 'refused', code, message, isNotSent: true, waitMs: 0, now } }
}
