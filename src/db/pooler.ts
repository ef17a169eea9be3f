import pg from 'pg'

/** What stands between this process and PostgreSQL. */
export type Line =
  /** Nothing, or something that changes nothing. */
  | { kind: 'direct' }
  /** A pooler that keeps a session for each connection. `keepsSettings`: our time-outs hold. */
  | { kind: 'session'; keepsSettings: boolean }
  /** A pooler whose sessions change hands after each transaction. */
  | { kind: 'transaction' }
  /** A pooler that refuses our time-outs. */
  | { kind: 'refusing' }

const CONNECT_MS = 5_000
const STATEMENT_MS = 9_876

/**
 * Finds a connection pooler. A pooler answers with cancel keys of its own, so the process that
 * PostgreSQL names is not the one that the connection was told of; and in transaction mode two
 * connections that are open at once take turns in one session. Throws what connecting throws.
 */
export async function inspectLine(connection: pg.ClientConfig): Promise<Line> {
  const open = async () => {
    const client = new pg.Client({
      connectionTimeoutMillis: CONNECT_MS,
      ...connection,
      statement_timeout: STATEMENT_MS,
    })
    client.on('error', () => {})
    await client.connect()
    return client
  }
  let one: pg.Client
  try {
    one = await open()
  } catch (error) {
    if (/unsupported startup parameter/i.test((error as Error).message)) return { kind: 'refusing' }
    throw error
  }
  try {
    const { pid, timeout } = await sessionOf(one)
    if (pid === (one as unknown as { processID: number }).processID) return { kind: 'direct' }
    const other = await open()
    try {
      if ((await sessionOf(other)).pid === pid) return { kind: 'transaction' }
    } finally {
      await other.end().catch(() => {})
    }
    return { kind: 'session', keepsSettings: timeout === STATEMENT_MS }
  } finally {
    await one.end().catch(() => {})
  }
}

async function sessionOf(client: pg.Client) {
  const { rows } = await client.query<{ pid: number; timeout: number }>(
    `select pg_backend_pid() as pid, setting::int as timeout
     from pg_settings where name = 'statement_timeout'`,
  )
  return rows[0]!
}

/** What an operator reads about a pooler, and whether Tradepost works behind it. */
export function adviceOn(line: Line): { works: boolean; says: string } | undefined {
  switch (line.kind) {
    case 'direct':
      return undefined
    case 'refusing':
      return {
        works: false,
        says: `a connection pooler refuses the time-outs that Tradepost sets; ${DIRECTLY}`,
      }
    case 'transaction':
      return {
        works: false,
        says: `a connection pooler in transaction mode is in between, which does not work yet; ${DIRECTLY}`,
      }
    case 'session':
      return {
        works: true,
        says: line.keepsSettings
          ? 'a connection pooler in session mode is in between'
          : `a connection pooler drops the time-outs that Tradepost sets; ${DIRECTLY}`,
      }
  }
}

const DIRECTLY = 'point DATABASE_URL directly at PostgreSQL'
