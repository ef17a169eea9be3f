import { setTimeout as sleep } from 'node:timers/promises'
import type { startServer } from '../../test/harness.ts'
import type { Connection, ConnectionSettings, Connector, Service } from './connector/types.ts'
import { aboutCredential } from './credentials.ts'

type Server = Awaited<ReturnType<typeof startServer>>

interface NewConnection
  extends Partial<Pick<Connection, 'provider' | 'live' | 'status' | 'baseUrl'>> {
  settings?: Partial<ConnectionSettings>
}

/** Stores a business's account with a provider. Returns its id. */
export async function connect(
  { db, ids, clock }: Pick<Server, 'db' | 'ids' | 'clock'>,
  businessId: number,
  {
    provider = 'paystack',
    live = false,
    status = 'Active',
    baseUrl = 'http://127.0.0.1',
    settings = {},
  }: NewConnection = {},
): Promise<number> {
  const [id, now] = [await ids.next(), clock.now()]
  const environment = live ? 'production' : 'sandbox'
  await db.run`
    insert into provider_connections (id, provider, business_id, live, environment, status, name,
      base_url, settings, notice_token, created_by, created_at, updated_at)
    values (${id}, ${provider}, ${businessId}, ${live}, ${environment}, ${status}, 'An account',
      ${baseUrl}, ${JSON.stringify(settings)}, ${`token-${id}`}, 'a test',
      ${now}, ${now})`
  return id
}

/** Stores a connection's secret key, which is still accepted until a time if it is given. */
export async function addSecret(
  { db, clock, keyring }: Pick<Server, 'db' | 'clock' | 'keyring'>,
  connectionId: number,
  secret: string,
  version = 1,
  until: Date | null = null,
  name = 'secret_key',
): Promise<void> {
  await db.transaction(async (tx) => {
    const about = aboutCredential(connectionId, name, version)
    const encrypted = await keyring.encrypt(tx, about, secret)
    await tx.run`
      insert into provider_credentials (connection_id, name, version, encrypted, fingerprint,
        last4, created_at, accepted_until)
      values (${connectionId}, ${name}, ${version}, ${encrypted}, '000000000000', 'last',
        ${clock.now()}, ${until})`
  })
}

interface NewRoute {
  service: Service
  connectionId: number
  live?: boolean
  priority?: number
  weight?: number
  least_minor?: bigint
  most_minor?: bigint | null
  banks?: string[]
}

/** Replaces all of a business's routes. */
export async function setRoutes(
  { db, ids, clock }: Pick<Server, 'db' | 'ids' | 'clock'>,
  businessId: number,
  routes: readonly NewRoute[],
): Promise<void> {
  await db.run`delete from provider_routes where business_id = ${businessId}`
  for (const route of routes) {
    const { service, connectionId, live = false, priority = 1, weight = 1, banks = [] } = route
    const { least_minor = 0n, most_minor = null } = route
    const now = clock.now()
    await db.run`
      insert into provider_routes (business_id, live, id, service, currency, connection_id,
        priority, weight, least_minor, most_minor, banks, created_at, updated_at)
      values (${businessId}, ${live}, ${await ids.next()}, ${service}, 'NGN', ${connectionId},
        ${priority}, ${weight}, ${least_minor}, ${most_minor}, ${banks}, ${now}, ${now})`
  }
}

export async function pause({ db }: Pick<Server, 'db'>, id: number): Promise<void> {
  await db.run`update provider_connections set status = 'Paused' where id = ${id}`
  await routesApply()
}

/** Waits until no process still uses the routes that it read before. */
export const routesApply = () => sleep(1_100)

/** A connector that writes down which of its operations are called for which business. */
export const recorded = (
  connector: Connector,
  name: string,
  calls: { businessId: number; call: string }[],
): Connector =>
  wrapped(connector, (operation, run) => (...args) => {
    const businessId = (args[0].tenant ?? args[0]).businessId
    if (businessId) calls.push({ businessId, call: `${name} ${operation}` })
    return run(...args)
  })

/** What a connector adds to the states that it reports, by operation. */
export type Said = Record<string, { fee_minor?: bigint; commission_minor?: bigint }>

/** A connector that also reports fees and commissions, which the simulator does not. */
export const reporting = (connector: Connector, said: Said): Connector =>
  wrapped(connector, (operation, run) => async (...args) => {
    const outcome = await run(...args)
    const { kind, value } = outcome as { kind: string; value?: object }
    const isState = kind === 'done' && value && 'status' in value
    return isState ? { ...outcome, value: { ...value, ...said[operation] } } : outcome
  })

// biome-ignore lint/suspicious/noExplicitAny: every operation of a connector
type Operation = (...args: any[]) => any

/** A connector with the same facts, and with each operation replaced. */
const wrapped = (
  connector: Connector,
  replace: (operation: string, run: Operation) => Operation,
): Connector =>
  Object.fromEntries(
    Object.entries(connector).map(([name, member]) => [
      name,
      typeof member === 'function' ? replace(name, member as Operation) : member,
    ]),
  ) as unknown as Connector
