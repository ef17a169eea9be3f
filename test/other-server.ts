// A server of its own in a process of its own, on a database that is there already:
//   node --import ./src/loader.js test/other-server.ts '{"host": …, "database": …}'
// Prints its address, and ends when its input does.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { buildApp } from '../src/app.ts'
import { openDatabase } from '../src/db/database.ts'
import { openIds } from '../src/db/ids.ts'
import { systemClock } from '../src/lib/clock.ts'

const db = openDatabase({ connection: JSON.parse(process.argv[2]!), connectionsMax: 8 })
const { server } = await buildApp({
  db,
  ids: openIds(db),
  clock: systemClock,
  log: pino({ level: 'silent' }),
  nudge: () => {},
  publicUrl: 'http://127.0.0.1',
  rateLimit: { perSecond: 0, burst: 0 },
  simulatorDelayMs: 0,
  idempotencyMs: 24 * 3_600_000,
  trustProxy: [],
  metricsToken: undefined,
  storage: { directory: join(tmpdir(), 'tradepost-no-files') },
  webhooks: { allowsLoopback: true },
})
console.log(await server.listen({ port: 0, host: '127.0.0.1' }))
process.stdin.resume().on('end', () => void leave())

async function leave(): Promise<void> {
  await server.close()
  await db.close()
}
