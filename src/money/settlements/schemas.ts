import { type Static, Type } from 'typebox'
import { machine } from '../../lib/machine.ts'
import { dateRange, paging, sorting } from '../../lib/paging.ts'
import {
  Envelope,
  Nullable,
  NullableTimestamp,
  PageMeta,
  PageOf,
  Timestamp,
} from '../../lib/schemas.ts'

export const SETTLEMENT_STATES = ['Pending', 'Paid', 'Failed'] as const
export type SettlementState = (typeof SETTLEMENT_STATES)[number]

/**
 * The states a settlement can be in. `ledger` is what each move does with the amount held at
 * creation, in the same database transaction: post pays it out, void returns it to the subaccount,
 * return puts back what was paid out.
 * `event` is the event that the move sends. See docs/design/settlements.md.
 *
 *   Pending ─pay→ Paid ─return→ Failed
 *      └─fail→ Failed: its entries are open again, and go into the next settlement
 */
export const settlementMachine = machine({
  noun: 'settlement',
  initial: ['Pending'],
  states: SETTLEMENT_STATES,
  moves: {
    pay: { from: ['Pending'], to: 'Paid', ledger: 'post', event: 'settlement.paid' },
    fail: { from: ['Pending'], to: 'Failed', ledger: 'void', event: null },
    return: { from: ['Paid'], to: 'Failed', ledger: 'return', event: 'settlement.returned' },
  },
})
export type SettlementMove = keyof typeof settlementMachine.moves

export const SettlementReference = Type.Object({ reference: Type.String({ maxLength: 64 }) })

export const SettlementQuery = Type.Object({
  ...paging,
  ...sorting,
  ...dateRange,
  status: Type.Optional(
    Type.String({ maxLength: 20, description: `In any case: ${SETTLEMENT_STATES.join(', ')}.` }),
  ),
  subaccount: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'The code or id of a subaccount.' }),
  ),
})
export type SettlementQuery = Static<typeof SettlementQuery>

export const LinesQuery = Type.Object({
  page: paging.page,
  limit: { ...paging.limit, default: 100 },
})

const text = Type.String()
const minor = Type.Integer({ description: 'The same amount in minor units.' })

const fields = {
  id: Type.Integer(),
  reference: text,
  status: text,
  subaccount: Type.Integer({ description: 'The subaccount’s id.' }),
  subaccountCode: Nullable(text),
  business_name: Nullable({ ...text, description: 'The subaccount’s name.' }),
  amount: Type.Number(),
  amountMinor: minor,
  currency: text,
  count: Type.Integer({
    description: 'The number of lines that the settlement had when it was created.',
  }),
  bankCode: text,
  bankName: text,
  accountNumber: text,
  accountName: Nullable(text),
  failureReason: Nullable({
    ...text,
    description: 'Why the settlement failed or is delayed, or why the bank returned it.',
  }),
  timeline: Type.Array(Type.Object({ status: text, at: Timestamp, message: Nullable(text) })),
  paidAt: NullableTimestamp,
  returnedAt: Type.Unsafe<Date | null>({
    ...NullableTimestamp,
    description: 'When the bank returned the payout; the settlement is then Failed.',
  }),
  createdAt: Timestamp,
}

const Line = Type.Object({
  kind: Type.String({ description: 'share, refund or refund_failed.' }),
  transactionId: Type.Integer(),
  transactionReference: text,
  refundReference: Nullable(text),
  amount: Type.Number({ description: 'Negative for a refund.' }),
  amountMinor: minor,
  createdAt: Timestamp,
})

export const SettlementRecord = Type.Object(fields)
export const OneSettlement = Envelope(
  Type.Object({ ...fields, lines: Type.Array(Line), linesMeta: PageMeta }),
)
export const SettlementList = PageOf(SettlementRecord)

export const SubaccountNamed = Type.Object({
  reference: Type.String({ maxLength: 64, description: 'The code or id of a subaccount.' }),
})

export const SubaccountBalance = Envelope(
  Type.Object({
    reference: text,
    status: Type.String({ description: 'The status of the subaccount: Active or Inactive.' }),
    subaccount_code: text,
    currency: text,
    owed: Type.Number({ description: 'Shares that are not part of a settlement yet.' }),
    owedMinor: minor,
    pending: Type.Number({ description: 'In settlements that the bank has not paid yet.' }),
    pendingMinor: minor,
    paidOut: Type.Number({ description: 'In settlements that the bank has paid.' }),
    paidOutMinor: minor,
    nextSettlementAt: Type.Unsafe<Date | null>({
      ...NullableTimestamp,
      description: 'When the next settlement is due; null while nothing can be paid.',
    }),
  }),
)
