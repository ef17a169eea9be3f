import { Type } from 'typebox'
import { Amount, Nullable, Text } from '../../lib/schemas.ts'
import type { Service } from '../../providers/connector/types.ts'

const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

export const ConnectionPath = Type.Object({ connectionId: Id })
export const NoticePath = Type.Object({ connectionId: Id, noticeId: Id })

export const SERVICES = [
  'BANK_TRANSFER',
  'USSD',
  'CARD',
  'ACCOUNTS',
  'PAYOUTS',
  'UTILITY',
  'FUNDING',
] as const satisfies readonly Service[]
const ServiceName = Type.Enum([...SERVICES])

const BankCodes = Type.Array(Text(6), { maxItems: 100, uniqueItems: true })

export const ConnectionSettings = Type.Object({
  services: Type.Array(ServiceName, { maxItems: SERVICES.length, uniqueItems: true }),
  ussdBanks: BankCodes,
  feesPaidBy: Type.Enum(['business', 'operator']),
  automaticSettlement: Nullable(
    Type.Boolean({
      description:
        'Whether the provider pays the balance out to your bank account by itself; null if unknown. ' +
        'While it does, payouts are refused.',
    }),
  ),
  payerEmail: Nullable(
    Type.String({
      maxLength: 254,
      description: 'Sent if the provider requires an email address that the payer did not give.',
    }),
  ),
})

const SettingsChange = Type.Partial(ConnectionSettings)
const Name = Type.Optional(Text(100))
/** By the names that the list of known providers has. */
const Values = Type.Record(Type.String({ pattern: '^[a-z_]{1,40}$' }), Text(500), {
  maxProperties: 10,
})
export const GRACE_HOURS_MAX = 168
const GraceHours = Type.Integer({ minimum: 0, maximum: GRACE_HOURS_MAX, default: 72 })
const Reason = Text(300)

export const NewConnection = Type.Object({
  provider: Type.Enum(['paystack', 'flutterwave']),
  name: Name,
  credentials: Values,
  baseUrl: Type.Optional(Text(300)),
  settings: Type.Optional(SettingsChange),
})

export const ChangedConnection = Type.Object({
  name: Name,
  settings: Type.Optional(SettingsChange),
})
export const NewCredentials = Type.Object({ credentials: Values, graceHours: GraceHours })
export const NewNoticeUrl = Type.Object({ graceHours: GraceHours })
export const Pause = Type.Object({ reason: Type.Optional(Reason) })
export const Removal = Type.Object({
  force: Type.Boolean({ default: false }),
  reason: Type.Optional(Reason),
})

// ----------------------------------------------------------------------------------- routing

const limits = {
  priority: Type.Integer({ minimum: 1, maximum: 100 }),
  weight: Type.Integer({ minimum: 1, maximum: 1_000, default: 1 }),
  banks: Type.Array(Text(6), { maxItems: 100, uniqueItems: true, default: [] }),
  isActive: Type.Boolean({ default: true }),
}

const RouteChange = Type.Object({
  service: ServiceName,
  currency: Type.String({ minLength: 3, maxLength: 3, default: 'NGN' }),
  connectionId: Id,
  leastAmount: Type.Optional(Nullable(Amount({ zero: true }))),
  mostAmount: Type.Optional(Nullable(Amount())),
  ...limits,
})
export const RoutesChange = Type.Object({ routes: Type.Array(RouteChange, { maxItems: 200 }) })

export const RouteData = Type.Object({
  service: ServiceName,
  currency: Type.String(),
  connectionId: Type.Integer(),
  leastAmount: Type.Number(),
  leastAmountMinor: Type.Integer(),
  mostAmount: Nullable(Type.Number()),
  mostAmountMinor: Nullable(Type.Integer()),
  ...limits,
})

export const PreviewQuery = Type.Object({
  service: ServiceName,
  currency: Type.String({ minLength: 3, maxLength: 3, default: 'NGN' }),
  amount: Type.Optional(Amount()),
  bankCode: Type.Optional(Text(6)),
})

const named = { connectionId: Type.Integer(), provider: Type.String(), name: Type.String() }
export const PreviewData = Type.Object({
  candidates: Type.Array(
    Type.Object({ ...named, share: Type.Number(), isSuspended: Type.Boolean() }),
  ),
  skipped: Type.Array(Type.Object({ ...named, why: Type.String() })),
})

export const StopReason = Type.Object({ reason: Reason })
