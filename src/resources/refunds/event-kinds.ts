import { kindsOf } from '../../events/kind.ts'
import { RefundRecord } from './schemas.ts'

const MADE_AT = '2026-11-04T08:20:00.000Z'
const ENDED_AT = '2026-11-04T08:20:03.902Z'

const begun = { status: 'Pending', at: MADE_AT, message: null }

const moved = (status: string, message: string) => ({
  status,
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
  reason: 'One shirt came back',
  message: null,
  shares: [],
  overpaidAmount: 0,
  businessId: 1025,
  timeline: [begun],
  processedAt: null,
  createdAt: MADE_AT,
}

export const refundEvents = kindsOf(
  { object: 'refund', schema: RefundRecord, example },
  {
    'refund.pending': ['A refund was ordered; its money is put aside.'],
    'refund.processed': [
      'A refund arrived.',
      { ...moved('Processed', 'Paid'), processedAt: ENDED_AT },
    ],
    'refund.failed': [
      'A refund did not arrive; everybody has back what they gave.',
      moved('Failed', 'The account is closed'),
    ],
    'refund.needs_attention': [
      'The provider cannot go on with a refund by itself.',
      moved('NeedsAttention', 'The payer’s account is unknown'),
    ],
  },
)
