import type { Database, Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import { SWEEP_ROWS_MAX, type Sweeper, workThrough } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import type { RefundState as Answer, Outcome, Provider } from '../../provider-orders/provider.ts'
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

/** How often a provider is asked about a refund of which it has told nothing. */
const AGAIN_MS = 60_000

/** And where somebody has to do something first. */
const LATER_MS = 60 * 60_000

/** Providers are waited for more than they are worked for. */
const ORDERS_AT_ONCE = 4

/**
 * Orders refunds, and asks about those of which nothing was heard. What it does is claimed, and the
 * claim committed, before the provider is told: after a crash in between it is asked first.
 */
export function refundSweeper(deps: OrderDeps): Sweeper {
  return {
    name: REFUND_SWEEPER,
    everyMs: 10_000,
    followsTestClock: true,
    async sweep(db: Database, now, only) {
      const due = await claimDue(db, dueAt(now), only ?? null, SWEEP_ROWS_MAX)
      await workThrough(due, ORDERS_AT_ONCE, (refund) => orderOrAsk(deps, refund, now))
      return due.length
    },
  }
}

function dueAt(now: Date) {
  const { to } = refundMachine.moves.send
  return {
    now,
    again: addMs(now, AGAIN_MS),
    later: addMs(now, LATER_MS),
    from: ['Pending'],
    to,
  } as const
}

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
  const refund = await claimOpen(deps.db, tenant, reference, dueAt(now))
  if (refund) await orderOrAsk(deps, refund, now)
}

/**
 * Orders a refund, or asks what became of one that may have been ordered before. Only when the
 * provider definitely does not know it is it ordered a second time, under the same reference.
 */
async function orderOrAsk(deps: OrderDeps, refund: ClaimedRefund, now: Date): Promise<void> {
  const provider = deps.providers.of(refund.live, refund.channel)
  const asked = refund.is_new ? 'never ordered' : await ask(provider, refund)
  const outcome = asked === 'never ordered' ? await order(provider, refund, now) : asked
  if (outcome.kind === 'unknown') return
  // An order that was refused: definitely nothing was given back.
  const answer =
    outcome.kind === 'done'
      ? outcome.value
      : ({ status: 'Failed', message: outcome.message } as const)
  await apply(deps, refund, answer, now)
}

const order = (
  provider: Provider,
  { business_id: businessId, live, ...refund }: RefundRow,
  now: Date,
): Promise<Outcome<Answer>> =>
  provider.giveBack({
    tenant: { businessId, live },
    reference: refund.reference,
    chargeReference: refund.transaction_reference,
    amount_minor: refund.amount_minor,
    currency: refund.currency,
    now,
  })

/** What became of it; an answer that decides nothing is `unknown`. */
async function ask(
  provider: Provider,
  { business_id: businessId, live, reference }: RefundRow,
): Promise<Outcome<Answer> | 'never ordered'> {
  const outcome = await provider.lookUpRefund({ businessId, live }, reference)
  if (outcome.kind !== 'refused') return outcome
  return outcome.code === 'unknown_order' ? 'never ordered' : { kind: 'unknown' }
}

/**
 * Asks the provider about a refund and acts on what it says; a notice only triggers this. A
 * reference that is none of ours, or of a refund that has ended, changes nothing.
 */
export async function lookUpRefund(
  deps: OrderDeps,
  tenant: Tenant,
  reference: string,
  now: Date,
): Promise<void> {
  const refund = await selectRefund(deps.db, tenant, reference)
  if (!refund || refund.sent_at === null || refundMachine.isFinal(refund.status)) return
  const outcome = await ask(deps.providers.of(tenant.live, refund.channel), refund)
  if (outcome === 'never ordered' || outcome.kind !== 'done') return
  await apply(deps, refund, outcome.value, now)
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
    lookUpAt: addMs(now, isStuck ? LATER_MS : AGAIN_MS),
    ifSequence: asked.event_sequence,
    isTold: isStuck,
  })
  if (!row || !isStuck) return
  const shares = (await sharesOf(tx, tenant, [row.id])).get(row.id) ?? []
  await appendEvents(tx, ids, [refundEvent('refund.needs_attention', row, shares, now)])
}
