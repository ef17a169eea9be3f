import type { Tx } from '../db/database.ts'
import type { Log } from '../db/log.ts'
import type { Tenant } from '../lib/caller.ts'
import { addMs } from '../lib/clock.ts'
import { DEADLINE_MS_MAX } from '../providers/connector/http-connector.ts'
import type { Outcome, Provider, Providers } from '../providers/connector/types.ts'
import { isNoConnection } from '../providers/providers.ts'
import { applyFormerReport, applyReport, type ReportDeps } from './apply-report.ts'
import {
  aboutOf,
  type OrderKind,
  type OrderState,
  type StartedKind,
  sentOf,
  tenantOf,
} from './kind.ts'
import { afterLookUp, type Effect, isOlder, isPaid, NOT_SENT_MS, serviceOf } from './outcomes.ts'
import {
  type ClaimedOrder,
  moveOrder,
  type OrderRow,
  replaceFailed,
  selectLeft,
  selectOpenFormers,
} from './queries.ts'
import { updateAssumedSent, updateHeldAfterRestore } from './queries-decisions.ts'
import { type Report, reportRow, storeReports } from './queries-reports.ts'
import { LEASE_MS, laterReference } from './statements.ts'

/* A record has several orders if one moved to another connection, or was requested again. */

type AttemptDeps = ReportDeps & { providers: Providers }

/** How long an order does not return to a connection that could not take it. */
const LEFT_MS = 15 * 60_000

/** Returns the connection that an order moves to, if there is one. */
export async function nextConnection<State extends OrderState, Row extends object>(
  { db, providers }: AttemptDeps,
  { routing }: Pick<StartedKind<State, Row>, 'routing'>,
  order: OrderRow,
  row: Row,
  now: Date,
): Promise<Provider | undefined> {
  if (!routing) return undefined
  const left = order.attempt === 1 ? [] : await selectLeft(db, order, addMs(now, -LEFT_MS))
  const query = { ...routing(row), canWait: false, except: [order.connection_id, ...left] }
  try {
    return await providers.choose(tenantOf(order), query)
  } catch (error) {
    if (isNoConnection(error)) return undefined
    throw error
  }
}

interface Moving<Row> {
  order: OrderRow
  row: Row
  to: Provider
  now: Date
}

/**
 * Moves an order that has not been sent to another connection, as a new attempt, which the caller
 * then sends. Returns undefined if another process has claimed the order.
 */
export function moveTo<State extends OrderState, Row extends object>(
  { db }: AttemptDeps,
  { moved }: Pick<StartedKind<State, Row>, 'moved'>,
  { order, row, to: { connection }, now }: Moving<Row>,
): Promise<{ order: ClaimedOrder; row: Row } | undefined> {
  const attempt = order.attempt + 1
  const sentReference = laterReference(order.sent_reference, attempt)
  return db.transaction(async (tx) => {
    const next = await moveOrder(tx, order, { connectionId: connection.id, sentReference, now })
    if (!next) return undefined
    const to = { attempt, provider: connection.provider }
    return { order: next, row: (await moved?.(tx, tenantOf(order), row, to)) ?? row }
  })
}

/**
 * Replaces a payout that failed because of its connection (for example, too low a balance) with a
 * new order: at another connection, or later at the same one. The failed order's reference has been
 * used. If that has gone on for a day, a person has to look at the new order. Returns whether this
 * process has done so.
 */
export async function orderAgain<State extends OrderState, Row extends object>(
  deps: AttemptDeps,
  kind: Pick<StartedKind<State, Row>, 'routing' | 'moved'>,
  { order, row, provider, now }: { order: OrderRow; row: Row; provider: Provider; now: Date },
  { waitMs = 0, attention, ...report }: Report,
): Promise<boolean> {
  const other = await nextConnection(deps, kind, order, row, now)
  const { connection } = other ?? provider
  const attempt = order.attempt + 1
  const next = {
    connectionId: connection.id,
    sentReference: laterReference(order.sent_reference, attempt),
    now,
    nextAt: other ? now : addMs(now, waitMs),
    // The same for each order, so that nobody is asked again and again.
    attention: attention ?? null,
    attentionAt: attention ? addMs(order.not_now_since ?? now, NOT_SENT_MS) : null,
  }
  return deps.db.transaction(async (tx) => {
    if (!(await replaceFailed(tx, order, next))) return false
    await kind.moved?.(tx, tenantOf(order), row, { attempt, provider: connection.provider })
    await storeReports(tx, [reportRow(order, { ...report, state: 'Failed' })])
    return true
  })
}

/** How long to wait before an earlier order is withdrawn again. */
const WITHDRAW_AGAIN_MS = 60_000

/**
 * Makes sure that earlier orders of a payout will never be paid, before the claimed one is sent.
 * Withdraws them, or looks them up if the provider cannot withdraw payouts. Returns why the order
 * must not be sent now: an earlier one may still be paid, or has been.
 */
