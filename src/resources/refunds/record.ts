import type { NewEvent } from '../../events/append.ts'
import { toAmount } from '../../lib/money.ts'
import type { RefundRow, RefundShareRow } from './queries.ts'

/** A refund as the API and its events show it: docs/CONTRACT.md, section 10. */
export function refundRecord(row: RefundRow, shares: readonly RefundShareRow[]) {
  return {
    id: row.id,
    reference: row.reference,
    status: row.status,
    transactionId: row.transaction_id,
    transactionReference: row.transaction_reference,
    amount: toAmount(row.amount_minor, row.currency),
    amountMinor: Number(row.amount_minor),
    currency: row.currency,
    reason: row.reason,
    message: row.message,
    shares: shares.map((share) => ({
      subaccount: share.subaccount_id,
      subaccountCode: share.subaccount_code,
      amount: toAmount(share.amount_minor, row.currency),
      amountMinor: Number(share.amount_minor),
    })),
    overpaidAmount: toAmount(row.excess_minor, row.currency),
    businessId: row.business_id,
    timeline: JSON.parse(row.timeline),
    processedAt: row.processed_at,
    createdAt: row.created_at,
  }
}

export const refundEvent = (
  type: string,
  row: RefundRow,
  shares: readonly RefundShareRow[],
  at: Date,
): NewEvent => ({
  businessId: row.business_id,
  live: row.live,
  type,
  objectType: 'refund',
  objectId: row.id,
  sequence: row.event_sequence,
  data: refundRecord(row, shares),
  at,
})
