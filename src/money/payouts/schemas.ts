import { type Static, Type } from 'typebox'
import { PAYOUT_SCHEDULES } from '../../business/account/schemas.ts'
import { Amount, Envelope, Nullable, NullableTimestamp, Timestamp } from '../../lib/schemas.ts'
import { BLOCKS } from './create.ts'

export const NewPayout = Type.Object({
  amount: Type.Optional(
    Amount({ description: 'Default: all of the available balance, less the transfer fee.' }),
  ),
})

export const PayoutReference = Type.Object({ reference: Type.String({ maxLength: 64 }) })

const schedule = Type.Enum([...PAYOUT_SCHEDULES])

export const NextPayoutQuery = Type.Object({
  schedule: Type.Optional({
    ...schedule,
    description: 'Returns the dates of this schedule instead of the one in the settings.',
  }),
})
export type NextPayoutQuery = Static<typeof NextPayoutQuery>

const text = Type.String()

export const NextPayout = Envelope(
  Type.Object({
    schedule,
    nextAt: Type.Unsafe<Date | null>({
      ...NullableTimestamp,
      description: 'When the schedule makes the next payout; null if it makes none.',
    }),
    dates: Type.Array(Timestamp, { description: 'The next dates of the schedule.' }),
    blockedBy: Nullable({
      ...text,
      description: `Why nothing is paid out at the moment: ${BLOCKS.join(', ')}.`,
    }),
    pausedUntil: NullableTimestamp,
    account: Nullable(
      Type.Object({
        bankCode: text,
        bankName: text,
        accountNumberLast4: text,
        accountName: Nullable(text),
      }),
    ),
    currency: text,
    available: Type.Number(),
    availableMinor: Type.Integer(),
    amount: Type.Number({ description: 'What a payout of the whole balance would pay now.' }),
    amountMinor: Type.Integer(),
    fee: Type.Number({ description: 'The fee charged on top of the amount.' }),
    feeMinor: Type.Integer(),
    needsApproval: Type.Boolean({
      description: 'Whether a payout of the whole balance would be above an approval limit.',
    }),
  }),
)
