import type { Db } from '../../db/database.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { isDescending, oneOf, rangeOf } from '../../lib/paging.ts'
import { invalid, notFound } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import {
  findRefunds,
  type PaymentKey,
  type PaymentRow,
  type RefundRow,
  type RefundShareRow,
  selectPayment,
  selectRefund,
  sharesOf,
} from './queries.ts'
import { refundRecord } from './record.ts'
import { REFUND_STATES, type RefundKey, type RefundQuery } from './schemas.ts'

export async function refundWithShares(
  db: Db,
  tenant: Tenant,
  reference: string,
): Promise<{ refund: RefundRow; shares: RefundShareRow[] } | undefined> {
  const refund = await selectRefund(db, tenant, reference)
  if (!refund) return undefined
  return { refund, shares: (await sharesOf(db, tenant, [refund.id])).get(refund.id) ?? [] }
}

/** Throws 400 for another business's id, and 404 for an unknown refund. */
export async function getRefundOf(db: Db, caller: Caller, { businessId, reference }: RefundKey) {
  if (businessId !== caller.businessId) {
    throw invalid({ businessId: ['must be the id of the business that the key belongs to'] })
  }
  return getRefund(db, caller, reference)
}

export async function getRefund(db: Db, caller: Caller, reference: string) {
  const found = await refundWithShares(db, caller, reference)
  if (!found) throw notFound('refund')
  return refundRecord(found.refund, found.shares)
}

export async function listRefunds(db: Db, caller: Caller, query: RefundQuery) {
  const status = oneOf('status', REFUND_STATES, query.status)
  const range = rangeOf(query, caller.timeZone)
  const isOfPayment = (query.transactionId ?? query.transactionReference) !== undefined
  const payment = isOfPayment
    ? await requirePayment(query, (by) => selectPayment(db, caller, by))
    : undefined
  const filter = {
    status,
    range,
    transactionId: payment?.id,
    isDescending: isDescending(query.sort),
  }
  const { rows, meta } = await findRefunds(db, caller, filter, query)
  const shares = await sharesOf(
    db,
    caller,
    rows.map(({ id }) => id),
  )
  return { records: rows.map((row) => refundRecord(row, shares.get(row.id) ?? [])), meta }
}

interface NamedPayment {
  transactionId?: number | string
  transactionReference?: string
}

/** Finds the payment that a request names by id, by reference, or by both. */
const requirePayment = async (
  asked: NamedPayment,
  find: (by: PaymentKey) => Promise<PaymentRow | undefined>,
): Promise<PaymentRow> => requireNamed(asked, await find(paymentKey(asked)))

/** Returns the key by which to find the payment that a request names. */
export function paymentKey({ transactionId, transactionReference }: NamedPayment): PaymentKey {
  if (transactionId !== undefined) return { id: toId(transactionId) }
  if (transactionReference !== undefined) return { reference: transactionReference }
  throw invalid({ transactionId: ['is required unless transactionReference is sent'] })
}

/** Returns the payment that was found, if it is the one that the request names. */
export function requireNamed<Payment extends PaymentRow>(
  { transactionReference }: NamedPayment,
  payment: Payment | undefined,
): Payment {
  if (!payment) throw notFound('transaction')
  if (transactionReference !== undefined && transactionReference !== payment.reference) {
    throw invalid({
      transactionReference: ['is not the reference of the transaction in transactionId'],
    })
  }
  return payment
}
