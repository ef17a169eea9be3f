import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { openBatch } from '../../db/batch.ts'
import type { Database, Db } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import type { Log } from '../../db/log.ts'
import { idsOf, idsWhere, type PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'
import { JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs, type Clock } from '../../lib/clock.ts'
import { readRetryAfter } from '../../safe-fetch/exchange.ts'
import { inSpan } from '../../tracing/tracing.ts'
import type { CallClass } from '../connector/http-connector.ts'
import type { HttpClient, RecordedExchange } from '../connector/transport.ts'
import type { Connection, Connector, Moment, Outcome, Service } from '../connector/types.ts'
import { openBreaker } from './breaker.ts'
import { type Limits, openLimits } from './limits.ts'
import {
  type CallRow,
  deleteCalls,
  insertCalls,
  selectExpiredCalls,
  selectFigures,
} from './queries.ts'

interface CallDeps {
  db: Database
  ids: Ids
  clock: Clock
  log: Log
}

interface Calling {
  connection: Connection
  limits: Limits
  kind: CallClass
  about?: Moment | undefined
}

/** All that one process knows about its calls to providers. */
export type Calls = ReturnType<typeof openCalls>

/** How long a connection rests after 429, if the provider does not say. */
const PAUSE_MS = 1_000
const PAUSE_MS_MAX = 10 * 60_000

/** The operations that decide whether new orders for a service are sent. */
const SERVICES: Partial<Record<keyof Connector, Service>> = {
  openVirtualAccount: 'BANK_TRANSFER',
  startUssd: 'USSD',
  openHostedPage: 'CARD',
  payOut: 'PAYOUTS',
  payOutMany: 'PAYOUTS',
  vend: 'UTILITY',
  openFundingAccount: 'FUNDING',
  resolveAccount: 'ACCOUNTS',
}

/** The calls for which a person is waiting. */
const AWAITED: readonly CallClass[] = ['resolve', 'open']

/**
 * Keeps calls to providers within their limits, suspends connections that fail, and records and
 * counts the calls. Each process has its own limits and suspensions: a provider that minds responds
 * with 429.
 */
export function openCalls({ db, ids, clock, log }: CallDeps) {
  const limits = openLimits()
  const breaker = openBreaker()
  const metrics = metricsOf(breaker, limits)
  const batch = openBatch<CallRow, void>({
    db,
    businessOf: ({ business_id }) => business_id,
    async write(rows) {
      await insertCalls(db, rows)
      return rows.map(() => undefined)
    },
  })

  async function store({ connection, kind, about }: Calling, made: RecordedExchange) {
    const { businessId, id: connection_id, live } = connection
    if (businessId === null) return
    // The steps before a batch are about none of its orders in particular.
    const many = made.isSafeToRepeat ? undefined : about?.orders
    for (const order of many ?? [about?.order]) {
      await batch.add({
        business_id: businessId,
        live,
        id: await ids.next(db),
        connection_id,
        kind: order?.kind ?? null,
        subject_id: order?.subjectId ?? null,
        attempt: order?.attempt ?? null,
        call_class: kind,
        operation: made.operation,
        path: made.path,
        status: made.status,
        outcome: made.result,
        duration_ms: Math.round(made.durationMs),
        request: made.request,
        response: made.response,
        at: clock.now(),
      })
    }
  }

  return {
    /** Returns what a client of the transport needs for one call. */
    optionsFor(calling: Calling) {
      const { connection, limits: allowed, kind } = calling
      const isAwaited = AWAITED.includes(kind)
      return {
        takeSlot: ({ isSafeToRepeat }: { isSafeToRepeat: boolean }, withinMs: number) =>
          limits.take(connection.id, allowed, { isOrder: !isSafeToRepeat, isAwaited }, withinMs),
        record(made: RecordedExchange) {
          // A record that is lost costs support, but no money.
          store(calling, made).catch((error) =>
            log.warn({ err: error, connection: connection.id }, 'the record of a call was lost'),
          )
        },
      }
    },
    /** Returns a client that starts no calls for a while after the provider has asked for that. */
    resting(http: HttpClient, { connection, limits: allowed }: Calling): HttpClient {
      return {
        async send(request) {
          const result = await http.send(request)
          if (result.kind === 'response' && result.status === 429) {
            const { date = '', 'retry-after': asked } = result.headers
            metrics.limited(connection)
            const ms = readRetryAfter(asked, new Date(date)) ?? PAUSE_MS
            limits.pause(connection.id, allowed, Math.min(ms, PAUSE_MS_MAX))
          }
          return result
        },
      }
    },
    /** Returns a connector whose calls are counted, and decide whether it is suspended. */
    watched(connector: Connector, connection: Connection): Connector {
      const { id, provider } = connection
      const observe = async (
        operation: string,
        service: Service | undefined,
        run: () => Promise<Outcome<unknown>>,
      ): Promise<Outcome<unknown>> => {
        const began = performance.now()
        if (service) breaker.begin(id, service)
        const about = { 'tradepost.provider': provider, 'tradepost.connection': id }
        const outcome = await inSpan(`provider ${operation}`, about, async (span) => {
          const found = await run()
          span?.set({ 'tradepost.outcome': nameOf(found) })
          if (found.kind === 'unknown') span?.fail(nameOf(found))
          return found
        })
        metrics.heard(connection, operation, outcome, performance.now() - began)
        const word = unknownWordIn(outcome)
        if (word !== undefined) {
          const fields = { connection: id, provider, operation, word }
          log.warn(fields, 'a provider names a state that we do not know')
        }
        const why = service && breaker.end(id, service, outcome)
        if (why) {
          const fields = { connection: id, provider, service, why }
          log.warn(fields, 'a connection gets no new orders for a while')
        }
        return outcome
      }
      return watchedBy(connector, observe)
    },
    isSuspended: breaker.isOpen,
    /** Returns the services for which a connection gets no new orders now, and why. */
    suspended: (connectionId: number) =>
      breaker
        .open()
        .filter((one) => one.connectionId === connectionId)
        .map(({ service, why }) => ({ service, why })),
    /** Allows new orders again, for example once a test of the connection has succeeded. */
    reset: breaker.reset,
    measure: metrics.measure,
  }
}

/** Returns why a call had this outcome, or its kind. */
function nameOf(outcome: Outcome<unknown>): string {
  const code = 'code' in outcome ? outcome.code : 'reason' in outcome ? outcome.reason : ''
  return code || outcome.kind
}

/** Returns the word of a provider for a state, if we do not know it. */
const unknownWordIn = (outcome: Outcome<unknown>): string | undefined =>
  outcome.kind === 'done'
    ? (outcome.value as { unknownWord?: string } | null)?.unknownWord
    : undefined

type Observe = (
  operation: string,
  service: Service | undefined,
  run: () => Promise<Outcome<unknown>>,
) => Promise<Outcome<unknown>>

/** Every function of a connector is an operation that returns an outcome. */
const watchedBy = (connector: Connector, observe: Observe): Connector =>
  Object.fromEntries(
    Object.entries(connector).map(([name, member]) => [
      name,
      typeof member === 'function'
        ? (...args: unknown[]) =>
            observe(name, SERVICES[name as keyof Connector], () =>
              (member as (...all: unknown[]) => Promise<Outcome<unknown>>)(...args),
            )
        : member,
    ]),
  ) as unknown as Connector

/**
 * Each business has its own connections, so there can be thousands. Only the first that a process
 * calls are counted on their own, and the rest together.
 */
const CONNECTIONS_MAX = 200

function metricsOf(breaker: ReturnType<typeof openBreaker>, limits: ReturnType<typeof openLimits>) {
  const named = new Set<number>()
  const labelOf = (id: number): string => {
    if (named.size < CONNECTIONS_MAX) named.add(id)
    return named.has(id) ? String(id) : 'other'
  }
  const calls = new Counter({
    name: 'tradepost_provider_calls_total',
    help: 'Calls to providers, by operation and outcome.',
    labelNames: ['provider', 'operation', 'outcome'] as const,
    registers: [],
  })
  const seconds = new Histogram({
    name: 'tradepost_provider_call_seconds',
    help: 'How long calls to providers take.',
    labelNames: ['provider', 'operation'] as const,
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 45],
    registers: [],
  })
  const ofConnections = new Counter({
    name: 'tradepost_provider_connection_calls_total',
    help: `Calls to providers, by connection and kind of outcome; at most ${CONNECTIONS_MAX}.`,
    labelNames: ['provider', 'connection', 'outcome'] as const,
    registers: [],
  })
  const limited = new Counter({
    name: 'tradepost_provider_limits_total',
    help: 'Responses of providers that asked for fewer calls, with status 429.',
    labelNames: ['provider'] as const,
    registers: [],
  })
  return {
    limited: ({ provider }: Connection) => limited.inc({ provider }),
    heard(
      { id, provider }: Connection,
      operation: string,
      outcome: Outcome<unknown>,
      ms: number,
    ): void {
      ofConnections.inc({ provider, connection: labelOf(id), outcome: outcome.kind })
      calls.inc({ provider, operation, outcome: nameOf(outcome) })
      seconds.observe({ provider, operation }, ms / 1_000)
    },
    measure(registry: Registry): void {
      registry.registerMetric(calls)
      registry.registerMetric(seconds)
      registry.registerMetric(ofConnections)
      registry.registerMetric(limited)
      new Gauge({
        name: 'tradepost_provider_calls_waiting',
        help: 'Calls that wait for the limits of their connection.',
        registers: [registry],
        collect() {
          this.set(limits.waiting())
        },
      })
      new Gauge({
        name: 'tradepost_provider_suspended',
        help: 'Connections that get no new orders for a service, because calls have failed.',
        labelNames: ['connection', 'service', 'reason'] as const,
        registers: [registry],
        collect() {
          this.reset()
          for (const { connectionId, service, why } of breaker.open()) {
            this.set({ connection: connectionId, service, reason: why }, 1)
          }
        },
      })
    },
  }
}

