import { type Static, Type } from 'typebox'
import { pagingIfAsked } from '../../lib/paging.ts'
import { Envelope, Nullable, ReferenceList } from '../../lib/schemas.ts'
import { spelt } from '../../lib/text.ts'
import {
  AccountNumber,
  accountSpellings,
  BankName,
  bankSpellings,
} from '../../provider-orders/banks/account-fields.ts'
import { BANK_TYPES } from '../../provider-orders/banks.ts'

const text = Type.String()

export const BankQuery = Type.Object({
  country: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{2}$',
      'x-says': 'must be a country code such as NG',
      examples: ['NG'],
    }),
  ),
  currency: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{3}$',
      'x-says': 'must be a currency code such as NGN',
      examples: ['NGN'],
    }),
  ),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Part of the name, the slug, the code, or of what people call it: gtb, uba.',
    }),
  ),
  isLive: Type.Optional(Type.Boolean({ description: 'Changes nothing: the key says the mode.' })),
  ussd: Type.Optional(Type.Boolean({ description: 'Only banks with, or without, USSD payments.' })),
  ...pagingIfAsked,
})
export type BankQuery = Static<typeof BankQuery>

const Bank = Type.Object({
  id: Type.Integer({ description: 'The code as a number; 1,000,000 and more if it is none.' }),
  name: text,
  slug: text,
  code: text,
  nipCode: Nullable(text),
  ussdTemplate: Nullable(text),
  country: text,
  currency: text,
  type: Type.Unsafe<string>({ type: 'string', enum: [...BANK_TYPES] }),
  supportsTransfer: Type.Boolean(),
  supportsUssd: Type.Boolean(),
  supportsVirtualAccount: Type.Boolean(),
  active: Type.Boolean(),
})

export const ListOfBanks = ReferenceList(Bank)

export const AccountQuery = spelt(
  Type.Object({ accountNumber: AccountNumber, bankCode: BankName }),
  { ...bankSpellings('bankCode'), ...accountSpellings('accountNumber') },
)
export type AccountQuery = Static<typeof AccountQuery>

export const OneAccount = Envelope(
  Type.Object({
    reference: text,
    status: text,
    accountNumber: text,
    accountName: text,
    bankCode: text,
    bankName: text,
    bankId: Type.Integer(),
    nubanValid: Type.Unsafe<boolean | null>({
      type: ['boolean', 'null'],
      description: 'Whether the check digit is right; null where the bank’s numbers have none.',
    }),
    warning: Nullable(text),
  }),
)
