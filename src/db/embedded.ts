/**
 * The PostgreSQL that comes with Tradepost, started, watched and stopped by the processes that use it.
 *
 * `startEmbedded({ dataDir, log })` creates the cluster when there is none, starts it or joins the one
 * that another process of ours started, and resolves to an `Embedded` once it answers.
 *
 *     const embedded = await startEmbedded({ dataDir: './data', log })
 *     await migrate({ connect: embedded.config('owner'), dir: 'migrations', log })
 *     const pool = new pg.Pool({ ...embedded.config('app'), max: 20 })
 *     …
 *     await pool.end()
 *     await embedded.stop()
 */
import type { Log } from './log.ts'

/** `superuser` is for tests and backups, `owner` migrates, `app` serves requests. */
export type Role = 'superuser' | 'owner' | 'app'

/** Fits `pg.ClientConfig` and `pg.PoolConfig`. `host` is the directory of the unix socket. */
export interface Connection {
  host: string
  port: number
  user: string
  password: string
  database: string
  ssl: false
}

export interface EmbeddedOptions {
  /** The directory that Tradepost keeps everything in; the cluster is `<dataDir>/postgres`. */
  dataDir: string
  log: Log
  /** Aborting it ends a start that is under way: it stops what it began and rejects. */
  signal?: AbortSignal
  /** Server settings beside or instead of ours, e.g. `{ fsync: 'off' }` for a test cluster. */
  settings?: Record<string, string>
}

export interface Embedded {
  /** True when this process started the running server, false when it joined one. */
  readonly owner: boolean
  /** How to connect; the database is `tradepost` unless named. The same for the whole run. */
  config(role: Role, database?: string): Connection
  /** Calls back when the server was lost (it is restarted with back-off). Returns "stop calling". */
  onDown(listener: (reason: string) => void): () => void
  /** Calls back when it answers again. */
  onUp(listener: () => void): () => void
  /**
   * Leaves the cluster, and stops it and waits when no other Tradepost process uses it. Close your
   * pools first. Never rejects; calling it again gives the same promise.
   */
  stop(): Promise<void>
}

/** Rejects with an Error whose message is one line for the operator, saying what to do. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  throw new Error(`not written yet: ${options.dataDir}`)
}
