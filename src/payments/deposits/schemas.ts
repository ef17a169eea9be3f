import { type Static, Type } from 'typebox'
import { dateRange, paging, sorting } from '../../lib/paging.ts'
import { Envelope, Nullable, PageOf, PathId, Timestamp } from '../../lib/schemas.ts'
import { withAliases } from '../../lib/text.ts'
import { AccountNumber, accountNumberAliases } from '../../providers/banks/banks.ts'

export const ACCOUNT_STATES = ['Open', 'Paid', 'Expired'] as const
export const DEPOSIT_STATES = ['Accepted', 'Rejected'] as const
export const RETURN_STATES = ['ReturnedByProvider', 'Held', 'Returning', 'Returned'] as const

const reference = Type.String({ minLength: 1, maxLength: 100 })

const filtersFor = (states: readonly string[], searched: string) => ({
  ...sorting,
  ...dateRange,
  status: Type.Optional(
    Type.String({ maxLength: 20, description: `In any case: ${states.join(', ')}.` }),
  ),
  accountNumber: Type.Optional({ ...AccountNumber, description: 'Of the virtual account.' }),
  transactionReference: Type.Optional(reference),
  search: Type.Optional(Type.String({ maxLength: 100, description: searched })),
})

const accountFilters = filtersFor(
  ACCOUNT_STATES,
  'The whole number of an account, or the whole reference of its transaction.',
)
const depositFilters = {
  ...filtersFor(
    DEPOSIT_STATES,
    'The whole number of an account, or the whole reference of a deposit or its transaction.',
  ),
  returnStatus: Type.Optional(
    Type.String({ maxLength: 20, description: `In any case: ${RETURN_STATES.join(', ')}.` }),
  ),
}
const aliases = accountNumberAliases('accountNumber')

export const AccountFilters = withAliases(Type.Object(accountFilters), aliases)
export type AccountFilters = Static<typeof AccountFilters>
export const AccountQuery = withAliases(Type.Object({ ...paging, ...accountFilters }), aliases)
export type AccountQuery = Static<typeof AccountQuery>

export const DepositFilters = withAliases(Type.Object(depositFilters), aliases)
export type DepositFilters = Static<typeof DepositFilters>
export const DepositQuery = withAliases(Type.Object({ ...paging, ...depositFilters }), aliases)
export type DepositQuery = Static<typeof DepositQuery>

export const AccountId = Type.Object({ id: PathId('The id of a virtual account.') })
export const DepositReference = Type.Object({
  reference: Type.String({
    maxLength: 100,
    description: 'The deposit’s reference or id, or the provider’s reference for it.',
  }),
})

const text = Type.String()

const AccountRecord = Type.Object({
  id: Type.Integer(),
  reference: Type.String({ description: 'The reference of the transaction.' }),
  status: Type.String({ description: `${ACCOUNT_STATES.join(', ')}.` }),
  accountNumber: text,
  accountName: text,
  bankName: text,
  bankCode: Nullable(text),
  amount: Type.Number({ description: 'The amount to transfer.' }),
  amountMinor: Type.Integer(),
  currency: text,
  expiresAt: Timestamp,
  transactionId: Type.Integer(),
  createdAt: Timestamp,
})
export const OneAccount = Envelope(AccountRecord)
export const AccountList = PageOf(AccountRecord)

export const DepositRecord = Type.Object({
  id: Type.Integer(),
  reference: text,
  providerReference: Type.String({ description: 'The provider’s own reference.' }),
  status: Type.String({ description: `${DEPOSIT_STATES.join(', ')}.` }),
  reason: Nullable({ ...text, description: 'Why the deposit was not accepted at first.' }),
  returnStatus: Nullable({
    ...text,
    description:
      'ReturnedByProvider, Held, Returning or Returned, if the deposit was not accepted.',
  }),
  accountNumber: Nullable({
    ...text,
    description: 'Null if the payment was not made to an account.',
  }),
  amount: Type.Number(),
  amountMinor: Type.Integer(),
  currency: text,
  providerFee: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    description: 'What the provider keeps; null until it says.',
  }),
  sender: Type.Unsafe<object | null>({
    type: ['object', 'null'],
    properties: {
      accountName: { type: ['string', 'null'] },
      accountNumber: { type: ['string', 'null'] },
      bankName: { type: ['string', 'null'] },
    },
    description: 'The sender; null if the bank does not name one.',
  }),
  transactionId: Nullable(Type.Integer()),
  transactionReference: Nullable(text),
  createdAt: Timestamp,
})
export const OneDeposit = Envelope(DepositRecord)
export const DepositList = PageOf(DepositRecord)
