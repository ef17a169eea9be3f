import { Gauge, type Registry } from 'prom-client'
import type { Db, Tx } from '../db/database.ts'
import type { Tenant } from '../lib/caller.ts'
import { conflict, invalid, notFound, Problem } from '../lib/problem.ts'
import type { IncomingPayment, Provider } from '../providers/connector/types.ts'
import { applyReport } from './apply-report.ts'
import type { OrderKind, OrderState } from './kind.ts'
import type { CallDeps, OrderKinds } from './orders.ts'
import {
  countUnresolved,
  type OrderKey,
  type OrderRow,
  selectCurrentOrder,
  selectOrder,
} from './queries.ts'
import {
  type DecisionRow,
  insertDecision,
  resetUnsent,
  selectProposed,
  takeForDecision,
  updateAgreed,
} from './queries-decisions.ts'

export { isNotStopped } from './queries.ts'
export {
  clearContradiction,
  type DecisionRow,
  isUnresolvedAt,
  selectDecisions,
  selectMailDue as findMailDue,
  updateMailed as noteMailed,
  updateProviderId as noteProviderId,
} from './queries-decisions.ts'

/**
 * What a person can decide about an order whose outcome is unknown. `send_again`: it was not paid,
 * and is sent once more.
 */
export const DECISIONS = ['paid', 'not_paid', 'send_again'] as const
export type Decision = (typeof DECISIONS)[number]

/**
 * Whether a person may have an order sent once more. A charge's payer starts another payment. If
 * the provider has said that it has the order, and nothing since that it does not, only its end is
 * unknown: some providers would carry out the order twice.
 */
export const canBeSentAgain = ({ kind, attention, state, absent_since }: OrderRow): boolean =>
  kind !== 'charge' && !(attention === 'unknown' && state !== null && absent_since === null)

/** Returns whether a person has to decide about an order before anything else. */
export async function isUnresolved(db: Db, tenant: Tenant, key: OrderKey): Promise<boolean> {
  const order = await selectOrder(db, tenant, key)
  return order?.attention != null && order.ended_at === null
}

export interface Deciding {
  decision: Decision
  reason: string
  /** The provider's number, for an order that was paid. */
  providerId?: string | undefined
  /** What the provider wrote, if no lookup says that the order was not paid. */
  statement?: string | undefined
  by: { id: number; name: string }
  /** Whether a second person has to agree, if there is one. */
  needsSecond: boolean
  now: Date
}

/** Runs in the transaction that stores the decision. */
type Recording = (tx: Tx, status: DecisionRow['status']) => Promise<unknown>

/**
 * Carries out what a person has decided about an order. The decision and `record` are stored before
 * the record changes, so that nothing is decided without a trace. Returns whether it was carried
 * out; if not, another person has to decide the same. Throws 404, and 409 if there is nothing to
 * decide.
 */
export async function decideOrder(
  deps: CallDeps,
  kinds: OrderKinds,
  tenant: Tenant,
  key: OrderKey,
  deciding: Deciding,
  record: Recording,
): Promise<boolean> {
  const order = await selectOrder(deps.db, tenant, key)
  if (!order) throw notFound('order')
  await requireDecidable(deps, tenant, order, deciding)
  const status = await deps.db.transaction(async (tx) => {
    if ((await takeForDecision(tx, order, deciding.now)) === 0) throw changed()
    const stored = await propose(deps, tx, tenant, order, deciding)
    await record(tx, stored)
    if (stored === 'Done' && deciding.decision === 'send_again') {
      await resetUnsent(tx, order, deciding.now)
    }
    return stored
  })
  if (status === 'Proposed') return false
  const kind = kinds[order.kind]
  if (kind && deciding.decision !== 'send_again') await apply(deps, kind, order, deciding)
  return true
}

const changed = () =>
  conflict(
    'unresolved_state',
    'The order is not in doubt, or has changed meanwhile: look at it again.',
  )

