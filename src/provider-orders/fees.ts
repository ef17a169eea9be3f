import type { Database, Db, Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import { bookedFeesOf, bookProviderFee, type Cause } from '../ledger/ledger.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'
import type { Connection, Provider } from '../providers/connector/types.ts'
import { throughOf } from '../providers/providers.ts'
import { type OrderState, tenantOf } from './kind.ts'
import { isPaid } from './outcomes.ts'
import type { OrderKindName, OrderRow } from './queries.ts'

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

interface Reported {
  order: OrderRow
  state: OrderState
  provider: Provider
  now: Date
}

/** Books a fee that a provider reports of an order that was paid before the fee was known. */
export async function bookReportedFee(
  db: Database,
  ids: Ids,
  { order, state: { fee_minor }, provider, now }: Reported,
): Promise<void> {
  if (!fee_minor || !isPaid({ status: order.state ?? '' })) return
  await db.transaction((tx) =>
    bookOrderFee(tx, ids, provider.connection, { order, fee_minor, now }),
  )
}

/** Returns false if a fee of the order's record has been booked before. */
export function bookOrderFee(
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
