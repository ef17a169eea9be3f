import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { ClientConfig } from 'pg'
import type { Start } from '../backup/make.ts'
import { type Description, readDescription } from '../backup/parts.ts'
import { type Restored, type Restoring, restoreBackup } from '../backup/restore.ts'
import { readPassphrase } from '../backup/seal.ts'
import { nameIn, openTarget } from '../backup/target.ts'
import { type Config, readConfig, storageOf } from '../config.ts'
import { openUnchanged } from '../db/connect.ts'
import { openDatabase } from '../db/database.ts'
import { type Embedded, startEmbedded } from '../db/embedded.ts'
import { openKeyring } from '../encryption/keyring.ts'
import { type ServerKeys, serverKeysOf } from '../encryption/server-keys.ts'
import { spoolDirectory, storeDirectory } from '../files/files.ts'
import { openStorage, type Storage } from '../files/storage.ts'
import { addDays } from '../lib/dates.ts'
import { dayOf } from '../reconciliation/days.ts'
import { type Inspected, inspect, resultLines } from './audit.ts'
import { quietLog } from './open.ts'
import {
  bold,
  EXIT,
  openProgressBar,
  type ProgressBar,
  printJson,
  printLines,
  UsageError,
} from './output.ts'
import { terminal } from './terminal.ts'

export function restoreCommand(program: Command): void {
  program
    .command('restore')
    .description('Restore a backup into an empty database')
    .argument('<source>', 'a directory or "bucket" for its newest backup, or one backup')
    .option('--verify', 'restore into a temporary database, audit it, and remove it')
    .option('--key-file <file>', 'the passphrase of an encrypted backup')
    .option('--json', 'print what was restored as JSON')
    .addHelpText(
      'after',
      `
Restores into the database in DATABASE_URL or DATA_DIR, which must be empty, and checks everything
against the checksums of the backup. The server's encryption key must be the one that was in use.

Afterwards, ids and invoice numbers continue further ahead, because others may have been given out
since the backup. Payouts and refunds wait until you resume them: tradepost payouts resume --all.

With --verify, your database and files are not changed. The exit
status is 1 if the backup or its books are not correct.

Examples:
  $ tradepost restore /mnt/backups --verify
  $ tradepost restore /mnt/backups/tradepost-20261128T101500000Z.json
  $ tradepost restore bucket:tradepost-20261128T101500000Z --key-file passphrase`,
    )
    .action(restore)
}

interface Options {
  verify?: true
  keyFile?: string
  json?: true
}

async function restore(source: string, { verify, keyFile, json }: Options): Promise<void> {
  const config = readConfig(terminal().env)
  const { bucket: address } = storageOf(config)
  const target = await openTarget(source, address)
  const passphrase = keyFile === undefined ? undefined : await readPassphrase(keyFile)
  const made = await readDescription(target.storage, await nameIn(target))
  const bucket = address && (await openStorage('', address))
  const progress = openProgressBar()
  const common = { passphrase, bucket, progress, log: quietLog, now: new Date() }
  try {
    if (verify) await runVerify(config, target.storage, made, common, json)
    else await runRestore(config, target.storage, made, common, json)
  } finally {
    progress.end()
    bucket?.close()
    target.storage.close()
  }
}

type Common = Pick<Restoring, 'passphrase' | 'bucket' | 'log' | 'now'> & { progress: ProgressBar }

async function runRestore(
  config: Config,
  source: Storage,
  made: Description,
  common: Common,
  json: true | undefined,
): Promise<void> {
  const { DATABASE_URL, DATA_DIR } = config
  const place = DATABASE_URL ? 'the database in DATABASE_URL' : resolve(DATA_DIR)
  const stored = storeDirectory(DATA_DIR)
  if (!common.bucket) await requireNone(stored)
  if (!DATABASE_URL) await requireNone(join(DATA_DIR, 'postgres'))
  let opened: Awaited<ReturnType<typeof openUnchanged>> | undefined
  let isDone = false
  try {
    const restored = await restoreBackup(source, made, {
      ...common,
      check: (start) => requireKeys(start, serverKeysOf(config)),
      async open(): Promise<ClientConfig> {
        opened = await openUnchanged(config, quietLog)
        return opened.owner
      },
      files: common.bucket ? undefined : await openStorage(stored),
      spool: spoolDirectory(DATA_DIR),
    })
    isDone = true
    common.progress.end()
    if (json) printJson({ name: made.name, ...restored })
    else printLines(...linesOf(made, restored, place, common.now))
    if (restored.faults.length > 0) terminal().exitCode = EXIT.failed
  } finally {
    await opened?.stop()
    // The next attempt needs it to be empty, as it was before.
    if (!isDone) {
      if (opened?.isEmbedded) await rm(join(DATA_DIR, 'postgres'), { recursive: true, force: true })
      if (!common.bucket) await rm(stored, { recursive: true, force: true })
    }
  }
}

