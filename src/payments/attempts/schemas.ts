import { type Static, Type } from 'typebox'
import { machine } from '../../lib/machine.ts'
import { CursorMeta, cursorPaging, dateRange } from '../../lib/paging.ts'
import {
  Amount,
  Envelope,
  Nullable,
  NullableTimestamp,
  PathId,
  RecordId,
  StoredMetadata,
  Timestamp,
  TimestampText,
} from '../../lib/schemas.ts'
import { normalisedBy, withAliases } from '../../lib/text.ts'
import { BankName, bankAliases } from '../../providers/banks/banks.ts'

export const TRANSACTION_STATES = [
  'Pending',
  'Successful',
  'Failed',
  'Abandoned',
  'PartiallyRefunded',
  'Refunded',
  'Reversed',
] as const
export type TransactionState = (typeof TRANSACTION_STATES)[number]

/** The channels through which payers can pay, or have paid in the past. */
export const CHANNELS = ['USSD', 'BANK_TRANSFER', 'CARD', 'WALLET', 'OFFLINE'] as const

/**
 * The states of a transaction. `ledger` is what each move does with the money, in the same database
 * transaction: `settle` books it, `refund` returns it, and `reverse` deducts a lost chargeback.
 *
 *   Pending ─succeed→ Successful ─refund_part→ PartiallyRefunded ─refund_rest→ Refunded
 *      ├─fail→ Failed      ├─refund_rest→ Refunded
 *      └─abandon→ Abandoned ─succeed→ (accepted once, marked late)
 */
export const transactionMachine = machine({
  noun: 'transaction',
  initial: ['Pending'],
  states: TRANSACTION_STATES,
  moves: {
    succeed: { from: ['Pending', 'Abandoned'], to: 'Successful', ledger: 'settle' },
    fail: { from: ['Pending'], to: 'Failed', ledger: 'none' },
    abandon: { from: ['Pending'], to: 'Abandoned', ledger: 'none' },
    refund_part: {
      from: ['Successful', 'PartiallyRefunded'],
      to: 'PartiallyRefunded',
      ledger: 'refund',
    },
    refund_rest: { from: ['Successful', 'PartiallyRefunded'], to: 'Refunded', ledger: 'refund' },
    reverse: { from: ['Successful', 'PartiallyRefunded'], to: 'Reversed', ledger: 'reverse' },
  },
})

const COORDINATES = '^-?\\d{1,2}(?:\\.\\d{1,15})?, ?-?\\d{1,3}(?:\\.\\d{1,15})?$'

/** Whether `isLive` is true, in any of its accepted spellings. */
export const isTrue = (isLive: boolean | 0 | 1 | 'true' | 'false'): boolean =>
  ['true', '1'].includes(String(isLive))

export const UssdBody = withAliases(
  Type.Object({
    channel: Type.Enum(['USSD']),
    amount: Amount(),
    pageId: Type.Optional(
      RecordId('A split page, whose subaccounts share the payment, or a payment page.'),
    ),
    orderId: Type.Optional(RecordId('Your own number, which is stored and returned.')),
    businessId: Type.Optional(RecordId('Must be the id of the key’s business.')),
    customerId: Type.Optional(RecordId('Your own number, which is stored and returned.')),
    fees: Type.Optional(
      Amount({
        zero: true,
        description: 'The fee that the payer pays on top; can be 0.',
      }),
    ),
    ipAddress: Type.Optional(
      Type.String({ maxLength: 45, description: 'The IPv4 or IPv6 address of the payer.' }),
    ),
    message: Type.Optional(Type.String({ maxLength: 500 })),
    location: Type.Optional(
      Type.String({
        maxLength: 50,
        pattern: COORDINATES,
        'x-says': 'must be latitude,longitude in degrees, such as 6.4541,3.3947',
        examples: ['6.4541,3.3947'],
      }),
    ),
    isLive: Type.Optional(
      normalisedBy(
        Type.Unsafe<boolean | 0 | 1 | 'true' | 'false'>({
          enum: [true, false, 0, 1, 'true', 'false'],
          'x-says': 'must be true or false',
          description: 'Must match the mode of the key.',
        }),
        isTrue,
      ),
    ),
    bankCode: Type.Optional({
      ...BankName,
      description: 'The payer’s bank. `ussdCode` is then the code for this bank.',
    }),
  }),
  bankAliases('bankCode'),
)
export type UssdRequest = Static<typeof UssdBody>

