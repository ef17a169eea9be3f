import { readFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, inject, test } from 'vitest'
import { testDatabase } from '../../test/harness.ts'
import { MIGRATIONS } from './connect.ts'
import { openBulk } from './copy.ts'
import { openDatabase } from './database.ts'
import { distribute } from './distributed/distribute.ts'
import { migrate, withMigrationLock } from './migrate.ts'

/* If the other machine loses power, nothing ends the connection, so the system has to ask whether
 * it is still there. Linux shows which connections it asks, and when. */

const { name } = await testDatabase()
const { host, port, ...rest } = inject('cluster').owner

/** Passes TCP connections on to the cluster, which listens only on a Unix socket. */
const listener = createServer((near) => {
  const far = connect(join(host!, `.s.PGSQL.${port}`))
  for (const socket of [near, far]) socket.on('error', () => {})
  near.pipe(far).pipe(near)
})
await new Promise<void>((opened) => listener.listen(0, '127.0.0.1', opened))
afterAll(() => listener.close())
const address = listener.address() as AddressInfo
const connection = { ...rest, host: '127.0.0.1', port: address.port, database: name }

/** Returns when the system asks next, in seconds, for each connection to that port. */
async function secondsToProbe(): Promise<number[]> {
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').slice(1)
  const to = `:${address.port.toString(16).toUpperCase().padStart(4, '0')}`
  const fields = lines.map((line) => line.trim().split(/\s+/))
  // 02 is the timer of keep-alive; the time is in hundredths of a second.
  return fields
    .filter(([, , far]) => far?.endsWith(to))
    .map(([, , , , , timer = '']) => timer.split(':'))
    .filter(([kind]) => kind === '02')
    .map(([, due = '']) => Number.parseInt(due, 16) / 100)
}

async function expectProbes(): Promise<void> {
  // Other systems do not show them.
  if (process.platform !== 'linux') return
  const isSoon = async () => (await secondsToProbe()).map((seconds) => seconds <= 30)
  // While a response is awaited, the timer is another one.
  await expect.poll(isSoon).toEqual([true])
}

const log = { info: () => {}, warn: () => {}, error: () => {} }

const LONG_WORK: [string, () => Promise<void>][] = [
  [
    'a backup',
    async () => {
      const bulk = await openBulk(connection)
      await expectProbes()
      await bulk.close()
    },
  ],
  [
    'a migration',
    async () => {
      // Another migration, for which it has to wait.
      const other = new pg.Client({ ...inject('cluster').owner, database: name })
      await other.connect()
      const migrated = await withMigrationLock(other, async () => {
        const ended = migrate({ connect: connection, dir: MIGRATIONS, log })
        await expectProbes()
        return { ended }
      })
      await other.end()
      expect((await migrated.ended).applied).toEqual([])
    },
  ],
  [
    'a distribution',
    async () => {
      const lock: Parameters<typeof distribute>[1] = async (_client, work) => {
        await expectProbes()
        return work()
      }
      const refused = distribute(connection, lock, () => {})
      await expect(refused).rejects.toThrow('does not have Citus')
    },
  ],
  [
    'a request',
    async () => {
      const db = openDatabase({ connection, connectionsMax: 1 })
      await db.withClient(expectProbes)
      await db.close()
    },
  ],
]

test.each(LONG_WORK)(
  'the system asks within 30 s of silence whether the database is still there: %s',
  (_title, work) => work(),
)
