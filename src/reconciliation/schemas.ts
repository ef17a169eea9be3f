import { Type } from 'typebox'
import { CursorMeta, cursorPaging, paging } from '../lib/paging.ts'
import {
  Envelope,
  MultilineText,
  Nullable,
  NullableTimestamp,
  PageOf,
  Text,
  Timestamp,
} from '../lib/schemas.ts'
import { DECISIONS } from '../provider-orders/decisions.ts'
import { RESOLUTIONS } from './close.ts'

const text = Type.String()
const count = Type.Integer()
const minor = Type.Integer()
const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const Day = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
  'x-says': 'must be a day, such as 2026-03-31',
})

const STATUSES = ['Open', 'Closed'] as const
const CLASSES = ['missing_here', 'missing_there', 'different'] as const
const ENTRY_CLASSES = ['matched', 'missing_here', 'different', 'pending', 'waiting'] as const
const KINDS = [
  'charge',
  'payout',
  'refund',
  'bill',
  'dispute',
  'settlement',
  'reversal',
  'fee',
  'other',
] as const
const ORDERS = [
  'charge',
  'transfer',
  'settlement',
  'refund',
  'deposit_return',
  'bill',
  'dispute_response',
] as const

// ------------------------------------------------------------------------------------- days

export const DayList = Type.Object({
  connectionId: Type.Optional(Id),
  status: Type.Optional(Type.Enum([...STATUSES])),
  before: Type.Optional(Day),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 31 }),
})
export const DayPath = Type.Object({ connectionId: Id, day: Day })
const entryFilters = {
  class: Type.Optional(Type.Enum([...ENTRY_CLASSES])),
  kind: Type.Optional(Type.Enum([...KINDS])),
}
export const EntryQuery = Type.Object({ ...paging, ...entryFilters })
export const EntryExport = Type.Object(entryFilters)
export const RunBody = Type.Object({ connectionId: Id, from: Day, until: Type.Optional(Day) })

const day = {
  connectionId: count,
  connection: text,
  provider: text,
  day: text,
  status: text,
  runAt: NullableTimestamp,
  nextRunAt: NullableTimestamp,
  problem: Nullable(text),
  matched: count,
  waiting: count,
  differences: count,
}
const Balance = Type.Object({
  currency: text,
  at: Timestamp,
  theirsMinor: minor,
  ledgerMinor: minor,
  explainedMinor: minor,
  unexplainedMinor: minor,
})
export const Days = Envelope(Type.Array(Type.Object(day)))
export const OneDay = Envelope(Type.Object({ ...day, balances: Type.Array(Balance) }))
export const Entries = PageOf(
  Type.Object({
    kind: text,
    class: text,
    status: text,
    providerId: text,
    reference: Nullable(text),
    amount: Type.Number(),
    amountMinor: minor,
    feeMinor: Nullable(minor),
    currency: text,
    at: Timestamp,
    settlementId: Nullable(text),
    order: Nullable(Type.Object({ kind: text, reference: Nullable(text) })),
  }),
)

// ------------------------------------------------------------------------------ differences

export const DifferenceList = Type.Object({
  status: Type.Optional(Type.Enum([...STATUSES])),
  class: Type.Optional(Type.Enum([...CLASSES])),
  kind: Type.Optional(Type.Enum([...KINDS, 'balance'])),
  connectionId: Type.Optional(Id),
  day: Type.Optional(Day),
  ...cursorPaging,
})
export const DifferencePath = Type.Object({ reference: Text(64) })
export const CloseBody = Type.Object({
  resolution: Type.Enum([...RESOLUTIONS]),
  reason: MultilineText(1_000),
  transactionReference: Type.Optional(Text(64)),
})

