import { type Static, Type } from 'typebox'
import { CursorMeta, cursorPaging } from '../../lib/cursor.ts'
import { dateRange } from '../../lib/paging.ts'
import {
  Envelope,
  Moment,
  MomentText,
  Nullable,
  NullableMoment,
  PathId,
  StoredMetadata,
} from '../../lib/schemas.ts'
import { CHANNELS } from './queries-list.ts'
import { TRANSACTION_STATES } from './states.ts'

export const TransactionId = Type.Object({ id: PathId('The id of a transaction.') })
export const TransactionReference = Type.Object({ reference: Type.String({ maxLength: 64 }) })

const filters = {
  ...dateRange,
  status: Type.Optional(
    Type.String({ maxLength: 20, description: `${TRANSACTION_STATES.join(', ')}; in any case.` }),
  ),
  channel: Type.Optional(
    Type.String({ maxLength: 20, description: `${CHANNELS.join(', ')}; in any case.` }),
  ),
  reference: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  methodChosen: Type.Optional(
    Type.Boolean({
      description:
        'true leaves out checkouts that were opened without choosing how to pay; false lists only those.',
    }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'An id, a reference (TRX_…), or part of the customer’s name or e-mail.',
    }),
  ),
}

export const TransactionFilters = Type.Object(filters)
export type TransactionFilters = Static<typeof TransactionFilters>

export const TransactionQuery = Type.Object({ ...cursorPaging, ...filters })
export type TransactionQuery = Static<typeof TransactionQuery>

export const TotalsQuery = Type.Object({
  startDate: Type.Optional({ ...MomentText, description: '30 days before the end unless given.' }),
  endDate: Type.Optional({ ...MomentText, description: 'Today unless given.' }),
  currency: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{3}$',
      'x-says': 'must be a currency code such as NGN',
      description: 'The currency of the business unless given.',
    }),
  ),
})
export type TotalsQuery = Static<typeof TotalsQuery>

const text = Type.String()
const money = Type.Number()
const id = Type.Integer()

const Share = Type.Object({
  subaccount: id,
  subaccountCode: text,
  share: Type.Integer({ description: 'As agreed: percent or naira.' }),
  amount: money,
  amountMinor: Type.Integer(),
  fee: money,
  netAmount: money,
  refundedAmount: money,
})

export const TransactionRecord = Type.Object({
  id,
  reference: text,
  amount: money,
  amountMinor: Type.Integer(),
  fees: money,
  netAmount: money,
  feeBearer: text,
  currency: text,
  channel: text,
  status: text,
  gatewayResponse: Nullable(text),
  message: Nullable(text),
  customer: Type.Object({
    id: Nullable(id),
    email: Nullable(text),
    name: Nullable(text),
    phone: Nullable(text),
  }),
  customerId: Nullable(id),
  pageId: Nullable(id),
  splitPageId: Nullable(id),
  orderId: Nullable(id),
  invoiceReference: Nullable(text),
  businessId: id,
  ipAddress: Nullable(text),
  location: Nullable(text),
  split: Type.Array(Share),
  paidAmount: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    description: 'What came in, with a fee on top and too much; null until it is paid.',
  }),
  overpaidAmount: money,
  refundedAmount: money,
  late: Type.Boolean({ description: 'The success came after it had been Abandoned.' }),
  paidAt: NullableMoment,
  expiresAt: Moment,
  metadata: StoredMetadata,
  timeline: Type.Array(Type.Object({ status: text, at: text, message: Nullable(text) })),
  createdAt: Moment,
})

export const OneTransaction = Envelope(TransactionRecord)

export const TransactionList = Type.Object({
  status: Type.Literal('success'),
  message: text,
  data: Type.Array(TransactionRecord),
  meta: CursorMeta,
})

const sums = { count: Type.Integer(), amount: money, amountMinor: Type.Integer() }

export const Totals = Envelope(
  Type.Object({
    reference: text,
    status: Type.String({ description: 'Open while the time it is about goes on, then Closed.' }),
    currency: text,
    from: Moment,
    until: Type.Unsafe<Date>({ ...Moment, description: 'Exclusive.' }),
    ...sums,
    fees: money,
    feesMinor: Type.Integer(),
    netAmount: money,
    netAmountMinor: Type.Integer(),
    netAfterRefunds: money,
    netAfterRefundsMinor: Type.Integer(),
    overpaidAmount: Type.Number({ description: 'Part of what came in, and owed back.' }),
    overpaidAmountMinor: Type.Integer(),
    refundedAmount: money,
    refundedAmountMinor: Type.Integer(),
    byStatus: Type.Array(Type.Object({ status: text, ...sums })),
    byChannel: Type.Array(Type.Object({ channel: text, ...sums })),
  }),
)
