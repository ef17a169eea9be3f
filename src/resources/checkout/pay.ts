import type { Tx } from '../../db/database.ts'
import { addMs } from '../../lib/clock.ts'
import { conflict, notFound } from '../../lib/problem.ts'
import { bankOf } from '../../providers/banks.ts'
import type { Channel } from '../../providers/provider.ts'
import { termsOf } from '../businesses/terms.ts'
import type { Deps } from '../deps.ts'
import { updateOrderAttempt } from '../orders/service.ts'
import { renewDiscount } from '../products/discounts/uses.ts'
import { renewStock } from '../products/inventory/stock.ts'
import { chooseWay } from '../transactions/attempts.ts'
import type { TransactionRow } from '../transactions/service.ts'
import { askProvider, OPEN_MS } from '../transactions/start.ts'
import { keptOfAll, paidForOf, receivedOf, tenantOf } from './paid-for.ts'
import { type CheckoutRow, lockCheckout, updateAttempt } from './queries.ts'
import type { At } from './start.ts'
import { checkoutMachine, stateAt } from './states.ts'

type PayDeps = Pick<Deps, 'db' | 'ids' | 'providers'>

/** How a payer wants to pay. */
export interface Way {
  channel: Channel
  /** Of the bank whose code is dialled; null for the first. */
  bankCode: string | null
  /** When it ends, where that is not with the channel's own time or with the checkout. */
  expiresAt?: Date
}

/**
 * Opens a way to pay a checkout, or shows again the one that is open. Throws 409 when it is not to
 * be paid any more, when its goods are gone, or when the bank refuses.
 */
export async function payCheckout(deps: PayDeps, caller: At, id: number, way: Way): Promise<void> {
  const { businessId, live, now } = caller
  const row = await deps.db.transaction((tx) => prepareWay(tx, deps, caller, id, way))
  const tenant = { businessId, live }
  const { name } = await termsOf(deps.db, tenant)
  await askProvider(deps, tenant, row, { now, name })
}

/** The half of it before the provider is asked. */
export async function prepareWay(
  tx: Tx,
  deps: Pick<PayDeps, 'ids' | 'providers'>,
  { businessId, live, now }: At,
  id: number,
  { channel, bankCode, expiresAt }: Way,
): Promise<TransactionRow> {
  const tenant = { businessId, live }
  const row = await lockCheckout(tx, tenant, id)
  if (!row) throw notFound('checkout')
  refuseEnded(row, now)
  if (!row.channels.includes(channel)) {
    throw conflict('channel_not_offered', `This checkout is not paid by ${channel}.`)
  }
  const until = expiresAt ?? least(addMs(now, OPEN_MS[channel]), row.expires_at)
  if (row.order_id !== null) {
    const moment = { causeId: id, expiresAt: until, now }
    if (row.payer_reserves !== false) {
      await renewDiscount(tx, tenant, { ...moment, field: 'discountCode' })
    }
    await renewStock(tx, deps.ids, tenant, moment)
  }
  const due_minor = row.amount_minor - keptOfAll(await receivedOf(tx, row))
  const transaction = await chooseWay(
    tx,
    deps,
    await termsOf(tx, tenant),
    paidForOf(row, due_minor, now),
    {
      channel,
      bankCode: bankCode && bankOf(bankCode)?.ussdTemplate ? bankCode : null,
      expiresAt: until,
    },
  )
  await standFor(tx, row, transaction, now)
  return transaction
}

const least = (a: Date, b: Date) => (a < b ? a : b)

/** Throws 409 for one that nothing can be paid for now. */
export function refuseEnded(row: CheckoutRow, now: Date): void {
  const shown = stateAt(row, now)
  if (shown !== 'Open') throw checkoutMachine.refused('pay', shown)
}

/** The newest attempt stands for a checkout and its order. */
async function standFor(
  tx: Tx,
  row: CheckoutRow,
  { id: transactionId, expires_at: expiresAt }: TransactionRow,
  now: Date,
): Promise<void> {
  if (row.transaction_id === transactionId && expiresAt <= row.expires_at) return
  const tenant = tenantOf(row)
  await updateAttempt(tx, tenant, row.id, { transactionId, expiresAt, now })
  if (row.order_id !== null) await updateOrderAttempt(tx, tenant, row.order_id, transactionId)
}
