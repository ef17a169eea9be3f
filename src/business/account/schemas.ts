import { type Static, Type } from 'typebox'
import { PREFIX_PATTERN } from '../../lib/invoice-number.ts'
import {
  Amount,
  Envelope,
  Nullable,
  NullableTimestamp,
  OneLine,
  Timestamp,
} from '../../lib/schemas.ts'
import { withAliases } from '../../lib/text.ts'
import {
  AccountNumber,
  accountNumberAliases,
  BankName,
  bankAliases,
} from '../../providers/banks/banks.ts'

const text = Type.String()

const ShownAccount = Type.Unsafe<object | null>({
  type: ['object', 'null'],
  required: ['bankName', 'accountNumber', 'accountName'],
  properties: {
    bankName: { type: 'string' },
    accountNumber: { type: 'string', description: 'The last 4 digits.' },
    accountName: { type: 'string' },
  },
})

export const OneProfile = Envelope(
  Type.Object({
    id: Type.Integer({ description: 'The same as businessId.' }),
    businessId: Type.Integer(),
    businessName: text,
    email: Nullable(text),
    phone: Nullable(text),
    firstName: Nullable(text),
    lastName: Nullable(text),
    country: text,
    currency: text,
    timeZone: text,
    mode: Type.String({ description: 'The mode of the key: test or live.' }),
    status: text,
    accountVerified: Type.Boolean({
      description: 'Whether the bank has confirmed settlementAccount.',
    }),
    settlementAccount: ShownAccount,
    key: Type.Object({
      type: Type.String({ description: 'secret, or partner for a partner’s token.' }),
      scopes: Type.Unsafe<readonly string[] | null>({
        type: ['array', 'null'],
        items: { type: 'string' },
        description: 'null means full access.',
      }),
      expiresAt: NullableTimestamp,
    }),
    createdAt: Timestamp,
    reference: text,
  }),
)

const FEE_BEARERS = ['business', 'customer', 'subaccounts'] as const
export const PAYOUT_SCHEDULES = ['manual', 'daily', 'weekly'] as const
const ACCOUNT_POLICIES = ['exact', 'accept_over', 'accept_partial'] as const

export const OneSettings = Envelope(
  Type.Object({
    reference: text,
    status: text,
    settlementAccount: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      required: ['bankCode', 'bankName', 'accountNumber', 'accountName'],
      properties: {
        bankCode: { type: 'string' },
        bankName: { type: 'string' },
        accountNumber: { type: 'string' },
        accountName: { type: 'string' },
      },
    }),
    payoutsPausedUntil: Type.Unsafe<Date | null>({
      ...NullableTimestamp,
      description:
        'In live mode, 24 hours after a change of settlementAccount; no payouts before that.',
    }),
    payoutSchedule: Type.String({
      description: 'When we pay out the available balance to settlementAccount.',
    }),
    manualPayment: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      required: ['bankName', 'accountNumber', 'accountName', 'instructions'],
      properties: {
        bankName: { type: 'string' },
        accountNumber: { type: 'string' },
        accountName: { type: 'string' },
        instructions: { type: ['string', 'null'] },
      },
    }),
    feeBearer: text,
    origins: Type.Array(text),
    transferApprovalAbove: Nullable(Type.Number()),
    transferApprovalAboveMinor: Nullable(Type.Integer()),
    dailyApprovalAbove: Nullable(Type.Number()),
    dailyApprovalAboveMinor: Nullable(Type.Integer()),
    approvalSuspendedAt: Type.Unsafe<Date | null>({
      ...NullableTimestamp,
      description: 'When the limits were suspended because fewer than two members could approve.',
    }),
    pendingApprovalChange: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      required: ['transferApprovalAbove', 'dailyApprovalAbove', 'requestedBy', 'requestedAt'],
      properties: {
        transferApprovalAbove: Nullable(Type.Number()),
        dailyApprovalAbove: Nullable(Type.Number()),
        requestedBy: Type.Object({ personId: Type.Integer(), name: text }),
        requestedAt: Timestamp,
      },
      description: 'A change that a second person must confirm in the dashboard.',
    }),
    currency: text,
    virtualAccountPolicy: text,
    timeZone: text,
    invoicePrefix: text,
    nextInvoiceNumber: Type.Integer(),
    redirectSecret: Nullable(
      Type.String({
        description:
          'Signs redirect URLs. null for keys without profile:write, for partners, for requests ' +
          'from the dashboard, and when a request is repeated with the same Idempotency-Key.',
      }),
    ),
    updatedAt: Timestamp,
  }),
)

