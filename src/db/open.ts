import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import type { Secret } from '../lib/secret.ts'
import { type Embedded, startEmbedded } from './embedded.ts'
import type { Log } from './log.ts'
import { migrate } from './migrate.ts'

export const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url))

/** A database to work with: whose connections to use, and how to let go of it. */
export interface OpenedDatabase {
  owner: pg.ClientConfig
  app: pg.ClientConfig
  isEmbedded: boolean
  stop(): Promise<void>
}

/** DATABASE_URL where it is set, else the embedded server; its schema is brought up to date. */
export async function openConfigured(
  config: { DATABASE_URL: Secret | undefined; DATA_DIR: string },
  log: Log,
  signal?: AbortSignal,
): Promise<OpenedDatabase> {
  const opened = config.DATABASE_URL
    ? foreign(config.DATABASE_URL.reveal())
    : embedded(await startEmbedded({ dataDir: config.DATA_DIR, log, ...(signal && { signal }) }))
  try {
    await migrate({ connect: opened.owner, dir: MIGRATIONS, log })
    return opened
  } catch (error) {
    await opened.stop()
    throw error
  }
}

const foreign = (connectionString: string): OpenedDatabase => ({
  owner: { connectionString },
  app: { connectionString },
  isEmbedded: false,
  stop: async () => {},
})

const embedded = (server: Embedded): OpenedDatabase => ({
  owner: { ...server.config('owner') },
  app: { ...server.config('app') },
  isEmbedded: true,
  stop: () => server.stop(),
})