const UssdBank = Type.Object({
  bankCode: Type.String(),
  bankName: Type.String(),
  ussdCode: Type.String(),
})

/** The contract’s body has these two keys at the top level. */
export const UssdResponse = Type.Object({
  data: Type.Object({
    reference: Type.String(),
    transactionId: Type.Integer(),
    status: Type.String(),
    ussdCode: Nullable(
      Type.String({
        description:
          'The code for the requested bank or, if none was requested, for the first one; null until known.',
      }),
    ),
    ussdBanks: Type.Array(UssdBank),
    amount: Type.Number(),
    amountMinor: Type.Integer(),
    fees: Type.Number(),
    payable: Type.Number({
      description: 'The amount that the payer must pay, including any fee on top.',
    }),
    currency: Type.String(),
    expiresAt: Timestamp,
    instructions: Type.String({ description: 'Instructions for the payer.' }),
  }),
  transactionIdForSession: Type.Integer({ description: 'The id of the transaction.' }),
})

export const TransactionId = Type.Object({ id: PathId('The id of a transaction.') })
export const TransactionReference = Type.Object({ reference: Type.String({ maxLength: 64 }) })

const filters = {
  ...dateRange,
  status: Type.Optional(
    Type.String({
      maxLength: 20,
      description: `${TRANSACTION_STATES.join(', ')}; not case-sensitive.`,
    }),
  ),
  channel: Type.Optional(
    Type.String({ maxLength: 20, description: `${CHANNELS.join(', ')}; not case-sensitive.` }),
  ),
  reference: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  methodChosen: Type.Optional(
    Type.Boolean({
      description:
        'true leaves out checkouts for which no payment method was chosen; false lists only those.',
    }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'An id, a reference (TRX_…), or part of the customer’s name or email address.',
    }),
  ),
}

export const TransactionFilters = Type.Object(filters)
export type TransactionFilters = Static<typeof TransactionFilters>

export const TransactionQuery = Type.Object({ ...cursorPaging, ...filters })
export type TransactionQuery = Static<typeof TransactionQuery>

export const TotalsQuery = Type.Object({
  startDate: Type.Optional({ ...TimestampText, description: 'Default: 30 days before the end.' }),
  endDate: Type.Optional({ ...TimestampText, description: 'Default: today.' }),
  currency: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{3}$',
      'x-says': 'must be a currency code such as NGN',
      description: 'Default: the business’s currency.',
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
  share: Type.Integer({ description: 'The agreed share, as a percentage or in naira.' }),
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
    description:
      'The amount received, including any fee on top and any overpayment; null until paid.',
  }),
  overpaidAmount: money,
  refundedAmount: money,
  disputedAmount: Type.Number({
    description: 'What disputes have taken, or may still take if they are lost.',
  }),
  reversedAmount: Type.Number({ description: 'What disputes have taken.' }),
  late: Type.Boolean({ description: 'Whether the payment succeeded after it had been Abandoned.' }),
  paidAt: NullableTimestamp,
  payUrl: Nullable(
    Type.String({
      description:
        'The provider’s page for a card payment, while it is Pending; null until it is open.',
    }),
  ),
  expiresAt: Timestamp,
  metadata: StoredMetadata,
  timeline: Type.Array(Type.Object({ status: text, at: text, message: Nullable(text) })),
  createdAt: Timestamp,
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
    status: Type.String({ description: 'Open during its period, then Closed.' }),
    currency: text,
    from: Timestamp,
    until: Type.Unsafe<Date>({ ...Timestamp, description: 'Exclusive.' }),
    ...sums,
    fees: money,
    feesMinor: Type.Integer(),
    netAmount: money,
    netAmountMinor: Type.Integer(),
    netAfterRefunds: money,
    netAfterRefundsMinor: Type.Integer(),
    overpaidAmount: Type.Number({
      description: 'The part of the received amount that has to be refunded.',
    }),
    overpaidAmountMinor: Type.Integer(),
    refundedAmount: money,
    refundedAmountMinor: Type.Integer(),
    byStatus: Type.Array(Type.Object({ status: text, ...sums })),
    byChannel: Type.Array(Type.Object({ channel: text, ...sums })),
  }),
)
