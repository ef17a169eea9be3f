/**
 * How the server sends a charge, transfer, settlement, refund, return of a deposit, bill payment or
 * response to a dispute to a provider, exactly once. In this folder, an order is such a provider
 * order, and never a sale.
 *
 *                     ┌── was never sent ──► send ──┐
 *   due ─► claim ─────┤                    ▲        ├─► apply ─► ended, or due again
 *                     └── was sent ──► look up ─────┘
 *                            proven never to arrive
 *
 * 1. **Due**: each order is a row in `provider_orders`, written in the same statement as its record
 *    (`newOrders`). The request commits both and wakes the job. `next_at` is the time at which the
 *    order is due.
 * 2. **Claim**: one statement records that the order is being sent (`sent_at`), schedules the next
 *    lookup, and commits. No two processes ever claim the same order at the same time. A job claims
 *    only as many orders as it sends at once, so none of them waits while it is claimed. New
 *    payouts of one business can be sent in one call (`attempts.ts`).
 * 3. **Send or look up**: the job calls the order's connection, outside any transaction. If the
 *    order was claimed before, the process that claimed it may have died before or after sending
 *    it, so the job looks up the order first. The order is sent again, under the same reference,
 *    only once the provider's word that it does not know the order is proof (`Absence`).
 * 4. **Apply**: one transaction moves the money, writes the events, and ends the order. The `where`
 *    clause of each update names the states that it can leave, so late or repeated ones do nothing.
 *
 * `outcomes.ts` decides what each outcome does. Four rules hold everywhere:
 * - A timeout counts as `unknown`. An unknown outcome never ends an order, and never moves it.
 * - After `notNow`, nothing has happened: the order becomes unsent again. Only an unsent order can
 *   move to another connection, where it is a new attempt with its own reference.
 * - Only what is understood ends an order. Whatever is not asks for a person (`attention`), while
 *   the lookups go on.
 * - Notifications are not trusted: they only cause a lookup of the order with their reference.
 *
 * Each slice describes its kind of order (`OrderKind`): what to send, how to look it up, and what
 * effect each response has. Only this folder writes `provider_orders`.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import type { Log } from '../db/log.ts'
import { forEachConcurrent, JOB_ROWS_MAX, type Job } from '../jobs/jobs.ts'
import type { Tenant } from '../lib/caller.ts'
import { addMs, timeSince } from '../lib/clock.ts'
import type { Outcome, Provider, Providers, Service } from '../providers/connector/types.ts'
import { applyFormerReport, applyReport } from './apply-report.ts'
import {
  type Batched,
  batchesOf,
  moveTo,
  nextConnection,
  orderAgain,
  sendBatch,
  sliced,
  withdrawFormers,
} from './attempts.ts'
import type { DifferenceSource } from './differences.ts'
import {
  aboutOf,
  type OrderKind,
  type OrderState,
  type StartedKind,
  sentOf,
  tenantOf,
} from './kind.ts'
import { afterLookUp, afterSending, type Effect, NOT_SENT_MS, notSentAgain } from './outcomes.ts'
import {
  addOrder,
  type ClaimedOrder,
  claimAgain,
  claimDue,
  claimOpen,
  claimUnsent,
  giveUpOrder,
  type OrderKey,
  type OrderKindName,
  type OrderRow,
  postponeUnsent,
  restartOrder,
  selectCurrentOrder,
  selectDue,
  selectUnsent,
} from './queries.ts'
import { laterReference } from './statements.ts'

export {
  aboutOf,
  type OrderKind,
  type ProviderReport,
  payoutKind,
  type StartedKind,
  sentOf,
} from './kind.ts'
export {
  hasOtherOpen,
  lockOrder,
  type OrderKey,
  type OrderKindName,
  type OrderRow,
  ordersBySent as findBySent,
  selectCurrentOrder as findCurrentOrder,
  selectOrder as findOrder,
  selectOrders as findOrders,
  selectPaidOrder as findPaidOrder,
  selectPaidOrders as findPaidOrders,
} from './queries.ts'
export { REPORT_ROW, type ReportRow, updateReported } from './queries-reports.ts'

interface OrderDeps {
  db: Database
  ids: Ids
  providers: Providers
  log: Log
}

export type CallDeps = Omit<OrderDeps, 'log'>

/** Returns the name of the job that sends and looks up orders of one kind. */
export const orderJobName = (kind: OrderKindName): string => `${kind}-orders`