export async function withdrawFormers<State extends OrderState, Row extends object>(
  deps: AttemptDeps,
  kind: StartedKind<State, Row>,
  order: ClaimedOrder,
  row: Row,
  clock: () => Date,
): Promise<Outcome<State> | undefined> {
  if (order.attempt === 1 || serviceOf(order.kind) !== 'payout') return undefined
  const began = performance.now()
  for (const former of await selectOpenFormers(deps.db, order)) {
    const provider = await deps.providers.holder(former.connection_id)
    const { outcome, effect } = await withdraw(provider, kind, former, row, clock)
    const status = effect.state?.status
    if (status === 'Failed' || status === 'Rejected') {
      await storeReports(deps.db, [reportRow(former, effect.report)])
      continue
    }
    const now = clock()
    if (effect.state && isPaid(effect.state)) {
      const about = { order: former, row, provider, now, current: order, isUnsent: true }
      await applyFormerReport(deps, kind, about, effect)
      return outcome
    }
    const isLong = isOlder(order.created_at, NOT_SENT_MS, now)
    const report = {
      ...STILL_OPEN,
      isNotSent: !order.may_be_sent,
      waitMs: WITHDRAW_AGAIN_MS,
      attention: isLong ? ('not_sent' as const) : undefined,
      now,
    }
    await applyReport(deps, kind, { order, row, provider, now }, { report })
    return { ...STILL_OPEN, kind: 'notNow' }
  }
  if (performance.now() - began < LEASE_MS - DEADLINE_MS_MAX) return undefined
  // The claim could end while the order is being sent, so it is claimed again.
  const now = clock()
  const provider = await deps.providers.holder(order.connection_id)
  const report = { ...SLOW, isNotSent: !order.may_be_sent, waitMs: 0, now }
  await applyReport(deps, kind, { order, row, provider, now }, { report })
  return { ...SLOW, kind: 'notNow' }
}

const SLOW = {
  outcome: 'notNow',
  code: 'not_reached',
  message: 'Withdrawing an earlier order took too long',
} as const

const STILL_OPEN = {
  outcome: 'notNow',
  code: 'not_reached',
  message: 'An earlier order for the same payout may still be paid',
} as const

async function withdraw<State extends OrderState, Row extends object>(
  provider: Provider,
  kind: Pick<StartedKind<State, Row>, 'lookUp'>,
  former: OrderRow,
  row: Row,
  clock: () => Date,
): Promise<{ outcome: Outcome<State>; effect: Effect<State> }> {
  const askedAt = clock()
  const about = aboutOf(former, askedAt)
  const outcome = provider.cancelPayout
    ? // Only payouts are withdrawn, so the state is that of a payout.
      ((await provider.cancelPayout(
        about,
        sentOf(former),
      )) as Outcome<OrderState> as Outcome<State>)
    : await kind.lookUp(provider, about, sentOf(former), row)
  return { outcome, effect: afterLookUp(former, outcome, provider, { askedAt, now: clock() }) }
}

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
 * which of them is wrong. That is only safe if the provider refuses repeated references: something
 * else may have refused the batch in its place, or the provider may have taken a part of it.
 * Otherwise, each is looked up. For the same reason, no refusal for now, such as for lack of money,
 * proves that nothing was taken. Each order keeps only what is found out about it later, so the
 * refusal is logged.
 */
export async function sendBatch<State extends OrderState, Row extends object>(
  { log }: { log: Log },
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
  if (outcome.kind === 'unknown' || (outcome.kind === 'notNow' && outcome.isUnsent)) {
    return batch.map(() => outcome)
  }
  const { code, message } = outcome
  const { connection, absence } = provider
  log.warn({ connection: connection.id, orders: batch.length, code }, 'a batch was refused')
  if (!absence.payout.repeatIsSafe) {
    return batch.map(() => ({ kind: 'unknown', reason: 'inconclusive', message }))
  }
  if (outcome.kind === 'notNow') return batch.map(() => ({ ...outcome, isUnsent: false }))
  return { refused: { outcome: 'refused', code, message, isNotSent: true, waitMs: 0, now } }
}

export interface Assumed {
  /** How many orders are looked up before they are sent. */
  orders: number
  /** How many payouts and bills are not sent again by themselves. */
  held: number
}

/**
 * After a backup was restored, an order that it contains as unsent may have been sent since. It is
 * therefore looked up before it is sent. If the business has another connection, the order may have
 * moved there, so that its own connection proves nothing: unless the lookup finds it, a person has
 * to decide.
 */
export async function assumeSent(
  tx: Tx,
  tenant: Tenant,
  madeAt: Date,
  now: Date,
): Promise<Assumed> {
  const orders = await updateAssumedSent(tx, tenant, madeAt)
  return { orders, held: await updateHeldAfterRestore(tx, tenant, now) }
}
