import { createReadStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { ENCRYPTED_COLUMNS } from '../app/encrypted.ts'
import { readPositions, writePositions } from '../audit/position.ts'
import { auditSince, shortSnapshots } from '../audit/since.ts'
import { allChecks, PROTECTED_ROWS } from '../audit.ts'
import { type Head, selectHeads } from '../backup/parts.ts'
import { type Config, readConfig } from '../config.ts'
import type { Database, Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { readAll } from '../encryption/columns.ts'
import { type Keyring, unreadableKeys } from '../encryption/keyring.ts'
import { KeyError, type ServerKeys, serverKeysOf } from '../encryption/server-keys.ts'
import { type Finding, findingsIn, withSnapshot } from '../ledger/audit.ts'
import { type CommandContext, withDatabase } from './open.ts'
import { bold, EXIT, printJson, printLines, terminal } from './output.ts'

export function auditCommand(program: Command): void {
  program
    .command('audit')
    .description('Check every balance, journal, seal, payment and event')
    .option('--heads <file>', 'file for the chain heads (default: DATA_DIR/audit-heads.jsonl)')
    .option('--since', 'check only what was sealed since the last audit with --since')
    .option('--json', 'print {checks, findings, examined, heads} as JSON')
    .addHelpText(
      'after',
      `
Reads a snapshot of the database, so the server can keep running, and changes nothing. Prints every
incorrect row. The exit status is 1 if any row is incorrect, and 3 if there is no database.

Compares the heads of the hash chains with those from the last audit, then appends them to the file.
Keep that file, or a copy, out of reach of people who can write to the database. If the heads do
not match, nothing is appended. After restoring a backup, move the file away.

With --since, it continues where the last such audit ended, and reads pages in short transactions,
so that it can run every hour on a database of any size. It keeps its place in a second file,
HEADS-FILE.position. It checks everything that was sealed since then: transfers, journals, events,
the audit log, the notes about protected rows, and the balance of every account. Only an audit
without --since reads older rows again, compares payments, invoices and other records with each
other, and decrypts the secrets.`,
    )
    .action((options: Options) => (options.since ? auditNew(options) : audit(options)))
}

interface Options {
  heads?: string
  since?: true
  json?: true
}

async function audit(options: Options): Promise<void> {
  const config = readConfig(terminal().env)
  const file = resolve(options.heads ?? join(config.DATA_DIR, 'audit-heads.jsonl'))
  const earlier = await readHeads(file)
  const { findings, secrets, heads, hasLost, examined, now, from } = await withDatabase(
    async (context) => ({
      ...(await onReplica(context, (db) => inspect({ ...context, db }, earlier))),
      now: context.now,
    }),
    { readsReplicas: true },
  )
  if (!hasLost) await writeHeads(file, earlier, heads, now)
  const comparedWith = earlier.at ?? null
  if (options.json) {
    const kept = { file, comparedWith, ends: heads }
    printJson({ checks: allChecks.length, findings, examined, heads: kept })
  } else {
    printLines(
      ...sourceLines(config, from),
      ...headLines(heads, file),
      comparedLine(comparedWith),
      secrets.says,
      ...resultLines(findings, examined),
    )
  }
  if (findings.length > 0) terminal().exitCode = EXIT.failed
}

export interface Inspected {
  findings: Finding[]
  secrets: { says: string }
  heads: Head[]
  /** Whether a chain no longer has an earlier head. */
  hasLost: boolean
  examined: Examined
}

/** Runs all checks in one snapshot. */
export const inspect = (
  { config, db, keyring }: Pick<CommandContext, 'config' | 'db' | 'keyring'>,
  earlier: Earlier,
): Promise<Inspected> =>
  withSnapshot(db, async (snapshot) => {
    const findings = await findingsIn(snapshot, allChecks)
    const lost = await compareHeads(snapshot, earlier)
    const secrets = await checkSecrets(snapshot, keyring, config)
    return {
      findings: [...findings, ...lost, ...secrets.findings],
      secrets,
      heads: await selectHeads(snapshot),
      hasLost: lost.length > 0,
      examined: await examine(snapshot),
    }
  })

/** How long to wait until a replica has everything that is committed when the audit starts. */
const REPLICA_WAIT_MS = 30_000

/** Reads from a replica if there is one that works, otherwise from the primary. */
function onReplica<T extends object>(
  { db }: Pick<CommandContext, 'db'>,
  work: (db: Database) => Promise<T>,
): Promise<T & { from: string | undefined }> {
  return db.reading(async (from) => ({ ...(await work(from)), from: from.replica }), {
    waitMs: REPLICA_WAIT_MS,
  })
}

const sourceLines = ({ DATABASE_REPLICA_URL: isSet }: Config, from: string | undefined) => {
  if (from) return [`Read from the replica ${from}.`]
  return isSet ? ['Read from the primary, because no replica could be used.'] : []
}

/** Checks what was sealed since the last audit of this kind, and stores how far it came. */
async function auditNew(options: Options): Promise<void> {
  const config = readConfig(terminal().env)
  const heads = resolve(options.heads ?? join(config.DATA_DIR, 'audit-heads.jsonl'))
  const file = `${heads}.position`
  const before = await readPositions(file)
  const { findings, examined, positions, from } = await withDatabase(
    (context) =>
      onReplica(context, (db) =>
        auditSince(db, shortSnapshots(db), before, PROTECTED_ROWS, context.now),
      ),
    { readsReplicas: true },
  )
  await writePositions(file, positions)
  const since = before.at
  if (options.json) printJson({ since, findings, examined, position: file })
  else {
    const { transfers, events, notes, logEntries } = examined
    const what =
      `${transfers} ledger transfers, ${events} events, ${notes} notes about protected rows ` +
      `and ${logEntries} audit log entries`
    printLines(
      ...sourceLines(config, from),
      since ? `Continued from the audit at ${since}.` : 'Began with the first entry of each chain.',
      ...(findings.length === 0
        ? [`Checked ${what}, and all balances, and found no errors.`]
        : [bold(`Found errors in ${findings.length} rows after checking ${what}:`)]),
      ...findings.map(lineOf),
      'Older rows, and whether records agree with each other, are only checked without --since.',
    )
  }
  if (findings.length > 0) terminal().exitCode = EXIT.failed
}

/**
 * Decrypts every secret. Someone from outside the company, who does not have the key, can still run
 * the audit. With a key, everything that it should decrypt but does not is an error.
 */
async function checkSecrets(
  db: Db,
  keyring: Keyring,
  config: Parameters<typeof serverKeysOf>[0],
): Promise<{ findings: Finding[]; says: string }> {
  const serverKeys = serverKeysOf(config)
  const reason = await reasonNotToCheck(serverKeys)
  if (reason) return { findings: [], says: `The encrypted secrets were not checked: ${reason}` }
  const keys = await unreadableKeys(db, serverKeys)
  if (keys.length > 0) {
    const where = { check: 'encryption-keys', table: 'encryption_keys', businessId: 0, live: false }
    const findings = keys.map(({ id, problem }) => ({ ...where, id: String(id), problem }))
    return { findings, says: 'The secrets cannot be decrypted.' }
  }
  const { count, unreadable } = await readAll(db, keyring, ENCRYPTED_COLUMNS)
  const findings = unreadable.map(({ column, id, ...rest }) => ({
    check: 'encrypted-secrets',
    table: column.split('.')[0]!,
    id: String(id),
    ...rest,
  }))
  return { findings, says: `Decrypted ${count} ${count === 1 ? 'secret' : 'secrets'}.` }
}

async function reasonNotToCheck({ source, read }: ServerKeys): Promise<string | undefined> {
  try {
    return (await read()).length > 0 ? undefined : `there is no key in ${source}.`
  } catch (error) {
    if (error instanceof KeyError) return error.message
    throw error
  }
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

/** If there are more chains than this, only the file contains the rest. */
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
    `Chain heads, stored in ${file}:`,
    ...lines,
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(heads.length === 0 ? ['  none yet'] : []),
  ]
}

const modeOf = (chain: Head['chain'], live: boolean) =>
  chain === 'audit log' ? '' : ` (${live ? 'live' : 'test'})`

const comparedLine = (at: string | null) =>
  at
    ? `Compared with the chain heads from the audit at ${at}.`
    : 'There are no earlier chain heads to compare with.'

export function resultLines(findings: readonly Finding[], examined: Examined): string[] {
  const what = examinedWords(examined)
  const rows = findings.length === 1 ? '1 row' : `${findings.length} rows`
  return findings.length === 0
    ? [`The books are correct: ${allChecks.length} checks of ${what} found no errors.`]
    : [bold(`Found errors in ${rows} after checking ${what}:`), ...findings.map(lineOf)]
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

const lineOf = ({ check, table, businessId, live, id, problem }: Finding) => {
  // Some rows, such as people, belong to no business.
  const owner = businessId === 0 ? '' : ` of business ${businessId} (${live ? 'live' : 'test'})`
  return `  ${table} ${id}${owner}: ${problem} [${check}]`
}

/* The heads of the hash chains at each audit, kept in a file outside the database. */

/** The latest recorded head of each chain, and the time of the last audit. */
interface Earlier {
  at: string | undefined
  heads: Map<string, Head>
}

interface Line {
  at: string
  /** Contains only the heads that have changed since the previous lines. */
  heads: Head[]
}

const TABLES = { ledger: 'ledger_seals', 'audit log': 'audit_log', digests: 'digest_seals' }

const keyOf = ({ chain, businessId, live }: Head) => `${chain} ${businessId} ${live}`

/** Reads the file. Returns an empty result if there is no file yet. Throws if a line is damaged. */
export async function readHeads(file: string): Promise<Earlier> {
  const earlier: Earlier = { at: undefined, heads: new Map() }
  let number = 0
  try {
    for await (const text of createInterface({ input: createReadStream(file) })) {
      number += 1
      const { at, heads } = JSON.parse(text) as Line
      earlier.at = at
      for (const head of heads) earlier.heads.set(keyOf(head), head)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return earlier
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error
    throw new Error(`line ${number} of ${file} is damaged: restore the file from a copy`)
  }
  return earlier
}

/** Finds chains that no longer have the row that was their head. */
export async function compareHeads(db: Db, { at, heads }: Earlier): Promise<Finding[]> {
  const lost = await db.many<Head>`
    select b.chain, b.business_id as "businessId", b.live, b.seq, b.hash
    from json_to_recordset(${JSON.stringify([...heads.values()].map(columnsOf))}::json)
      as b (chain text, business_id bigint, live boolean, seq bigint, hash text)
    left join (${ROWS}) as r
      on (r.chain, r.business_id, r.live, r.seq) = (b.chain, b.business_id, b.live, b.seq)
    where r.hash is distinct from decode(b.hash, 'hex')`
  return lost.map(({ chain, businessId, live, seq, hash }) => ({
    check: 'heads',
    table: TABLES[chain],
    businessId,
    live,
    id: String(seq),
    problem:
      `the audit at ${at}, or an earlier one, recorded the hash ${hash.slice(0, 16)}… for this ` +
      `entry in the ${chain}; the chain has been truncated or rewritten since`,
  }))
}

const columnsOf = ({ businessId, ...head }: Head) => ({ ...head, business_id: businessId })

const ROWS = sql`
  select 'ledger' as chain, business_id, live, seq, hash from ledger_seals
  union all
  select 'audit log', business_id, false, seq, hash from audit_log
  union all
  select 'digests', business_id, live, seq, hash from digest_seals`

/** Appends the heads that have changed to the file, and waits until they are on disk. */
export async function writeHeads(
  file: string,
  { heads: before }: Earlier,
  now: readonly Head[],
  at: Date,
): Promise<void> {
  const heads = now.filter((head) => before.get(keyOf(head))?.hash !== head.hash)
  const line: Line = { at: at.toISOString(), heads }
  await mkdir(dirname(file), { recursive: true })
  const handle = await open(file, 'a', 0o600)
  try {
    await handle.appendFile(`${JSON.stringify(line)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
