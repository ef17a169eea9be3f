import { type Static, type TSchema, Type } from 'typebox'
import { pagingRequired, sortingRequired } from '../../lib/paging.ts'
import {
  Envelope,
  Nullable,
  NullableTimestamp,
  OneLine,
  PageOf,
  Timestamp,
} from '../../lib/schemas.ts'
import { withAliases } from '../../lib/text.ts'
import {
  AccountNumber,
  accountNumberAliases,
  BankName,
  bankAliases,
} from '../../providers/banks/banks.ts'

const BusinessName = OneLine(200)
const AccountName = OneLine(200)

const PercentageCharge = Type.Number({
  minimum: 0,
  maximum: 100,
  description:
    'The percentage that the business keeps of payments for the subaccount; at most two decimals.',
  examples: [12.5],
})

const Bank = { ...BankName, examples: [58] }
const BANK_SAYS =
  'A bank’s id or code: 58, "58" and "058" are equivalent. Without it, nothing is paid out.'

const Currency = { pattern: '^[A-Z]{3}$', 'x-says': 'must be a currency code such as NGN' }

const spellings = { ...bankAliases('bank'), ...accountNumberAliases('account_number') }

export const NewSubaccount = withAliases(
  Type.Object({
    business_name: BusinessName,
    account_number: AccountNumber,
    percentage_charge: PercentageCharge,
    currency: Type.String({ ...Currency, default: 'NGN' }),
    bank: Type.Optional({ ...Bank, description: BANK_SAYS }),
    account_name: Type.Optional({
      ...AccountName,
      description: 'Default: the name of the account holder at the bank.',
    }),
  }),
  spellings,
)
export type NewSubaccount = Static<typeof NewSubaccount>

const cleared = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

/** Only the given fields change. Null clears a field. */
export const UpdateSubaccount = withAliases(
  Type.Object({
    business_name: Type.Optional(BusinessName),
    account_number: Type.Optional(AccountNumber),
    percentage_charge: Type.Optional(PercentageCharge),
    currency: Type.Optional(
      Type.String({
        ...Currency,
        description: 'Cannot change; only the current value is accepted.',
      }),
    ),
    bank: cleared(Bank),
    account_name: cleared(AccountName),
    active: Type.Optional(
      Type.Boolean({ description: 'false deactivates the subaccount; true reactivates it.' }),
    ),
  }),
  spellings,
)
export type UpdateSubaccount = Static<typeof UpdateSubaccount>

export const SubaccountReference = Type.Object({
  reference: Type.String({ maxLength: 64, description: 'The subaccount_code, or the id.' }),
})

const SORT_KEYS = ['createdAt', 'business_name', 'percentage_charge', 'id'] as const

export const SubaccountQuery = Type.Object({
  ...pagingRequired,
  ...sortingRequired,
  sortKey: Type.Enum(SORT_KEYS),
  searchString: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'Part of the name or the code, ignoring case; the last digits of the account number; or a ' +
        'whole account number of 10 digits.',
    }),
  ),
})
export type SubaccountQuery = Static<typeof SubaccountQuery>

const text = Type.String()

const shown = {
  id: Type.Integer(),
  business_name: text,
  account_number: text,
  percentage_charge: Type.Number(),
  currency: text,
  bank: Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'The bank’s id.' }),
  account_name: Nullable(text),
  subaccount_code: text,
}

export const SubaccountRecord = Type.Object({
  reference: text,
  status: Type.String({ description: 'Active or Inactive' }),
  ...shown,
  bankCode: Nullable(text),
  bankName: Nullable(text),
  verified: Type.Boolean({
    description: 'Whether the bank confirmed account_name as the account holder’s name.',
  }),
  bankAccountName: Nullable({
    ...text,
    description: 'The name of the account holder, as given by the bank.',
  }),
  payoutsBlocked: Nullable({
    ...text,
    description:
      'Why payouts are blocked: bank_missing (there is no bank account), name_mismatch (the bank has ' +
      'a different name for the account) or account_unverified (the bank could not confirm the name, ' +
      'or has not responded for 24 hours).',
  }),
  payoutsBlockedFrom: Type.Unsafe<Date | null>({
    ...NullableTimestamp,
    description:
      'When payouts will be blocked, unless the account is corrected or confirmed first.',
  }),
  payoutsPausedUntil: Type.Unsafe<Date | null>({
    ...NullableTimestamp,
    description:
      'The end of the 24 hours for which live payouts pause after the bank account changes.',
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const OneSubaccount = Envelope(SubaccountRecord)
export const SubaccountList = PageOf(SubaccountRecord)

/** The contract puts the subaccount's fields at the top level; see docs/QUIRKS.md. */
export const CreatedSubaccount = Type.Object({
  status: Type.Literal('success'),
  message: text,
  ...shown,
  data: SubaccountRecord,
})