/** How many orders a claim takes at most. All of them are sent at once. */
const CLAIM_ROWS_MAX = 4

/** How many orders a job sends at once at each connection, if the connector does not limit it. */
const SLOTS = 8

/** To how many other connections an order can move in one run. */
const MOVES_MAX = 2

/** How long a run waits for its connections. Those that take longer go on after it. */
const RUN_MS = 3_000

/** How long an order waits that has not been sent and that no connection takes now. */
const POSTPONED_MS = 60_000

/** The services whose orders wait while the last calls of a connection have failed. */
const WAITING: Partial<Record<OrderKindName, Service>> = {
  transfer: 'PAYOUTS',
  settlement: 'PAYOUTS',
  bill: 'UTILITY',
}

type JobDeps = OrderDeps & {
  /** Wakes a job. */
  nudge?: ((job: string) => void) | undefined
}

/**
 * Returns the job that sends or looks up every due order of one kind. Each kind has its own job, so
 * that payers do not wait for a slow biller, and each connection has its own orders. A run does not
 * wait for a slow connection: the next runs leave it out until its orders have been sent. If one
 * order throws, the error is logged and the others continue. The order is already claimed, so it
 * becomes due again later.
 */
export function orderJob(deps: JobDeps, kind: OrderKind): Job {
  const name = orderJobName(kind.kind)
  /** What is going on at each connection. */
  const busy = new Map<number, Promise<void>>()
  const runLogged = (order: ClaimedOrder, now: Date) =>
    logged(deps, order, () => runFound(deps, kind, order, now))
  function start(connectionId: number, work: () => Promise<void>): Promise<void> {
    const going = work().finally(() => busy.delete(connectionId))
    busy.set(connectionId, going)
    return going
  }
  function goOn(ended: PromiseSettledResult<void>[]): void {
    for (const one of ended) {
      if (one.status === 'rejected') deps.log.warn({ err: one.reason, job: name }, 'job failed')
    }
    deps.nudge?.(name)
  }
  return {
    name,
    everyMs: 10_000,
    followsTestClock: true,
    outlasting: () => Promise.allSettled(busy.values()),
    async run(db, now, only) {
      const without = [...busy.keys()]
      const limit = JOB_ROWS_MAX
      const wanted = { kind: kind.kind, now, only: only ?? null, without, limit }
      const due = await selectDue(db, wanted)
      const service = WAITING[kind.kind]
      let done = 0
      const time = timeSince(now)
      const runPortion = async (id: number, rows: DueRows, isBatch: boolean): Promise<void> => {
        // The claim would have ended already, and the order would count as sent long ago, if it
        // began with the run.
        const startedAt = time()
        const isSuspended = service !== undefined && deps.providers.isSuspended(id, service)
        const isStuck = (row: DueRows[number]) => row.is_stuck || (row.is_unsent && isSuspended)
        const stuck = rows.filter(isStuck)
        if (stuck.length > 0) done += await moveStuck(deps, kind, stuck, startedAt)
        const others = rows.filter((row) => !isStuck(row))
        const orders = others.length > 0 ? await claim(db, kind, others, startedAt) : []
        done += orders.length
        if (isBatch) await runBatch(deps, kind, orders, startedAt)
        else await Promise.all(orders.map((order) => runLogged(order, startedAt)))
      }
      const runConnection = async (id: number, rows: DueRows): Promise<void> => {
        const holder = await deps.providers.holder(id).catch(() => undefined)
        const slots = holder?.slots ?? SLOTS
        const size = Math.min(slots, CLAIM_ROWS_MAX)
        const { batches, alone } = batchesOf(rows, kind, holder)
        const portions = [
          ...batches.map((batch) => ({ batch, isBatch: true })),
          ...portionsOf(alone, size).map((batch) => ({ batch, isBatch: false })),
        ]
        await forEachConcurrent(portions, Math.floor(slots / size), ({ batch, isBatch }) =>
          runPortion(id, batch, isBatch),
        )
      }
      const byConnection = Map.groupBy(due, ({ connection_id }) => connection_id)
      const runs = [...byConnection].map(([id, rows]) => start(id, () => runConnection(id, rows)))
      const timer = new AbortController()
      const isOver = await Promise.race([
        Promise.all(runs).then(() => true),
        sleep(RUN_MS, false, { signal: timer.signal }).catch(() => false),
      ]).finally(() => timer.abort())
      if (!isOver) void Promise.allSettled(runs).then(goOn)
      return done
    },
  }
}

