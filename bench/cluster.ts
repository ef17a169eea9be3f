import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { startEmbedded } from '../src/db/embedded.ts'
import { migrate } from '../src/db/migrate.ts'

const quiet = { info() {}, warn: console.warn, error: console.error }

/** A temporary cluster, as durable as a real one unless `settings` say otherwise. */
export async function throwAwayCluster(settings: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tradepost-bench-'))
  const embedded = await startEmbedded({ dataDir, log: quiet, settings })
  await migrate({ connect: embedded.config('owner'), dir: 'migrations', log: quiet })
  const { database } = embedded.config('owner')
  return {
    dataDir,
    app: { ...embedded.config('app') } as pg.ClientConfig,
    owner: { ...embedded.config('owner') } as pg.ClientConfig,
    superuser: { ...embedded.config('superuser', database) } as pg.ClientConfig,
    async stop() {
      await embedded.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
