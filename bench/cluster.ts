import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { openDatabase } from '../src/db/database.ts'
import { startEmbedded } from '../src/db/embedded.ts'
import { migrate } from '../src/db/migrate.ts'
import { openKeyring } from '../src/encryption/keyring.ts'
import { keyFileOf, keysInFile } from '../src/encryption/server-keys.ts'

const PID_FILE = 'postgres/cluster/postmaster.pid'
const quiet = { info() {}, warn: console.warn, error: console.error }

/** A temporary cluster, as durable as a real one unless `settings` say otherwise. */
export async function throwAwayCluster(settings: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tradepost-bench-'))
  const embedded = await startEmbedded({ dataDir, log: quiet, settings })
  await migrate({ connect: embedded.config('owner'), dir: 'migrations', log: quiet })
  const keyring = await makeKeyring(dataDir, embedded.config('app'))
  const { database } = embedded.config('owner')
  return {
    dataDir,
    keyring,
    postmasterPid: Number.parseInt(await readFile(join(dataDir, PID_FILE), 'utf8'), 10),
    app: { ...embedded.config('app') } as pg.ClientConfig,
    owner: { ...embedded.config('owner') } as pg.ClientConfig,
    superuser: { ...embedded.config('superuser', database) } as pg.ClientConfig,
    async stop() {
      await embedded.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** With the key file that `tradepost start` uses. */
async function makeKeyring(dataDir: string, connection: pg.ClientConfig) {
  const keyring = openKeyring(keysInFile(keyFileOf(dataDir), true))
  const db = openDatabase({ connection, connectionsMax: 2 })
  await keyring.load(db)
  await db.close()
  return keyring
}