type DueRows = Awaited<ReturnType<typeof selectDue>>

/** Each portion is of one business. */
const portionsOf = (rows: DueRows, size: number): DueRows[] =>
  [...Map.groupBy(rows, (row) => `${row.business_id} ${row.live}`).values()].flatMap((group) =>
    sliced(group, size),
  )

/**
 * Moves orders that have not been sent and that their connection does not take, because it is
 * paused or its last calls have failed. Those that no other connection takes wait. All rows must
 * belong to one business. Returns how many orders have moved.
 */
async function moveStuck(
  deps: OrderDeps,
  kind: OrderKind,
  rows: DueRows,
  now: Date,
): Promise<number> {
  const tenant = tenantIn(rows)
  const left: OrderRow[] = []
  let moved = 0
  await Promise.all(
    (await selectUnsent(deps.db, tenant, { kind: kind.kind, rows })).map(async (order) => {
      const row = await kind.find(deps.db, tenant, order)
      // The provider can no longer change the record.
      if (!row) return void (await deps.db.transaction((tx) => giveUpOrder(tx, order, now, false)))
      const to = await nextConnection(deps, kind, order, row, now)
      if (!to) return void left.push(order)
      const next = await moveTo(deps, kind, { order, row, to, now })
      if (!next) return
      moved++
      await logged(deps, next.order, () =>
        sendOrder(deps, kind, next.order, next.row, () => now, MOVES_MAX - 1),
      )
    }),
  )
  if (left.length > 0) {
    const until = addMs(now, POSTPONED_MS)
    const longSince = addMs(now, -NOT_SENT_MS)
    const waiting = { kind: kind.kind, rows: left }
    await postponeUnsent(deps.db, tenant, waiting, { now, until, longSince })
  }
  return moved
}

/** Logs the error of an order, which has been claimed, and will be looked up. */
async function logged(
  { log }: Pick<OrderDeps, 'log'>,
  { kind, business_id: businessId, live, reference }: OrderRow,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work()
  } catch (err) {
    const fields = { err, job: orderJobName(kind), businessId, live, reference }
    log.warn(fields, 'an order failed; it will be looked up again')
  }
}

const tenantIn = ([row]: DueRows): Tenant => ({
  businessId: row?.business_id ?? 0,
  live: row?.live ?? false,
})

/** Commits before it returns. All rows must belong to one business. */
function claim(db: Database, kind: OrderKind, rows: DueRows, now: Date): Promise<ClaimedOrder[]> {
  const tenant = tenantIn(rows)
  return db.transaction(async (tx) => {
    const orders = await claimDue(tx, tenant, { kind: kind.kind, rows, now })
    const ids = orders.filter((one) => !one.may_be_sent).map((one) => one.subject_id)
    if (ids.length > 0) await kind.claimed?.(tx, tenant, ids, now)
    return orders
  })
}

