/**
 * How the server sends a charge, transfer, settlement, refund or bill payment to a provider,
 * exactly once.
 *
 *                     ┌── was never sent ──► send ──┐
 *   due ─► claim ─────┤                    ▲        ├─► apply ─► ended, or due again
 *                     └── was sent ──► look up ─────┘
 *                              never ordered
 *
 * 1. **Due**: each order is a row in `provider_orders`, written in the same statement as its record
 *    (`newOrders`). The request commits both and wakes the job. `next_at` is the time at which the
 *    order is due.
 * 2. **Claim**: one statement records that the order is being sent (`sent_at`), schedules the next
 *    lookup, and commits. No two processes ever claim the same order at the same time.
 * 3. **Send or look up**: the job calls the order's provider, outside any transaction. If the order
 *    was claimed before, the process that claimed it may have died before or after sending it, so
 *    the job looks up the order first. Only after the response `unknown_order` is the order sent
 *    again, under the same reference, so that the provider treats it as the same order.
 * 4. **Apply**: one transaction moves the money, writes the events, and ends the order. The `where`
 *    clause of each update names the states that it can leave, so late and repeated responses have
 *    no effect.
 *
 * A timeout counts as `unknown`, like any inconclusive response. An unknown outcome never ends an
 * order and never causes a second one: the order is looked up again when it is next due or when a
 * notification arrives. `notNow` means that the provider has not accepted the order, so it is sent
 * again later. Notifications are not trusted: they only cause a lookup of the order with their
 * reference.
 *
 * Each slice describes its kind of order (`OrderKind`): what to send, how to look it up, and what
 * effect each response has. Only this folder writes `provider_orders`.
 */

import type { Database, Tx } from '../db/database.ts'
import type { Log } from '../db/log.ts'
import { forEachConcurrent, JOB_ROWS_MAX, type Job } from '../jobs/jobs.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Notification, Outcome, Provider, Providers } from '../providers/connector/types.ts'
import {
  type ClaimedOrder,
  claimDue,
  claimOpen,
  type OrderKey,
  type OrderKindName,
  type OrderRow,
  ordersBySent,
  type ReportRow,
  reportBatch,
  reportRow,
  selectDue,
  storeReports,
} from './queries.ts'

export {
  type OrderKindName,
  type OrderRow,
  REPORT_ROW,
  type ReportRow,
  selectCurrentOrder as findCurrentOrder,
  selectOrder as findOrder,
  updateReported,
} from './queries.ts'

/** The state of an order, with a human-readable reason. */
interface OrderState {
  status: string
  message: string
}

/** One kind of order. The folder that owns its records describes it. */
export interface OrderKind<
  State extends OrderState = OrderState,
  // biome-ignore lint/complexity/noBannedTypes: any record
  Row extends object = {},
> {
  kind: OrderKindName
  /** The longest time between two lookups. Default: ten minutes. */
  askMostMs?: number
  /** Finds an order's record. Returns `undefined` if the provider can no longer change it. */
  find(db: Database, tenant: Tenant, order: OrderRow): Promise<Row | undefined>
  send(provider: Provider, order: OrderAttempt, row: Row): Promise<Outcome<State>>
  lookUp(provider: Provider, tenant: Tenant, sentReference: string): Promise<Outcome<State>>
  /** Returns the state of an order that the provider refused, and that therefore had no effect. */
  refused(message: string): State
  /** Makes further changes when orders that have not been sent before are claimed. */
  claimed?(tx: Tx, tenant: Tenant, ids: number[], now: Date): Promise<unknown>
  apply(heard: ProviderReport<State, Row>): Promise<unknown>
}

/** What to send. The reference lets the provider recognise the same order each time. */
export interface OrderAttempt {
  tenant: Tenant
  reference: string
  attempt: number
  now: Date
}

export interface ProviderReport<State, Row> {
  tenant: Tenant
  order: OrderRow
  row: Row
  state: State
  provider: Provider
  now: Date
  /** The report in its stored form, for kinds that store many reports in one statement. */
  report: ReportRow
  /** Stores the report, if it does not change the record. */
  note(): Promise<void>
  /** Runs `work` in the same transaction that stores the report. */
  commit<T>(work: (tx: Tx) => Promise<T>, options?: { statementMs: number }): Promise<T>
}

