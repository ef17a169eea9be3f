import { type Static, Type } from 'typebox'
import { optionalPaging } from '../../lib/paging.ts'
import { Envelope, Nullable, ReferenceList } from '../../lib/schemas.ts'
import { withAliases } from '../../lib/text.ts'
import {
  AccountNumber,
  accountNumberAliases,
  BANK_TYPES,
  BankName,
  bankAliases,
} from '../../providers/banks/banks.ts'

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
      description: 'Part of the name, the slug, the code or a nickname, such as gtb or uba.',
    }),
  ),
  isLive: Type.Optional(
    Type.Boolean({ description: 'Has no effect: the key determines the mode.' }),
  ),
  ussd: Type.Optional(
    Type.Boolean({
      description: 'true lists only banks with USSD payments; false lists only banks without them.',
    }),
  ),
  ...optionalPaging,
})
export type BankQuery = Static<typeof BankQuery>

const Bank = Type.Object({
  id: Type.Integer({
    description: 'The code as a number; above 1,000,000 if the code is not a number.',
  }),
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

export const AccountQuery = withAliases(
  Type.Object({ accountNumber: AccountNumber, bankCode: BankName }),
  { ...bankAliases('bankCode'), ...accountNumberAliases('accountNumber') },
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
      description:
        'Whether the check digit is correct; null if the bank’s account numbers have none.',
    }),
    warning: Nullable(text),
  }),
)
