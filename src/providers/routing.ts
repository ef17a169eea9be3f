import { createHash } from 'node:crypto'
import type { Minor } from '../lib/money.ts'
import { randomText } from '../lib/tokens.ts'
import type { RoutingQuery, Service } from './connector/types.ts'
import type { RouteRow } from './queries.ts'

/**
 * Returns the routes that serve an order, best first, with one route for each connection: by
 * priority and, within one priority, each is the first with the probability of its share of the
 * weights. The same key always gives the same order; without a key, each call draws a new one.
 */
export function bestFirst(routes: readonly RouteRow[], query: RoutingQuery): RouteRow[] {
  const key = query.key ?? randomText(20)
  // Among independent -ln(fraction) / weight, each is the least with the probability weight / sum.
  const ranked = routes
    .filter((route) => isFit(route, query))
    .map((route) => ({ route, rank: -Math.log(fractionOf(route, key)) / route.weight }))
    .sort((a, b) => a.route.priority - b.route.priority || a.rank - b.rank)
  const seen = new Set<number>()
  return ranked
    .map(({ route }) => route)
    .filter(({ connection_id: id }) => !seen.has(id) && seen.add(id))
}

/** Returns a number above 0 and up to 1 that looks random, but follows from key and connection. */
function fractionOf({ connection_id }: RouteRow, key: string): number {
  const digest = createHash('sha256').update(`${key} ${connection_id}`).digest()
  return (digest.readUInt32BE() + 1) / 2 ** 32
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

function isFit(route: RouteRow, query: RoutingQuery): boolean {
  const { service, currency, amount_minor, bankCode, except = [] } = query
  return (
    route.status === 'Active' &&
    route.service === service &&
    route.currency === currency &&
    isAmountFit(route, amount_minor) &&
    isBankFit(route, service, bankCode) &&
    !except.includes(route.connection_id)
  )
}

const isAmountFit = ({ least_minor, most_minor }: RouteRow, amount_minor: Minor | undefined) =>
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
