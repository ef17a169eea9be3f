import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from 'pino'
import { clusterTop } from '../backup/wal/archive.ts'
import { allowsLoopback, type Config, storageOf } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { openReplicas } from '../db/replicas.ts'
import { openSharedLimits } from '../db/shared-limits.ts'
import type { EventRetention } from '../developers/events/retention.ts'
import { openArchive } from '../jobs/archive.ts'
import { systemClock } from '../lib/clock.ts'
import { readTraceHeaders } from '../lib/service-urls.ts'
import { startTracing } from '../tracing/load.ts'
import { VERSION } from '../version.ts'
import type { AppOptions } from './shared.ts'

/** The options that are not settings, and that differ between processes. */
type Own = Pick<
  AppOptions,
  'db' | 'ids' | 'keyring' | 'log' | 'nudge' | 'publicUrl' | 'peers' | 'draining' | 'eventRetention'
>

/** Returns the options for a server with this configuration. */
export const appOptionsOf = (config: Config, own: Own): AppOptions => ({
  ...own,
  clock: systemClock,
  rateLimit: { perSecond: config.RATE_LIMIT, burst: config.RATE_LIMIT * 2 },
  sharedLimits: config.RATE_LIMIT_SHARED ? openSharedLimits(own.db) : undefined,
  simulatorDelayMs: config.SIMULATOR_DELAY_MS,
  idempotencyMs: config.IDEMPOTENCY_HOURS * 3_600_000,
  trustProxy: config.TRUST_PROXY,
  smtp: smtpOf(config),
  metricsToken: config.METRICS_TOKEN,
  storage: storageOf(config),
  walArchiveOf: config.WAL_ARCHIVE ? clusterTop(config) : undefined,
  requestLog: { days: config.REQUEST_LOG_DAYS },
  mailDays: config.MAIL_DAYS,
  mailListDays: config.MAIL_LIST_DAYS,
  deliveryDays: config.DELIVERY_DAYS,
  archive: config.RETENTION_ARCHIVE ? openArchive(config.RETENTION_ARCHIVE) : undefined,
  webhooks: { allowsLoopback: allowsLoopback(config) },
  providerHosts: config.PROVIDER_HOSTS,
})

/** Starts tracing if it is configured. Returns a function that ends it. */
export const tracingOf = (config: Config, log: Logger): Promise<() => Promise<void>> =>
  startTracing({
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: readTraceHeaders(config.OTEL_EXPORTER_OTLP_HEADERS?.reveal() ?? ''),
    serviceName: config.OTEL_SERVICE_NAME,
    share: config.OTEL_TRACES_SAMPLER_ARG,
    version: VERSION,
    onFailure: (reason) => log.warn({ reason }, 'traces could not be sent'),
  })

export const eventRetentionOf = (
  { EVENTS_DAYS: days }: Config,
  owner: Database,
): EventRetention => ({ days, owner })

function smtpOf({ SMTP_URL: url, MAIL_FROM: from }: Config) {
  return url && from ? { url, from } : undefined
}

export const openPool = (
  config: Config,
  {
    connection,
    connectionsMax,
    isPooled,
  }: { connection: pg.ClientConfig; connectionsMax: number; isPooled: boolean },
  log: Logger,
): Database =>
  openReplicas(
    config,
    openDatabase({
      connection,
      connectionsMax,
      isPooled,
      prepare: config.DATABASE_PREPARE,
      onError: (error, what) => log.warn({ err: error }, what),
    }),
    log,
  )

const CLOSE_MS = 5_000

/**
 * Closes the connections. A connection that is never returned does not prevent everything else from
 * stopping.
 */
export const closePool = async (db: Database): Promise<void> => {
  await Promise.race([db.close(), sleep(CLOSE_MS, undefined, { ref: false })])
}
