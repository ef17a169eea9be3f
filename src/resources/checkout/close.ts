import type { Tx } from '../../db/database.ts'
import { notFound } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { SWEEP_ROWS_MAX, type Sweeper } from '../../sweepers/sweepers.ts'
import type { Deps } from '../deps.ts'
import { cancelOrder } from '../orders/service.ts'
import { givePagePlaceBack } from '../payment-pages/service.ts'
import { freeDiscount } from '../products/discounts/uses.ts'
import { releaseStock } from '../products/inventory/stock.ts'
import { abandonOpen } from '../transactions/expire.ts'
import { CHECKOUT_PURPOSE, receivedOf, tenantOf } from './paid-for.ts'
import { type CheckoutRow, lockCheckout, moveCheckout, selectDue } from './queries.ts'
import { checkoutMachine, stateAt } from './states.ts'

type CloseDeps = Pick<Deps, 'ids'>

/**
 * Ends an Open checkout that the transaction holds, without a payment: discount, place of the page
 * and goods are given back, its order is Cancelled, and no open way to pay it is left. Undefined
 * when it had ended before.
 */
export async function closeCheckout(
  tx: Tx,
  { ids }: CloseDeps,
  row: CheckoutRow,
  event: 'expire' | 'cancel',
  now: Date,
  cancelledBy: 'payer' | 'business' = 'business',
): Promise<CheckoutRow | undefined> {
  const tenant = tenantOf(row)
  const closed = await moveCheckout(tx, tenant, row.id, {
    ...checkoutMachine.moves[event],
    now,
    inTime: event === 'cancel',
    ...(event === 'cancel' && { cancelledBy }),
  })
  if (!closed) return undefined
  const { id, order_id, page_id, status } = closed
  if (order_id !== null) {
    await freeDiscount(tx, tenant, { causeId: id, now })
    const hadPlace = page_id !== null && closed.payer_reserves !== false
    if (hadPlace) await givePagePlaceBack(tx, tenant, page_id)
    await releaseStock(tx, tenant, { causeId: id, now })
    await cancelOrder(tx, tenant, order_id, now)
  }
  const paidFor = { purpose: CHECKOUT_PURPOSE, purposeId: id }
  await abandonOpen(tx, ids, tenant, paidFor, now, `The checkout is ${status}`)
  return closed
}

/** Ends a checkout that is not to be paid any more. Throws 409 unless it is Open. */
export async function cancelCheckout(
  tx: Tx,
  deps: CloseDeps,
  { businessId, live, now }: Tenant & { now: Date },
  id: number,
  cancelledBy: 'payer' | 'business' = 'business',
): Promise<CheckoutRow> {
  const row = await lockCheckout(tx, { businessId, live }, id)
  if (!row) throw notFound('checkout')
  const closed = await closeCheckout(tx, deps, row, 'cancel', now, cancelledBy)
  if (!closed) throw checkoutMachine.refused('cancel', stateAt(row, now))
  return closed
}

/** Cancels a checkout for its payer, if it is Open and nothing was received for it. */
export async function giveUp(
  tx: Tx,
  deps: CloseDeps,
  { businessId, live, now }: Tenant & { now: Date },
  id: number,
): Promise<void> {
  const row = await lockCheckout(tx, { businessId, live }, id)
  if (row?.status !== 'Open') return
  if ((await receivedOf(tx, row)).length > 0) return
  await closeCheckout(tx, deps, row, 'cancel', now, 'payer')
}

/** Ends what nobody paid in time; a payment at the same moment comes first or finds it ended. */
export function checkoutExpirySweeper(deps: CloseDeps): Sweeper {
  return {
    name: 'checkout-expiry',
    everyMs: 5_000,
    followsTestClock: true,
    async sweep(db, now, only) {
      const due = await selectDue(db, now, only ?? null, SWEEP_ROWS_MAX)
      let ended = 0
      for (const { business_id: businessId, live, id } of due) {
        const isEnded = await db.transaction(async (tx) => {
          const row = await lockCheckout(tx, { businessId, live }, id)
          // It may have been given more time meanwhile.
          if (!row || row.expires_at > now) return false
          return (await closeCheckout(tx, deps, row, 'expire', now)) !== undefined
        })
        if (isEnded) ended++
      }
      return ended
    },
  }
}
