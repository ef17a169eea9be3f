import type { Tx } from '../../db/database.ts'
import { ERASED, idsOf, type PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'
import type { Deps } from '../../deps.ts'
import type { NewEvent } from '../../events/append.ts'
import { kindsOf } from '../../events/catalogue.ts'
import { formatAmount, toAmount } from '../../lib/money.ts'
import type { DisputeRow, FileRow, PaymentRow, ResponseRow } from './queries.ts'
import { DisputeRecord } from './schemas.ts'

/** What belongs to a dispute, apart from its row. */
export interface DisputeParts {
  response: ResponseRow | undefined
  files: readonly FileRow[]
}

/** A dispute as the API and its events show it (docs/CONTRACT.md, section 10). */
export function disputeRecord(row: DisputeRow, { response, files }: DisputeParts) {
  const money = (minor: bigint) => toAmount(minor, row.currency)
  return {
    id: row.id,
    reference: row.reference,
    status: row.status,
    transactionId: row.transaction_id,
    transactionReference: row.transaction_reference,
    amount: money(row.amount_minor),
    amountMinor: Number(row.amount_minor),
    heldAmount: money(row.excess_minor + row.held_minor),
    lostAmount: row.lost_minor === null ? null : money(row.lost_minor),
    currency: row.currency,
    reason: row.reason,
    dueAt: row.due_at,
    provider: row.provider,
    providerReference: row.provider_id,
    response: response
      ? {
          action: response.action,
          status: response.status,
          amount: money(response.amount_minor),
          message: response.message,
          customer: response.customer === null ? null : JSON.parse(response.customer),
          evidenceId: response.file_id,
          result: response.result,
          createdAt: response.created_at,
        }
      : null,
    evidence: files.map((file) => ({
      id: file.id,
      name: file.name,
      contentType: file.content_type,
      bytes: file.bytes,
      createdAt: file.created_at,
    })),
    businessId: row.business_id,
    timeline: JSON.parse(row.timeline),
    closedAt: row.closed_at,
    createdAt: row.created_at,
  }
}

export const disputeEvent = (
  type: string,
  row: DisputeRow,
  parts: DisputeParts,
  at: Date,
): NewEvent => ({
  businessId: row.business_id,
  live: row.live,
  type,
  objectType: 'dispute',
  objectId: row.id,
  sequence: row.event_sequence,
  data: disputeRecord(row, parts),
  at,
})

const MADE_AT = '2026-11-06T09:14:00.000Z'
const SENT_AT = '2026-11-06T15:02:11.400Z'
const ENDED_AT = '2026-11-12T11:30:42.118Z'

const begun = { status: 'Open', at: MADE_AT, message: null }
const reviewed = { status: 'UnderReview', at: SENT_AT, message: null }

const response = {
  action: 'contest',
  status: 'Sent',
  amount: 5000,
  message: 'The shirt was delivered on 4 November.',
  customer: null,
  evidenceId: 42077,
  result: null,
  createdAt: SENT_AT,
}

const evidence = [
  {
    id: 42077,
    name: 'proof-of-delivery.pdf',
    contentType: 'application/pdf',
    bytes: 48211,
    createdAt: SENT_AT,
  },
]

const example = {
  id: 42051,
  reference: 'DSP_2kP8sVn4Lq7Xc1Rb9tYw',
  status: 'Open',
  transactionId: 40977,
  transactionReference: 'TRX_9aT3mC6pXv1uK8eWq2Gh',
  amount: 5000,
  amountMinor: 500000,
  heldAmount: 5000,
  lostAmount: null,
  currency: 'NGN',
  reason: 'I did not get what I paid for',
  dueAt: '2026-11-08T09:14:00.000Z',
  provider: 'paystack',
  providerReference: '2867',
  response: null,
  evidence: [],
  businessId: 1025,
  timeline: [begun],
  closedAt: null,
  createdAt: MADE_AT,
}

const contested = { status: 'UnderReview', response, evidence, timeline: [begun, reviewed] }

const ended = (status: string, lostAmount: number) => ({
  ...contested,
  status,
  lostAmount,
  timeline: [begun, reviewed, { status, at: ENDED_AT, message: null }],
  closedAt: ENDED_AT,
})

export const disputeEvents = kindsOf(
  { object: 'dispute', schema: DisputeRecord, example },
  {
    'dispute.opened': ['A payer disputed a payment. The amount is on hold.'],
    'dispute.updated': [
      'The provider is reviewing the response or asks again, or the deadline or the response changed.',
      contested,
    ],
    'dispute.won': ['A dispute was won. The amount is no longer on hold.', ended('Won', 0)],
    'dispute.lost': ['A dispute was lost. The provider took the amount.', ended('Lost', 5000)],
    'dispute.accepted': [
      'A dispute was accepted. The provider took the amount.',
      {
        ...ended('Accepted', 5000),
        response: { ...response, action: 'accept', message: 'We accept this.', evidenceId: null },
        evidence: [],
        timeline: [begun, { status: 'Accepted', at: SENT_AT, message: null }],
        closedAt: SENT_AT,
      },
    ],
  },
)

/** Emails the people who can respond to disputes. */
export async function emailDispute(
  tx: Tx,
  { people }: Pick<Deps, 'people'>,
  { business_id: businessId, live, reference, amount_minor, currency, reason, ...row }: DisputeRow,
  { reference: payment, customer_name, customer_email }: PaymentRow,
  news: 'opened' | 'due' | 'won' | 'lost' | 'response_failed',
): Promise<void> {
  await people.emailHolders(tx, { businessId, live }, 'disputes:write', {
    what: 'dispute',
    news,
    amount: formatAmount(
      news === 'lost' ? (row.lost_minor ?? amount_minor) : amount_minor,
      currency,
    ),
    payment,
    customer: customer_name ?? customer_email,
    reason,
    due: row.due_at?.toISOString() ?? null,
    path: `disputes/${reference}`,
  })
}

export const disputePersonalData: PersonalData = {
  name: 'disputes',
  async find(db, { businessId, live }, found) {
    const rows = await db.many<{ id: number }>`
      select id from disputes
      where business_id = ${businessId} and live = ${live}
        and transaction_id = any(${idsOf(found, 'transactions')}::bigint[])`
    return rows.map(({ id }) => id)
  },
  open: {
    table: sql`disputes`,
    condition: sql`status in ('Open', 'UnderReview')`,
    words: 'disputes that the provider has not decided yet',
  },
  async erase(tx, { businessId, live }, ids) {
    await tx.run`
      update dispute_responses set message = ${ERASED}, customer = null
      where business_id = ${businessId} and live = ${live} and dispute_id = any(${ids}::bigint[])`
    return tx.run`
      update disputes set reason = ${ERASED}
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`
  },
}
