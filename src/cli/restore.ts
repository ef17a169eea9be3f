import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { ClientConfig } from 'pg'
import { nameIn, openTarget } from '../backup/archive.ts'
import type { Start } from '../backup/make.ts'
import { type Description, readDescription } from '../backup/parts.ts'
import { type Recovered, type Restored, type Restoring, restoreBackup } from '../backup/restore.ts'
import { readPassphrase } from '../backup/seal.ts'
import { clusterTop, openWalArchive } from '../backup/wal/archive.ts'
import { type RestoredAt, restoreAt } from '../backup/wal/restore-at.ts'
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
  terminal,
  UsageError,
} from './output.ts'
import { readMoment } from './values.ts'

export function restoreCommand(program: Command): void {
  program
    .command('restore')
    .description('Restore a backup into an empty database')
    .argument('<source>', 'a directory or "bucket" for its newest backup, or one backup')
    .option('--at <time>', 'the embedded database as it was at this time', readMoment)
    .option('--verify', 'restore into a temporary database, audit it, and remove it')
    .option('--key-file <file>', 'the passphrase of an encrypted backup')
    .option('--json', 'print what was restored as JSON')
    .addHelpText(
      'after',
      `
Restores into the database in DATABASE_URL or DATA_DIR, which must be empty, and to which no server
may be connected. Checks everything against the checksums of the backup. The server's encryption key
must be the one that was in use.

Afterwards, ids and invoice numbers continue further ahead, because others may have been given out
since the backup. Payouts and refunds wait for: tradepost payouts resume --restored.

With --at, SOURCE is a WAL archive: a directory, or "bucket". The database is recovered as it was at
that time, which must be after the first base backup and before the end of the archived WAL.

With --verify, your database and files are not changed. The exit status is 1 if the backup or its
books are not correct.

Examples:
  $ tradepost restore /mnt/backups --verify
  $ tradepost restore /mnt/backups/tradepost-20261128T101500000Z.json
  $ tradepost restore /mnt/wal-archive --at 2026-11-28T10:15:00Z
  $ tradepost restore bucket:tradepost-20261128T101500000Z --key-file passphrase`,
    )
    .action(restore)
}

interface Options {
  at?: Date
  verify?: true
  keyFile?: string
  json?: true
}

