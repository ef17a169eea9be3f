import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import type { Secret } from '../lib/secret.ts'
import { type Embedded, startEmbedded } from './embedded.ts'
import { isUnavailable } from './failures.ts'
import type { Log } from './log.ts'
import { migrate } from './migrate.ts'
import { adviceOn, inspectLine, type Line } from './pooler.ts'

export const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url))

/** A database to work with: whose connections to use, and how to let go of it. */
export interface OpenedDatabase {
  owner: pg.ClientConfig
  app: pg.ClientConfig
  isEmbedded: boolean
  stop(): Promise<void>
}

interface Opening {
  signal?: AbortSignal
  /** How long to wait for a DATABASE_URL that cannot be reached yet; not at all unless given. */
  waitMs?: number
}

/**
 * DATABASE_URL where it is set, else the embedded server; its schema is brought up to date. Throws
 * where a connection pooler is in between that Tradepost does not work with.
 */
export async function openConfigured(
  config: { DATABASE_URL: Secret | undefined; DATA_DIR: string },
  log: Log,
  { signal, waitMs = 0 }: Opening = {},
): Promise<OpenedDatabase> {
  const opened = config.DATABASE_URL
    ? await foreign(config.DATABASE_URL.reveal(), log, waitMs, signal)
    : embedded(await startEmbedded({ dataDir: config.DATA_DIR, log, ...(signal && { signal }) }))
  try {
    await migrate({ connect: opened.owner, dir: MIGRATIONS, log })
    return opened
  } catch (error) {
    await opened.stop()
    throw error
  }
}

async function foreign(
  connectionString: string,
  log: Log,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<OpenedDatabase> {
  const connection = { connectionString }
  const line = await reached(connection, log, waitMs, signal)
  const advice = adviceOn(line)
  if (advice && !advice.works) throw new Error(`the database cannot be used: ${advice.says}`)
  if (advice) log.warn({}, advice.says)
  return { owner: connection, app: connection, isEmbedded: false, stop: async () => {} }
}

/** A container may start before its database accepts connections; a wrong password stays wrong. */
async function reached(
  connection: pg.ClientConfig,
  log: Log,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<Line> {
  const until = Date.now() + waitMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await inspectLine(connection)
    } catch (error) {
      const mayCome = isUnavailable(error) && !/^28/.test((error as { code?: string }).code ?? '')
      if (!mayCome || Date.now() >= until || signal?.aborted) throw error
      if (attempt === 1) log.warn({ err: error }, 'waiting for the database to accept connections')
      await sleep(RETRY_MS, undefined, { ref: true })
    }
  }
}

const RETRY_MS = 1_000

const embedded = (server: Embedded): OpenedDatabase => ({
  owner: { ...server.config('owner') },
  app: { ...server.config('app') },
  isEmbedded: true,
  stop: () => server.stop(),
})