/** Throws what a person must do first. */
async function requireDecidable(
  { db }: Pick<CallDeps, 'db'>,
  tenant: Tenant,
  order: OrderRow,
  { decision, providerId, statement }: Deciding,
): Promise<void> {
  const current = await selectCurrentOrder(db, tenant, order.kind, order.subject_id)
  const isCurrent = current?.attempt === order.attempt
  if (order.ended_at !== null || order.sent_at === null || !isCurrent) {
    throw conflict('unresolved_state', 'Its outcome is known, so there is nothing to decide.')
  }
  if (decision === 'paid') {
    if (!providerId) throw invalid({ providerId: ['is needed for an order that was paid'] })
    return
  }
  if (decision === 'send_again' && !canBeSentAgain(order)) {
    const why =
      order.kind === 'charge' ? 'the payer starts another payment' : 'the provider has the order'
    throw invalid({ decision: [`cannot be send_again: ${why}`] })
  }
  if (order.absent_since === null && !statement) {
    const message = 'is needed, because no lookup says that it was not paid'
    throw invalid({ statement: [message] })
  }
}

async function propose(
  { ids }: Pick<CallDeps, 'ids'>,
  tx: Tx,
  tenant: Tenant,
  order: OrderRow,
  deciding: Deciding,
): Promise<DecisionRow['status']> {
  const { by, decision, needsSecond, providerId = null, now } = deciding
  const proposed = needsSecond ? await selectProposed(tx, tenant, order) : undefined
  if (proposed?.decision === decision && proposed.provider_id === providerId) {
    if (proposed.decided_by_id === by.id) {
      throw new Problem('forbidden', 'second_person_needed', 'Someone else has to agree to this.')
    }
    await updateAgreed(tx, tenant, proposed.id, by.name, now)
    return 'Done'
  }
  const status = needsSecond ? 'Proposed' : 'Done'
  await insertDecision(tx, order, { ...deciding, id: await ids.next(tx), status })
  return status
}

async function apply(
  deps: CallDeps,
  kind: OrderKind,
  order: OrderRow,
  { decision, providerId, by, now }: Deciding,
): Promise<void> {
  const tenant = { businessId: order.business_id, live: order.live }
  const row = await kind.find(deps.db, tenant, order)
  if (!row) return
  const provider = await deps.providers.holder(order.connection_id)
  const message = `Decided by ${by.name}`
  const state: OrderState =
    decision === 'paid'
      ? paidState(order, provider, providerId!, message, now)
      : kind.refused(message)
  const refs = providerId ? { id: providerId } : undefined
  const report = { outcome: 'done', state: state.status, message, refs, now } as const
  // What the provider has reported meanwhile wins.
  const otherwise = changed
  await applyReport(deps, kind, { order, row, provider, otherwise, now }, { report, state })
}

/** A charge is received as a payment, so that the provider's own report of it finds it again. */
function paidState(
  order: OrderRow,
  provider: Provider,
  providerId: string,
  message: string,
  now: Date,
): OrderState {
  const state = { status: 'Successful', message }
  const { amount_minor, currency } = order
  if (order.kind !== 'charge' || provider.isSimulator || amount_minor === null || !currency) {
    return state
  }
  const payment: IncomingPayment = {
    providerId,
    amount_minor,
    currency,
    fee_minor: null,
    receivedAt: now,
    disposition: 'kept',
    sender: null,
  }
  return Object.assign(state, { payments: [payment] })
}

/** Adds a metric for the orders that a person has to look at. */
export const unresolvedOrders = (db: Db) => ({
  measure(registry: Registry): void {
    new Gauge({
      name: 'tradepost_provider_orders_unresolved',
      help: 'Orders that a person has to look at, by kind and reason.',
      labelNames: ['kind', 'reason'] as const,
      // Every process counts the same rows.
      aggregator: 'max',
      registers: [registry],
      async collect() {
        const rows = await countUnresolved(db).catch(() => [])
        this.reset()
        for (const { kind, attention, count } of rows) this.set({ kind, reason: attention }, count)
      },
    })
  },
})
