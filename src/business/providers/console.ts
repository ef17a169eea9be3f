import { Type } from 'typebox'
import type { ConsoleDeps } from '../../deps.ts'
import { secondFactorNeeded } from '../../http/auth.ts'
import { success } from '../../http/errors.ts'
import { type MemberInput, type Route, route } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { Envelope, NullableTimestamp } from '../../lib/schemas.ts'
import { latestBalances } from '../../providers/balances.ts'
import type { StoredConnection } from '../../providers/connections.ts'
import type { ConnectionSettings } from '../../providers/connector/types.ts'
import { selectKnownCredentials } from '../../providers/credentials.ts'
import { actorOf, type Change } from '../audit-log/log.ts'
import { healthOf } from './health.ts'
import {
  ConnectionData,
  KnownProviderData,
  knownProviders,
  noticeUrlOf,
  recordOf,
} from './record.ts'
import {
  ChangedConnection,
  ConnectionPath,
  NewConnection,
  NewCredentials,
  NewNoticeUrl,
  Pause,
  Removal,
} from './schemas.ts'
import {
  changeDetails,
  connect,
  listConnections,
  type ProviderDeps,
  pause,
  remove,
  replaceCredentials,
  replaceNoticeUrl,
  requireConnection,
  resume,
  testConnection,
} from './service.ts'

const reads = { method: 'GET', caller: 'member', scope: 'providers:read' } as const
const writes = { method: 'POST', caller: 'member', scope: 'providers:write' } as const
/** For changes that decide where money goes. */
const guards = { ...writes, proven: true } as const

const OneConnection = Envelope(ConnectionData)

const Made = Type.Record(Type.String(), Type.String(), {
  description: 'Values that the server has made. They are shown only once.',
})
const ConnectedNow = Envelope(
  Type.Object({
    connectionId: Type.Integer(),
    noticeUrl: Type.String(),
    made: Made,
    connection: ConnectionData,
  }),
)

const Health = Envelope(
  Type.Object({
    status: Type.String(),
    checkedAt: NullableTimestamp,
    problem: ConnectionData.properties.problem,
    openOrders: Type.Integer(),
    ordersNeedingAttention: Type.Integer(),
    oldestOpenOrderAt: NullableTimestamp,
    lastNoticeAt: NullableTimestamp,
    refusedNoticesToday: Type.Integer({ description: 'In the last 24 hours.' }),
    calls: Type.Array(
      Type.Object({
        kind: Type.String({ description: 'What the calls of the last 24 hours did.' }),
        count: Type.Integer(),
        failed: Type.Integer(),
        p50Ms: Type.Number(),
        p95Ms: Type.Number(),
        lastResponseAt: NullableTimestamp,
      }),
    ),
    suspended: Type.Array(
      Type.Object(
        { service: Type.String(), why: Type.String() },
        { description: 'The services for which no new orders are sent now.' },
      ),
    ),
  }),
)

/** Times are the server's, because a provider does not know about test clocks. */
const changeOf = (input: MemberInput): Change => {
  const { businessId, live } = input.caller
  return { businessId, live, actor: actorOf(input), now: input.now }
}

/**
 * The key of an account can pay out all of its money, so a stolen password must not be enough.
 * Throws `second_factor_needed` (403).
 */
function requireSecondFactor({ live, person }: Caller): void {
  if (!live || person?.hasSecondFactor) return
  throw secondFactorNeeded(
    'Connecting a provider in live mode requires two-factor authentication on your account.',
  )
}

