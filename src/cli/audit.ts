import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { allChecks } from '../audit.ts'
import { readConfig } from '../config.ts'
import type { Db } from '../db/database.ts'
import { atOneMoment, type Finding, findingsIn } from '../ledger/audit.ts'
import { compareHeads, type Head, readHeads, selectHeads, writeHeads } from './audit-heads.ts'
import { withDatabase } from './open.ts'
import { bold, EXIT, printJson, printLines } from './output.ts'

export function auditCommand(program: Command): void {
  program
    .command('audit')
    .description('Check every balance, journal, seal, payment and event')
    .option('--heads <file>', 'where to keep the ends of the chains (DATA_DIR/audit-heads.jsonl)')
    .option('--json', 'print {checks, findings, examined, heads} as JSON')
    .addHelpText(
      'after',
      `
Reads one moment of the database, beside running requests, and changes nothing in it. Prints every
row that is wrong, and exits with 1 if there is one; with 3 if there is no database.

Compares the ends of the chains of hashes with those of the last audit, then adds them to the file.
Keep that file, or a copy, where nobody can write who can write to the database. Where the ends do
not fit, nothing is added: after a restore from a backup, move the file away.`,
    )
    .action(audit)
}

interface Options {
  heads?: string
  json?: true
}

async function audit(options: Options): Promise<void> {
  const config = readConfig(process.env)
  const file = resolve(options.heads ?? join(config.DATA_DIR, 'audit-heads.jsonl'))
  const earlier = await readHeads(file)
  const { findings, lost, heads, examined, now } = await withDatabase(({ db, now }) =>
    atOneMoment(db, async (snapshot) => ({
      findings: await findingsIn(snapshot, allChecks),
      lost: await compareHeads(snapshot, earlier),
      heads: await selectHeads(snapshot),
      examined: await examine(snapshot),
      now,
    })),
  )
  if (lost.length === 0) await writeHeads(file, earlier, heads, now)
  const comparedWith = earlier.at ?? null
  const all = [...findings, ...lost]
  if (options.json) {
    const kept = { file, comparedWith, ends: heads }
    printJson({ checks: allChecks.length, findings: all, examined, heads: kept })
  } else {
    printLines(...headLines(heads, file), comparedLine(comparedWith), ...resultLines(all, examined))
  }
  if (all.length > 0) process.exitCode = EXIT.failed
}

interface Examined {
  businesses: number
  transfers: number
  events: number
  auditLog: number
  since: Date | null
}

const examine = (db: Db): Promise<Examined> =>
  db.one<Examined>`
    select (select count(*) from businesses) as businesses,
      (select count(*) from ledger_transfers) as transfers,
      (select count(*) from events) as events,
      (select count(*) from audit_log) as "auditLog",
      (select min(created_at) from businesses) as since`

/** More chains than that are in the file only. */
const HEADS_SHOWN = 20

function headLines(heads: readonly Head[], file: string): string[] {
  const lines = heads
    .slice(0, HEADS_SHOWN)
    .map(
      ({ chain, businessId, live, seq, hash }) =>
        `  ${chain} of business ${businessId}${modeOf(chain, live)}: ${seq} ${hash}`,
    )
  const more = heads.length - lines.length
  return [
    `Ends of the chains, kept in ${file}:`,
    ...lines,
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(heads.length === 0 ? ['  none yet'] : []),
  ]
}

const modeOf = (chain: Head['chain'], live: boolean) =>
  chain === 'audit log' ? '' : ` (${live ? 'live' : 'test'})`

const comparedLine = (at: string | null) =>
  at
    ? `Compared with the ends at the audit of ${at}.`
    : 'There were no earlier ends to compare with.'

function resultLines(findings: readonly Finding[], examined: Examined): string[] {
  const what = examinedWords(examined)
  return findings.length === 0
    ? [`The books are right: ${allChecks.length} checks of ${what} found nothing.`]
    : [bold(`${findings.length} rows are not right, in ${what}:`), ...findings.map(lineOf)]
}

function examinedWords({ businesses, transfers, events, auditLog, since }: Examined): string {
  const count = (n: number, one: string, many = `${one}s`) =>
    `${n.toLocaleString('en-GB')} ${n === 1 ? one : many}`
  const parts = [
    count(businesses, 'business', 'businesses'),
    count(transfers, 'ledger transfer'),
    count(events, 'event'),
  ]
  const log = count(auditLog, 'audit log entry', 'audit log entries')
  const day = since ? ` since ${since.toISOString().slice(0, 10)}` : ''
  return `${parts.join(', ')} and ${log}${day}`
}

const lineOf = ({ check, table, businessId, live, id, problem }: Finding) =>
  `  ${table} ${id} of business ${businessId} (${live ? 'live' : 'test'}): ${problem} [${check}]`
