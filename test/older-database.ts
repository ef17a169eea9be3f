import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { migrate } from '../src/db/migrate.ts'

const FOLDER = 'migrations'
const log = { info() {}, warn() {}, error() {} }

/**
 * Creates a database as it was after a migration, such as `0045`. The client does not check foreign
 * keys, so that tests can insert rows without those that they belong to.
 */
export async function openOlderDatabase(last: string) {
  const { superuser, owner } = inject('cluster')
  const database = `older_${last}_${process.pid}`
  const admin = new pg.Client(superuser)
  await admin.connect()
  await admin.query(`create database ${database} owner ${owner.user}`)
  const connect = { ...owner, database }
  const earlier = await mkdtemp(join(tmpdir(), 'migrations-'))
  for (const file of await readdir(FOLDER)) {
    if (file.slice(0, last.length) <= last) await cp(join(FOLDER, file), join(earlier, file))
  }
  await migrate({ connect, dir: earlier, log })
  await rm(earlier, { recursive: true })
  const client = new pg.Client({ ...superuser, database })
  await client.connect()
  await client.query('set session_replication_role = replica')
  return {
    client,
    /** Applies the later migrations. */
    upgrade: () => migrate({ connect, dir: FOLDER, log }),
    async close() {
      await client.end()
      await admin.query(`drop database ${database} with (force)`)
      await admin.end()
    },
  }
}
