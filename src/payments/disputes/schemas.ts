import { type Static, Type } from 'typebox'
import { machine } from '../../lib/machine.ts'
import { dateRange, paging, sorting } from '../../lib/paging.ts'
import {
  Amount,
  Email,
  Envelope,
  MultilineText,
  Nullable,
  NullableTimestamp,
  OneLine,
  PageOf,
  PathId,
  RecordId,
  Timestamp,
  TimestampText,
} from '../../lib/schemas.ts'

export const DISPUTE_STATES = ['Open', 'UnderReview', 'Won', 'Lost', 'Accepted'] as const
export type DisputeState = (typeof DISPUTE_STATES)[number]

/**
 * The states of a dispute. Only the provider's word moves a dispute, even if the business has
 * accepted it. `ledger` is what each move does with the money that a new dispute puts on hold.
 *
 *   Open ─review→ UnderReview ─win→ Won
 *    │ ↑ └──────ask_again┘ ├─lose→ Lost
 *    │                     └─accept→ Accepted
 *    └─win→ Won, ─lose→ Lost, ─accept→ Accepted
 *
 * A dispute without a response stays Open after its deadline until the provider decides.
 */
export const disputeMachine = machine({
  noun: 'dispute',
  initial: ['Open'],
  states: DISPUTE_STATES,
  moves: {
    review: { from: ['Open'], to: 'UnderReview', ledger: 'none' },
    ask_again: { from: ['UnderReview'], to: 'Open', ledger: 'none' },
    win: { from: ['Open', 'UnderReview'], to: 'Won', ledger: 'void' },
    lose: { from: ['Open', 'UnderReview'], to: 'Lost', ledger: 'post' },
    accept: { from: ['Open', 'UnderReview'], to: 'Accepted', ledger: 'post' },
  },
})

const Reference = Type.String({ minLength: 1, maxLength: 64 })

export const DisputeReference = Type.Object({ reference: Reference })

export const EvidenceKey = Type.Object({
  reference: Reference,
  evidenceId: PathId('The id of one of the dispute’s files.'),
})

/** The files are parts of the request. */
export const NewEvidence = Type.Object({})

export const DisputeQuery = Type.Object({
  ...paging,
  ...sorting,
  ...dateRange,
  status: Type.Optional(
    Type.String({ maxLength: 20, description: `One of ${DISPUTE_STATES.join(', ')}.` }),
  ),
  transactionReference: Type.Optional(Reference),
})
export type DisputeQuery = Static<typeof DisputeQuery>

const MESSAGE_LENGTH_MAX = 2_000

export const AcceptDispute = Type.Object({
  amount: Type.Optional(
    Amount({
      description: 'How much to accept, if the provider allows a part. Default: all of it.',
    }),
  ),
  message: Type.Optional(MultilineText(MESSAGE_LENGTH_MAX)),
})
export type AcceptDispute = Static<typeof AcceptDispute>

export const ContestDispute = Type.Object({
  message: MultilineText(MESSAGE_LENGTH_MAX, {
    description: 'Why the payment was right, for the payer’s bank.',
  }),
  serviceDetails: Type.Optional(
    MultilineText(MESSAGE_LENGTH_MAX, {
      description: 'What the customer bought. The fields below are only sent together with it.',
    }),
  ),
  customerEmail: Type.Optional(Email({ description: 'Default: that of the payment.' })),
  customerName: Type.Optional(OneLine(100, { description: 'Default: that of the payment.' })),
  customerPhone: Type.Optional(OneLine(30, { description: 'Default: that of the payment.' })),
  deliveryAddress: Type.Optional(OneLine(300)),
  deliveredOn: Type.Optional(TimestampText),
  evidenceId: Type.Optional(
    RecordId('The file to send, because providers take only one. Default: the newest file.'),
  ),
})
export type ContestDispute = Static<typeof ContestDispute>

const text = Type.String()
const money = Type.Number()

const Evidence = Type.Object({
  id: Type.Integer(),
  name: text,
  contentType: text,
  bytes: Type.Integer(),
  createdAt: Timestamp,
})

const Response = Type.Object({
  action: Type.String({ description: 'accept or contest' }),
  status: Type.String({ description: 'Sending, Sent or Failed' }),
  amount: money,
  message: text,
  customer: Nullable(
    Type.Object({
      email: text,
      name: text,
      phone: text,
      serviceDetails: text,
      deliveryAddress: Nullable(text),
      deliveredOn: Nullable(text),
    }),
  ),
  evidenceId: Nullable(Type.Integer()),
  result: Nullable(
    Type.String({ description: 'Why it failed, in the provider’s words. Respond again.' }),
  ),
  createdAt: Timestamp,
})

export const DisputeRecord = Type.Object({
  id: Type.Integer(),
  reference: text,
  status: text,
  transactionId: Type.Integer(),
  transactionReference: text,
  amount: money,
  amountMinor: Type.Integer(),
  heldAmount: Type.Number({
    description: 'What was put on hold. It is less if the wallet did not have enough.',
  }),
  lostAmount: Nullable(
    Type.Number({ description: 'What the provider took. Null until it has decided.' }),
  ),
  currency: text,
  reason: Type.String({ description: 'What the payer says.' }),
  dueAt: Type.Unsafe<Date | null>({
    ...NullableTimestamp,
    description: 'When the provider expects the response. Null if it has no deadline.',
  }),
  provider: text,
  providerReference: Type.String({ description: 'The provider’s number for the dispute.' }),
  response: Nullable(Response),
  evidence: Type.Array(Evidence),
  businessId: Type.Integer(),
  timeline: Type.Array(Type.Object({ status: text, at: Timestamp, message: Nullable(text) })),
  closedAt: NullableTimestamp,
  createdAt: Timestamp,
})

export const OneDispute = Envelope(DisputeRecord)
export const DisputeList = PageOf(DisputeRecord)
