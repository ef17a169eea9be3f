import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import type { OrderKind, ProviderReport } from '../../provider-orders/orders.ts'
import type { RefundState } from '../../providers/connector/types.ts'
import { throughOf } from '../../providers/providers.ts'
import { type FinishDeps, failRefund, processRefund } from './finish.ts'
import { markSent, moveRefund, type RefundRow, selectById, sharesOf } from './queries.ts'
import { refundEvent } from './record.ts'
import { refundMachine } from './states.ts'

export const refundOrders = (deps: FinishDeps): OrderKind<RefundState, RefundRow> => ({
  kind: 'refund',
  async find(db, tenant, { subject_id }) {
    const refund = await selectById(db, tenant, subject_id)
    return refund && refundMachine.isFinal(refund.status) ? undefined : refund
  },
  send: (provider, sending, { transaction_reference, amount_minor, currency }) =>
    provider.giveBack({
      ...sending,
      chargeReference: transaction_reference,
      amount_minor,
      currency,
    }),
  lookUp: (provider, tenant, reference) => provider.lookUpRefund(tenant, reference),
  refused: (message) => ({ status: 'Failed', message }),
  claimed: markSent,
  apply: (heard) => apply(deps, heard),
})

/** Moves a refund to the state that the provider reports, if its current state allows that. */
const apply = (
  deps: FinishDeps,
  { row, state, provider, now, commit }: ProviderReport<RefundState, RefundRow>,
): Promise<void> =>
  commit(async (tx) => {
    const { status, message } = state
    const through = throughOf(provider.connection)
    if (status === 'Successful') await processRefund(tx, deps, row, { message, now, through })
    else if (status === 'Failed') await failRefund(tx, deps, row, { message, now })
    else await moveOn(tx, deps, row, { status, message }, now)
  })

/**
 * Changes a refund's state if a person has to act, or has acted. Nothing changes if there has been
 * an event since the lookup.
 */
async function moveOn(
  tx: Tx,
  { ids }: Pick<Deps, 'ids'>,
  asked: RefundRow,
  { status, message }: RefundState,
  now: Date,
): Promise<void> {
  const isStuck = status === 'NeedsAttention'
  // Processing is reported only if the refund had another state before.
  if (!isStuck && asked.status !== 'NeedsAttention') return
  const { to, from } = isStuck ? refundMachine.moves.need_attention : refundMachine.moves.send
  const tenant = { businessId: asked.business_id, live: asked.live }
  const row = await moveRefund(tx, tenant, asked.id, {
    from,
    to,
    message,
    now,
    ifSequence: asked.event_sequence,
    isTold: isStuck,
  })
  if (!row || !isStuck) return
  const shares = (await sharesOf(tx, tenant, [row.id])).get(row.id) ?? []
  await appendEvents(tx, ids, [refundEvent('refund.needs_attention', row, shares, now)])
}
