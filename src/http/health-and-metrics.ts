import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import type { Database } from '../db/database.ts'
import type { CallLog } from '../lib/call-record.ts'
import type { Peers } from '../lib/peers.ts'
import { unauthenticated, unavailable } from '../lib/problem.ts'
import type { Draining } from './draining.ts'
import { isLocal } from './ip-addresses.ts'
import type { Mounted } from './route.ts'

export interface OperationsDeps {
  db: Database
  metricsToken: { reveal(): string } | undefined
  /** The other processes of this server. Their metrics are added to this process's metrics. */
  peers?: Peers | undefined
  draining?: Draining | undefined
  exchanges: Pick<CallLog, 'counts'>
  /** Additional sources of metrics. */
  measures?: readonly { measure(registry: Registry): void }[]
}

const READY_WITHIN_MS = 1_500
/**
 * How long the server reports that it is not ready after a write has failed because the disk is
 * full.
 */
const FULL_MS = 5_000

const mounted = (operation: string, url: string): Mounted => ({
  method: 'GET',
  url,
  operation,
  status: 200,
  errors: 'fields',
})

export function mountOperations(server: FastifyInstance, deps: OperationsDeps): Mounted[] {
  const { db } = deps
  server.get('/health/live', async () => ({ status: 'live' }))

  server.get('/health/ready', async () => {
    if (deps.draining?.hasBegun()) {
      throw unavailable('draining', 'This server is being taken out of service.')
    }
    await within(READY_WITHIN_MS, refuseUnlessWritable(db))
    return { status: 'ready' }
  })

  const registry = measure(server, db)
  measureExchanges(registry, deps.exchanges)
  for (const one of deps.measures ?? []) one.measure(registry)
  const ofAll = metricsOfAll(registry, deps.peers, (metric, err) =>
    server.log.error({ metric, err }, 'a metric could not be collected'),
  )
  server.get('/metrics', async (request, reply) => {
    if (!mayReadMetrics(request, deps.metricsToken)) throw unauthenticated()
    return reply.type(registry.contentType).send(await ofAll())
  })
  return [
    mounted('get_liveness', '/health/live'),
    mounted('get_readiness', '/health/ready'),
    mounted('get_metrics', '/metrics'),
  ]
}

/**
 * Returns a function that adds up the metrics of all processes of this server and returns them as
 * text.
 */
function metricsOfAll(
  registry: Registry,
  peers: Peers | undefined,
  onFailure: (metric: string, error: unknown) => void,
): () => Promise<string> {
  if (!peers) {
    const collect = collectorOf(registry, COLLECTED_WITHIN_MS, onFailure)
    return async () => textOf(await collect())
  }
  const collect = collectorOf(registry, RESPOND_WITHIN_MS, onFailure)
  peers.on(METRICS_TOPIC, collect)
  return async () => {
    const others = peers.ask(METRICS_TOPIC)
    return textOfAll([
      await collect(),
      ...((await others) as Awaited<ReturnType<typeof collect>>[]),
    ])
  }
}

const METRICS_TOPIC = 'metrics'
/** Prometheus waits for 10 s, unless it is configured otherwise. */
const COLLECTED_WITHIN_MS = 5_000
/** The other processes wait for one second. */
const RESPOND_WITHIN_MS = 500

/** Throws 503 unless the database accepts writes; a standby still serves reads. */
async function refuseUnlessWritable(db: Database): Promise<void> {
  const { writable } = await db.one<{ writable: boolean }>`
    select not pg_is_in_recovery()
      and not current_setting('default_transaction_read_only')::boolean
      and not current_setting('transaction_read_only')::boolean as writable`
  if (!writable) throw unavailable('database_unavailable', 'The database is read-only.')
  if (!db.wasFullWithin(FULL_MS)) return
  throw unavailable('database_unavailable', 'The database has run out of disk space.')
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const refuse = () =>
    late.reject(unavailable('database_unavailable', 'The database did not respond in time.'))
  const timer = setTimeout(refuse, ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Without a token, only this machine has access; proxied requests count as remote. */
function mayReadMetrics(request: FastifyRequest, token: OperationsDeps['metricsToken']): boolean {
  if (token && request.headers.authorization === `Bearer ${token.reveal()}`) return true
  return isLocal(request)
}

function measure(server: FastifyInstance, db: Database): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'tradepost_' })
  new Gauge({
    name: 'tradepost_processes',
    help: 'How many processes of the server these values are from.',
    registers: [registry],
    collect() {
      this.set(1)
    },
  })
  const seconds = new Histogram({
    name: 'tradepost_http_request_seconds',
    help: 'Response time, by route pattern and status.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  new Gauge({
    name: 'tradepost_database_connections',
    help: 'Connections in the pool, by state.',
    labelNames: ['state'] as const,
    registers: [registry],
    collect() {
      const { total, idle, waiting } = db.stats()
      this.set({ state: 'busy' }, total - idle)
      this.set({ state: 'idle' }, idle)
      this.set({ state: 'waited_for' }, waiting)
    },
  })
  new Counter({
    name: 'tradepost_database_errors_total',
    help: 'Statements that failed, by SQLSTATE; none if the database did not respond.',
    labelNames: ['sqlstate'] as const,
    registers: [registry],
    collect() {
      this.reset()
      for (const [sqlstate, count] of db.failures()) this.inc({ sqlstate }, count)
    },
  })
  new Gauge({
    name: 'tradepost_database_clock_ahead_seconds',
    help: "How far the database's clock is ahead of this server's; negative when it is behind.",
    aggregator: 'average',
    registers: [registry],
    async collect() {
      const before = Date.now()
      const answer = await db.one<{ at: Date }>`select clock_timestamp() as at`.catch(
        () => undefined,
      )
      if (!answer) return this.set(Number.NaN)
      this.set((answer.at.getTime() - (before + Date.now()) / 2) / 1000)
    },
  })
  measureReplicas(registry, db)
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    seconds.observe(
      { method: request.method, route, status: reply.statusCode },
      reply.elapsedTime / 1000,
    )
    done()
  })
  return registry
}