export interface OrderDeps {
  db: Database
  providers: Providers
  log: Log
}

type AskDeps = Pick<OrderDeps, 'db' | 'providers'>

/** Returns the name of the job that sends and looks up orders of one kind. */
export const orderJobName = (kind: OrderKindName): string => `${kind}-orders`

/** How many orders are sent at once. Most of the time is spent waiting for the provider. */
const ORDERS_AT_ONCE = 4

/**
 * How many orders one claim takes. The last of them is sent long before another process could claim
 * it again.
 */
const CLAIM_ROWS = 5

const ASK_MOST_MS = 10 * 60_000

/**
 * Returns the job that sends or looks up every due order of one kind. Each kind has its own job, so
 * that payers do not wait for a slow biller. If one order throws, the error is logged and the
 * others continue. The order is already claimed, so it becomes due again later.
 */
export function orderJob(deps: OrderDeps, kind: OrderKind): Job {
  const name = orderJobName(kind.kind)
  async function runLogged(order: ClaimedOrder, now: Date): Promise<void> {
    try {
      await runFound(deps, kind, order, now)
    } catch (err) {
      const { business_id: businessId, live, reference } = order
      const fields = { err, job: name, businessId, live, reference }
      deps.log.warn(fields, 'an order failed; it will be looked up again')
    }
  }
  return {
    name,
    everyMs: 10_000,
    followsTestClock: true,
    async run(db, now, only) {
      const limit = JOB_ROWS_MAX
      const due = await selectDue(db, { kind: kind.kind, now, only: only ?? null, limit })
      const groups = [...Map.groupBy(due, (row) => `${row.business_id} ${row.live}`).values()]
      let claimed = 0
      await forEachConcurrent(groups.flatMap(portionsOf), ORDERS_AT_ONCE, async (rows) => {
        const orders = await claim(db, kind, rows, now)
        claimed += orders.length
        for (const order of orders) await runLogged(order, now)
      })
      return claimed
    },
  }
}

const portionsOf = <Row>(rows: Row[]): Row[][] =>
  Array.from({ length: Math.ceil(rows.length / CLAIM_ROWS) }, (_, i) =>
    rows.slice(i * CLAIM_ROWS, (i + 1) * CLAIM_ROWS),
  )

type DueRows = Awaited<ReturnType<typeof selectDue>>

/** Commits before it returns. All rows must belong to one business. */
function claim(db: Database, kind: OrderKind, rows: DueRows, now: Date): Promise<ClaimedOrder[]> {
  const [{ business_id: businessId, live } = { business_id: 0, live: false }] = rows
  const tenant = { businessId, live }
  const { kind: name, askMostMs = ASK_MOST_MS } = kind
  return db.transaction(async (tx) => {
    const orders = await claimDue(tx, tenant, { kind: name, rows, now, askMostMs })
    const ids = orders.filter((one) => !one.may_be_sent).map((one) => one.subject_id)
    if (ids.length > 0) await kind.claimed?.(tx, tenant, ids, now)
    return orders
  })
}

/**
 * Sends an open order at once, unless the provider already has it, for tests that can't wait for
 * the job. If the job sends it at the same time, both use the same reference.
 */
export async function sendOrderNow(
  deps: OrderDeps,
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
  if (order) await runFound(deps, kind, order, now)
}

async function runFound(
  deps: OrderDeps,
  kind: OrderKind,
  order: ClaimedOrder,
  now: Date,
): Promise<void> {
  const row = await kind.find(deps.db, tenantOf(order), order)
  if (row) await runOrder(deps, kind, order, row, () => now)
}

/**
 * Sends a claimed order, or looks it up if it may have been sent before, and applies the response.
 * The call can take a while, so `clock` is read before and after it.
 */
export async function runOrder<State extends OrderState, Row extends object>(
  deps: AskDeps,
  kind: OrderKind<State, Row>,
  order: ClaimedOrder,
  row: Row,
  clock: () => Date,
): Promise<void> {
  const provider = await deps.providers.holder(order.connection_id)
  const answer = order.may_be_sent ? await lookUp(provider, kind, order) : NEVER_ORDERED
  if (answer === NEVER_ORDERED) await sendOrder(deps, kind, order, row, clock)
  else await hear(deps, kind, { order, row, provider, now: clock() }, answer)
}

