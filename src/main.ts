import { ConfigError, connectionsOfEach, readConfig } from './config.ts'
import { openConfigured } from './db/connect.ts'
import { requireServerKeys } from './encryption/server-keys.ts'
import { requireFree } from './http/ports.ts'
import { openLog } from './log.ts'
import type { Roles, Stops } from './serve.ts'

export interface Started {
  /** Undefined if the server does not listen. */
  url: string | undefined
  /** Takes the server out of service without stopping it. Resolves once it is drained. */
  drain(): Promise<void>
  /** Stops the server as SIGTERM does: finishes open requests and accepts no new ones. */
  stop(): Promise<void>
}

const DATABASE_WAIT_MS = 60_000

/**
 * Most of the code. It is loaded while PostgreSQL starts, because either takes up to half of the
 * startup time.
 */
const loadServer = () => import('./serve.ts')

export async function startTradepost(
  roles: Roles,
  environment: NodeJS.ProcessEnv = process.env,
  signal?: AbortSignal,
): Promise<Started> {
  const config = readConfig(environment)
  requireServerKeys(config)
  const connectionsMax = connectionsOfEach(config, environment, roles.workers + 1)
  const log = openLog({ level: config.LOG_LEVEL, isShared: !isAlone(roles) })
  const stops: Stops = []
  const stop = async (): Promise<void> => {
    for (const undo of stops.splice(0).reverse()) await undo()
  }
  try {
    // This comes first, so that nothing is created for a server that cannot listen.
    const port = roles.web ? config.PORT : config.WORKER_PORT
    if (port !== undefined) await requireFree(config.HOST, port)
    const database = await openConfigured(config, log, {
      waitMs: DATABASE_WAIT_MS,
      meanwhile: loadServer,
      archivesWal: config.WAL_ARCHIVE !== undefined,
      ...(signal && { signal }),
    })
    stops.push(() => database.stop())
    const { serve } = await loadServer()
    const { url, drain } = await serve(roles, { config, connectionsMax, log, database, stops })
    return { url, drain: drain.begin, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Returns whether one process does everything. */
const isAlone = ({ web, jobs, workers }: Roles): boolean => web && jobs && workers === 0

export { ConfigError }