async function requireNone(directory: string): Promise<void> {
  const isThere = existsSync(directory) && (await readdir(directory)).length > 0
  if (isThere) throw new UsageError(`${resolve(directory)} is not empty: move it away first`)
}

/** Without the key, servers would not start on what was restored. */
async function requireKeys({ keys }: Start, { source, read }: ServerKeys): Promise<void> {
  const present = (await read()).map(({ fingerprint }) => fingerprint.toString('hex'))
  const missing = keys.find((key) => !present.includes(key))
  if (!missing) return
  throw new Error(
    `the backup needs the encryption key whose fingerprint is ${missing}, but ${source} contains ` +
      `${present.join(' and ') || 'no key'}: restore that key from your copy first`,
  )
}

const count = (n: number, one: string): string =>
  `${n.toLocaleString('en-GB')} ${n === 1 ? one : `${one}s`}`

function linesOf(made: Description, restored: Restored, place: string, now: Date): string[] {
  const { madeAt, rows, files, ids, numbers, orders, faults } = restored
  return [
    `Restored ${count(rows, 'row')} and ${count(files, 'file')} of ${made.name} into ${place}.`,
    ...faults.map((fault) => `File ${fault}.`),
    `Left out ${count(ids, 'id')}, and up to ${count(numbers, 'invoice number')} per business.`,
    ...(orders > 0 ? [`Orders that are looked up before they are sent: ${orders}.`] : []),
    bold('Payouts and refunds wait. Next:'),
    '  1. tradepost audit (after you have moved the old audit-heads.jsonl away)',
    '  2. Start the server.',
    `  3. ${reconcileAdvice(madeAt, now)}`,
    '     Enter the payments and payouts that only the providers know.',
    '  4. tradepost payouts resume --all',
  ]
}

const DAYS_MAX = 4

function reconcileAdvice(madeAt: Date, now: Date): string {
  const days: string[] = []
  for (let day = dayOf(madeAt); day <= dayOf(now) && days.length <= DAYS_MAX; ) {
    days.push(day)
    day = addDays(day, 1)
  }
  const shown = days.slice(0, DAYS_MAX).map((day) => `tradepost reconcile --day ${day}`)
  return shown.join('\n     ') + (days.length > DAYS_MAX ? '\n     … and each day since' : '')
}

async function runVerify(
  config: Config,
  source: Storage,
  made: Description,
  common: Common,
  json: true | undefined,
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tradepost-verify-'))
  let embedded: Embedded | undefined
  try {
    const restored = await restoreBackup(source, made, {
      ...common,
      check: async () => {},
      async open() {
        const settings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }
        embedded = await startEmbedded({ dataDir, log: quietLog, settings })
        return { ...embedded.config('owner') }
      },
      files: undefined,
      spool: spoolDirectory(dataDir),
    })
    const inspected = await inspectRestored(config, embedded!)
    common.progress.end()
    const { findings } = inspected
    if (json) printJson({ name: made.name, ...restored, findings })
    else {
      const { rows, files, faults } = restored
      printLines(
        `${made.name} can be restored: ${count(rows, 'row')} and ${count(files, 'file')}.`,
        ...faults.map((fault) => `File ${fault}.`),
        inspected.secrets.says,
        ...resultLines(findings, inspected.examined),
      )
    }
    if (findings.length > 0 || restored.faults.length > 0) terminal().exitCode = EXIT.failed
  } finally {
    await embedded?.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** The connections of an audit. */
const CONNECTIONS = 2

async function inspectRestored(config: Config, embedded: Embedded): Promise<Inspected> {
  const connection = { ...embedded.config('app') }
  const db = openDatabase({ connection, connectionsMax: CONNECTIONS })
  try {
    const keyring = openKeyring(serverKeysOf(config))
    return await inspect({ config, db, keyring }, { at: undefined, heads: new Map() })
  } finally {
    await db.close()
  }
}