/**
 * Sends an open order at once, unless the provider already has it, for people who control the
 * simulator and can't wait for the job. The job may send it at the same time, so the provider must
 * accept a repeated reference.
 */
export async function sendOrderNow(
  deps: CallDeps,
  kind: OrderKind,
  tenant: Tenant,
  key: OrderKey,
  now: Date,
): Promise<void> {
  const order = await deps.db.transaction(async (tx) => {
    const claimed = await claimOpen(tx, tenant, key, now)
    if (claimed) await kind.claimed?.(tx, tenant, [claimed.subject_id], now)
    return claimed
  })
  const row = order && (await kind.find(deps.db, tenant, order))
  if (!row) return
  const provider = await deps.providers.holder(order.connection_id)
  // The job may have claimed the order after this request began. A lookup counts only after that.
  const sentAt = order.last_sent_at ?? now
  const at = sentAt > now ? sentAt : now
  const effect = await lookUp(provider, kind, order, row, () => at)
  if (effect.next === 'send again') await sendOrder(deps, kind, order, row, () => at)
  else await applyOrOrderAgain(deps, kind, { order, row, provider, now: at }, effect)
}

async function runFound(
  deps: CallDeps,
  kind: OrderKind,
  order: ClaimedOrder,
  now: Date,
): Promise<void> {
  const row = await kind.find(deps.db, tenantOf(order), order)
  if (row) await runOrder(deps, kind, order, row, () => now)
}

/**
 * Sends claimed orders of one business in one call. Those that have been sent before are looked up
 * instead, and sent alone.
 */
async function runBatch(
  deps: OrderDeps,
  kind: OrderKind,
  orders: readonly ClaimedOrder[],
  now: Date,
): Promise<void> {
  const isNew = ({ may_be_sent, tries }: ClaimedOrder) => !may_be_sent && tries === 1
  const others = orders.filter((order) => !isNew(order))
  const found = await Promise.all(
    orders.filter(isNew).map(async (order): Promise<Batched<object>[]> => {
      const row = await kind.find(deps.db, tenantOf(order), order)
      return row ? [{ order, row }] : []
    }),
  )
  const batch = found.flat()
  const runAlone = others.map((order) =>
    logged(deps, order, () => runFound(deps, kind, order, now)),
  )
  if (batch.length > 0) {
    const provider = await deps.providers.holder(batch[0]!.order.connection_id)
    const outcomes = await sendBatch(deps, provider, kind, batch, now)
    const applyOne = ({ order, row }: Batched<object>, i: number) =>
      'refused' in outcomes
        ? applyReport(deps, kind, { order, row, provider, now }, { report: outcomes.refused })
        : applyResponse(deps, kind, { order, row, provider, clock: () => now }, outcomes[i]!)
    await Promise.all(batch.map((one, i) => logged(deps, one.order, () => applyOne(one, i))))
  }
  await Promise.all(runAlone)
}

/** Sends a claimed order, or looks it up if it may have been sent before. */
async function runOrder<State extends OrderState, Row extends object>(
  deps: CallDeps,
  kind: OrderKind<State, Row>,
  order: ClaimedOrder,
  row: Row,
  clock: () => Date,
): Promise<void> {
  if (!order.may_be_sent) return void (await sendOrder(deps, kind, order, row, clock))
  const provider = await deps.providers.holder(order.connection_id)
  const effect = await lookUp(provider, kind, order, row, clock)
  if (effect.next === 'send again') {
    const now = clock()
    const again = await claimAgain(deps.db, order, now)
    if (again) return void (await sendOrder(deps, kind, again, row, clock))
    // Its connection is paused, or payouts are stopped.
    const report = notSentAgain(order, effect.report)
    return applyReport(deps, kind, { order, row, provider, now }, { report })
  }
  await applyOrMove(deps, kind, { order, row, provider, clock, movesLeft: MOVES_MAX }, effect)
}

