import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from 'pino'
import { allowsLoopback, type Config, storageOf } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { systemClock } from '../lib/clock.ts'
import type { AppOptions } from './shared.ts'

/** The options that a process has beside its settings. */
type Own = Pick<AppOptions, 'db' | 'ids' | 'log' | 'nudge' | 'publicUrl' | 'peers'>

/** Returns the options of a server that the operator has configured. */
export const appOptionsOf = (config: Config, own: Own): AppOptions => ({
  ...own,
  clock: systemClock,
  rateLimit: { perSecond: config.RATE_LIMIT, burst: config.RATE_LIMIT * 2 },
  simulatorDelayMs: config.SIMULATOR_DELAY_MS,
  idempotencyMs: config.IDEMPOTENCY_HOURS * 3_600_000,
  trustProxy: config.TRUST_PROXY,
  smtp: smtpOf(config),
  metricsToken: config.METRICS_TOKEN,
  storage: storageOf(config),
  requestLog: { days: config.REQUEST_LOG_DAYS },
  mailDays: config.MAIL_DAYS,
  webhooks: { allowsLoopback: allowsLoopback(config) },
})

function smtpOf({ SMTP_URL: url, MAIL_FROM: from }: Config) {
  return url && from ? { url, from } : undefined
}

/** Opens one process's connections. */
export const openPool = (
  config: Config,
  { connection, connectionsMax }: { connection: pg.ClientConfig; connectionsMax: number },
  log: Logger,
): Database =>
  openDatabase({
    connection,
    connectionsMax,
    prepare: config.DATABASE_PREPARE,
    onError: (error) => log.warn({ err: error }, 'a database connection was lost'),
  })

/** How long the database connections can take to close when the server stops. */
const CLOSE_MS = 5_000

/** Closes the connections. One that is never returned does not prevent the rest from stopping. */
export const closePool = async (db: Database): Promise<void> => {
  await Promise.race([db.close(), sleep(CLOSE_MS, undefined, { ref: false })])
}
