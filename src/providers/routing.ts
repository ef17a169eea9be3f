import { createHash } from 'node:crypto'
import type { Db, Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import type { Tenant } from '../lib/caller.ts'
import { isCurrency, type Minor } from '../lib/money.ts'
import { type Fields, invalid } from '../lib/problem.ts'
import { randomText } from '../lib/tokens.ts'
import { bankOf } from './banks/banks.ts'
import type {
  Connection,
  ConnectionSettings,
  Connector,
  RouteFault,
  RoutePreview,
  RoutingQuery,
  Service,
} from './connector/types.ts'
import {
  type ConnectionRow,
  deleteRoutes,
  insertRoutes,
  lockSettings,
  selectAllRoutes,
  selectConnectionsOf,
} from './queries.ts'

/** A route with its connection. */
export interface RouteRow extends ConnectionRow {
  service: Service
  currency: string
  priority: number
  weight: number
  least_minor: Minor
  most_minor: Minor | null
  /** Our codes; if there are none, the route serves every bank. */
  banks: string[]
  is_active: boolean
}

/** What is known about connections that the database does not say. */
export interface Known {
  /** Returns undefined for a provider that this version does not know. */
  connectorOf(provider: Connection['provider']): Pick<Connector, 'offers'> | undefined
  /** Whether no new orders are sent now, because the last calls have failed. */
  isSuspended(connectionId: number, service: Service): boolean
}

interface Judgement {
  /** The routes that can take the order, best first, with one route for each connection. */
  fit: RouteRow[]
  /** The chance of each of them to be the first, in the same order. */
  shares: number[]
  /** Those of them that get no new orders at the moment, because their last calls failed. */
  down: RouteRow[]
  /** The other connections, each with one reason. */
  skipped: { route: RouteRow; why: RouteFault }[]
}

/**
 * Decides which of the routes of one service can take an order. They are ordered by priority and,
 * within one priority, each is the first with the probability of its share of the weights. The same
 * key always gives the same order; without a key, each call draws a new one. Connections without
 * new orders at the moment come last, and only for orders that can wait.
 */
export function judge(routes: readonly RouteRow[], query: RoutingQuery, known: Known): Judgement {
  const key = query.key ?? randomText(20)
  const judged = routes.map((route) => ({ route, why: faultOf(route, query, known) }))
  const able = judged.filter(({ why }) => why === undefined).map(({ route }) => route)
  const isUp = (route: RouteRow) => !known.isSuspended(route.connection_id, route.service)
  const up = ranked(able.filter(isUp), key)
  const down = ranked(
    able.filter((route) => !isUp(route)),
    key,
  )
  const fit = query.canWait ? [...up, ...down] : up
  const taken = new Set(fit.map((route) => route.connection_id))
  const left = [
    ...down.map((route) => ({ route, why: 'suspended' as const })),
    ...judged.flatMap(({ route, why }) => (why ? [{ route, why }] : [])),
  ]
  const skipped = left.filter(({ route: { connection_id: id } }) => !taken.has(id) && taken.add(id))
  return { fit, shares: sharesOf(fit, up.length > 0 ? up : down), down, skipped }
}

function ranked(routes: readonly RouteRow[], key: string): RouteRow[] {
  // Among independent -ln(fraction) / weight, each is the least with the probability weight / sum.
  const all = routes
    .map((route) => ({ route, rank: -Math.log(fractionOf(route, key)) / route.weight }))
    .sort((a, b) => a.route.priority - b.route.priority || a.rank - b.rank)
  const seen = new Set<number>()
  return all
    .map(({ route }) => route)
    .filter(({ connection_id: id }) => !seen.has(id) && seen.add(id))
}

/** Returns a number above 0 and up to 1 that looks random, but follows from key and connection. */
function fractionOf({ connection_id }: RouteRow, key: string): number {
  const digest = createHash('sha256').update(`${key} ${connection_id}`).digest()
  return (digest.readUInt32BE() + 1) / 2 ** 32
}

function sharesOf(fit: readonly RouteRow[], drawn: readonly RouteRow[]): number[] {
  const first = drawn[0]?.priority
  const rivals = drawn.filter(({ priority }) => priority === first)
  const sum = rivals.reduce((total, { weight }) => total + weight, 0)
  return fit.map((route) => (rivals.includes(route) ? route.weight / sum : 0))
}

/**
 * Returns the routes to use for `ACCOUNTS` if the business has none for it: its routes for other
 * services, to connections that also know who holds an account. The answer is only advice, so the
 * limits of those routes do not matter.
 */
export const advisersOf = (routes: readonly RouteRow[], { service }: RoutingQuery): RouteRow[] =>
  service === 'ACCOUNTS'
    ? routes
        .filter(({ settings }) => settings.services?.includes('ACCOUNTS'))
        .map((route) => ({ ...route, service, least_minor: 0n, most_minor: null, banks: [] }))
    : []

function faultOf(route: RouteRow, query: RoutingQuery, known: Known): RouteFault | undefined {
  const { service, currency, amount_minor, bankCode, except = [] } = query
  const connector = known.connectorOf(route.provider)
  if (!route.is_active) return 'off'
  if (route.status !== 'Active') return 'not_active'
  if (!connector) return 'unknown_provider'
  const { settings } = route
  const offered = connector.offers ? connector.offers[service] : EVERY_AMOUNT
  if (!offered || settings.services?.includes(service) === false) return 'not_offered'
  if (route.currency !== currency) return 'currency'
  if (!isWithin(route, amount_minor) || !isWithin(offered, amount_minor)) return 'amount'
  if (!isBankFit(route, service, bankCode)) return 'bank'
  return except.includes(route.connection_id) ? 'excluded' : undefined
}

const EVERY_AMOUNT = { least_minor: 0n, most_minor: null }

interface Amounts {
  least_minor: Minor
  most_minor: Minor | null
}

const isWithin = ({ least_minor, most_minor }: Amounts, amount_minor: Minor | undefined) =>
  amount_minor === undefined ||
  (amount_minor >= least_minor && (most_minor === null || amount_minor <= most_minor))

/** A route without banks serves every bank. */
function isBankFit(
  { banks, settings: { ussdBanks = [] } }: RouteRow,
  service: Service,
  bankCode: string | undefined,
): boolean {
  const isAmong = (codes: readonly string[]) =>
    bankCode === undefined || codes.length === 0 || codes.includes(bankCode)
  return isAmong(banks) && (service !== 'USSD' || isAmong(ussdBanks))
}

/** Returns the banks whose USSD codes a route can create; null for every bank. */
export function ussdBanksOf({ banks, settings: { ussdBanks = [] } }: RouteRow): string[] | null {
  if (banks.length === 0) return ussdBanks.length === 0 ? null : [...ussdBanks]
  return ussdBanks.length === 0 ? [...banks] : banks.filter((code) => ussdBanks.includes(code))
}

/** Describes a decision for people, the most probable connection first. */
export function previewOf({ fit, shares, down, skipped }: Judgement): RoutePreview {
  const candidates = fit.map((route, i) => ({
    ...namedIn(route),
    share: shares[i]!,
    isSuspended: down.includes(route),
  }))
  return {
    candidates: candidates.sort((a, b) => b.share - a.share),
    skipped: skipped.map(({ route, why }) => ({ ...namedIn(route), why })),
  }
}

const namedIn = ({ connection_id: connectionId, provider, name }: ConnectionRow) => ({
  connectionId,
  provider,
  name,
})

// ---------------------------------------------------------------- the routes of a business

/** A route as people set it. */
export interface RouteRule {
  service: Service
  currency: string
  connectionId: number
  /** 1 to 100; the lowest is used first. */
  priority: number
  /** 1 to 1,000: the share of the orders among routes of one priority. */
  weight: number
  least_minor: Minor
  /** Null if there is no limit. */
  most_minor: Minor | null
  /** Our codes; if there are none, the route serves every bank. */
  banks: readonly string[]
  isActive: boolean
}

const ROUTES_MAX = 200

/** Reads all routes of a business, those that are off included, in order of their priority. */
export async function readRoutes(db: Db, tenant: Tenant): Promise<RouteRule[]> {
  const rows = await selectAllRoutes(db, tenant)
  return rows.map((row) => ({
    service: row.service,
    currency: row.currency,
    connectionId: row.connection_id,
    priority: row.priority,
    weight: row.weight,
    least_minor: row.least_minor,
    most_minor: row.most_minor,
    banks: row.banks,
    isActive: row.is_active,
  }))
}

/** Like `readRoutes`, and lets nobody else replace them until the transaction ends. */
export async function lockRoutes(tx: Tx, tenant: Tenant, now: Date): Promise<RouteRule[]> {
  await lockSettings(tx, tenant, now)
  return readRoutes(tx, tenant)
}

/**
 * Replaces all routes of a business. They apply to new orders after a second, and orders that
 * exist keep their connections. Throws 400 naming the fields, such as `routes.0.banks`.
 */
export async function replaceRoutes(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  routes: readonly RouteRule[],
  now: Date,
): Promise<void> {
  await lockSettings(tx, tenant, now)
  const connections = await selectConnectionsOf(tx, tenant)
  requireValid(routes, new Map(connections.map((one) => [one.connection_id, one])))
  await deleteRoutes(tx, tenant)
  const rows = []
  for (const route of routes) rows.push({ id: await ids.next(tx), ...route })
  if (rows.length > 0) await insertRoutes(tx, tenant, rows, now)
}

function requireValid(
  routes: readonly RouteRule[],
  connections: ReadonlyMap<number, ConnectionRow>,
): void {
  if (routes.length > ROUTES_MAX) throw invalid({ routes: [`can have at most ${ROUTES_MAX}`] })
  const faults: Fields = {}
  for (const [i, route] of routes.entries()) {
    for (const [field, says] of faultsOf(route, connections.get(route.connectionId)?.settings)) {
      faults[`routes.${i}.${field}`] = [says]
    }
  }
  if (Object.keys(faults).length > 0) throw invalid(faults)
}

type Fault = readonly [field: string, says: string]

function faultsOf(route: RouteRule, settings: Partial<ConnectionSettings> | undefined): Fault[] {
  const { service, currency, priority, weight, least_minor, most_minor, banks } = route
  const faults: (Fault | false)[] = [
    !settings && (['connectionId', 'must be a connection of this business and mode'] as const),
    settings?.services?.includes(service) === false &&
      (['service', 'is not a service that this connection is used for'] as const),
    !isSupportedCurrency(currency) && (['currency', 'must be a supported currency'] as const),
    !isWhole(priority, 100) && (['priority', 'must be a whole number from 1 to 100'] as const),
    !isWhole(weight, 1_000) && (['weight', 'must be a whole number from 1 to 1,000'] as const),
    least_minor < 0n && (['leastAmount', 'must not be negative'] as const),
    most_minor !== null &&
      most_minor < least_minor &&
      (['mostAmount', 'must not be less than the smallest amount'] as const),
    banks.some((code) => !bankOf(code)) && (['banks', 'must be codes of banks'] as const),
  ]
  return faults.filter((fault) => fault !== false)
}

const isWhole = (value: number, most: number): boolean =>
  Number.isInteger(value) && value >= 1 && value <= most

/**
 * The currencies that this server's channels can accept and pay out, even if no channel is
 * connected.
 */
const CARRIED: readonly string[] = ['NGN']

export const isSupportedCurrency = (currency: string): boolean => CARRIED.includes(currency)

/** Throws 400 naming `currency` if no channel can accept it. */
export function requireSupportedCurrency(currency: string): void {
  if (!isCurrency(currency)) throw invalid({ currency: ['must be an ISO 4217 currency code'] })
  if (!isSupportedCurrency(currency)) {
    throw invalid({
      currency: [`must be ${CARRIED.join(' or ')}: no channel can take ${currency}`],
    })
  }
}

/** Asks for a connection that can pay into an account. */
export const payoutQuery = ({
  currency,
  amount_minor,
  bank_code: bankCode,
  reference: key,
}: {
  currency: string
  amount_minor: Minor
  bank_code: string
  reference: string
}): RoutingQuery => ({
  service: 'PAYOUTS',
  currency,
  amount_minor,
  bankCode,
  key,
  // A job sends it.
  canWait: true,
})

/** Asks for a connection that can say who holds an account at a bank. */
export const accountQuery = (bankCode: string): RoutingQuery => ({
  service: 'ACCOUNTS',
  currency: 'NGN',
  bankCode,
})
