import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { pino } from 'pino'
import { openPeople } from '../src/app/console.ts'
import { EVENT_CATALOGUE } from '../src/app/event-catalogue.ts'
import { authenticator } from '../src/business/keys/authenticate.ts'
import { callerOf, sessionVerifier } from '../src/business/people/sessions.ts'
import { openDatabase } from '../src/db/database.ts'
import { openIds } from '../src/db/ids.ts'
import { openKeyring } from '../src/encryption/keyring.ts'
import { keysInText } from '../src/encryption/server-keys.ts'
import { openFiles } from '../src/files/files.ts'
import { openStorage } from '../src/files/storage.ts'
import { mount } from '../src/http/route.ts'
import { buildServer } from '../src/http/server.ts'
import { systemClock } from '../src/lib/clock.ts'
import { openPrinter } from '../src/pdf/printer.ts'
import { openPauses } from '../src/providers/pauses.ts'
import { openProviders } from '../src/providers/providers.ts'
import { openSimulator } from '../src/providers/simulator/simulator.ts'
import { invoiceCreator } from '../src/sales/invoices/create.ts'
import { invoiceRoutes } from '../src/sales/invoices/routes.ts'
import { type BareServer, forkServer } from './references.ts'

const FILE = fileURLToPath(import.meta.url)

/**
 * Starts the routes of invoices in a separate process, with the same key check, validation, record,
 * idempotency map, response and log as the server's, but `POST invoices` writes nothing.
 */
export const startWithoutDatabase = (app: pg.ClientConfig): Promise<BareServer> =>
  forkServer(FILE, [JSON.stringify(app)])

if (process.argv[1] === FILE && process.send) process.send(await serve())

async function serve(): Promise<number> {
  const db = openDatabase({ connection: JSON.parse(process.argv[2]!), connectionsMax: 4 })
  const ids = openIds(db)
  const clock = systemClock
  const nudge = () => {}
  const log = pino({}, pino.destination({ dest: '/dev/null', sync: false, minLength: 4096 }))
  const publicUrl = 'http://127.0.0.1:4000'
  const providers = openProviders(db, {
    simulator: openSimulator({ db, clock, nudge, simulatorDelayMs: 0 }),
  })
  const directory = join(tmpdir(), 'tradepost-no-files')
  const files = openFiles({ db, clock, nudge, directory, storage: await openStorage(directory) })
  const people = openPeople({ ids, clock, nudge })
  const about = { clock, nudge, publicUrl, printer: openPrinter(), events: EVENT_CATALOGUE }
  const keyring = openKeyring(keysInText('none', ''))
  const pauses = openPauses(db)
  const deps = { ...about, db, ids, keyring, providers, pauses, files, people }
  const fastify = buildServer({ logger: log, trustProxy: [] })
  const kernel = {
    db,
    clock,
    publicUrl,
    idempotencyMs: 3_600_000,
    handlerTimeoutMs: 30_000,
    sessions: { verify: sessionVerifier({ ...deps, log }), callerOf },
    authenticate: authenticator({ ...deps, log }),
    pauses,
    takeToken: () => ({}),
    spool: files.spool,
  }
  const create = invoiceCreator(deps, async () => 'INV-000001')
  mount(fastify, kernel, invoiceRoutes(deps, create))
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  return (fastify.server.address() as { port: number }).port
}