/** Adds metrics for the replicas, which have no values if there are none. */
function measureReplicas(registry: Registry, { replicas }: Database): void {
  const registers = [registry]
  const labelNames = ['host'] as const
  let reading: ReturnType<NonNullable<typeof replicas>> | undefined
  /** The metrics of one scrape share one look at the replicas. */
  async function read() {
    reading ??= replicas?.().finally(() => {
      reading = undefined
    })
    return (await reading) ?? { served: {}, states: [] }
  }
  new Gauge({
    name: 'tradepost_replica_lag_seconds',
    help: 'How far a replica is behind the primary.',
    aggregator: 'average',
    labelNames,
    registers,
    async collect() {
      const { states } = await read()
      this.reset()
      for (const { host, lagMs } of states) {
        if (lagMs !== undefined) this.set({ host }, lagMs / 1000)
      }
    },
  })
  new Gauge({
    name: 'tradepost_replica_used',
    help: '1 if lists and exports can read from the replica, 0 if they use the primary instead.',
    aggregator: 'min',
    labelNames,
    registers,
    async collect() {
      const { states } = await read()
      this.reset()
      for (const { host, problem } of states) this.set({ host }, problem === undefined ? 1 : 0)
    },
  })
  new Counter({
    name: 'tradepost_replica_reads_total',
    help: 'Lists and pages of exports that a replica could serve, by the server that did.',
    labelNames: ['server'] as const,
    registers,
    async collect() {
      const { served } = await read()
      this.reset()
      for (const [server, count] of Object.entries(served)) this.inc({ server }, count)
    },
  })
}

/** Adds metrics for the request log: requests waiting in memory, and requests dropped. */
function measureExchanges(registry: Registry, { counts }: Pick<CallLog, 'counts'>): void {
  const registers = [registry]
  new Gauge({
    name: 'tradepost_request_log_waiting',
    help: 'Requests waiting to be written to the request log.',
    registers,
    collect() {
      this.set(counts().waiting)
    },
  })
  new Counter({
    name: 'tradepost_request_log_lines_total',
    help: 'Requests handled by the request log, by outcome.',
    labelNames: ['outcome'] as const,
    registers,
    collect() {
      const { written, bodiesDropped, linesDropped } = counts()
      this.reset()
      this.inc({ outcome: 'written' }, written)
      this.inc({ outcome: 'without_bodies' }, bodiesDropped)
      this.inc({ outcome: 'dropped' }, linesDropped)
    },
  })
}

type Collected = MetricObjectWithValues<MetricValue<string>>
interface Metric {
  name: string
  get(): Promise<Collected>
}

/**
 * Returns a function that collects the metrics of a process. A metric that fails or takes longer
 * than `withinMs`, such as one that reads a slow database, has its last values, or is left out if
 * there are none. It would otherwise hold up all others: a process that responds late is left out
 * of the metrics of its server, whose counters would then seem to fall. Calls `onFailure` for each
 * metric that fails.
 */
export function collectorOf(
  registry: Registry,
  withinMs: number,
  onFailure: (name: string, error: unknown) => void,
): () => Promise<Collected[]> {
  const last = new Map<string, Collected>()

  async function collect(metric: Metric, late: Promise<undefined>) {
    const collected = metric.get().then(
      (values) => void last.set(metric.name, values),
      (error: unknown) => onFailure(metric.name, error),
    )
    await Promise.race([collected, late])
    return last.get(metric.name)
  }

  return async () => {
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    const timer = setTimeout(resolve, withinMs, undefined)
    try {
      const metrics = registry.getMetricsAsArray() as unknown as Metric[]
      const found = await Promise.all(metrics.map((metric) => collect(metric, late)))
      return found.filter((one) => one !== undefined)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Returns the metrics of one process as text. */
export function textOf(collected: readonly Collected[]): Promise<string> {
  const shown = new Registry()
  for (const one of collected) shown.registerMetric({ ...one, get: async () => one } as never)
  return shown.metrics()
}

/** Adds up the metrics of several processes, and returns them as text. */
export const textOfAll = (processes: readonly Collected[][]): Promise<string> =>
  AggregatorRegistry.aggregate([...processes]).metrics()