export const providerRoutes = (
  deps: ProviderDeps & Pick<ConsoleDeps, 'publicUrl' | 'calls'>,
): Route[] => {
  const { db, publicUrl } = deps

  async function shown(row: StoredConnection, now: Date) {
    const tenant = { businessId: row.business_id!, live: row.live }
    const known = await selectKnownCredentials(db, [row.connection_id], now)
    return recordOf(row, known, publicUrl, await latestBalances(db, tenant))
  }

  return [
    route({
      ...reads,
      operation: 'list_providers',
      path: '/providers',
      response: Envelope(Type.Array(ConnectionData)),
      handle: async ({ caller, now }) => {
        const all = await listConnections(db, caller, now)
        const recorded = await latestBalances(db, caller)
        const records = all.map(({ row, credentials }) =>
          recordOf(row, credentials, publicUrl, recorded),
        )
        return success('Connections retrieved.', records)
      },
    }),
    route({
      ...reads,
      operation: 'list_known_providers',
      path: '/providers/known',
      response: Envelope(Type.Array(KnownProviderData)),
      handle: async () => success('Providers retrieved.', knownProviders()),
    }),
    route({
      ...reads,
      operation: 'get_provider',
      path: '/providers/:connectionId',
      params: ConnectionPath,
      response: OneConnection,
      handle: async ({ caller, now, params }) => {
        const row = await requireConnection(db, caller, params.connectionId)
        return success('Connection retrieved.', await shown(row, now))
      },
    }),
    route({
      ...reads,
      operation: 'get_provider_health',
      path: '/providers/:connectionId/health',
      params: ConnectionPath,
      response: Health,
      handle: async ({ caller, now, params }) => {
        const row = await requireConnection(db, caller, params.connectionId)
        return success('Health retrieved.', await healthOf(deps, caller, row, now))
      },
    }),
    route({
      ...guards,
      operation: 'connect_provider',
      path: '/providers',
      body: NewConnection,
      response: ConnectedNow,
      handle: async (input) => {
        requireSecondFactor(input.caller)
        const { provider, settings, ...rest } = input.body
        const { connection, made } = await connect(deps, changeOf(input), {
          ...{ ...rest, provider: provider as 'paystack' | 'flutterwave' },
          settings: settings as Partial<ConnectionSettings> | undefined,
        })
        const record = await shown(connection, input.now)
        return success('Provider connected.', {
          ...{ connectionId: record.id, noticeUrl: noticeUrlOf(publicUrl, connection) },
          ...{ made, connection: record },
        })
      },
    }),
    route({
      ...writes,
      operation: 'test_provider',
      path: '/providers/:connectionId/test',
      params: ConnectionPath,
      response: OneConnection,
      handle: async ({ caller: { businessId, live }, now, params }) => {
        const row = await testConnection(deps, { businessId, live, now }, params.connectionId)
        return success('Connection checked.', await shown(row, now))
      },
    }),
    route({
      ...guards,
      method: 'PUT',
      operation: 'change_provider',
      path: '/providers/:connectionId',
      params: ConnectionPath,
      body: ChangedConnection,
      response: OneConnection,
      handle: async (input) => {
        const { params, body, now } = input
        const settings = body.settings as Partial<ConnectionSettings> | undefined
        const change = { name: body.name, settings }
        const row = await changeDetails(deps, changeOf(input), params.connectionId, change)
        return success('Connection changed.', await shown(row, now))
      },
    }),
    route({
      ...guards,
      operation: 'replace_provider_credentials',
      path: '/providers/:connectionId/credentials',
      params: ConnectionPath,
      body: NewCredentials,
      response: OneConnection,
      handle: async (input) => {
        requireSecondFactor(input.caller)
        const { params, body, now } = input
        const row = await replaceCredentials(deps, changeOf(input), params.connectionId, body)
        return success('Credentials replaced.', await shown(row, now))
      },
    }),
    route({
      ...guards,
      operation: 'replace_provider_notification_url',
      path: '/providers/:connectionId/notice-url',
      params: ConnectionPath,
      body: NewNoticeUrl,
      response: OneConnection,
      handle: async (input) => {
        const { params, body, now } = input
        const change = changeOf(input)
        const row = await replaceNoticeUrl(deps, change, params.connectionId, body.graceHours)
        return success('Enter the new URL at the provider.', await shown(row, now))
      },
    }),
    route({
      ...writes,
      operation: 'pause_provider',
      path: '/providers/:connectionId/pause',
      params: ConnectionPath,
      body: Pause,
      response: OneConnection,
      handle: async (input) => {
        const { params, body, now } = input
        const row = await pause(deps, changeOf(input), params.connectionId, body.reason ?? null)
        return success('Connection paused.', await shown(row, now))
      },
    }),
    route({
      ...guards,
      operation: 'resume_provider',
      path: '/providers/:connectionId/resume',
      params: ConnectionPath,
      response: OneConnection,
      handle: async (input) => {
        const { params, now } = input
        const row = await resume(deps, changeOf(input), params.connectionId)
        return success('Connection resumed.', await shown(row, now))
      },
    }),
    route({
      ...guards,
      operation: 'remove_provider',
      path: '/providers/:connectionId/remove',
      params: ConnectionPath,
      body: Removal,
      response: OneConnection,
      handle: async (input) => {
        const { params, body, now } = input
        const row = await remove(deps, changeOf(input), params.connectionId, body)
        return success('Connection removed.', await shown(row, now))
      },
    }),
  ]
}
