import type { Db } from '../../db/database.ts'
import type { Minor } from '../../lib/money.ts'
import type { PaidFor } from '../transactions/attempts.ts'
import { receivedFor, type TransactionRow } from '../transactions/service.ts'
import type { CheckoutRow } from './queries.ts'

export const CHECKOUT_PURPOSE = 'checkout'

export const tenantOf = ({ business_id: businessId, live }: CheckoutRow) => ({ businessId, live })

/** A checkout as attempts at paying it see it. */
export const paidForOf = (row: CheckoutRow, due_minor: Minor, now: Date): PaidFor => ({
  tenant: tenantOf(row),
  purpose: CHECKOUT_PURPOSE,
  purposeId: row.id,
  amount_minor: due_minor,
  currency: row.currency,
  fee_bearer: row.fee_bearer ?? 'business',
  customer: {
    email: row.customer_email,
    name: row.customer_name,
    phone: row.customer_phone,
  },
  pageId: row.page_id,
  splitPageId: row.split_page_id,
  subaccountId: row.subaccount_id,
  orderId: row.order_id,
  metadata: row.metadata,
  now,
})

/** What came in for a checkout, in the order of arrival. */
export async function receivedOf(db: Db, row: CheckoutRow): Promise<TransactionRow[]> {
  return (await receivedFor(db, tenantOf(row), CHECKOUT_PURPOSE, [row.id])).get(row.id) ?? []
}

/** What a payment added to what it was for: not what is owed back, nor a fee on top. */
export function keptOf(row: TransactionRow): Minor {
  if (row.paid_minor === null || row.status === 'Refunded' || row.status === 'Reversed') return 0n
  const onTop_minor = row.fee_bearer === 'customer' ? row.fee_minor : 0n
  return row.paid_minor - row.excess_minor - onTop_minor
}

/** Of what was kept, what came as a fee on top. */
export const feesOnTop = (received: readonly TransactionRow[]): Minor =>
  received
    .filter((row) => row.fee_bearer === 'customer' && keptOf(row) > 0n)
    .reduce((sum, { fee_minor }) => sum + fee_minor, 0n)

/** What payments have added, all but that with the id `except`. */
export const keptOfAll = (received: readonly TransactionRow[], except?: number): Minor =>
  received.filter(({ id }) => id !== except).reduce((sum, row) => sum + keptOf(row), 0n)