/**
 * Sends an order and applies the response. A request that sends its order again skips the lookup if
 * only the response to sending contains the data that the payer needs.
 */
export async function sendOrder<State extends OrderState, Row extends object>(
  deps: AskDeps,
  kind: Pick<OrderKind<State, Row>, 'send' | 'refused' | 'apply'>,
  order: OrderRow,
  row: Row,
  clock: () => Date,
): Promise<Outcome<State>> {
  const provider = await deps.providers.holder(order.connection_id)
  const { sent_reference: reference, attempt } = order
  const sending = { tenant: tenantOf(order), reference, attempt, now: clock() }
  const answer = await kind.send(provider, sending, row)
  await hear(deps, kind, { order, row, provider, now: clock() }, answer)
  return answer
}

const tenantOf = ({ business_id: businessId, live }: OrderRow): Tenant => ({ businessId, live })

const NEVER_ORDERED = 'never ordered'

type Answer<State> = Outcome<State> | typeof NEVER_ORDERED

/** A refused lookup is inconclusive, unless the provider does not have the order. */
async function lookUp<State extends OrderState, Row extends object>(
  provider: Provider,
  kind: OrderKind<State, Row>,
  order: OrderRow,
): Promise<Answer<State>> {
  const outcome = await kind.lookUp(provider, tenantOf(order), order.sent_reference)
  if (outcome.kind !== 'refused') return outcome
  if (outcome.code === 'unknown_order') return NEVER_ORDERED
  return { kind: 'unknown', reason: 'inconclusive', message: outcome.message }
}

/**
 * Stores what a provider reported about an order, and applies the reported state, if there is one.
 */
async function hear<State extends OrderState, Row extends object>(
  { db }: AskDeps,
  kind: Pick<OrderKind<State, Row>, 'refused' | 'apply'>,
  about: { order: OrderRow; row: Row; provider: Provider; now: Date },
  answer: Answer<State>,
): Promise<void> {
  if (answer === NEVER_ORDERED) return
  const { order, now } = about
  const state = stateOf(kind, answer)
  const report = reportRow(order, {
    outcome: answer.kind,
    state: state?.status ?? null,
    refs: 'refs' in answer ? answer.refs : undefined,
    retryAfterMs: answer.kind === 'notNow' ? pauseOf(answer.retryAfterMs) : undefined,
    now,
  })
  const note = () => reportBatch(db).add(report)
  if (!state) return note()
  await kind.apply({
    ...about,
    tenant: tenantOf(order),
    state,
    report,
    note,
    commit: (work, options) =>
      db.transaction(async (tx) => {
        const result = await work(tx)
        await storeReports(tx, [report])
        return result
      }, options),
  })
}

const PAUSE_MS = { least: 1_000, most: 60 * 60_000 }

/** Waits as long as the provider asks, within limits. */
const pauseOf = (ms: number | undefined) =>
  ms === undefined ? undefined : Math.min(Math.max(ms, PAUSE_MS.least), PAUSE_MS.most)

function stateOf<State extends OrderState>(
  kind: { refused(message: string): State },
  answer: Outcome<State>,
): State | undefined {
  if (answer.kind === 'done') return answer.value
  return answer.kind === 'refused' ? kind.refused(answer.message) : undefined
}

/** Looks up an order and applies the result. Skips orders that have not been sent. */
export async function lookUpOrder(
  deps: AskDeps,
  kind: OrderKind,
  order: OrderRow,
  now: Date,
): Promise<void> {
  if (order.sent_at === null) return
  const row = await kind.find(deps.db, tenantOf(order), order)
  if (!row) return
  const provider = await deps.providers.holder(order.connection_id)
  await hear(deps, kind, { order, row, provider, now }, await lookUp(provider, kind, order))
}

type OrderKinds = Readonly<Partial<Record<OrderKindName, OrderKind>>>

/** Returns a function that looks up the order in a notification. It ignores unknown orders. */
export function notificationHandler(deps: AskDeps, kinds: OrderKinds) {
  return async ({ tenant, reference }: Notification, now: Date): Promise<void> => {
    const found = { tenant, sentReference: reference }
    for (const order of await ordersBySent(deps.db).add(found)) {
      const kind = kinds[order.kind]
      if (kind) await lookUpOrder(deps, kind, order, now)
    }
  }
}
