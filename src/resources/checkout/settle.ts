import type { Tx } from '../../db/database.ts'
import type { NewEvent } from '../../events/append.ts'
import type { Deps } from '../deps.ts'
import { refundOrder } from '../orders/service.ts'
import { takeBackDiscount } from '../products/discounts/uses.ts'
import { takeBackStock } from '../products/inventory/stock.ts'
import { createRefund } from '../refunds/create.ts'
import type { GivenBack, Purpose, Receipt, Received } from '../transactions/purposes.ts'
import { closeCheckout } from './close.ts'
import { complete } from './complete.ts'
import { keptOf, keptOfAll, receivedOf } from './paid-for.ts'
import { lockCheckout, selectCheckout, selectCheckoutById } from './queries.ts'
import { selectShown } from './queries-shown.ts'

type SettleDeps = Pick<Deps, 'ids' | 'clock' | 'providers' | 'publicUrl' | 'nudge'>

const NOTHING: Received = { kept_minor: 0n, events: [] }

/** What payments do to checkouts: docs/decisions/0040-checkout.md. */
export function checkoutPurpose(deps: SettleDeps): Purpose {
  return {
    isSoldWhole: true,

    async lock(tx, tenant, id) {
      await lockCheckout(tx, tenant, id)
    },
    receive: (tx, receipt) => receive(tx, deps, receipt),
    refunded: (tx, refund) => refunded(tx, deps, refund),
    async transactionOf(db, tenant, reference) {
      const row = await selectCheckout(db, tenant, reference)
      if (!row) return undefined
      return (await selectShown(db, tenant, row.id)).transaction_reference ?? undefined
    },
  }
}

/**
 * The first payment in full makes it Paid; a part, where the business takes parts, counts towards
 * that. One after that is kept as an overpayment, for the merchant to give back. One after its time
 * is as good as in time when all is still to be had, and else goes back by itself.
 */
async function receive(tx: Tx, deps: SettleDeps, receipt: Receipt): Promise<Received> {
  const { tenant, transaction, amount_minor, now } = receipt
  const row = await selectCheckoutById(tx, tenant, transaction.purpose_id)
  if (!row || row.status === 'Paid' || amount_minor <= 0n) return NOTHING
  const isOpen = row.status === 'Open'
  const due_minor = row.amount_minor - keptOfAll(await receivedOf(tx, row), transaction.id)
  if (amount_minor < due_minor) {
    return isOpen ? { kept_minor: amount_minor, events: [] } : givenBack(deps, receipt)
  }
  const done = await complete(tx, deps, row, { transaction, now })
  if (done) return { kept_minor: due_minor, events: done.events }
  // Its time for the goods was over before its own, and somebody else has them now.
  if (isOpen) await closeCheckout(tx, deps, row, 'expire', now)
  return givenBack(deps, receipt)
}

/** None of it is kept; it goes back once it is in the books. */
const givenBack = (deps: SettleDeps, { tenant, transaction, now }: Receipt): Received => ({
  ...NOTHING,
  async afterwards(tx) {
    const reason = 'Paid when what it was for was not to be had any more'
    await createRefund(tx, deps, { ...tenant, now }, { transactionId: transaction.id, reason })
  },
})

/** When nothing is left of what paid it, goods and discount are to be had again. */
async function refunded(
  tx: Tx,
  deps: SettleDeps,
  { tenant, transaction, isFull, now }: GivenBack,
): Promise<NewEvent[]> {
  if (!isFull) return []
  const row = await selectCheckoutById(tx, tenant, transaction.purpose_id)
  if (row?.status !== 'Paid' || row.order_id === null) return []
  const received = await receivedOf(tx, row)
  if (received.some((one) => keptOf(one) > 0n)) return []
  const moment = { causeId: row.id, now }
  const events = await refundOrder(tx, deps, tenant, row.order_id, now)
  if (!events) return []
  await takeBackDiscount(tx, tenant, moment)
  await takeBackStock(tx, tenant, moment)
  return events
}
