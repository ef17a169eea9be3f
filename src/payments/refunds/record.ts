import { idsOf, type PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'
import type { NewEvent } from '../../events/append.ts'
import { kindsOf } from '../../events/catalogue.ts'
import { toAmount } from '../../lib/money.ts'
import type { RefundRow, RefundShareRow } from './queries.ts'
import { RefundRecord, refundMachine } from './schemas.ts'

/** A refund as the API and its events show it (docs/CONTRACT.md, section 10). */
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
    canRetry: refundMachine.moves.retry.from.some((state) => state === row.status),
    canCancel: row.can_cancel,
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

const MADE_AT = '2026-11-04T08:20:00.000Z'
const ENDED_AT = '2026-11-04T08:20:03.902Z'

const begun = { status: 'Pending', at: MADE_AT, message: null }

const moved = (status: string, message: string) => ({
  status,
  canCancel: false,
  message,
  timeline: [begun, { status, at: ENDED_AT, message }],
})

const example = {
  id: 41050,
  reference: 'RFD_7cW1oE4sZx9kM6dYj3Qt',
  status: 'Pending',
  transactionId: 40977,
  transactionReference: 'TRX_9aT3mC6pXv1uK8eWq2Gh',
  amount: 5000,
  amountMinor: 500000,
  currency: 'NGN',
  reason: 'One shirt was returned',
  message: null,
  shares: [],
  overpaidAmount: 0,
  canRetry: false,
  canCancel: true,
  businessId: 1025,
  timeline: [begun],
  processedAt: null,
  createdAt: MADE_AT,
}

export const refundEvents = kindsOf(
  { object: 'refund', schema: RefundRecord, example },
  {
    'refund.pending': ['A refund was created; its amount is on hold.'],
    'refund.processed': [
      'A refund was paid to the payer.',
      { ...moved('Processed', 'Paid'), processedAt: ENDED_AT },
    ],
    'refund.failed': [
      'A refund failed, and its amount was returned to the business and the subaccounts.',
      moved('Failed', 'The account is closed'),
    ],
    'refund.needs_attention': [
      'Someone has to act before the provider can complete a refund.',
      { ...moved('NeedsAttention', 'The payer’s account is unknown'), canRetry: true },
    ],
  },
)

export const refundPersonalData: PersonalData = {
  name: 'refunds',
  async find(db, { businessId, live }, found) {
    const rows = await db.many<{ id: number }>`
      select id from refunds
      where business_id = ${businessId} and live = ${live}
        and transaction_id = any(${idsOf(found, 'transactions')}::bigint[])`
    return rows.map(({ id }) => id)
  },
  open: {
    table: sql`refunds`,
    condition: sql`status in ('Pending', 'Processing', 'NeedsAttention')`,
    words: 'refunds that have not been paid out yet',
  },
  erase: (tx, { businessId, live }, ids) =>
    tx.run`
      update refunds set reason = null
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`,
}
