import { type Static, Type } from 'typebox'
import { amountsOf, type Minor } from '../../lib/money.ts'
import { Nullable, NullableTimestamp, Timestamp } from '../../lib/schemas.ts'
import type { RecordedBalance } from '../../providers/balances.ts'
import type { StoredConnection, StoredProbe } from '../../providers/connections.ts'
import { servicesOf } from '../../providers/connections.ts'
import type { CredentialField } from '../../providers/connector/http-connector.ts'
import type { KnownCredential } from '../../providers/credentials.ts'
import { HTTP_CONNECTORS, httpConnectorOf } from '../../providers/registry.ts'
import { ConnectionSettings } from './schemas.ts'

const text = Type.String()

const Check = Type.Object({
  name: text,
  isDone: Nullable(Type.Boolean({ description: 'Null if only a person can see it.' })),
  instruction: text,
})

const Balance = Type.Object({
  currency: text,
  available: Type.Number(),
  availableMinor: Type.Integer(),
  pending: Nullable(Type.Number()),
  pendingMinor: Nullable(Type.Integer()),
})

/** A connection as people see it, without the values of its credentials. */
export const ConnectionData = Type.Object({
  id: Type.Integer(),
  provider: text,
  title: text,
  name: text,
  mode: text,
  environment: text,
  status: Type.Enum(['Draft', 'Active', 'Paused', 'Removed']),
  statusReason: Nullable(text),
  baseUrl: text,
  settings: ConnectionSettings,
  noticeUrl: Type.String({ description: 'The URL to enter at the provider.' }),
  firstNoticeAt: NullableTimestamp,
  lastNoticeAt: NullableTimestamp,
  credentials: Type.Array(
    Type.Object({
      name: text,
      label: text,
      last4: text,
      fingerprint: text,
      createdAt: Timestamp,
      acceptedUntil: NullableTimestamp,
    }),
  ),
  checkedAt: NullableTimestamp,
  problem: Nullable(
    Type.Object({ code: text, message: text }, { description: 'Why the last check failed.' }),
  ),
  accountName: Nullable(text),
  depositAmounts: Nullable(
    Type.String({
      description: 'Which amounts an account for one payment keeps: exact or any; null if unknown.',
    }),
  ),
  balances: Type.Array(Balance),
  balancesAt: NullableTimestamp,
  checks: Type.Array(Check),
  createdBy: text,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export type ConnectionRecord = Static<typeof ConnectionData>

export const noticeUrlOf = (publicUrl: string, { notice_token }: StoredConnection): string =>
  `${publicUrl}/providers/notices/${notice_token}`

export function recordOf(
  row: StoredConnection,
  credentials: readonly KnownCredential[],
  publicUrl: string,
  recorded: readonly RecordedBalance[] = [],
): ConnectionRecord {
  const connector = httpConnectorOf(row.provider)
  const fields: readonly CredentialField[] = connector?.credentials ?? []
  const { probe } = row
  return {
    id: row.connection_id,
    provider: row.provider,
    title: connector?.title ?? row.provider,
    name: row.name,
    mode: row.live ? 'live' : 'test',
    environment: row.environment,
    status: row.status,
    statusReason: row.status_reason,
    baseUrl: row.base_url,
    settings: {
      services: [...(row.settings.services ?? [])],
      ussdBanks: [...(row.settings.ussdBanks ?? [])],
      feesPaidBy: row.settings.feesPaidBy ?? 'business',
      automaticSettlement: row.settings.automaticSettlement ?? null,
      payerEmail: row.settings.payerEmail ?? null,
    },
    noticeUrl: noticeUrlOf(publicUrl, row),
    firstNoticeAt: row.first_notice_at,
    lastNoticeAt: row.last_notice_at,
    credentials: credentials.map((one) => ({
      name: one.name,
      label: fields.find(({ name }) => name === one.name)?.label ?? one.name,
      last4: one.last4,
      fingerprint: one.fingerprint,
      createdAt: one.created_at,
      acceptedUntil: one.accepted_until,
    })),
    checkedAt: row.probed_at,
    problem: probe && !probe.isDone ? { code: probe.code, message: probe.message } : null,
    accountName: probe?.isDone ? probe.accountName : null,
    depositAmounts: connector?.depositAmounts ?? null,
    ...balancesOf(row, recorded),
    checks: probe?.isDone ? checksOf(probe, row) : [],
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

type DoneProbe = Extract<StoredProbe, { isDone: true }>

/** Balances are also recorded every hour, so a check is often not the last time that we asked. */
function balancesOf(
  { connection_id, probe, probed_at }: StoredConnection,
  recorded: readonly RecordedBalance[],
): Pick<ConnectionRecord, 'balances' | 'balancesAt'> {
  const own = recorded.filter((one) => one.connection_id === connection_id)
  const last = Math.max(...own.map(({ at }) => at.getTime()))
  if (probe?.isDone && probed_at && probed_at.getTime() > last) {
    const balances = probe.balances.map(({ currency, availableMinor, pendingMinor }) =>
      balanceOf(
        currency,
        BigInt(availableMinor),
        pendingMinor === null ? null : BigInt(pendingMinor),
      ),
    )
    return { balances, balancesAt: probed_at }
  }
  const balances = own.map((one) => balanceOf(one.currency, one.available_minor, one.pending_minor))
  return { balances, balancesAt: own.length > 0 ? new Date(last) : null }
}

const balanceOf = (currency: string, available_minor: Minor, pending_minor: Minor | null) => ({
  currency,
  ...amountsOf(currency, { available: available_minor }),
  ...(pending_minor === null
    ? { pending: null, pendingMinor: null }
    : amountsOf(currency, { pending: pending_minor })),
})

const checksOf = ({ checks }: DoneProbe, row: StoredConnection) =>
  checks.map((check) => ({ ...check, isDone: isKnownDone(check, row) }))

function isKnownDone(
  { name, isDone }: DoneProbe['checks'][number],
  { first_notice_at, settings: { automaticSettlement: isAutomatic = null } }: StoredConnection,
): boolean | null {
  // The first notification shows that its URL was entered.
  if (name === 'notice_url') return first_notice_at ? true : null
  if (name === 'automatic_settlement') return isAutomatic === null ? null : !isAutomatic
  return isDone
}

/** What can be connected, with the fields that people fill in. */
export const KnownProviderData = Type.Object({
  provider: text,
  title: text,
  currencies: Type.Array(text),
  services: Type.Array(text),
  credentials: Type.Array(
    Type.Object({
      name: text,
      label: text,
      isSecret: Type.Boolean(),
      isRequired: Type.Boolean(),
      isOurChoice: Type.Boolean({ description: 'Made by the server if it is left out.' }),
    }),
  ),
  ussdBanks: Type.Array(text),
})

export const knownProviders = (): Static<typeof KnownProviderData>[] =>
  Object.values(HTTP_CONNECTORS).map((connector) => ({
    provider: connector.provider,
    title: connector.title,
    currencies: [...connector.currencies],
    services: servicesOf(connector),
    credentials: connector.credentials.map(
      ({ name, label, isSecret, isRequired, isOurChoice = false }) => ({
        name,
        label,
        isSecret,
        isRequired,
        isOurChoice,
      }),
    ),
    ussdBanks: [...(connector.ussdBanks ?? [])],
  }))