const difference = {
  reference: text,
  connectionId: count,
  kind: text,
  class: text,
  field: Nullable(text),
  source: text,
  providerId: Nullable(text),
  order: Nullable(Type.Object({ kind: text, id: count, reference: Nullable(text) })),
  oursMinor: Nullable(minor),
  theirsMinor: Nullable(minor),
  currency: Nullable(text),
  evidence: Type.Record(text, Type.Unknown()),
  day: Nullable(text),
  status: text,
  resolution: Nullable(text),
  resolutions: Type.Array(text),
  reason: Nullable(text),
  closedBy: Nullable(text),
  proposed: Nullable(Type.Object({ resolution: text, reason: text, by: text, at: Timestamp })),
  firstSeenAt: Timestamp,
  lastSeenAt: Timestamp,
  closedAt: NullableTimestamp,
}
export const OneDifference = Envelope(Type.Object(difference))
export const Differences = Type.Object({
  ...Envelope(Type.Array(Type.Object(difference))).properties,
  meta: CursorMeta,
})

// ------------------------------------------------------------------------------- unresolved

const OrderKind = Type.Enum([...ORDERS])
export const UnresolvedList = Type.Object({
  ...paging,
  kind: Type.Optional(OrderKind),
  connectionId: Type.Optional(Id),
})
export const OrderPath = Type.Object({ kind: OrderKind, id: Id })
export const DecisionBody = Type.Object({
  decision: Type.Enum([...DECISIONS]),
  reason: MultilineText(1_000),
  providerId: Type.Optional(Text(100)),
  statement: Type.Optional(MultilineText(4_000)),
})

const order = {
  kind: text,
  id: count,
  reference: text,
  attempt: count,
  connectionId: count,
  attention: Nullable(text),
  since: NullableTimestamp,
  amount: Nullable(Type.Number()),
  amountMinor: Nullable(minor),
  currency: Nullable(text),
  sent: Type.Object({
    reference: text,
    tries: count,
    firstAt: NullableTimestamp,
    lastAt: NullableTimestamp,
    nextAt: NullableTimestamp,
  }),
  received: Type.Object({
    state: Nullable(text),
    outcome: Nullable(text),
    code: Nullable(text),
    message: Nullable(text),
    providerId: Nullable(text),
    session: Nullable(text),
    unknownThereSince: NullableTimestamp,
  }),
  endedAt: NullableTimestamp,
  decisions: Type.Array(text),
}
const Decided = Type.Object({
  decision: text,
  reason: text,
  providerId: Nullable(text),
  status: text,
  by: text,
  at: Timestamp,
  agreedBy: Nullable(text),
  agreedAt: NullableTimestamp,
})
export const Unresolved = PageOf(Type.Object(order))
const Call = Type.Object({
  attempt: count,
  operation: text,
  status: Nullable(count),
  outcome: text,
  durationMs: count,
  request: Nullable(text),
  response: Nullable(text),
  at: Timestamp,
})
export const OneOrder = Envelope(
  Type.Object({ ...order, decided: Type.Array(Decided), calls: Type.Array(Call) }),
)

// --------------------------------------------------------------------------- proof of funds

export const ProofOfFunds = Envelope(
  Type.Array(
    Type.Object({
      currency: text,
      held: Type.Number(),
      heldMinor: minor,
      bank: Type.Number(),
      bankMinor: minor,
      owed: Type.Number(),
      owedMinor: minor,
      fees: Type.Number(),
      feesMinor: minor,
      short: Type.Number(),
      shortMinor: minor,
      isCovered: Type.Boolean(),
      providerFeesMinor: minor,
      receivableMinor: minor,
      ledger: Type.Array(
        Type.Object({ kind: text, connectionId: Nullable(count), balanceMinor: minor }),
      ),
      connections: Type.Array(
        Type.Object({
          connectionId: count,
          name: text,
          provider: text,
          status: text,
          asOf: NullableTimestamp,
          availableMinor: Nullable(minor),
          pendingMinor: Nullable(minor),
          heldMinor: Nullable(minor),
          ledgerMinor: minor,
          bankMinor: minor,
        }),
      ),
    }),
  ),
)
