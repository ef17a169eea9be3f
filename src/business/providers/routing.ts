import { type Static, Type } from 'typebox'
import type { Database, Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { isIfMatchMet, recordChanged, tagOfValue } from '../../http/etag.ts'
import { type Route, route } from '../../http/route.ts'
import type { Tenant } from '../../lib/caller.ts'
import { amountsOf, isCurrency, parseAmount } from '../../lib/money.ts'
import { invalid } from '../../lib/problem.ts'
import { Envelope } from '../../lib/schemas.ts'
import { bankOf } from '../../providers/banks/banks.ts'
import type { StoredConnection } from '../../providers/connections.ts'
import type { Service } from '../../providers/connector/types.ts'
import { httpConnectorOf } from '../../providers/registry.ts'
import {
  lockRoutes,
  type RouteRule,
  readRoutes,
  replaceRoutes,
  requireSupportedCurrency,
} from '../../providers/routing.ts'
import { actorOf, appendAudit, type Change } from '../audit-log/log.ts'
import { PreviewData, PreviewQuery, RouteData, RoutesChange } from './schemas.ts'

interface Routed extends Tenant {
  now: Date
}

const LAST_PRIORITY = 100

/** Uses a connection for all its services, after the connections that are there already. */
export async function addFirstRoutes(
  tx: Tx,
  { ids }: { ids: Ids },
  tenant: Routed,
  { connection_id: connectionId, provider, settings }: StoredConnection,
): Promise<void> {
  const before = await lockRoutes(tx, tenant, tenant.now)
  const currencies = httpConnectorOf(provider)?.currencies ?? []
  const pairs = (settings.services ?? []).flatMap((service) =>
    currencies.map((currency) => ({ service, currency })),
  )
  const added = pairs.flatMap(({ service, currency }): RouteRule[] => {
    const same = before.filter((one) => one.service === service && one.currency === currency)
    if (same.some((one) => one.connectionId === connectionId)) return []
    return [{ service, currency, connectionId, priority: priorityAfter(same), ...EVERYTHING }]
  })
  if (added.length > 0) await replaceRoutes(tx, ids, tenant, [...before, ...added], tenant.now)
}

/** Removes the routes to a connection, except for some services. */
export async function removeRoutesTo(
  tx: Tx,
  { ids }: { ids: Ids },
  tenant: Routed,
  connectionId: number,
  except: readonly Service[] = [],
): Promise<void> {
  const before = await lockRoutes(tx, tenant, tenant.now)
  const left = before.filter(
    (one) => one.connectionId !== connectionId || except.includes(one.service),
  )
  if (left.length < before.length) await replaceRoutes(tx, ids, tenant, left, tenant.now)
}

type RouteChange = Pick<RouteRule, 'service' | 'currency' | 'connectionId'> & Partial<RouteRule>

/** Changes a connection's route for one service, or adds it after those of other connections. */
export const setRoute = (
  { db, ids }: { db: Database; ids: Ids },
  change: Change,
  wanted: RouteChange,
): Promise<RouteRule> =>
  db.transaction(async (tx) => {
    const { businessId, live, actor, now } = change
    const { service, currency, connectionId } = wanted
    const before = await lockRoutes(tx, change, now)
    const same = before.filter((one) => one.service === service && one.currency === currency)
    const [mine] = same.filter((one) => one.connectionId === connectionId)
    const rule = { ...EVERYTHING, priority: priorityAfter(same), ...mine, ...wanted }
    // The first, so that an error names the fields of this one.
    const all = [rule, ...before.filter((one) => one !== mine)]
    await replaceRoutes(tx, ids, change, all, now)
    const detail = `Set when connection ${connectionId} is used for ${service}`
    const about = { businessId, live, action: 'provider.routing', detail, at: now }
    await appendAudit(tx, actor, { ...about, object: String(connectionId) })
    return rule
  })

const EVERYTHING = { weight: 1, least_minor: 0n, most_minor: null, banks: [], isActive: true }

const priorityAfter = (rules: readonly RouteRule[]): number =>
  Math.min(Math.max(0, ...rules.map(({ priority }) => priority)) + 1, LAST_PRIORITY)

export const routeRecord = (rule: RouteRule): Static<typeof RouteData> => {
  const { least_minor, most_minor, banks, ...rest } = rule
  return {
    ...rest,
    ...amountsOf(rule.currency, { leastAmount: least_minor }),
    ...(most_minor === null
      ? { mostAmount: null, mostAmountMinor: null }
      : amountsOf(rule.currency, { mostAmount: most_minor })),
    banks: [...banks],
  }
}

const rulesOf = ({ routes }: Static<typeof RoutesChange>): RouteRule[] =>
  routes.map(({ leastAmount, mostAmount, service, ...rest }, i) => {
    if (!isCurrency(rest.currency)) {
      throw invalid({ [`routes.${i}.currency`]: ['must be an ISO 4217 currency code'] })
    }
    const minorOf = (amount: number | string, name: string) =>
      parseAmount(amount, rest.currency, { zero: true, field: `routes.${i}.${name}` })
    return {
      ...rest,
      service: service as Service,
      least_minor: leastAmount == null ? 0n : minorOf(leastAmount, 'leastAmount'),
      most_minor: mostAmount == null ? null : minorOf(mostAmount, 'mostAmount'),
    }
  })

const Routes = Envelope(Type.Object({ routes: Type.Array(RouteData) }))

const reads = { method: 'GET', caller: 'member', scope: 'providers:read' } as const

/** Which connection gets a new provider order. */
export const routingRoutes = ({
  db,
  ids,
  providers,
}: Pick<ConsoleDeps, 'db' | 'ids' | 'providers'>): Route[] => [
  route({
    ...reads,
    operation: 'get_routing',
    path: '/routing',
    response: Routes,
    handle: async ({ caller, reply }) => {
      const routes = (await readRoutes(db, caller)).map(routeRecord)
      reply.header('etag', tagOfValue(routes))
      return success('Routes retrieved.', { routes })
    },
  }),
  route({
    operation: 'change_routing',
    method: 'PUT',
    path: '/routing',
    caller: 'member',
    scope: 'providers:write',
    proven: true,
    body: RoutesChange,
    response: Routes,
    handle: async (input) => {
      const { caller, body, now, request, reply } = input
      const { businessId, live } = caller
      const routes = await db.transaction(async (tx) => {
        const before = (await lockRoutes(tx, caller, now)).map(routeRecord)
        if (!isIfMatchMet(request, () => tagOfValue(before))) throw recordChanged()
        await replaceRoutes(tx, ids, caller, rulesOf(body), now)
        const detail = `Changed the routes: ${before.length} before, ${body.routes.length} now`
        const about = { businessId, live, action: 'provider.routing', detail, at: now }
        await appendAudit(tx, actorOf(input), about)
        return (await readRoutes(tx, caller)).map(routeRecord)
      })
      reply.header('etag', tagOfValue(routes))
      return success('Routes changed.', { routes })
    },
  }),
  route({
    ...reads,
    operation: 'preview_routing',
    path: '/routing/preview',
    query: PreviewQuery,
    response: Envelope(PreviewData),
    handle: async ({ caller, query: { service, currency, amount, bankCode } }) => {
      requireSupportedCurrency(currency)
      if (bankCode !== undefined && !bankOf(bankCode)) {
        throw invalid({ bankCode: ['must be the code of a bank'] })
      }
      const preview = await providers.preview(db, caller, {
        service: service as Service,
        currency,
        // A job sends transfers, so they wait for a connection whose last calls failed.
        canWait: service === 'PAYOUTS',
        ...(amount !== undefined && { amount_minor: parseAmount(amount, currency) }),
        ...(bankCode !== undefined && { bankCode }),
      })
      return success('Preview created.', preview)
    },
  }),
]
