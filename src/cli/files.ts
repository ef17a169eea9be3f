import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { readConfig, storageOf } from '../config.ts'
import { spoolDirectory, storeDirectory } from '../files/files.ts'
import { type Copied, copyFiles, removeCopied } from '../files/move.ts'
import { openStorage } from '../files/storage.ts'
import { withDatabase } from './open.ts'
import { EXIT, openProgressBar, printJson, printLines, terminal, UsageError } from './output.ts'
import { sizeOf } from './values.ts'

export function filesCommands(program: Command): void {
  const files = program.command('files').description('Move stored images and files')
  files
    .command('move')
    .description('Copy all files between DATA_DIR and the bucket, while servers run')
    .addOption(
      new Option('--to <storage>', 'where the files will be')
        .choices(['bucket', 'disk'])
        .makeOptionMandatory(),
    )
    .option('--remove', 'afterwards, delete the files from where they were')
    .option('--json', 'print {to, files, copied, bytes, faults, removed, left} as JSON')
    .addHelpText(
      'after',
      `
Set STORAGE_URL to the bucket for this command, in both directions. Servers keep using what their
own settings say. Each file is read, compared with its hash, copied, and read again. Nothing is
deleted without --remove. If the command is interrupted, run it again: it continues.

To move without losing what is stored meanwhile:
  1. Run this command. It can take long; servers go on as usual.
  2. tradepost read-only on
  3. Run it again. It copies what was stored meanwhile.
  4. On every server, set STORAGE_URL (or remove it, for disk), and restart.
  5. tradepost read-only off
  6. Run it with --remove, to delete the files from where they were.

The exit status is 1 if a file is missing or damaged; the others are copied all the same.

Examples:
  $ STORAGE_URL=s3://… tradepost files move --to bucket
  $ STORAGE_URL=s3://… tradepost files move --to disk --remove`,
    )
    .action(move)
}

interface Options {
  to: 'bucket' | 'disk'
  remove?: true
  json?: true
}

type Result = Omit<Copied, 'checked'> & { removed: number; left: number }

async function move(options: Options): Promise<void> {
  const { to, json } = options
  const result = await run(options)
  if (json) printJson({ to, ...result })
  else printLines(...linesOf(options, result))
  const isRefused = options.remove && result.copied > 0
  if (result.faults.length > 0 || isRefused) terminal().exitCode = EXIT.failed
}

async function run({ to, remove }: Options): Promise<Result> {
  const config = readConfig(terminal().env)
  const { bucket: address } = storageOf(config)
  if (!address) throw new UsageError('set STORAGE_URL to the bucket, for this command only')
  const { DATA_DIR } = config
  const disk = await openStorage(storeDirectory(DATA_DIR))
  const bucket = await openStorage('', address)
  const name = `${address.endpoint ?? 's3'} ${address.bucket}/${address.prefix}`
  const [from, target] = to === 'bucket' ? [disk, bucket] : [bucket, disk]
  const progress = openProgressBar()
  try {
    return await withDatabase(async ({ db }) => {
      const moving = {
        db,
        from,
        to: target,
        spoolDirectory: spoolDirectory(DATA_DIR),
        journalPath: join(DATA_DIR, `files-copied-to-${to}`),
        target: `${to}: ${name}`,
      }
      const { checked, ...copied } = await copyFiles({
        ...moving,
        onProgress: (done, total) => progress.show('Files', done, total, 'files'),
      })
      const mayRemove = remove && copied.copied === 0 && copied.faults.length === 0
      return {
        ...copied,
        ...(mayRemove ? await removeCopied(moving, checked) : { removed: 0, left: 0 }),
      }
    })
  } finally {
    progress.end()
    bucket.close()
    disk.close()
  }
}

function linesOf({ to, remove }: Options, result: Result): string[] {
  const { files, copied, bytes, faults, removed, left } = result
  const where = to === 'bucket' ? 'in the bucket' : 'in DATA_DIR'
  const count = (n: number) => `${n.toLocaleString('en-GB')} ${n === 1 ? 'file' : 'files'}`
  return [
    copied > 0
      ? `Copied ${count(copied)} (${sizeOf(bytes)}), and checked each copy.`
      : 'There was nothing to copy.',
    `${(files - faults.length).toLocaleString('en-GB')} of ${count(files)} are ${where}.`,
    ...faults.map((fault) => `File ${fault}.`),
    ...(remove ? removedLines() : faults.length > 0 ? [] : nextLines(to)),
  ]

  function removedLines(): string[] {
    if (faults.length > 0) return ['Nothing was removed.']
    if (copied > 0) {
      return [
        'Nothing was removed, because servers may still store files in the old place. If none of',
        'them does, run this command again.',
      ]
    }
    const others =
      left > 0 ? ` ${count(left)} that belong to no record, or are newer, were left there.` : ''
    return [`Removed ${count(removed)} from the old place.${others}`]
  }
}

const nextLines = (to: Options['to']): string[] => [
  'Servers still use the old place. To change that, with no file lost:',
  '  1. tradepost read-only on',
  '  2. Run this command again. It copies what was stored meanwhile.',
  to === 'bucket'
    ? '  3. Set STORAGE_URL on every server, and restart.'
    : '  3. Remove STORAGE_URL from the settings of every server, and restart.',
  '  4. tradepost read-only off',
  `  5. tradepost files move --to ${to} --remove deletes the files from the old place.`,
]
