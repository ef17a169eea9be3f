import { type Command, InvalidArgumentError, Option } from 'commander'
import pino from 'pino'
import { appOptionsOf } from '../app/from-config.ts'
import { openShared } from '../app/shared.ts'
import { Problem } from '../lib/problem.ts'
import {
  failStuck,
  NotPossible,
  retryStuck,
  STUCK_KINDS,
  type StuckDeps,
  type StuckKind,
  type StuckRow,
  selectStuck,
  stuckName,
} from '../overview/stuck.ts'
import { openPauses } from '../providers/pauses.ts'
import { businessOption } from './keys.ts'
import { type CommandContext, withDatabase } from './open.ts'
import { EXIT, formatTimestamp, printList, terminal } from './output.ts'
import { readDurationMs, readWhole } from './values.ts'

export function stuckCommands(program: Command): void {
  const stuck = program
    .command('stuck')
    .description('Find what waits for a person or too long, and retry or end it')
  stuckList(stuck)
  stuckRetry(stuck)
  stuckFail(stuck)
}

interface ListOptions {
  kind?: StuckKind
  business?: number
  olderThan?: number
  limit: number
  json?: true
}

function stuckList(stuck: Command): void {
  stuck
    .command('list')
    .description('List what is stuck in all businesses, oldest first')
    .addOption(new Option('--kind <kind>', 'only this kind').choices(STUCK_KINDS))
    .addOption(businessOption('only this business').default(undefined, 'all'))
    .option('--older-than <duration>', 'only what has been stuck this long', readDurationMs)
    .option('--limit <number>', 'most to list', readWhole, 200)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Lists orders at providers that need a decision, blocked transfers and those that have waited for
approval for a day, refunds that need attention, payments that are still pending after they expired,
emails that failed or are late, webhook endpoints that fail, and notifications from providers that
failed.

Examples:
  $ tradepost stuck list
  $ tradepost stuck list --kind order --older-than 2h --json`,
    )
    .action(list)
}

async function list({ kind, business, olderThan, limit, json }: ListOptions): Promise<void> {
  const rows = await withDatabase(({ db, now }) =>
    selectStuck(db, { now, kind, businessId: business, olderThanMs: olderThan ?? 0, limit }),
  )
  printList(rows.map(recordOf), {
    json,
    none: 'Nothing is stuck.',
    columns: {
      ID: ({ id }) => id,
      BUSINESS: ({ businessId, mode }) => `${businessId} (${mode})`,
      REFERENCE: ({ reference }) => reference,
      STATE: ({ state }) => state,
      SINCE: ({ since }) => formatTimestamp(since),
      REASON: ({ reason }) => reason?.slice(0, 60) ?? '-',
    },
  })
}

const recordOf = (row: StuckRow) => ({
  id: stuckName(row),
  kind: row.kind,
  businessId: row.business_id,
  mode: row.live ? 'live' : 'test',
  reference: row.reference,
  state: row.state,
  reason: row.reason,
  since: row.since,
})

interface Name {
  kind: StuckKind
  subjectKind: string | undefined
  id: number
}

/** Reads `transfer:512` or `order:refund:513`. */
function readName(text: string): Name {
  const [, kind, subjectKind, id] = /^([a-z]+)(?::([a-z_]+))?:(\d{1,15})$/.exec(text) ?? []
  const known = STUCK_KINDS.find((one) => one === kind)
  if (!known || (known === 'order') !== (subjectKind !== undefined)) {
    throw new InvalidArgumentError('It must be an id from tradepost stuck list.')
  }
  return { kind: known, subjectKind, id: Number(id) }
}

const readNames = (text: string, before: Name[] = []): Name[] => [...before, readName(text)]

function stuckRetry(stuck: Command): void {
  stuck
    .command('retry')
    .description('Try again: ask the provider, or send again what was not sent')
    .argument('<ID...>', 'ids from stuck list', readNames)
    .option('--json', 'print the results as JSON')
    .addHelpText(
      'after',
      `
  order, payment   asks the provider for the outcome
  refund           asks the provider; use the dashboard to give it another account
  transfer         sends a blocked transfer again
  email            sends it again, with all its retries
  webhook          makes the waiting deliveries of the endpoint due now
  notice           looks up again what the provider reported

The exit status is 1 if one of them is still stuck.

Example:
  $ tradepost stuck retry order:transfer:5120 email:5133`,
    )
    .action((names: Name[], { json }: { json?: true }) => change(names, json, retryStuck))
}

interface FailOptions {
  reason: string
  json?: true
}

function stuckFail(stuck: Command): void {
  stuck
    .command('fail')
    .description('End something that is stuck, with a reason, where its rules allow it')
    .argument('<ID>', 'id from stuck list', readNames)
    .requiredOption('--reason <text>', 'why; the business can read it')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
  order, payment   decides that it was not paid, for which the reason has to say what the provider
                   wrote; above the approval limits, someone in the business has to agree
  transfer         rejects one that waits for approval, and releases its money
  refund           cancels one that no provider has been sent
  email            drops it
  webhook          disables the endpoint, and emails the owner
  notice           closes it

Everything else has to be retried, or decided in the dashboard.

Example:
  $ tradepost stuck fail order:transfer:5120 --reason "Paystack support: never received, case 77"`,
    )
    .action((names: Name[], { reason, json }: FailOptions) =>
      change(names, json, (deps, row, now) => failStuck(deps, row, reason, now)),
    )
}

type Act = (deps: StuckDeps, row: StuckRow, now: Date) => Promise<string>

interface Result {
  id: string
  ok: boolean
  says: string
}

async function change(names: Name[], json: true | undefined, act: Act): Promise<void> {
  const results = await withDatabase(async (context) => {
    const { config, db, ids, keyring } = context
    const log = pino({ level: 'silent' })
    const own = { db, ids, keyring, log, nudge: () => {}, publicUrl: '' }
    const shared = await openShared({ ...appOptionsOf(config, own), smtp: undefined })
    const { withPayables, orderKinds, emailComposers } = shared
    try {
      const done: Result[] = []
      for (const name of names) {
        done.push(
          await changeOne({ ...withPayables, orderKinds, emailComposers }, context, name, act),
        )
      }
      return done
    } finally {
      await shared.close()
    }
  })
  printList(results, { json, columns: { ID: ({ id }) => id, RESULT: ({ says }) => says } })
  if (results.some(({ ok }) => !ok)) terminal().exitCode = EXIT.failed
}

async function changeOne(
  deps: StuckDeps,
  { db, now }: CommandContext,
  name: Name,
  act: Act,
): Promise<Result> {
  const { kind, subjectKind, id } = name
  const shown = stuckName({ kind, subject_kind: subjectKind ?? null, id })
  const [row] = await selectStuck(db, { now, kind, subjectKind, id, limit: 1 })
  if (!row) return { id: shown, ok: false, says: 'It is not stuck, or does not exist.' }
  try {
    await openPauses(db).requireWritable()
    return { id: shown, ok: true, says: await act(deps, row, now) }
  } catch (error) {
    if (error instanceof NotPossible) return { id: shown, ok: false, says: error.message }
    if (error instanceof Problem) return { id: shown, ok: false, says: faultOf(error) }
    throw error
  }
}

/** For a field, its message says more than the problem's own. */
function faultOf({ message, fields }: Problem): string {
  const faults = Object.entries(fields).map(
    ([field, messages]) => `${field} ${messages.join(', ')}`,
  )
  return faults.length > 0 ? faults.join('; ') : message
}
