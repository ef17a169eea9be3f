import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import {
  findPaidOrder,
  type OrderKind,
  type ProviderReport,
  sentOf,
} from '../../provider-orders/orders.ts'
import type { RefundState, SentOrder } from '../../providers/connector/types.ts'
import { throughOf } from '../../providers/providers.ts'
import { paymentIdOf } from '../deposits/receive.ts'
import { type FinishDeps, failRefund, processRefund } from './finish.ts'
import { markSent, moveRefund, type RefundRow, selectById, sharesOf } from './queries.ts'
import { refundEvent } from './record.ts'
import { refundMachine } from './schemas.ts'

/** A refund with what the provider knows its payment by. */
interface Refunding extends RefundRow {
  charge: SentOrder
  paymentId: string | null
}

export const refundOrders = (deps: FinishDeps): OrderKind<RefundState, Refunding> => ({
  kind: 'refund',
  async find(db, tenant, { subject_id }) {
    const refund = await selectById(db, tenant, subject_id)
    if (!refund) return undefined
    const paid = await findPaidOrder(db, tenant, refund.transaction_id)
    const charge = paid ? sentOf(paid) : unordered(refund)
    return { ...refund, charge, paymentId: await paymentIdOf(db, tenant, refund.transaction_id) }
  },
  send: (provider, { about, reference }, { charge, paymentId, amount_minor, currency, reason }) =>
    provider.refund(about, { reference, charge, paymentId, amount_minor, currency, reason }),
  lookUp: (provider, about, sent, { charge }) => provider.lookUpRefund(about, { ...sent, charge }),
  refused: (message) => ({ status: 'Failed', message }),
  claimed: markSent,
  apply: (heard) => apply(deps, heard),
})

/** Payments that ended before orders were stored for them have none; the simulator took them. */
const unordered = ({ transaction_reference, created_at, currency }: RefundRow): SentOrder => ({
  reference: transaction_reference,
  refs: {},
  sentAt: created_at,
  amount_minor: null,
  currency,
})

/** Moves a refund to the state that the provider reports, if its current state allows that. */
const apply = (
  deps: FinishDeps,
  { tenant, row, state, provider, now, commit, contradict }: ProviderReport<RefundState, Refunding>,
): Promise<void> =>
  commit(async (tx) => {
    const { status, message } = state
    if (status === 'Pending' || status === 'NeedsAttention') {
      return moveOn(tx, deps, row, { status, message }, now)
    }
    const through = throughOf(provider.connection)
    const moved =
      status === 'Successful'
        ? await processRefund(tx, deps, row, { message, now, through })
        : await failRefund(tx, deps, row, { message, now })
    if (moved) return
    const ended = (await selectById(tx, tenant, row.id)) ?? row
    const expected = status === 'Successful' ? 'Processed' : 'Failed'
    if (ended.status !== expected) await contradict(tx, ended.status)
  })

/** Changes a refund's state if a person has to act, or has acted. */
async function moveOn(
  tx: Tx,
  deps: Pick<Deps, 'ids'>,
  asked: RefundRow,
  { status, message }: RefundState,
  now: Date,
): Promise<void> {
  if (status === 'NeedsAttention') return needAttention(tx, deps, asked, { message, now })
  // Processing is reported only if the refund had another state before.
  if (asked.status !== 'NeedsAttention') return
  const { to, from } = refundMachine.moves.send
  const tenant = { businessId: asked.business_id, live: asked.live }
  const change = { from, to, message, now, ifStill: asked, hasEvent: false }
  await moveRefund(tx, tenant, asked.id, change)
}

/** Marks a refund for a person to act on. Does nothing if it has moved since it was read. */
export async function needAttention(
  tx: Tx,
  { ids }: Pick<Deps, 'ids'>,
  seen: RefundRow,
  { message, now }: { message: string; now: Date },
): Promise<void> {
  const { to, from } = refundMachine.moves.need_attention
  const tenant = { businessId: seen.business_id, live: seen.live }
  const change = { from, to, message, now, ifStill: seen, hasEvent: true }
  const row = await moveRefund(tx, tenant, seen.id, change)
  if (!row) return
  const shares = (await sharesOf(tx, tenant, [row.id])).get(row.id) ?? []
  await appendEvents(tx, ids, [refundEvent('refund.needs_attention', row, shares, now)])
}
