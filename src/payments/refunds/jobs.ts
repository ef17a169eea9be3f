import type { Tx } from '../../db/database.ts'
import type { Log } from '../../db/log.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import type { Sweeper } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import {
  ASK_FIRST_MS,
  ASK_STUCK_MS,
  lookUp,
  orderOrLookUp,
  providerOrderJob,
} from '../../provider-orders/orders.ts'
import type { RefundState as Answer, RefundOrder } from '../../provider-orders/provider.ts'
import { type FinishDeps, failRefund, processRefund } from './finish.ts'
import {
  type ClaimedRefund,
  claimDue,
  claimOpen,
  moveRefund,
  type RefundRow,
  selectRefund,
  sharesOf,
} from './queries.ts'
import { refundEvent } from './record.ts'
import { refundMachine } from './states.ts'

export const REFUND_SWEEPER = 'refund-orders'

export type OrderDeps = FinishDeps & Pick<Deps, 'db' | 'providers'>

/** Orders refunds, and asks about those of which nothing was heard. */
export const refundSweeper = (deps: OrderDeps & { log: Log }): Sweeper =>
  providerOrderJob({
    name: REFUND_SWEEPER,
    log: deps.log,
    claim: claimDue,
    run: (tenant, refund, now) => giveBack(deps, tenant, refund, now),
  })

/**
 * Orders a refund at once, unless the provider knows it; for a test that cannot wait for a sweep. A
 * sweep that is about to order it too does so under the same reference.
 */
export async function orderRefundNow(
  deps: OrderDeps,
  tenant: Tenant,
  reference: string,
  now: Date,
): Promise<void> {
  const refund = await claimOpen(deps.db, tenant, reference, now)
  if (refund) await giveBack(deps, tenant, refund, now)
}

async function giveBack(deps: OrderDeps, tenant: Tenant, refund: ClaimedRefund, now: Date) {
  const { reference } = refund
  const provider = deps.providers.of(refund.live, refund.channel)
  const order: RefundOrder = {
    tenant,
    reference,
    chargeReference: refund.transaction_reference,
    amount_minor: refund.amount_minor,
    currency: refund.currency,
    now,
  }
  const state = await orderOrLookUp<Answer>({
    wasSent: refund.was_sent,
    send: () => provider.giveBack(order),
    lookUp: () => provider.lookUpRefund(tenant, reference),
    refused: (message) => ({ status: 'Failed', message }),
  })
  if (state) await apply(deps, refund, state, now)
}

/**
 * Asks the provider about a refund and acts on what it says; a notice only triggers this. A refund
 * that was not sent or has ended stays as it is. Answers whether the reference is a refund's.
 */
export async function lookUpRefund(
  deps: OrderDeps,
  tenant: Tenant,
  reference: string,
  now: Date,
): Promise<boolean> {
  const refund = await selectRefund(deps.db, tenant, reference)
  if (!refund) return false
  if (refund.sent_at === null || refundMachine.isFinal(refund.status)) return true
  const provider = deps.providers.of(tenant.live, refund.channel)
  const state = await lookUp(provider.lookUpRefund(tenant, reference))
  if (state && state !== 'never ordered') await apply(deps, refund, state, now)
  return true
}

/** Moves a refund to where the provider says it is, if it may go there from where it is. */
function apply(
  deps: OrderDeps,
  asked: RefundRow,
  { status, message }: Answer,
  now: Date,
): Promise<void> {
  return deps.db.transaction(async (tx) => {
    if (status === 'Successful') await processRefund(tx, deps, asked, { message, now })
    else if (status === 'Failed') await failRefund(tx, deps, asked, { message, now })
    else await moveOn(tx, deps, asked, { status, message }, now)
  })
}

/** Somebody has to do something, or did it. Nothing moves if more was heard since it was asked. */
async function moveOn(
  tx: Tx,
  { ids }: Pick<OrderDeps, 'ids'>,
  asked: RefundRow,
  { status, message }: Answer,
  now: Date,
): Promise<void> {
  const isStuck = status === 'NeedsAttention'
  // That it is under way is no news unless it was not.
  if (!isStuck && asked.status !== 'NeedsAttention') return
  const { to, from } = isStuck ? refundMachine.moves.need_attention : refundMachine.moves.send
  const tenant = { businessId: asked.business_id, live: asked.live }
  const row = await moveRefund(tx, tenant, asked.id, {
    from,
    to,
    message,
    now,
    lookUpAt: addMs(now, isStuck ? ASK_STUCK_MS.NeedsAttention : ASK_FIRST_MS),
    ifSequence: asked.event_sequence,
    isTold: isStuck,
  })
  if (!row || !isStuck) return
  const shares = (await sharesOf(tx, tenant, [row.id])).get(row.id) ?? []
  await appendEvents(tx, ids, [refundEvent('refund.needs_attention', row, shares, now)])
}
