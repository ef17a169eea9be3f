import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { buildApp } from '../src/app.ts'
import { createBusiness } from '../src/business/account/bootstrap.ts'
import { openDatabase } from '../src/db/database.ts'
import { openIds } from '../src/db/ids.ts'
import { startJobs } from '../src/jobs/jobs.ts'
import { systemClock } from '../src/lib/clock.ts'
import { throwAwayCluster } from './cluster.ts'

/**
 * Logs like the server but discards the output, as writing to a terminal would distort the
 * measurement.
 */
export const benchLog = () =>
  pino({ base: null }, pino.destination({ dest: '/dev/null', sync: false, minLength: 4096 }))

/**
 * Starts the whole server on its own cluster, with the request log and the jobs, as in
 * production.
 */
export async function startBenchServer(settings: Record<string, string> = {}) {
  const cluster = await throwAwayCluster(settings)
  const db = openDatabase({ connection: cluster.app, connectionsMax: 16 })
  const ids = openIds(db)
  const log = benchLog()
  let nudge = (_name: string, _afterMs?: number): void => {}
  const app = await buildApp({
    db,
    ids,
    clock: systemClock,
    log,
    nudge: (name, afterMs) => nudge(name, afterMs),
    publicUrl: 'http://127.0.0.1:4000',
    rateLimit: { perSecond: 0, burst: 0 },
    simulatorDelayMs: 2_000,
    idempotencyMs: 24 * 3_600_000,
    trustProxy: [],
    metricsToken: undefined,
    storage: { directory: join(tmpdir(), 'tradepost-no-files') },
    webhooks: { allowsLoopback: true },
  })
  await app.server.listen({ port: 0, host: '127.0.0.1' })
  const jobs = startJobs(db, systemClock, app.jobs, log)
  nudge = jobs.nudge
  const { keys, businessId } = await db.transaction((tx) =>
    createBusiness(tx, ids, { name: 'Bench', now: new Date() }),
  )
  const address = app.server.server.address() as { port: number }
  return {
    app,
    db,
    ids,
    cluster,
    businessId,
    port: address.port,
    key: keys.testSecret,
    async stop() {
      await jobs.stop()
      await app.server.close()
      await db.close()
      await cluster.stop()
    },
  }
}
