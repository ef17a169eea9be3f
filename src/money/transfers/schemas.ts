import { type Static, Type } from 'typebox'
import { machine } from '../../lib/machine.ts'
import { dateRange, paging, pagingRequired, sorting } from '../../lib/paging.ts'
import {
  Amount,
  Envelope,
  Metadata,
  Nullable,
  NullableTimestamp,
  OneLine,
  PageOf,
  StoredMetadata,
  Timestamp,
} from '../../lib/schemas.ts'
import { withAliases } from '../../lib/text.ts'
import {
  AccountNumber,
  accountNumberAliases,
  BankName,
  bankAliases,
} from '../../providers/banks/banks.ts'

export const TRANSFER_STATES = [
  'Unverified',
  'Pending',
  'Successful',
  'Failed',
  'Blocked',
  'Rejected',
] as const
export type TransferState = (typeof TRANSFER_STATES)[number]

/**
 * The states of a transfer. `ledger` is what each move does with the amount held at creation, in
 * the same database transaction: post pays it out, void releases it, return puts back what was paid
 * out. `event` is the event that the move sends. See docs/decisions/0025-money-out.md.
 *
 *   Unverified ─approve→ Pending ─succeed→ Successful ─return→ Failed
 *        │                │  │ └─fail→ Failed
 *        └─reject→ Rejected ←┘ └─block→ Blocked ─retry→ Pending
 *          cancel    refuse, cancel        └─succeed, fail: the provider decided after all
 */
export const transferMachine = machine({
  noun: 'transfer',
  initial: ['Pending', 'Unverified'],
  states: TRANSFER_STATES,
  moves: {
    approve: { from: ['Unverified'], to: 'Pending', ledger: 'none', event: 'transfer.pending' },
    reject: { from: ['Unverified'], to: 'Rejected', ledger: 'void', event: 'transfer.rejected' },
    // Only while the order has not been sent.
    cancel: {
      from: ['Unverified', 'Pending'],
      to: 'Rejected',
      ledger: 'void',
      event: 'transfer.rejected',
    },
    succeed: {
      from: ['Pending', 'Blocked'],
      to: 'Successful',
      ledger: 'post',
      event: 'transfer.successful',
    },
    fail: { from: ['Pending', 'Blocked'], to: 'Failed', ledger: 'void', event: 'transfer.failed' },
    block: { from: ['Pending'], to: 'Blocked', ledger: 'none', event: 'transfer.blocked' },
    refuse: { from: ['Pending'], to: 'Rejected', ledger: 'void', event: 'transfer.rejected' },
    retry: { from: ['Blocked'], to: 'Pending', ledger: 'none', event: 'transfer.pending' },
    return: { from: ['Successful'], to: 'Failed', ledger: 'return', event: 'transfer.reversed' },
  },
})
export type TransferMove = keyof typeof transferMachine.moves

const currency = Type.String({
  pattern: '^[A-Z]{3}$',
  default: 'NGN',
  'x-says': 'must be a currency code such as NGN',
})

export const NewTransfer = withAliases(
  Type.Object({
    amount: Amount(),
    bankCode: BankName,
    accountNumber: AccountNumber,
    accountName: Type.Optional(
      OneLine(200, {
        description:
          'Compared with the name at the bank. If they differ, the transfer needs approval.',
      }),
    ),
    currency,
    narration: Type.Optional(OneLine(100, { description: 'The text that the recipient sees.' })),
    transferReference: Type.Optional(
      Type.String({
        // The reference is also used in paths and in the simulator, so it must not look like one of
        // our references or a path segment.
        pattern: '^(?!TRF_|STL_|export$)[A-Za-z0-9_.-]{6,64}$',
        'x-says':
          'must be 6 to 64 letters, digits, dots, hyphens or underscores, ' +
          'and must not start with TRF_ or STL_',
        description: 'Your own reference. Using it again returns 409.',
        'x-never-empty': true,
      }),
    ),
    metadata: Type.Optional(Metadata),
  }),
  {
    ...bankAliases('bankCode'),
    ...accountNumberAliases('accountNumber'),
    transferReference: ['reference'],
  },
)
export type NewTransfer = Static<typeof NewTransfer>

export const TransferReference = Type.Object({
  reference: Type.String({
    maxLength: 64,
    description: 'Our reference, or your transferReference.',
  }),
})

