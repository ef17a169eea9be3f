import { execFileSync } from 'node:child_process'
import { Agent } from 'node:http'
import { onTestFinished } from 'vitest'
import { testDatabase } from '../../test/harness.ts'
import { type Reply, send } from '../../test/request.ts'
import { createBusiness } from '../business/account/bootstrap.ts'
import { memberOf } from '../business/people/people.fixture.ts'
import { databaseSettings, openHome } from '../cli/cli.fixture.ts'

export const INVOICES = '/api/payment-service/external/v1/invoices'
export const PROFILE = '/api/user-service/external/v1/profile'
export const INVOICE = { customerEmail: 'ada@example.com', amount: 15_000 }

/** Opens a database and a directory, with which a test can start servers in separate processes. */
export async function openHost() {
  const database = await testDatabase()
  const { db, ids, keyring, clock, name } = database
  const home = await openHome()
  const environment = { ...databaseSettings(name), WEBHOOKS_LOOPBACK: 'on' }

  async function newBusiness(title = 'Ada Ventures') {
    const now = clock.now()
    return db.transaction((tx) => createBusiness(tx, { ids, keyring }, { name: title, now }))
  }
  /** Signs in the owner of a business to the dashboard at `url`. */
  async function ownerAt(url: string, businessId: number) {
    const server = { ...database, url, business: { businessId } }
    return memberOf(server as unknown as Parameters<typeof memberOf>[0], 'owner')
  }
  const start = (options: string[], env: Record<string, string> = {}, bin?: string) =>
    home.start({ ...environment, ...env }, options, bin)
  const begin = (options: string[], env: Record<string, string> = {}) =>
    home.begin(['start', ...options], { ...environment, ...env })
  return { ...home, db, start, begin, newBusiness, ownerAt }
}

/** Returns a client with a single connection, so that one process handles all its requests. */
export function clientOn(url: string, key: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  type Headers_ = Record<string, string>
  const call = (method: string, path: string, body?: unknown, headers: Headers_ = {}) =>
    send(url + path, {
      agent,
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  return {
    get: (path: string) => call('GET', path),
    post: (path: string, body: unknown = {}, headers?: Headers_) =>
      call('POST', path, body, headers),
  }
}

/** The part of a request id that names the process. */
const processOf = ({ headers }: Reply): string => headers.get('x-request-id')!.slice(0, 12)

/** Returns two clients whose requests are handled by different processes. */
export async function clientsOnBoth(url: string, key: string) {
  const one = clientOn(url, key)
  const first = processOf(await one.get('/health/live'))
  for (;;) {
    const other = clientOn(url, key)
    if (processOf(await other.get('/health/live')) !== first) return [one, other] as const
  }
}

/** Returns the ids of the processes that a server has started to handle requests. */
export function workersOf(pid: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
  return lines
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s.*--as-worker$/.exec(line.trimEnd()))
    .filter((found) => Number(found?.[2]) === pid)
    .map((found) => Number(found![1]))
}