const SettlementAccount = Nullable(
  withAliases(Type.Object({ bankCode: BankName, accountNumber: AccountNumber }), {
    ...bankAliases('bankCode'),
    ...accountNumberAliases('accountNumber'),
  }),
)

export interface ManualPayment {
  bankName: string
  accountNumber: string
  accountName: string
  instructions: string | null
}

const ManualPaymentInput = Type.Unsafe<
  (Omit<ManualPayment, 'instructions'> & { instructions?: string | null }) | null
>({
  type: ['object', 'null'],
  required: ['bankName', 'accountNumber', 'accountName'],
  properties: {
    bankName: OneLine(100),
    accountNumber: Type.String({
      pattern: '^[0-9A-Za-z][0-9A-Za-z -]{3,33}$',
      'x-says': 'must be an account number of 4 to 34 letters or digits',
      examples: ['0123456789'],
    }),
    accountName: OneLine(200),
    instructions: Nullable(OneLine(500)),
  },
  description: 'How payers pay if no online channel is connected. Only an owner can set it.',
})

/** Absent fields stay as they are. */
export const SettingsChange = Type.Object({
  settlementAccount: Type.Optional({
    ...SettlementAccount,
    description:
      'null for none. The server looks up the account holder before storing the account.',
  }),
  payoutSchedule: Type.Optional(
    Type.Enum([...PAYOUT_SCHEDULES], {
      description:
        'manual: only on request. daily and weekly: all of the available balance, at midnight, ' +
        'each day or each Monday.',
    }),
  ),
  manualPayment: Type.Optional(ManualPaymentInput),
  feeBearer: Type.Optional(Type.Enum([...FEE_BEARERS])),
  origins: Type.Optional(
    Type.Array(Type.String({ maxLength: 300, examples: ['https://shop.example.com'] }), {
      maxItems: 20,
      description: 'The origins that redirect URLs can use: scheme, host and port.',
    }),
  ),
  transferApprovalAbove: Type.Optional(
    Nullable(Amount({ description: 'Larger transfers need approval; null for no limit.' })),
  ),
  dailyApprovalAbove: Type.Optional(
    Nullable(
      Amount({
        description:
          'Transfers that take the day’s total of transfers and bills above it need approval; ' +
          'null for no limit.',
      }),
    ),
  ),
  virtualAccountPolicy: Type.Optional(Type.Enum([...ACCOUNT_POLICIES])),
  timeZone: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z][A-Za-z0-9_+/-]{0,63}$',
      'x-says': 'must be a time zone such as Africa/Lagos',
      examples: ['Africa/Lagos'],
    }),
  ),
  invoicePrefix: Type.Optional(
    Type.String({
      pattern: PREFIX_PATTERN,
      maxLength: 16,
      'x-says':
        'must be 1 to 16 letters, digits, dots, dashes, slashes or underscores, starting with a ' +
        'letter and not ending with a digit',
      examples: ['INV-'],
      description: 'The prefix for new invoice numbers.',
    }),
  ),
  nextInvoiceNumber: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 999_999_999,
      description: 'The number of the next invoice; it can only increase.',
    }),
  ),
})
export type SettingsChange = Static<typeof SettingsChange>
