import type { Database, Db } from '../db/database.ts'
import type { Through } from '../ledger/ledger.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'
import { Problem } from '../lib/problem.ts'
import { openBankMap, withOurBanks } from './bank-lists.ts'
import { cachedBriefly } from './brief-cache.ts'
import type { Calls } from './calls/calls.ts'
import type {
  Channel,
  Connection,
  Connector,
  Provider,
  ProviderName,
  Providers,
  RoutingQuery,
  Service,
  SoldPackage,
} from './connector/types.ts'
import { openItemMap, withOurPackages } from './item-lists.ts'
import { channelPaused, openPauses, type Pauses, payoutsStopOf } from './pauses.ts'
import {
  type ConnectionRow,
  routesInBatch,
  selectAllRoutes,
  selectConnection,
  selectRoutes,
} from './queries.ts'
import { advisersOf, judge, type Known, previewOf, type RouteRow, ussdBanksOf } from './routing.ts'

/** Makes a connector for each connection to a provider. */
export type ConnectorFactory = ((connection: Connection) => Connector) & Pick<Connector, 'offers'>

export type Connectors = Readonly<Partial<Record<ProviderName, Connector | ConnectorFactory>>>

/** In the order in which payers see them. */
const CHANNELS: readonly Channel[] = ['BANK_TRANSFER', 'USSD', 'CARD']

/**
 * The connection that migration 0054 adds. It serves the test mode of every business, for each
 * service that the business has no routes for.
 */
const SIMULATOR: Connection = {
  id: 1,
  provider: 'simulator',
  businessId: null,
  live: false,
  environment: 'simulated',
  status: 'Active',
  name: 'Simulator',
  baseUrl: '',
  settings: { services: [], ussdBanks: [], feesPaidBy: 'business', automaticSettlement: null },
}

export const SIMULATOR_CONNECTION = SIMULATOR.id

/**
 * Returns the connections of every business. What is read from the database is used for a second,
 * so a new route applies after a second in every process.
 */
