import type { Database, Db, Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import { bookedFeesOf, bookProviderFee, type Cause } from '../ledger/ledger.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'
import type { Connection, Provider } from '../providers/connector/types.ts'
import { throughOf } from '../providers/providers.ts'
import { type DifferenceSource, lockBooked, openDifference } from './differences.ts'
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
  markContradicted,
  type OrderKindName,
  type OrderRow,
  selectCurrentOrder,
} from './queries.ts'
import { type Report, reportBatch, reportRow, storeReports } from './queries-reports.ts'

export interface ReportDeps {
  db: Database
  ids: Ids
}

interface Reported<Row> {
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
export async function applyReport<State extends OrderState, Row extends object>(
  deps: ReportDeps,
  kind: Applying<State, Row>,
  reported: Reported<Row>,
  effect: Effect<State>,
): Promise<void> {
  const { db, ids } = deps
  const { report: said, state, mismatch } = effect
  const { order, source = 'look_up', otherwise, provider, now } = reported
  const current = await replacementOf(db, kind, reported)
  if (current)
    return applyFormerReport(deps, kind, { ...reported, current, isUnsent: false }, effect)
  const first = reportRow(order, said)
  const report = { ...first }
  const store = (work: (tx: Tx) => Promise<unknown>, options?: { statementMs: number }) =>
    db.transaction(async (tx) => {
      // What an attempt that was rolled back has found does not count.
      Object.assign(report, first)
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
  if (!state) return note()
  await kind.apply({
    ...reported,
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
  { order, row }: Pick<Reported<Row>, 'order' | 'row'>,
): Promise<OrderRow | undefined> {
  if (!attemptOf || attemptOf(row) <= order.attempt) return undefined
  const current = await selectCurrentOrder(db, tenantOf(order), order.kind, order.subject_id)
  return current && current.attempt > order.attempt ? current : undefined
}

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

interface FormerReport<Row> extends Reported<Row> {
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
export async function applyFormerReport<State extends OrderState, Row extends object>(
  { db, ids }: ReportDeps,
  kind: Pick<StartedKind<State, Row>, 'apply'>,
  { order, row, provider, current, isUnsent, source = 'look_up', now }: FormerReport<Row>,
  { report: said, state }: Effect<State>,
): Promise<void> {
  const first = reportRow(order, said)
  const report = { ...first }
  const note = () => reportBatch(db).add(report)
  if (!state || !isPaid(state)) return note()
  const commit: ProviderReport<State, Row>['commit'] = (work, options) =>
    db.transaction(async (tx) => {
      Object.assign(report, first)
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
    order,
    row,
    provider,
    now,
    state,
    report,
    note,
    commit,
    tenant: tenantOf(order),
    contradict: (tx, ours) => contradict(tx, ids, order, { state, ours, source, now }),
  })
}

const CAUSES: Record<OrderKindName, string> = {
  charge: 'transaction',
  transfer: 'transfer',
  settlement: 'settlement',
  refund: 'refund',
  deposit_return: 'deposit',
  bill: 'utility_payment',
  dispute_response: 'dispute_response',
}

/** Returns the cause of the journals that an order's record has. */
export const causeOf = ({ kind, subject_id }: Pick<OrderRow, 'kind' | 'subject_id'>): Cause => ({
  type: CAUSES[kind],
  id: subject_id,
})

/**
 * Returns what the provider keeps of an order; null until it says. A charge's fee is that of its
 * payment, and some fees are known only from the provider's lists, so both are read from the books.
 */
export async function feeOfOrder(
  db: Db,
  tenant: Tenant,
  order: OrderRow & { fee_minor: Minor | null },
): Promise<Minor | null> {
  if (order.fee_minor !== null || !isPaid({ status: order.state ?? '' })) return order.fee_minor
  const [booked] = await bookedFeesOf(db, tenant, order.connection_id, [causeOf(order)])
  return booked?.fee_minor ?? null
}

interface FeeReport {
  order: OrderRow
  state: OrderState
  provider: Provider
  now: Date
}

/** Books a fee that a provider reports of an order that was paid before the fee was known. */
async function bookReportedFee(
  db: Database,
  ids: Ids,
  { order, state: { fee_minor }, provider, now }: FeeReport,
): Promise<void> {
  if (!fee_minor || !isPaid({ status: order.state ?? '' })) return
  await db.transaction((tx) =>
    bookOrderFee(tx, ids, provider.connection, { order, fee_minor, now }),
  )
}

/** Returns false if a fee of the order's record has been booked before. */
function bookOrderFee(
  tx: Tx,
  ids: Ids,
  connection: Connection,
  { order, fee_minor, now }: { order: OrderRow; fee_minor: Minor; now: Date },
): Promise<boolean> {
  const { currency } = order
  if (!currency) return Promise.resolve(false)
  const through = throughOf(connection, fee_minor)
  return bookProviderFee(tx, ids, tenantOf(order), {
    cause: causeOf(order),
    through,
    currency,
    now,
  })
}
