import type { Tx } from '../../db/database.ts'
import { addMs } from '../../lib/clock.ts'
import { notFound } from '../../lib/problem.ts'
import type { Deps } from '../deps.ts'
import { reopenOrder } from '../orders/service.ts'
import { renewDiscount } from '../products/discounts/uses.ts'
import { renewStock } from '../products/inventory/stock.ts'
import { closeCheckout } from './close.ts'
import { tenantOf } from './paid-for.ts'
import { type CheckoutRow, lockCheckout, moveCheckout } from './queries.ts'
import { type At, STOCK_MS } from './start.ts'
import { checkoutMachine, stateAt } from './states.ts'

/** How long after its end a payer can start a checkout again. */
const AGAIN_MS = 24 * 3_600_000
/** How long after it was created, as its prices are of that day. */
const AGAIN_AT_MOST_MS = 3 * AGAIN_MS

/**
 * Whether its payer can start it again under the same reference: within a day, if it expired or if
 * they cancelled it. One that began on a payment page starts again there, at today's prices.
 */
export function canReopen(row: CheckoutRow, now: Date): boolean {
  if (row.page_id !== null) return false
  const state = stateAt(row, now)
  const isTheirs = state === 'Expired' || (state === 'Cancelled' && row.cancelled_by === 'payer')
  const ended = state === 'Expired' ? row.expires_at : row.updated_at
  const isYoung = now < addMs(row.created_at, AGAIN_AT_MOST_MS)
  return isTheirs && isYoung && now < addMs(ended, AGAIN_MS)
}

const OPEN_MS = 30 * 60_000

/**
 * Starts a checkout again: it is Open for half an hour, with its goods and discount reserved. One
 * that is Open stays as it is. Throws 409 for one that ended for good, and for goods that are gone;
 * 400 for a discount that is.
 */
export async function reopenCheckout(
  tx: Tx,
  deps: Pick<Deps, 'ids'>,
  { businessId, live, now }: At,
  id: number,
): Promise<void> {
  const found = await lockCheckout(tx, { businessId, live }, id)
  if (!found) throw notFound('checkout')
  if (stateAt(found, now) === 'Open') return
  if (!canReopen(found, now)) throw checkoutMachine.refused('reopen', stateAt(found, now))
  // The sweeper may not have come by yet.
  const row = (await closeCheckout(tx, deps, found, 'expire', now)) ?? found
  const tenant = tenantOf(row)
  const expiresAt = addMs(now, OPEN_MS)
  if (row.order_id !== null) {
    await renewDiscount(tx, tenant, { causeId: id, expiresAt, now, field: 'discountCode' })
    await renewStock(tx, deps.ids, tenant, { causeId: id, expiresAt: addMs(now, STOCK_MS), now })
    await reopenOrder(tx, tenant, row.order_id, now)
  }
  const reopened = await moveCheckout(tx, tenant, id, {
    ...checkoutMachine.moves.reopen,
    now,
    expiresAt,
  })
  if (!reopened) throw new Error(`The checkout ${id} was ${row.status}, and is not`)
}
