import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, open, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { listBusinesses } from '../business/account/service.ts'
import type { Db } from '../db/database.ts'
import { eventsBefore, exportLine } from '../developers/events/export.ts'
import { businessOf, businessOption } from './keys.ts'
import { withDatabase } from './open.ts'
import { printJson, printLines } from './output.ts'

export const exportCommand = (events: Command): Command =>
  events
    .command('export')
    .description('Write old events to a file')
    .requiredOption('--before <date>', 'only events before this day (UTC) or time', readTime)
    .requiredOption('--to <file>', 'a new file')
    .addOption(businessOption('only events of this business (default: all)'))
    .option('--json', 'print {file, events, bytes, sha256} as JSON')
    .addHelpText(
      'after',
      `
Writes a line of JSON for each event, with its data and everything that its digest covers. Deletes
nothing: EVENTS_DAYS does that, and with RETENTION_ARCHIVE, the server writes events to that
directory before it deletes them. The file appears only when it is complete. Test mode is included.

Example:
  $ tradepost events export --before 2026-01-01 --to /backup/events-2025.ndjson`,
    )
    .action(run)

function readTime(text: string): Date {
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/.test(text)
  const at = new Date(text)
  if (isTime && !Number.isNaN(at.getTime())) return at
  throw new InvalidArgumentError('It must be a day such as 2026-01-31, or 2026-01-31T12:00Z.')
}

interface Options {
  before: Date
  to: string
  business?: number
  json?: true
}

async function run({ before, to, business, json }: Options): Promise<void> {
  const file = resolve(to)
  const done = await withDatabase(async ({ db }) => {
    const businessIds =
      business === undefined
        ? (await listBusinesses(db)).map(({ businessId }) => businessId)
        : [await businessOf(db, business)]
    return write(file, linesOf(db, businessIds, before))
  })
  if (json) printJson({ file, ...done })
  else printLines(`Exported ${done.events} events to ${file}.`, `SHA-256: ${done.sha256}`)
}

/** Yields the lines of many events at a time. */
async function* linesOf(db: Db, businessIds: readonly number[], before: Date) {
  for (const businessId of businessIds) {
    for (const live of [true, false]) {
      for await (const rows of eventsBefore(db, { businessId, live }, before)) {
        yield { lines: rows.map((row) => `${exportLine(row)}\n`).join(''), count: rows.length }
      }
    }
  }
}

/** Writes the lines to a new file, which appears once all of them are on disk. */
async function write(path: string, pages: AsyncIterable<{ lines: string; count: number }>) {
  if (existsSync(path)) throw new Error(`${path} already exists`)
  const unfinished = `${path}.part`
  const hash = createHash('sha256')
  const done = { events: 0, bytes: 0 }
  try {
    const file = await open(unfinished, 'w', 0o600)
    try {
      for await (const { lines, count } of pages) {
        const bytes = Buffer.from(lines)
        await file.appendFile(bytes)
        hash.update(bytes)
        done.events += count
        done.bytes += bytes.length
      }
      await file.sync()
    } finally {
      await file.close()
    }
    // Unlike a rename, this replaces no file.
    await link(unfinished, path)
  } finally {
    await rm(unfinished, { force: true })
  }
  return { ...done, sha256: hash.digest('hex') }
}