async function restore(source: string, { at, verify, keyFile, json }: Options): Promise<void> {
  const config = readConfig(terminal().env)
  if (at) return await restoreMoment(config, source, { at, verify, keyFile, json })
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
async function requireKeys(
  { keys }: Pick<Start, 'keys'>,
  { source, read }: ServerKeys,
): Promise<void> {
  const present = (await read()).map(({ fingerprint }) => fingerprint.toString('hex'))
  const missing = keys.find((key) => !present.includes(key))
  if (!missing) return
  throw new Error(
    `the backup needs the encryption key whose fingerprint is ${missing}, but ${source} contains ` +
      `${present.join(' and ') || 'no key'}: restore that key from your copy first`,
  )
}

interface Moment {
  at: Date
  verify: true | undefined
  keyFile: string | undefined
  json: true | undefined
}

/** Recovers the embedded database in a directory beside it, which then becomes the database. */
async function restoreMoment(
  config: Config,
  source: string,
  { at, verify, keyFile, json }: Moment,
): Promise<void> {
  const { DATABASE_URL, DATA_DIR } = config
  const now = new Date()
  if (DATABASE_URL && !verify) {
    throw new UsageError('--at recovers the embedded database: unset DATABASE_URL, or add --verify')
  }
  if (at > now) throw new UsageError(`--at ${at.toISOString()} is in the future`)
  const archive = await openWalArchive(source, config)
  if (archive.name !== undefined) {
    throw new UsageError('with --at, name the directory of the archive, or "bucket"')
  }
  const stored = storeDirectory(DATA_DIR)
  const place = clusterTop(config)
  const { bucket: address } = storageOf(config)
  if (!verify) {
    if (!address) await requireNone(stored)
    await requireNone(place)
  }
  const passphrase = keyFile === undefined ? undefined : await readPassphrase(keyFile)
  const bucket = address && (await openStorage('', address))
  const progress = openProgressBar()
  const dataDir = verify
    ? await mkdtemp(join(tmpdir(), 'tradepost-verify-'))
    : join(DATA_DIR, 'recovering')
  // What an interrupted attempt has left.
  await rm(dataDir, { recursive: true, force: true })
  let isDone = false
  try {
    const files = verify ? undefined : (bucket ?? (await openStorage(stored)))
    const { restored, embedded } = await restoreAt({
      archive: archive.storage,
      at,
      passphrase,
      dataDir,
      progress,
      files,
      bucket,
      now,
      log: quietLog,
      spool: spoolDirectory(dataDir),
      check: async (start) => {
        if (!verify) await requireKeys(start, serverKeysOf(config))
      },
    })
    let inspected: Inspected | undefined
    try {
      if (verify) inspected = await inspectRestored(config, embedded)
    } finally {
      await embedded.stop()
    }
    if (!verify) await rename(join(dataDir, 'postgres'), place)
    isDone = true
    progress.end()
    if (json) printJson({ ...restored, ...(inspected && { findings: inspected.findings }) })
    else if (inspected) printLines(...verifiedLines(restored, inspected))
    else printLines(...momentLines(restored, resolve(DATA_DIR), at, now))
    const isWrong = restored.faults.length > 0 || (inspected?.findings.length ?? 0) > 0
    if (isWrong) terminal().exitCode = EXIT.failed
  } finally {
    progress.end()
    await rm(dataDir, { recursive: true, force: true })
    if (!isDone && !verify && !bucket) await rm(stored, { recursive: true, force: true })
    bucket?.close()
    archive.storage.close()
  }
}

const verifiedLines = ({ at, files, faults }: RestoredAt, inspected: Inspected): string[] => [
  `The database can be recovered as it was at ${at}, with ${count(files, 'file')}.`,
  ...faults.map((fault) => `File ${fault}.`),
  inspected.secrets.says,
  ...resultLines(inspected.findings, inspected.examined),
]

const momentLines = (restored: RestoredAt, place: string, at: Date, now: Date): string[] => [
  `Recovered the database as it was at ${restored.at}, and ${count(restored.files, 'file')}, ` +
    `into ${place}.`,
  ...nextSteps(restored, at, now),
  '  5. tradepost backup (with WAL_ARCHIVE, so that later moments can be recovered)',
]

const count = (n: number, one: string): string =>
  `${n.toLocaleString('en-GB')} ${n === 1 ? one : `${one}s`}`

function linesOf(made: Description, restored: Restored, place: string, now: Date): string[] {
  const { madeAt, rows, files, leftOut } = restored
  return [
    `Restored ${count(rows, 'row')} and ${count(files, 'file')} of ${made.name} into ${place}.`,
    ...leftOutLines(leftOut),
    ...nextSteps(restored, madeAt, now),
  ]
}

function nextSteps(
  { ids, numbers, orders, held, faults }: Recovered & { faults: string[] },
  madeAt: Date,
  now: Date,
): string[] {
  return [
    ...faults.map((fault) => `File ${fault}.`),
    `Left out ${count(ids, 'id')}, and up to ${count(numbers, 'invoice number')} per business.`,
    ...(orders > 0 ? [`Orders that are looked up before they are sent: ${orders}.`] : []),
    ...(held > 0 ? [`Payouts and bills that are only looked up, and never resent: ${held}.`] : []),
    bold('Payouts and refunds wait. Next:'),
    '  1. tradepost audit (after you have moved the old audit-heads.jsonl* away)',
    '  2. Start the server.',
    `  3. ${reconcileAdvice(madeAt, now)}`,
    '     Enter the payments and payouts that only the providers know.',
    '  4. tradepost payouts resume --restored',
    ...(held > 0 ? ['     tradepost stuck list --kind order (ask all of their providers)'] : []),
  ]
}

const leftOutLines = (tables: readonly string[]): string[] =>
  tables.map((name) => `The table ${name} is not one of Tradepost's and was not restored.`)

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
      const { rows, files, faults, leftOut } = restored
      printLines(
        `${made.name} can be restored: ${count(rows, 'row')} and ${count(files, 'file')}.`,
        ...faults.map((fault) => `File ${fault}.`),
        ...leftOutLines(leftOut),
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
