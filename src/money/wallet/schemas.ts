import { type Static, Type } from 'typebox'
import { CursorMeta, cursorPaging, dateRange, optionalPaging } from '../../lib/paging.ts'
import { Nullable, ReferenceList, Timestamp } from '../../lib/schemas.ts'

const Balance = Type.Object({
  currency: Type.String(),
  available: Type.Number({ description: 'Can be paid out now.' }),
  availableMinor: Type.Integer(),
  pending: Type.Number({ description: 'Not settled yet.' }),
  pendingMinor: Type.Integer(),
  held: Type.Number({ description: 'Reserved by transfers in progress.' }),
  heldMinor: Type.Integer(),
  ledger: Type.Number({ description: 'The sum of available, pending and held.' }),
  ledgerMinor: Type.Integer(),
})

export const BalanceList = ReferenceList(Balance)

export const BalanceQuery = Type.Object(optionalPaging)

export const LedgerQuery = Type.Object({
  ...cursorPaging,
  ...dateRange,
  currency: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{3}$',
      'x-says': 'must be a currency code such as NGN',
      description: 'Default: the business’s currency.',
    }),
  ),
  type: Type.Optional(Type.Enum(['credit', 'debit'])),
})
export type LedgerQuery = Static<typeof LedgerQuery>

const Entry = Type.Object({
  id: Type.Integer(),
  reference: Type.String(),
  status: Type.String({ description: 'Always Posted, because an entry never changes.' }),
  type: Type.String({ description: 'credit, which adds to the available balance, or debit.' }),
  kind: Type.String({ description: 'charge, fee, hold, void, return, opening, funding, …' }),
  amount: Type.Number(),
  amountMinor: Type.Integer(),
  currency: Type.String(),
  cause: Type.Object({
    type: Type.String({ description: 'transaction, transfer, refund, …' }),
    id: Type.Integer(),
    reference: Nullable(Type.String()),
  }),
  createdAt: Timestamp,
})

export const LedgerList = Type.Object({
  status: Type.Literal('success'),
  message: Type.String(),
  data: Type.Array(Entry),
  meta: CursorMeta,
})