const KEPT_MS = 90 * 24 * 3_600_000

/** Deletes the records of calls after 90 days. */
export const callExpiryJob: Job = {
  name: 'provider-call-expiry',
  everyMs: 3_600_000,
  async run(db, now, only) {
    // A test clock does not shorten how long they are kept.
    if (only !== undefined) return 0
    const keys = await selectExpiredCalls(db, addMs(now, -KEPT_MS), JOB_ROWS_MAX)
    if (keys.length > 0) await deleteCalls(db, keys)
    return keys.length
  },
}

/** Calls about the customer's records, and lists that mention the customer, lose their texts. */
export const callPersonalData: PersonalData = {
  name: 'providerCalls',
  find: (db, customer, found) => {
    const text = sql`lower(concat_ws(' ', path, request, response))`
    const { email } = customer
    const encoded = encodeURIComponent(email).toLowerCase()
    return idsWhere(db, customer, {
      table: sql`provider_calls`,
      match: sql`(coalesce(subject_id = any(${idsOf(found)}::bigint[]), false)
        or position(${email} in ${text}) > 0 or position(${encoded} in ${text}) > 0)`,
    })
  },
  erase: (tx, { businessId, live }, ids) =>
    tx.run`
      update provider_calls set request = null, response = null, path = split_part(path, '?', 1)
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`,
}

const PERIOD_MS = 24 * 3_600_000

/** How the calls through a connection went during the last day. */
interface CallHealth {
  figures: {
    /** What the calls did, such as `order` or `lookUp`. */
    calls: string
    count: number
    /** Calls without a response, or with an error of the provider's server. */
    failed: number
    /** Half of the calls, and 95 % of them, took at most this long. */
    p50_ms: number
    p95_ms: number
    lastResponseAt: Date | null
  }[]
  /** The services for which this process sends no new orders now, and why. */
  suspended: { service: Service; why: string }[]
}

export async function callHealthOf(
  { db, calls }: { db: Db; calls: Pick<Calls, 'suspended'> },
  tenant: Tenant,
  connectionId: number,
  now: Date,
): Promise<CallHealth> {
  const rows = await selectFigures(db, tenant, connectionId, addMs(now, -PERIOD_MS))
  return {
    figures: rows.map(({ call_class, calls: count, last_response_at, ...row }) => ({
      calls: call_class,
      count,
      lastResponseAt: last_response_at,
      ...row,
    })),
    suspended: calls.suspended(connectionId),
  }
}
