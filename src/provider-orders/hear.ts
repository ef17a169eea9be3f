import type { Database, Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import type { Provider } from '../providers/connector/types.ts'
import { type DifferenceSource, lockBooked, openDifference } from './differences.ts'
import { bookReportedFee } from './fees.ts'
import {
  type OrderKind,
  type OrderState,
  type ProviderReport,
  type StartedKind,
  tenantOf,
} from './kind.ts'
import { type Effect, isPaid, serviceOf } from './outcomes.ts'
import {
  giveUpOrder,
  hasEnded,
  hasOtherOpen,
  markContradicted,
  type OrderRow,
  selectCurrentOrder,
} from './queries.ts'
import { type Report, reportBatch, reportRow, storeReports } from './queries-reports.ts'

export interface HearDeps {
  db: Database
  ids: Ids
}

interface Heard<Row> {
  order: OrderRow
  row: Row
  provider: Provider
  /** Why the order was looked up; a lookup by default. */
  source?: DifferenceSource | undefined
  /** What to throw, storing nothing, if the order has ended or the record contradicts the state. */
  otherwise?: (() => Error) | undefined
  now: Date
}

type Applying<State extends OrderState, Row extends object> = Pick<
  OrderKind<State, Row>,
  'attemptOf' | 'apply'
>

/**
 * Stores what a provider reported about an order, and applies the reported state, if there is one.
 */
export async function hear<State extends OrderState, Row extends object>(
  deps: HearDeps,
  kind: Applying<State, Row>,
  heard: Heard<Row>,
  effect: Effect<State>,
): Promise<void> {
  const { db, ids } = deps
  const { report: said, state, mismatch } = effect
  const { order, source = 'look_up', otherwise, provider, now } = heard
  const current = await replacementOf(db, kind, heard)
  if (current) return hearOfFormer(deps, kind, { ...heard, current, isUnsent: false }, effect)
  const report = reportRow(order, said)
  const store = (work: (tx: Tx) => Promise<unknown>, options?: { statementMs: number }) =>
    db.transaction(async (tx) => {
      const booked = state && (await isBooked(tx, order, said, state))
      if (otherwise && (booked || (await hasEnded(tx, order)))) throw otherwise()
      if (!booked) await work(tx)
      if (booked) Object.assign(report, BOOKED, order.ended_at === null && ASKING)
      await storeReports(tx, [report])
    }, options)
  if (mismatch) {
    const how = { message: said.message, source, now }
    return store((tx) => openDifference(tx, ids, order, mismatch, how))
  }
  const note: ProviderReport<State, Row>['note'] = ({ isOpen } = { isOpen: false }) =>
    reportBatch(db).add(isOpen ? { ...report, new_state: undefined, is_end: false } : report)
  if (!state || (await canStillBePaid(db, order, state))) return note()
  await kind.apply({
    ...heard,
    tenant: tenantOf(order),
    state,
    report,
    note,
    commit: store,
    async contradict(tx, ours) {
      if (otherwise) throw otherwise()
      report.new_attention = 'contradiction'
      // The order keeps the state that the record has, with which its books agree.
      report.new_state = undefined
      await contradict(tx, ids, order, { state, ours, source, now })
    },
  })
  if (order.ended_at !== null) await bookReportedFee(db, ids, { order, state, provider, now })
}

/** What a person has booked does not change the record, but an open order needs a person. */
const BOOKED = { new_state: undefined, is_end: false }
const ASKING = { new_attention: 'contradiction' } as const

/**
 * Whether a person has booked the money that a report is about, as a difference. The same money
 * must not be booked again, and a report about an order that has ended can also take money back.
 */
async function isBooked(
  tx: Tx,
  order: OrderRow,
  { refs }: Pick<Report, 'refs'>,
  state: OrderState,
): Promise<boolean> {
  if (!isPaid(state) && order.ended_at === null) return false
  const kind = serviceOf(order.kind)
  const providerIds = [order.provider_id, refs?.id].filter((id) => typeof id === 'string')
  return lockBooked(tx, tenantOf(order), order.connection_id, { kind, providerIds, order })
}

/** Returns the order that has replaced this one since it was read. */
async function replacementOf<State extends OrderState, Row extends object>(
  db: Database,
  { attemptOf }: Applying<State, Row>,
  { order, row }: Pick<Heard<Row>, 'order' | 'row'>,
): Promise<OrderRow | undefined> {
  if (!attemptOf || attemptOf(row) <= order.attempt) return undefined
  const current = await selectCurrentOrder(db, tenantOf(order), order.kind, order.subject_id)
  return current && current.attempt > order.attempt ? current : undefined
}

/** Whether a charge has failed of which another order can still be paid. */
const canStillBePaid = async (db: Database, order: OrderRow, { status }: OrderState) =>
  order.kind === 'charge' && status === 'Failed' && (await hasOtherOpen(db, order))

/** Records that the provider reports another state than the record has. */
const contradict = (
  tx: Tx,
  ids: Ids,
  order: OrderRow,
  { state: { status, message }, ours, source, now }: Contradiction,
): Promise<void> =>
  openDifference(
    tx,
    ids,
    order,
    { field: 'status', ours, theirs: status },
    { message, source, now },
  )

interface Contradiction {
  state: OrderState
  ours: string
  source: DifferenceSource
  now: Date
}

interface HeardOfFormer<Row> extends Heard<Row> {
  /** The order that has replaced the former one. */
  current: OrderRow
  /** Whether this process has claimed the current order and has not sent it. */
  isUnsent: boolean
}

/**
 * Stores what a provider reported about an order that another one has replaced. If the former order
 * was paid and the current one has not been sent, the record is paid by the former, and the current
 * one never is. If both may have been paid, a person has to look at it, and nothing more is sent.
 */
export async function hearOfFormer<State extends OrderState, Row extends object>(
  { db, ids }: HearDeps,
  kind: Pick<StartedKind<State, Row>, 'apply'>,
  { order, row, provider, current, isUnsent, source = 'look_up', now }: HeardOfFormer<Row>,
  { report: said, state }: Effect<State>,
): Promise<void> {
  const report = reportRow(order, said)
  const note = () => reportBatch(db).add(report)
  if (!state || !isPaid(state)) return note()
  const commit: ProviderReport<State, Row>['commit'] = (work, options) =>
    db.transaction(async (tx) => {
      if (await isBooked(tx, order, said, state)) report.new_state = undefined
      else if (await giveUpOrder(tx, current, now, isUnsent)) await work(tx)
      else {
        await markContradicted(tx, current, now)
        const ours = `${current.state ?? 'Pending'}, as attempt ${current.attempt}`
        await contradict(tx, ids, order, { state, ours, source, now })
      }
      await storeReports(tx, [report])
    }, options)
  await kind.apply({
    ...{ order, row, provider, now, state, report, note, commit },
    tenant: tenantOf(order),
    contradict: (tx, ours) => contradict(tx, ids, order, { state, ours, source, now }),
  })
}
