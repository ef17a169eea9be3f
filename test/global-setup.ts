import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../src/db/embedded.ts'
import { migrate } from '../src/db/migrate.ts'

export const TEMPLATE = 'tradepost_template'

const silent = { info() {}, warn: console.warn, error: console.error }

declare module 'vitest' {
  interface ProvidedContext {
    /** How a test reaches the cluster of this run, as the roles of the server do. */
    cluster: { superuser: pg.ClientConfig; owner: pg.ClientConfig; app: pg.ClientConfig }
  }
}

/** One cluster a run, without fsync, and in it a migrated template that each file copies. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tradepost-test-'))
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    // Files run two at a time, and some start three servers.
    max_connections: '200',
  }
  const embedded = await startEmbedded({ dataDir, log: silent, settings })
  await migrateTemplate(embedded.config('superuser'), embedded.config('owner', TEMPLATE))
  project.provide('cluster', {
    superuser: { ...embedded.config('superuser') },
    owner: { ...embedded.config('owner') },
    app: { ...embedded.config('app') },
  })
  return async () => {
    await embedded.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function migrateTemplate(superuser: pg.ClientConfig, owner: pg.ClientConfig) {
  const client = new pg.Client(superuser)
  await client.connect()
  await client.query(`create database ${TEMPLATE} owner ${owner.user}`)
  await client.end()
  await migrate({ connect: owner, dir: 'migrations', log: silent })
  // As if upgraded today: tests plant rows as older versions left them, without a digest.
  await asUpgraded(owner)
}

async function asUpgraded(owner: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(owner)
  await client.connect()
  await client.query(
    "update schema_migrations set applied_at = applied_at - interval '30 days' where version = 1",
  )
  await client.end()
}
