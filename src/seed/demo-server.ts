import { pino } from 'pino'
import { Tradepost } from '../../sdk/src/index.ts'
import type { AppOptions } from '../app/shared.ts'
import { buildApp } from '../app.ts'
import { createKey, revokeKey } from '../business/keys/service.ts'
import type { Database } from '../db/database.ts'
import { openIds } from '../db/ids.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Clock } from '../lib/clock.ts'

export interface ServerOptions
  extends Pick<AppOptions, 'keyring' | 'publicUrl' | 'idempotencyMs' | 'storage'> {
  tenant: Tenant
  /** How far ahead the business's test clock is. */
  aheadMs: number
}

export interface DemoServer {
  url: string
  api: Tradepost
  db: Database
  ids: AppOptions['ids']
  publicUrl: string
  tenant: Tenant
  /** The business's clock. */
  clock: Clock
  /** Runs all due work, or only the due work of the given job. */
  runJobs(name?: string): Promise<void>
  /**
   * Plays all scripts at the same time. Each `yield` returns the time at which the script
   * continues.
   */
  play(scripts: readonly Script[]): Promise<void>
}

export type Script = AsyncGenerator<number, void, void>

/** Runs `work` with a server on `db` and a temporary key. */
export async function withServer(
  db: Database,
  { tenant, aheadMs, ...options }: ServerOptions,
  work: (server: DemoServer) => Promise<void>,
): Promise<void> {
  let nowMs = 0
  const ids = openIds(db)
  const app = await buildApp({
    ...options,
    db,
    ids,
    clock: { now: () => new Date(nowMs - aheadMs) },
    log: pino({ level: 'silent' }),
    nudge: () => {},
    rateLimit: { perSecond: 0, burst: 0 },
    simulatorDelayMs: 0,
    trustProxy: [],
    metricsToken: undefined,
    webhooks: { allowsLoopback: true },
  })

  async function runJobs(name?: string): Promise<void> {
    const due = app.jobs.filter((one) => (name ? one.name === name : one.followsTestClock))
    for (const { run } of due) {
      while ((await run(db, new Date(nowMs), tenant.businessId)) > 0);
    }
    await app.deliverer.idle()
  }

  async function play(scripts: readonly Script[]): Promise<void> {
    const waiting = new Map<Script, number>()
    const goOn = async (script: Script) => {
      const { value, done } = await script.next()
      if (done) waiting.delete(script)
      else waiting.set(script, Math.max(value, nowMs))
    }
    for (const script of scripts) await goOn(script)
    while (waiting.size > 0) {
      const [next] = [...waiting].reduce((a, b) => (b[1] < a[1] ? b : a))
      nowMs = waiting.get(next)!
      await goOn(next)
    }
  }

  try {
    const url = await app.server.listen({ port: 0, host: '127.0.0.1' })
    const at = new Date()
    const { key, record } = await db.transaction((tx) =>
      createKey(tx, ids, tenant, { label: 'Demo data' }, at),
    )
    const api = new Tradepost({ key, baseUrl: url, mode: 'test' })
    const { publicUrl } = options
    const clock = { now: () => new Date(nowMs) }
    await work({ url, api, db, ids, publicUrl, tenant, clock, runJobs, play })
    await db.transaction((tx) => revokeKey(tx, ids, tenant, record.id, at))
  } finally {
    for (const job of app.jobs) job.stop?.()
    await app.server.close()
    await db.close()
  }
}
