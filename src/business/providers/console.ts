import { type Static, Type } from 'typebox'
import type { Db } from '../../db/database.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { secondFactorNeeded } from '../../http/auth.ts'
import { success } from '../../http/errors.ts'
import { type MemberInput, type Route, route } from '../../http/route.ts'
import { type Caller, hasScope, type Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { amountsOf } from '../../lib/money.ts'
import { Envelope, Nullable, NullableTimestamp, Timestamp } from '../../lib/schemas.ts'
import { feeOfOrder } from '../../provider-orders/apply-report.ts'
import { findOrders, type OrderKindName } from '../../provider-orders/orders.ts'
import { latestBalances } from '../../providers/balances.ts'
import { callHealthOf } from '../../providers/calls/calls.ts'
import {
  type StoredConnection,
  selectOpenOrders,
  selectOwnConnection,
  selectRefusedNotices,
} from '../../providers/connections.ts'
import type { ConnectionSettings } from '../../providers/connector/types.ts'
import { selectKnownCredentials } from '../../providers/credentials.ts'
import { listStopsOf, PAUSED } from '../../providers/pauses.ts'
import { httpConnectorOf } from '../../providers/registry.ts'
import { actorOf, type Change } from '../audit-log/log.ts'
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
          ...rest,
          provider: provider as 'paystack' | 'flutterwave',
          settings: settings as Partial<ConnectionSettings> | undefined,
        })
        const record = await shown(connection, input.now)
        return success('Provider connected.', {
          connectionId: record.id,
          noticeUrl: noticeUrlOf(publicUrl, connection),
          made,
          connection: record,
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

const DAY_MS = 24 * 3_600_000

/** Returns what shows whether a connection works. */
async function healthOf(
  { db, calls }: { db: Db } & Pick<ConsoleDeps, 'calls'>,
  tenant: Tenant,
  row: StoredConnection,
  now: Date,
) {
  const { connection_id: connectionId, probe } = row
  const since = addMs(now, -DAY_MS)
  const [orders, refused, { figures, suspended }] = await Promise.all([
    selectOpenOrders(db, tenant, connectionId),
    selectRefusedNotices(db, tenant, { connectionId, since }),
    callHealthOf({ db, calls }, tenant, connectionId, now),
  ])
  return {
    status: row.status,
    checkedAt: row.probed_at,
    problem: probe && !probe.isDone ? { code: probe.code, message: probe.message } : null,
    openOrders: orders.open,
    ordersNeedingAttention: orders.attention,
    oldestOpenOrderAt: orders.oldest_at,
    lastNoticeAt: row.last_notice_at,
    refusedNoticesToday: refused,
    calls: figures.map(({ p50_ms: p50Ms, p95_ms: p95Ms, calls: kind, ...rest }) => ({
      kind,
      ...rest,
      p50Ms,
      p95Ms,
    })),
    suspended,
  }
}

const PauseList = Envelope(
  Type.Array(
    Type.Object({
      what: Type.Enum([...PAUSED, 'payouts', 'connection']),
      reason: Nullable(Type.String()),
      pausedAt: Timestamp,
      by: Nullable(Type.String({ description: 'Who stopped payouts.' })),
      resumedBy: Type.Enum(['operator', 'owner', 'member'], {
        description: 'Who can end it. `member`: anyone who can change connections.',
      }),
      connection: Nullable(Type.Object({ id: Type.Integer(), name: Type.String() })),
    }),
  ),
)

/** The scope with which a member can see that something is stopped. */
const SEEN_WITH = { payouts: 'transfers:read', connection: 'providers:read' } as const

const RESUMED_BY = { payouts: 'owner', connection: 'member' } as const

/** What the operator has paused, and what the business itself has paused or stopped. */
export const pauseRoutes = ({ db, pauses }: Pick<ConsoleDeps, 'db' | 'pauses'>): Route[] => [
  route({
    method: 'GET',
    caller: 'member',
    operation: 'list_pauses',
    path: '/pauses',
    response: PauseList,
    handle: async ({ caller }) => {
      const ofOperator = (await pauses.of(caller)).map(({ what, reason, paused_at }) => ({
        what,
        reason,
        pausedAt: paused_at,
        by: null,
        resumedBy: 'operator' as const,
        connection: null,
      }))
      const stops = (await listStopsOf(db, caller))
        .filter(({ what }) => hasScope(caller, SEEN_WITH[what]))
        .map(({ what, reason, at, stopped_by: by, is_operators, connection_id: id, name }) => ({
          what,
          reason,
          pausedAt: at,
          by,
          resumedBy: is_operators ? ('operator' as const) : RESUMED_BY[what],
          connection: id === null ? null : { id, name: name! },
        }))
      return success('Pauses retrieved.', [...ofOperator, ...stops])
    },
  }),
]

const text = Type.String()

const ProviderOrder = Type.Object({
  attempt: Type.Integer({
    description: 'Increases by 1 each time that the record is ordered again.',
  }),
  connectionId: Type.Integer(),
  provider: text,
  title: text,
  name: text,
  reference: Type.String({ description: 'The reference under which the provider has the order.' }),
  providerId: Nullable(text),
  sessionId: Nullable(Type.String({ description: 'The reference that banks use.' })),
  state: Nullable(text),
  message: Nullable(
    Type.String({
      description: 'What the provider said last, or what a person has to do there.',
    }),
  ),
  canWithdraw: Type.Boolean({
    description:
      'Whether the provider can cancel a payout that it has. Only then can another be sent.',
  }),
  needsDecision: Type.Boolean({ description: 'Whether it is one of the unresolved orders.' }),
  fee: Nullable(Type.Number({ description: 'What the provider keeps; null until it says.' })),
  feeMinor: Nullable(Type.Integer()),
  sentAt: NullableTimestamp,
  endedAt: NullableTimestamp,
})

/** Whose provider orders can be read, with the scope that reading the record itself needs. */
const RECORDS = [
  {
    kind: 'charge',
    operation: 'get_payment_orders',
    path: '/payments',
    scope: 'transactions:read',
  },
  {
    kind: 'transfer',
    operation: 'get_transfer_orders',
    path: '/transfers',
    scope: 'transfers:read',
  },
  {
    kind: 'settlement',
    operation: 'get_settlement_orders',
    path: '/settlements',
    scope: 'settlements:read',
  },
  { kind: 'refund', operation: 'get_refund_orders', path: '/refunds', scope: 'refunds:read' },
  { kind: 'bill', operation: 'get_bill_orders', path: '/bills', scope: 'utility:read' },
  {
    kind: 'deposit_return',
    operation: 'get_deposit_orders',
    path: '/deposits',
    scope: 'transactions:read',
  },
] as const satisfies readonly {
  kind: OrderKindName
  operation: string
  path: `/${string}`
  scope: string
}[]

const RecordPath = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
})

