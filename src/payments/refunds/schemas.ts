import { type Static, Type } from 'typebox'
import { machine } from '../../lib/machine.ts'
import { dateRange, paging, sorting } from '../../lib/paging.ts'
import {
  Amount,
  Envelope,
  Nullable,
  NullableTimestamp,
  OneLine,
  PageOf,
  RecordId,
  Timestamp,
} from '../../lib/schemas.ts'
import { withAliases } from '../../lib/text.ts'
import {
  AccountNumber,
  accountNumberAliases,
  BankName,
  bankAliases,
} from '../../providers/banks/banks.ts'

export const REFUND_STATES = [
  'Pending',
  'Processing',
  'Processed',
  'Failed',
  'NeedsAttention',
] as const
export type RefundState = (typeof REFUND_STATES)[number]

/**
 * The states of a refund. `ledger` is what each move does with the money. The amount of a new
 * refund is put on hold, and the hold is posted or voided exactly once.
 *
 *   Pending ─send→ Processing ─succeed→ Processed
 *      │             │    ↑ └─need_attention→ NeedsAttention ─succeed→ Processed
 *      │             │    └──send, retry──────────┤
 *      └─fail, cancel┴───────────fail─────────────┴→ Failed
 */
export const refundMachine = machine({
  noun: 'refund',
  initial: ['Pending'],
  states: REFUND_STATES,
  moves: {
    send: { from: ['Pending', 'NeedsAttention'], to: 'Processing', ledger: 'none' },
    // Only while the order has not been sent.
    cancel: { from: ['Pending', 'Processing'], to: 'Failed', ledger: 'void' },
    retry: { from: ['NeedsAttention'], to: 'Processing', ledger: 'none' },
    succeed: { from: ['Processing', 'NeedsAttention'], to: 'Processed', ledger: 'post' },
    fail: { from: ['Pending', 'Processing', 'NeedsAttention'], to: 'Failed', ledger: 'void' },
    need_attention: { from: ['Processing'], to: 'NeedsAttention', ledger: 'none' },
  },
})

const TransactionReference = Type.String({ minLength: 1, maxLength: 64 })

export const NewRefund = Type.Object(
  {
    transactionId: Type.Optional(RecordId('The id of the payment; send this or its reference.')),
    transactionReference: Type.Optional(TransactionReference),
    amount: Type.Optional(
      Amount({ description: 'In the currency of the payment. Default: everything left.' }),
    ),
    reason: Type.Optional(OneLine(200)),
    reference: Type.Optional(
      Type.String({
        // The provider must not confuse this reference with another order's reference.
        pattern: '^(?!RFD_|TRF_|STL_)[A-Za-z0-9_.-]{6,64}$',
        'x-says':
          'must be 6 to 64 letters, digits, dots, dashes or underscores, ' +
          'and must not start with RFD_, TRF_ or STL_',
        description: 'Your own reference. Default: a new one.',
        'x-never-empty': true,
      }),
    ),
  },
  {
    'x-needs': [
      {
        oneOf: ['transactionId', 'transactionReference'],
        says: 'is required unless transactionReference is sent',
      },
    ],
  },
)
export type NewRefund = Static<typeof NewRefund>

const Reference = Type.String({ minLength: 1, maxLength: 64 })

export const RefundReference = Type.Object({ reference: Reference })

export const RefundRetry = withAliases(
  Type.Object({
    bankCode: Type.Optional(BankName),
    accountNumber: Type.Optional({
      ...AccountNumber,
      description: 'The account to pay instead; requires bankCode.',
    }),
    accountName: Type.Optional(
      OneLine(200, {
        description: 'If the bank gives another name for the account, the refund is not retried.',
      }),
    ),
  }),
  { ...bankAliases('bankCode'), ...accountNumberAliases('accountNumber') },
)
export type RefundRetry = Static<typeof RefundRetry>

export const RefundKey = Type.Object({
  businessId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  reference: Reference,
})
export type RefundKey = Static<typeof RefundKey>

export const RefundQuery = Type.Object({
  ...paging,
  ...sorting,
  ...dateRange,
  status: Type.Optional(
    Type.String({ maxLength: 20, description: `One of ${REFUND_STATES.join(', ')}.` }),
  ),
  transactionId: Type.Optional(RecordId()),
  transactionReference: Type.Optional(TransactionReference),
})
export type RefundQuery = Static<typeof RefundQuery>

const text = Type.String()
const money = Type.Number()

export const RefundRecord = Type.Object({
  id: Type.Integer(),
  reference: text,
  status: text,
  transactionId: Type.Integer(),
  transactionReference: text,
  amount: money,
  amountMinor: Type.Integer(),
  currency: text,
  reason: Nullable(text),
  message: Nullable(
    Type.String({ description: 'The latest human-readable message from the bank.' }),
  ),
  shares: Type.Array(
    Type.Object({
      subaccount: Type.Integer(),
      subaccountCode: text,
      amount: money,
      amountMinor: Type.Integer(),
    }),
    { description: 'The parts of the refund that subaccounts pay; the business pays the rest.' },
  ),
  overpaidAmount: Type.Number({
    description: 'The part of the refund that returns an overpayment.',
  }),
  canRetry: Type.Boolean({ description: 'Whether the refund needs attention and can be retried.' }),
  canCancel: Type.Boolean({
    description: 'Whether the refund can still be cancelled, because no provider can have it yet.',
  }),
  businessId: Type.Integer(),
  timeline: Type.Array(Type.Object({ status: text, at: Timestamp, message: Nullable(text) })),
  processedAt: NullableTimestamp,
  createdAt: Timestamp,
})

export const OneRefund = Envelope(RefundRecord)
export const RefundList = PageOf(RefundRecord)
