// A server in its own process, on a database that exists already:
//   node --import ./src/loader.js test/other-server.ts '{"host": …}' [AHEAD_MS] [JOB …]
// It prints its URL and exits when its input ends. Its clock is ahead by AHEAD_MS.
// It runs the named jobs, or all of them with `all`. `lockMs` in the connection is how long its
// statements wait for a lock.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { buildApp } from '../src/app.ts'
import { openDatabase } from '../src/db/database.ts'
import { openIds } from '../src/db/ids.ts'
import { type RunningJobs, startJobs } from '../src/jobs/jobs.ts'
import { addMs } from '../src/lib/clock.ts'
import { testKeyring } from './keyring.ts'

const [database, aheadMs = '0', ...names] = process.argv.slice(2)
const { lockMs, ...connection } = JSON.parse(database!)
const clock = { now: () => addMs(new Date(), Number(aheadMs)) }
const db = openDatabase({ connection, connectionsMax: 8, ...(lockMs && { lockMs }) })
const log = pino({ level: 'silent' })
let running: RunningJobs | undefined
const { server, jobs } = await buildApp({
  db,
  ids: openIds(db),
  keyring: testKeyring(),
  clock,
  log,
  nudge: (name, afterMs) => running?.nudge(name, afterMs),
  publicUrl: 'http://127.0.0.1',
  rateLimit: { perSecond: 0, burst: 0 },
  simulatorDelayMs: 0,
  idempotencyMs: 24 * 3_600_000,
  trustProxy: [],
  metricsToken: undefined,
  storage: { directory: join(tmpdir(), 'tradepost-no-files') },
  webhooks: { allowsLoopback: true },
})
const address = await server.listen({ port: 0, host: '127.0.0.1' })
const wanted = jobs.filter(({ name }) => names.includes('all') || names.includes(name))
if (wanted.length > 0) running = startJobs(db, clock, wanted, log)
console.log(address)
process.stdin.resume().on('end', () => void leave())

async function leave(): Promise<void> {
  await running?.stop()
  await server.close()
  await db.close()
}
