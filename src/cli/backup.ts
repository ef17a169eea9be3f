import { join } from 'node:path'
import type { Command } from 'commander'
import { openTarget } from '../backup/archive.ts'
import { type Made, makeBackup, selectBlobs } from '../backup/make.ts'
import { type Description, prune } from '../backup/parts.ts'
import { readPassphrase } from '../backup/seal.ts'
import {
  clusterTop,
  listBases,
  openConfiguredShipper,
  pruneArchive,
} from '../backup/wal/archive.ts'
import { makeBase } from '../backup/wal/base.ts'
import { readConfig, storageOf } from '../config.ts'
import { openUnchanged } from '../db/connect.ts'
import { openBulk } from '../db/copy.ts'
import { noteWalProgress, walLine } from '../db/embedded/wal.ts'
import { isRestoring } from '../db/migrate.ts'
import { spoolDirectory, storeDirectory } from '../files/files.ts'
import { openStorage } from '../files/storage.ts'
import { quietLog, refuseMissing } from './open.ts'
import { dim, EXIT, openProgressBar, printJson, printLines, terminal } from './output.ts'
import { readCount, sizeOf } from './values.ts'

export function backupCommand(program: Command): void {
  program
    .command('backup')
    .description('Back up the database and the files while servers run')
    .argument('[target]', 'a directory, or "bucket" (default: DATA_DIR/backups)')
    .option('--key-file <file>', 'encrypt with the passphrase in this file')
    .option('--keep <number>', 'then remove all but this many of the newest backups', readCount)
    .option('--json', 'print {name, target, bytes, rows, files, removed} as JSON')
    .addHelpText(
      'after',
      `
The database is read from one snapshot, and its schema is not changed. With "bucket", the backup
goes to the bucket in STORAGE_URL, under backups/. Files in a bucket are not copied: turn on
versioning.

With WAL_ARCHIVE, it also makes a base backup in that archive, from which "tradepost restore --at"
can go to each later moment. --keep counts these as well, and removes the WAL before the oldest one.

The backup does not contain the server's encryption key. Keep a copy of that key somewhere else. The
exit status is 1 if a file is missing or damaged; the rest is backed up all the same, and nothing is
removed.

Examples:
  $ tradepost backup /mnt/backups --keep 14
  $ tradepost backup bucket --key-file /etc/tradepost/backup-passphrase --json`,
    )
    .action(backup)
}

interface Options {
  keyFile?: string
  keep?: number
  json?: true
}

async function backup(text: string | undefined, options: Options): Promise<void> {
  const { keyFile, keep, json } = options
  const config = readConfig(terminal().env)
  await refuseMissing(config)
  if (walLine(clusterTop(config)) && !config.DATABASE_URL && !config.WAL_ARCHIVE) {
    throw new Error(
      'the WAL of this database is archived: set WAL_ARCHIVE for this command as well',
    )
  }
  const { bucket } = storageOf(config)
  const target = await openTarget(text ?? join(config.DATA_DIR, 'backups'), bucket)
  const passphrase = keyFile === undefined ? undefined : await readPassphrase(keyFile)
  const files = bucket ? undefined : await openStorage(storeDirectory(config.DATA_DIR))
  const progress = openProgressBar()
  const opened = await openUnchanged(config, quietLog)
  let made: Made
  let base: Description | undefined
  let removedBases: string[] = []
  try {
    const bulk = await openBulk(opened.owner)
    try {
      if (await isRestoring(bulk.db)) {
        throw new Error('the database cannot be backed up: a restore of it has not ended')
      }
      made = await makeBackup({
        bulk,
        files,
        passphrase,
        progress,
        now: new Date(),
        target: target.storage,
        targetName: target.title,
        spool: spoolDirectory(config.DATA_DIR),
      })
      const wal = await openConfiguredShipper(config, opened.superuser)
      if (wal) {
        base = await makeBase({
          db: bulk.db,
          top: clusterTop(config),
          superuser: opened.superuser!,
          files,
          progress,
          shipper: wal.shipper,
          passphrase: wal.passphrase,
          spool: spoolDirectory(config.DATA_DIR),
        })
        if (keep && made.files.faults.length === 0) {
          const stored = new Set((await selectBlobs(bulk.db)).map(({ key }) => key))
          const pruning = { keep, current: wal.line, files: stored, now: new Date() }
          removedBases = await pruneArchive(wal.archive.storage, pruning)
          const bases = await listBases(wal.archive.storage)
          const oldest = bases.find(({ line }) => line === wal.line)
          if (oldest) {
            noteWalProgress(clusterTop(config), 'from', new Date(oldest.notes.endedAt))
          }
        }
        wal.close()
      }
    } finally {
      progress.end()
      await bulk.close()
    }
  } finally {
    await opened.stop()
  }
  const { name, bytes, rows, files: stored } = made
  // Older backups may have what the disk has lost.
  const mayRemove = stored.faults.length === 0
  const removed = keep && mayRemove ? await prune(target.storage, keep, new Date()) : []
  target.storage.close()
  if (json) {
    const bases = base && { base: base.name, removedBases }
    printJson({ name, target: target.title, bytes, rows, files: stored, removed, ...bases })
  } else {
    printLines(
      `Backed up ${rows.toLocaleString('en-GB')} rows and ${filesOf(made, Boolean(bucket))} to`,
      `  ${target.title.replace(/\/$/, '')}/${name}.json (${sizeOf(bytes)})`,
      ...(base ? [`Made the base backup ${base.name} in ${config.WAL_ARCHIVE}.`] : []),
      ...[...removed, ...removedBases].map((one) => `Removed ${one}.`),
      ...stored.faults.map((fault) => `File ${fault}.`),
      ...(keep && !mayRemove ? ['Nothing was removed: older backups may have these files.'] : []),
      dim('Keep a copy of the encryption key as well, but somewhere else.'),
    )
  }
  if (stored.faults.length > 0) terminal().exitCode = EXIT.failed
}

const filesOf = ({ files: { count } }: Made, isInBucket: boolean): string => {
  const files = `${count.toLocaleString('en-GB')} ${count === 1 ? 'file' : 'files'}`
  return isInBucket ? `the names of ${files}` : files
}