export function openProviders(
  db: Database,
  connectors: Connectors,
  calls?: Pick<Calls, 'watched' | 'isSuspended'>,
  pauses: Pauses = openPauses(db),
): Providers {
  const banks = openBankMap(db)
  const items = openItemMap(db)
  const routes = cachedBriefly((tenant: Tenant, tx: Db | undefined) => routesOf(db, tenant, tx))
  const holders = cachedBriefly((id: number, tx: Db | undefined) => selectConnection(tx ?? db, id))

  const stops = cachedBriefly((tenant: Tenant) => payoutsStopOf(db, tenant))

  function bound(connection: Connection): Provider {
    const known = connectors[connection.provider]
    if (!known) throw new Error(`No connector for ${connection.provider}`)
    const connector = typeof known === 'function' ? known(connection) : known
    const isReal = connection.environment !== 'simulated'
    const watched = isReal && calls ? calls.watched(connector, connection) : connector
    const ours = withOurPackages(withOurBanks(watched, connection, banks), connection, items)
    return { ...ours, connection }
  }
  /** During an upgrade, there can be connections to a provider that this version does not know. */
  const hasConnector = ({ provider }: RouteRow) => connectors[provider] !== undefined
  const isUsable = (route: RouteRow) => route.status === 'Active' && hasConnector(route)
  /** The simulator serves what test mode has no routes for. */
  function isServed({ live }: Tenant, all: readonly RouteRow[], wanted: Service): boolean {
    const routed = all.filter(({ service }) => service === wanted)
    return routed.length === 0 ? !live : routed.some(isUsable)
  }
  const known: Known = {
    connectorOf: (provider) => connectors[provider],
    isSuspended: calls?.isSuspended ?? (() => false),
  }
  const routesFor = ({ businessId, live }: Tenant, tx?: Db) =>
    routes.get(`${businessId} ${live}`, { businessId, live }, tx)

  const isPaused = async (tenant: Tenant, service: Service, tx?: Db) =>
    (await pauses.of(tenant, tx)).some(({ what }) => what === service)

  async function candidates(tenant: Tenant, query: RoutingQuery, tx?: Db) {
    if (await isPaused(tenant, query.service, tx)) throw channelPaused()
    const all = await routesFor(tenant, tx)
    const routed = routesOfService(all, query)
    const { fit } = judge(routed, query, known)
    const [first, ...others] = fit.map((route) => bound(connectionOf(route)))
    if (first) return [first, ...others] as const
    if (routed.length > 0 || query.except?.includes(SIMULATOR.id)) throw providerUnavailable()
    if (tenant.live) throw liveProviderMissing()
    return [bound(SIMULATOR)] as const
  }

  async function preview(from: Db, tenant: Tenant, query: RoutingQuery) {
    const all = await selectAllRoutes(from, tenant)
    // Routes that are off count as if they did not exist.
    const routed = routesOfService(all, query)
    const isRouted = routed.some((route) => route.is_active)
    const isSimulated = !isRouted && !tenant.live && !query.except?.includes(SIMULATOR.id)
    const { candidates: found, skipped } = previewOf(judge(routed, query, known))
    const { id: connectionId, provider, name } = SIMULATOR
    const candidates = isSimulated
      ? [{ connectionId, provider, name, share: 1, isSuspended: false }]
      : found
    return { candidates, skipped }
  }

  return {
    candidates,
    preview,
    isSuspended: known.isSuspended,
    arePayoutsStopped: async ({ businessId, live }) =>
      (await stops.get(`${businessId} ${live}`, { businessId, live })) !== undefined,
    choose: async (tenant, query, tx) => (await candidates(tenant, query, tx))[0],
    async holder(connectionId, tx) {
      if (connectionId === SIMULATOR.id) return bound(SIMULATOR)
      const row = await holders.get(String(connectionId), connectionId, tx)
      if (!row) throw new Error(`No provider has the connection ${connectionId}`)
      return bound(connectionOf(row))
    },
    async ussdBanks(tenant, tx) {
      const all = await routesFor(tenant, tx)
      const routed = all.filter(({ service }) => service === 'USSD')
      if (routed.length === 0) return tenant.live ? [] : null
      const usable = routed.filter((route) => route.status === 'Active' && hasConnector(route))
      const banks = usable.map(ussdBanksOf)
      return banks.includes(null) ? null : [...new Set(banks.flatMap((codes) => codes ?? []))]
    },
    async packages(tenant, tx) {
      const all = await routesFor(tenant, tx)
      const routed = all.filter((route) => route.service === 'UTILITY' && isUsable(route))
      if (routed.length === 0) return null
      const sold = new Map<string, SoldPackage>()
      for (const route of routed.toSorted((a, b) => a.priority - b.priority)) {
        const connection = connectionOf(route)
        if (!bound(connection).listItems) return null
        for (const [slug, item] of await items(connection, tx)) {
          if (!sold.has(slug)) sold.set(slug, { amount_minor: item.amount_minor })
        }
      }
      return sold
    },
    async channels(tenant, tx) {
      const all = await routesFor(tenant, tx)
      const paused = (await pauses.of(tenant, tx)).map(({ what }) => what)
      return CHANNELS.filter(
        (channel) => isServed(tenant, all, channel) && !paused.includes(channel),
      )
    },
    canPayOut: async (tenant) => isServed(tenant, await routesFor(tenant), 'PAYOUTS'),
    async pageSources(tenant) {
      const all = await routesFor(tenant)
      const routed = all.filter(({ service }) => service === 'CARD')
      const simulated = routed.length === 0 && !tenant.live ? [SIMULATOR] : []
      const connections = [...simulated, ...routed.filter(isUsable).map(connectionOf)]
      return [...new Set(connections.flatMap((one) => bound(one).pageSources ?? []))]
    },
  }
}

function routesOfService(all: readonly RouteRow[], query: RoutingQuery): RouteRow[] {
  const ofService = all.filter(({ service }) => service === query.service)
  return ofService.some((route) => route.is_active)
    ? ofService
    : [...ofService, ...advisersOf(all, query)]
}

/** Reads with others' calls in one statement, unless a transaction must read by itself. */
const routesOf = (db: Database, tenant: Tenant, tx: Db | undefined): Promise<RouteRow[]> =>
  tx ? selectRoutes(tx, [tenant]) : routesInBatch(db).add(tenant)

export const connectionOf = (row: ConnectionRow): Connection => ({
  id: row.connection_id,
  provider: row.provider,
  businessId: row.business_id,
  live: row.live,
  environment: row.environment,
  status: row.status,
  name: row.name,
  baseUrl: row.base_url,
  settings: { ...SIMULATOR.settings, ...row.settings },
  credentialsSince: row.credentials_since ?? null,
})

/** Returns how the ledger books money that a connection has moved. */
export const throughOf = (
  { id: connectionId, settings: { feesPaidBy } }: Connection,
  fee_minor?: Minor | null,
): Through => ({ connectionId, fee_minor, feesPaidBy })

const liveProviderMissing = () =>
  new Problem(
    'unavailable',
    'live_provider_missing',
    'The business has not connected a provider for this: nothing was done. Test keys use the simulator.',
    { retryAfterSeconds: 3600 },
  )

const providerUnavailable = () =>
  new Problem(
    'unavailable',
    'provider_unavailable',
    'No connection to a provider can take this: nothing was done.',
    { retryAfterSeconds: 60 },
  )

/** Returns whether `choose` threw this because no connection could take the order. */
export const isNoConnection = (error: unknown): error is Problem =>
  error instanceof Problem && NO_CONNECTION.includes(error.code)

const NO_CONNECTION = ['provider_unavailable', 'live_provider_missing', 'channel_paused']