const payoutFilters = {
  ...sorting,
  ...dateRange,
  transferReference: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Your reference, or ours.' }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Part of the account name, bank, narration or reference; the last digits of the account ' +
        'number; or a whole account number of 10 digits.',
    }),
  ),
  status: Type.Optional(
    Type.String({ maxLength: 20, description: `In any case: ${TRANSFER_STATES.join(', ')}.` }),
  ),
  bankCode: Type.Optional(BankName),
  accountNumber: Type.Optional(AccountNumber),
}

const filters = {
  ...payoutFilters,
  origin: Type.Optional(
    Type.String({ maxLength: 20, description: 'In any case: transfer or payout.' }),
  ),
}

const filterAliases = {
  ...bankAliases('bankCode'),
  ...accountNumberAliases('accountNumber'),
  transferReference: ['reference'],
}

export const TransferFilters = withAliases(Type.Object(filters), filterAliases)
export type TransferFilters = Static<typeof TransferFilters>

export const TransferQuery = withAliases(Type.Object({ ...paging, ...filters }), filterAliases)
export type TransferQuery = Static<typeof TransferQuery>

/** The parameters of a list of payouts, which are all of one origin. */
export const PayoutQuery = withAliases(Type.Object({ ...paging, ...payoutFilters }), filterAliases)
export type PayoutQuery = Static<typeof PayoutQuery>

/** The parameters of the contract's own path. */
export const TransferQueryOfBusiness = withAliases(
  Type.Object({
    businessId: Type.Integer({ minimum: 1, description: 'Must be the id of the key’s business.' }),
    ...pagingRequired,
    ...filters,
  }),
  filterAliases,
)
export type TransferQueryOfBusiness = Static<typeof TransferQueryOfBusiness>

const text = Type.String()

const Actor = Type.Unsafe<object | null>({
  type: ['object', 'null'],
  required: ['type', 'name', 'personId'],
  properties: {
    type: { type: 'string', description: 'person, key or partner.' },
    name: { type: 'string' },
    personId: {
      type: ['integer', 'null'],
      description:
        'The dashboard user who did this; for a key, the person who created the key, if known.',
    },
  },
})

export const TransferRecord = Type.Object({
  id: Type.Integer(),
  reference: text,
  transferReference: text,
  businessId: Type.Integer(),
  origin: Type.String({
    description: 'transfer, or payout for a payout to your own settlement account.',
  }),
  status: text,
  amount: Type.Number(),
  amountMinor: Type.Integer(),
  fee: Type.Number({ description: 'The fee charged on top of the amount.' }),
  currency: text,
  bankId: Nullable(Type.Integer()),
  bankCode: text,
  bankName: text,
  accountNumber: text,
  accountName: Nullable(text),
  narration: Nullable(text),
  failureReason: Nullable({
    ...text,
    description: 'Why the transfer needs approval, was blocked, failed or was returned.',
  }),
  createdBy: { ...Actor, description: 'null for a payout that the schedule made.' },
  approvedBy: Actor,
  needsSecondPerson: Type.Boolean({
    description:
      'Whether someone other than the creator must approve the transfer, because it is above a limit.',
  }),
  canCancel: Type.Boolean({
    description:
      'Whether the transfer can still be cancelled, because no provider can have it yet.',
  }),
  attempt: Type.Integer({
    description: 'Starts at 1, and increases by 1 with each retry or move to another provider.',
  }),
  metadata: StoredMetadata,
  timeline: Type.Array(Type.Object({ status: text, at: Timestamp, message: Nullable(text) })),
  createdAt: Timestamp,
  completedAt: NullableTimestamp,
  reversedAt: NullableTimestamp,
})

export const OneTransfer = Envelope(TransferRecord)
export const TransferList = PageOf(TransferRecord)

export const TransferCostQuery = Type.Object({
  amount: Amount({ description: 'What the recipient would receive.' }),
  currency,
})
export type TransferCostQuery = Static<typeof TransferCostQuery>

const minor = Type.Integer({ description: 'The same amount in minor units.' })

export const TransferCost = Envelope(
  Type.Object({
    amount: Type.Number(),
    amountMinor: minor,
    fee: Type.Number({ description: 'The fee charged on top of the amount.' }),
    feeMinor: minor,
    total: Type.Number({ description: 'What would leave the wallet: the amount plus the fee.' }),
    totalMinor: minor,
    currency: text,
    needsApproval: Type.Boolean({ description: 'Whether the amount is above the approval limit.' }),
  }),
)