/** Which provider has a record, and under which references. */
export const orderRoutes = ({ db }: Pick<ConsoleDeps, 'db'>): Route[] =>
  RECORDS.map(({ kind, operation, path, scope }) =>
    route({
      method: 'GET',
      caller: 'member',
      operation,
      scope,
      path: `${path}/:id/orders`,
      params: RecordPath,
      response: Envelope(Type.Array(ProviderOrder)),
      handle: async ({ caller, params }) => {
        const orders = await findOrders(db, caller, kind, params.id)
        const records: Static<typeof ProviderOrder>[] = []
        for (const order of orders) {
          // The simulator belongs to no business.
          const connection = await selectOwnConnection(db, caller, order.connection_id)
          const named = connection ?? SIMULATOR
          const fee_minor = await feeOfOrder(db, caller, order)
          records.push(orderRecordOf({ ...order, fee_minor }, named))
        }
        return success('Orders retrieved.', records)
      },
    }),
  )

const SIMULATOR = { provider: 'simulator', name: 'Simulator' } as const

type Order = Awaited<ReturnType<typeof findOrders>>[number]
type Named = Pick<StoredConnection, 'provider' | 'name'>

const orderRecordOf = (order: Order, { provider, name }: Named): Static<typeof ProviderOrder> => ({
  attempt: order.attempt,
  connectionId: order.connection_id,
  provider,
  title: httpConnectorOf(provider)?.title ?? 'Simulator',
  name,
  reference: order.sent_reference,
  providerId: order.provider_id,
  sessionId: order.provider_session,
  state: order.state,
  message: order.last_message,
  canWithdraw:
    provider === 'simulator' || httpConnectorOf(provider)?.payouts?.cancelPayout !== undefined,
  needsDecision: order.attention !== null,
  ...(order.fee_minor === null || order.currency === null
    ? { fee: null, feeMinor: null }
    : amountsOf(order.currency, { fee: order.fee_minor })),
  sentAt: order.sent_at,
  endedAt: order.ended_at,
})