async function lookUp<State extends OrderState, Row extends object>(
  provider: Provider,
  kind: Pick<OrderKind<State, Row>, 'lookUp'>,
  order: OrderRow,
  row: Row,
  clock: () => Date,
): Promise<Effect<State>> {
  const askedAt = clock()
  const outcome = await kind.lookUp(provider, aboutOf(order, askedAt), sentOf(order), row)
  return afterLookUp(order, outcome, provider, { askedAt, now: clock() })
}

/**
 * Sends an order that nobody else is acting on, and applies the response. If the connection cannot
 * take it, and certainly has not got it, the order moves to another one. Returns the last response.
 * The calls can take a while, so `clock` is read before and after each.
 */
export async function sendOrder<State extends OrderState, Row extends object>(
  deps: CallDeps,
  kind: StartedKind<State, Row>,
  order: ClaimedOrder,
  row: Row,
  clock: () => Date,
  movesLeft = MOVES_MAX,
): Promise<Outcome<State>> {
  const provider = await deps.providers.holder(order.connection_id)
  const barrier = await withdrawFormers(deps, kind, order, row, clock)
  if (barrier) return barrier
  const sending = { about: aboutOf(order, clock()), reference: order.sent_reference }
  const answer = await kind.send(provider, sending, row)
  return applyResponse(deps, kind, { order, row, provider, clock, movesLeft }, answer)
}

/** Applies the response to an order that was sent. Returns the last response. */
async function applyResponse<State extends OrderState, Row extends object>(
  deps: CallDeps,
  kind: StartedKind<State, Row>,
  { movesLeft = MOVES_MAX, ...acting }: Omit<Acting<Row>, 'movesLeft'> & { movesLeft?: number },
  answer: Outcome<State>,
): Promise<Outcome<State>> {
  const { order, row, provider, clock } = acting
  const effect = afterSending(kind, order, answer, clock())
  const about = { ...acting, movesLeft }
  const moved = await applyOrMove(deps, kind, about, effect)
  if (moved) return moved
  if (effect.next === 'look up') {
    const found = await lookUp(provider, kind, order, row, clock)
    await applyOrOrderAgain(deps, kind, { order, row, provider, now: clock() }, found)
  }
  return answer
}

interface Acting<Row> {
  order: ClaimedOrder
  row: Row
  provider: Provider
  clock: () => Date
  movesLeft: number
}

/** Applies an outcome. If the order moves, sends it, and returns the response. */
async function applyOrMove<State extends OrderState, Row extends object>(
  deps: CallDeps,
  kind: StartedKind<State, Row>,
  { order, row, provider, clock, movesLeft }: Acting<Row>,
  effect: Effect<State>,
): Promise<Outcome<State> | undefined> {
  const now = clock()
  if (effect.next === 'order again') {
    await applyOrOrderAgain(deps, kind, { order, row, provider, now }, effect)
    return undefined
  }
  const canMove = effect.next === 'move' && movesLeft > 0
  const next = canMove ? await nextConnection(deps, kind, order, row, now) : undefined
  const present = (!next && effect.otherwise) || effect
  await applyReport(deps, kind, { order, row, provider, now }, present)
  const moved = next && (await moveTo(deps, kind, { order, row, to: next, now }))
  return moved && sendOrder(deps, kind, moved.order, moved.row, clock, movesLeft - 1)
}

/** Replaces a payout that failed because of its connection. A job sends the new order. */
async function applyOrOrderAgain<State extends OrderState, Row extends object>(
  deps: CallDeps,
  kind: StartedKind<State, Row>,
  about: { order: OrderRow; row: Row; provider: Provider; now: Date },
  effect: Effect<State>,
): Promise<void> {
  const isReplaced =
    effect.next === 'order again' && (await orderAgain(deps, kind, about, effect.report))
  if (!isReplaced) await applyReport(deps, kind, about, effect)
}

/**
 * Sends a charge again whose start was lost, for the payer who is waiting for the account or codes.
 * A provider that does not repeat its response gets a new order, with its own reference. Returns
 * undefined if the last order may still be being sent.
 */
