import pg from 'pg'
import { urlsOf, withFirst } from '../lib/service-urls.ts'

/**
 * A URL with several hosts: postgres://user:password@one:5432,two:5432/name. One of them is the
 * primary; the others are standbys, one of which can become the primary at any time.
 */
export interface Hosts {
  /** The URL of the last known primary. */
  primary(): string
  /**
   * Asks all hosts which of them is the primary. Calls that overlap share one search. Resolves to
   * whether there is one.
   */
  find(): Promise<boolean>
}

const CONNECT_MS = 2_000
/** Returns undefined if the connection names only one host. */
export function openHosts({ connectionString }: pg.ClientConfig): Hosts | undefined {
  const urls = connectionString === undefined ? [] : urlsOf(connectionString)
  if (urls.length < 2) return undefined
  let primary = urls[0]!
  let search: Promise<boolean> | undefined

  async function searchAll(): Promise<boolean> {
    const found = await Promise.any(urls.map(requirePrimary)).catch(() => undefined)
    primary = found ?? primary
    return found !== undefined
  }
  return {
    primary: () => primary,
    find() {
      search ??= searchAll().finally(() => {
        search = undefined
      })
      return search
    },
  }
}

/** Returns a connection to the primary, or the connection itself if it names only one host. */
export async function primaryOf(connection: pg.ClientConfig): Promise<pg.ClientConfig> {
  const hosts = await found(connection)
  return hosts ? { ...connection, connectionString: hosts.primary() } : connection
}

/** Returns a connection that names the same hosts, the primary first. */
export async function primaryFirst(connection: pg.ClientConfig): Promise<pg.ClientConfig> {
  const hosts = await found(connection)
  const ordered = hosts && withFirst(connection.connectionString!, hosts.primary())
  return ordered ? { ...connection, connectionString: ordered } : connection
}

async function found(connection: pg.ClientConfig): Promise<Hosts | undefined> {
  const hosts = openHosts(connection)
  await hosts?.find()
  return hosts
}

async function requirePrimary(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS })
  client.on('error', () => {})
  const timer = setTimeout(() => void client.end().catch(() => {}), 2 * CONNECT_MS)
  try {
    await client.connect()
    const { rows } = await client.query<{ isStandby: boolean }>(
      'select pg_is_in_recovery() as "isStandby"',
    )
    if (rows[0]!.isStandby) throw new Error('This host is a standby')
    return url
  } finally {
    clearTimeout(timer)
    await client.end().catch(() => {})
  }
}