export async function sendAgain<State extends OrderState, Row extends object>(
  deps: CallDeps,
  kind: StartedKind<State, Row>,
  order: OrderRow,
  row: Row,
  now: Date,
): Promise<Outcome<State> | undefined> {
  const claimed = await claimForRequest(deps, order, now)
  return claimed && sendOrder(deps, kind, claimed, row, () => now)
}

interface Adding<Row> {
  /** The current order. */
  order: OrderRow
  row: Row
  to: Provider
  now: Date
}

/**
 * Sends one more order for a charge that has been started, because its payer pays in another way.
 * The payer can still pay the former orders. Returns undefined if the charge can no longer be paid,
 * or if another request was faster.
 */
export async function sendAnother<State extends OrderState, Row extends object>(
  deps: CallDeps,
  kind: StartedKind<State, Row>,
  { order, row, to: { connection }, now }: Adding<Row>,
): Promise<Outcome<State> | undefined> {
  const attempt = order.attempt + 1
  const sentReference = laterReference(order.sent_reference, attempt)
  const added = await deps.db.transaction(async (tx) => {
    const next = await addOrder(tx, order, { connectionId: connection.id, sentReference, now })
    if (!next) return undefined
    const to = { attempt, provider: connection.provider }
    return { order: next, row: (await kind.moved?.(tx, tenantOf(order), row, to)) ?? row }
  })
  return added && sendOrder(deps, kind, added.order, added.row, () => now)
}

async function claimForRequest({ db, providers }: CallDeps, order: OrderRow, now: Date) {
  if (order.sent_at === null) return db.transaction((tx) => claimUnsent(tx, order, now))
  const { startIsRepeatable } = await providers.holder(order.connection_id)
  if (startIsRepeatable) return { ...order, may_be_sent: true }
  const reference = laterReference(order.sent_reference, order.attempt + 1)
  return restartOrder(db, order, reference, now)
}

/**
 * Looks up an order and applies the result. Skips orders that have not been sent. `source` is
 * stored with a difference.
 */
export async function lookUpOrder(
  deps: CallDeps,
  kind: OrderKind,
  order: OrderRow,
  now: Date,
  source?: DifferenceSource,
): Promise<void> {
  const isMoved = order.state === 'Moved'
  if (order.sent_at === null && !isMoved) return
  const row = await kind.find(deps.db, tenantOf(order), order)
  if (!row) return
  const provider = await deps.providers.holder(order.connection_id)
  const effect = await lookUp(provider, kind, order, row, () => now)
  const about = { order, row, provider, source, now }
  const current = await currentOf(deps, order)
  if (current) await applyFormerReport(deps, kind, { ...about, current, isUnsent: false }, effect)
  else await applyOrOrderAgain(deps, kind, about, effect)
}

/**
 * Applies a provider's response to a change of an order that it has, which a person has requested.
 * After an unknown outcome, a lookup decides.
 */
export async function applyChangeReport<State extends OrderState, Row extends object>(
  deps: CallDeps,
  kind: OrderKind<State, Row>,
  order: OrderRow,
  row: Row,
  outcome: Outcome<State> & { kind: 'done' },
  now: Date,
): Promise<void> {
  const provider = await deps.providers.holder(order.connection_id)
  const effect = afterLookUp(order, outcome, provider, { askedAt: now, now })
  await applyReport(deps, kind, { order, row, provider, now }, effect)
}

/** Returns the order that has replaced this one. Any order of a charge can be paid. */
async function currentOf({ db }: CallDeps, order: OrderRow): Promise<OrderRow | undefined> {
  if (order.ended_at === null || order.kind === 'charge') return undefined
  const { kind, subject_id, attempt } = order
  const current = await selectCurrentOrder(db, tenantOf(order), kind, subject_id)
  return current && current.attempt !== attempt ? current : undefined
}

export type OrderKinds = Readonly<Partial<Record<OrderKindName, OrderKind>>>
