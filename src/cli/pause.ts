import { Argument, type Command, Option } from 'commander'
import { appendAudit, OPERATOR } from '../business/audit-log/log.ts'
import {
  listPauses,
  type Paused,
  type PauseKey,
  type PauseRow,
  pause,
  resume,
} from '../providers/pauses.ts'
import { businessOf, businessOption } from './keys.ts'
import { type CommandContext, withDatabase } from './open.ts'
import { formatTimestamp, printJson, printLines, printList, UsageError } from './output.ts'

/** As they are written on the command line. */
const NAMES: Record<string, Paused> = {
  business: 'business',
  'bank-transfer': 'BANK_TRANSFER',
  ussd: 'USSD',
  card: 'CARD',
}

const nameOf = (what: Paused): string =>
  Object.entries(NAMES).find(([, one]) => one === what)?.[0] ?? what

export interface PauseOptions {
  business?: number
  all?: true
  mode?: 'test' | 'live'
  reason?: string
  json?: true
}

/** Adds the options that name the businesses and the mode that a pause concerns. */
export const addTarget = (command: Command, whose: string, everyone: string): Command =>
  command
    .addOption(businessOption(whose))
    .addOption(new Option('--all', everyone).conflicts('business'))
    .addOption(new Option('--mode <mode>', 'only this mode').choices(['test', 'live']))

const SEE = `
To pause payouts, see tradepost payouts; to pause a connection to a provider, see tradepost
providers; to pause all changes, see tradepost read-only.`

export function pauseCommand(program: Command): void {
  add(program, 'pause', 'Pause a business, or one way to pay')
    .option('--reason <text>', 'why; the business can read it', 'Paused by the operator')
    .addHelpText(
      'after',
      `
  business        its API responds with 503 business_paused, and payers see that it is not open;
                  webhooks, lookups and notifications from providers go on
  bank-transfer, ussd, card
                  payers are no longer offered it, and new payments are refused with 503
                  channel_paused; payments that have started can still be paid

Without a name, lists what is paused. Servers follow within a second.
${SEE}

Examples:
  $ tradepost pause ussd --all --reason "The bank's USSD gateway is down"
  $ tradepost pause business --business 101 --mode live
  $ tradepost pause`,
    )
}

export function resumeCommand(program: Command): void {
  add(program, 'resume', 'End a pause').addHelpText(
    'after',
    `
A pause for all businesses ends with --all, and one for one business with --business.
${SEE}

Example:
  $ tradepost resume ussd --all`,
  )
}

const add = (program: Command, word: 'pause' | 'resume', says: string): Command => {
  const required = word === 'resume'
  const what = new Argument(required ? '<WHAT>' : '[WHAT]', 'what it is').choices(
    Object.keys(NAMES),
  )
  const command = program.command(word).description(says).addArgument(what)
  return addTarget(command, 'business that this concerns', 'all businesses, also new ones')
    .option('--json', 'print JSON')
    .action((name: string | undefined, options: PauseOptions) =>
      name === undefined ? list(options) : change(word, NAMES[name]!, options),
    )
}

async function list({ json }: PauseOptions): Promise<void> {
  const rows = await withDatabase(({ db }) => listPauses(db))
  printList(rows.map(recordOf), {
    json,
    none: 'Nothing is paused.',
    columns: {
      PAUSED: ({ what }) => what,
      BUSINESS: ({ businessId }) => String(businessId ?? 'all'),
      MODE: ({ mode }) => mode ?? 'both',
      SINCE: ({ pausedAt }) => formatTimestamp(pausedAt),
      REASON: ({ reason }) => reason,
    },
  })
}

const recordOf = ({ what, business_id, live, reason, paused_at }: PauseRow) => ({
  what: nameOf(what),
  businessId: business_id,
  mode: live === null ? null : live ? 'live' : 'test',
  reason,
  pausedAt: paused_at,
})

async function change(
  word: 'pause' | 'resume',
  what: Paused,
  options: PauseOptions,
): Promise<void> {
  const { all, mode, json } = options
  if (what === 'business' && all) {
    throw new UsageError('a business is paused with --business; see also tradepost read-only')
  }
  const { isChanged, left } = await withDatabase(async (context) => {
    const businessId = all ? null : await businessOf(context.db, options.business)
    const key = { what, businessId, live: mode === undefined ? null : mode === 'live' }
    const isDone = await changeOne(context, word, key, options.reason ?? '')
    const paused = await listPauses(context.db)
    return { isChanged: isDone, left: paused.filter((one) => overlaps(one, key)) }
  })
  if (json) {
    printJson({ changed: isChanged })
    return
  }
  printLines(
    wordsOf(word, isChanged, left.length > 0),
    ...(word === 'resume' ? left.map(leftLine) : []),
  )
}

function wordsOf(word: 'pause' | 'resume', isChanged: boolean, isPaused: boolean): string {
  if (word === 'pause')
    return isChanged ? 'It is paused.' : 'Nothing has changed: it was already paused.'
  if (isPaused)
    return isChanged ? 'It is still paused.' : 'Nothing has changed: it is still paused.'
  return isChanged ? 'It is open.' : 'Nothing has changed: it was already open.'
}

/** Whether a pause concerns some of what `key` does. */
const overlaps = ({ what, business_id, live }: PauseRow, key: PauseKey): boolean =>
  what === key.what &&
  (business_id === null || key.businessId === null || business_id === key.businessId) &&
  (live === null || key.live === null || live === key.live)

function leftLine(row: PauseRow): string {
  const { what, businessId, mode } = recordOf(row)
  const whose = businessId === null ? '--all' : `--business ${businessId}`
  return `  To end this pause: tradepost resume ${what} ${whose}${mode ? ` --mode ${mode}` : ''}`
}

/** Logs the change in the audit log of a business that it concerns alone. */
const changeOne = (
  { db, ids, now }: CommandContext,
  word: 'pause' | 'resume',
  key: PauseKey,
  reason: string,
): Promise<boolean> =>
  db.transaction(async (tx) => {
    const by = OPERATOR.name
    const isDone = word === 'pause' ? pause(tx, ids, key, { by, reason, now }) : resume(tx, key)
    const isChanged = await isDone
    const { businessId, live, what } = key
    if (isChanged && businessId !== null) {
      const detail = word === 'pause' ? `Paused: ${reason}` : 'Resumed'
      const object = nameOf(what)
      const action = `${what === 'business' ? 'business' : 'channel'}.${word}`
      await appendAudit(tx, OPERATOR, { businessId, live, action, object, detail, at: now })
    }
    return isChanged
  })

const WRITES: PauseKey = { what: 'writes', businessId: null, live: null }

export function readOnlyCommand(program: Command): void {
  program
    .command('read-only')
    .description('Let all servers of this database only read')
    .addArgument(new Argument('<STATE>', 'on or off').choices(['on', 'off']))
    .option('--reason <text>', 'why; members can read it', 'Maintenance')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Reads work. Writes get 503 read_only, and so do notifications from providers, which they repeat.
Jobs rest, so no email, webhook or order to a provider is sent. Servers follow within a second, and
finish what they have started.

Examples:
  $ tradepost read-only on --reason "Moving the database"
  $ tradepost read-only off`,
    )
    .action(setReadOnly)
}

async function setReadOnly(
  state: 'on' | 'off',
  { reason, json }: { reason: string; json?: true },
): Promise<void> {
  const isOn = state === 'on'
  const isChanged = await withDatabase((context) =>
    changeOne(context, isOn ? 'pause' : 'resume', WRITES, reason),
  )
  if (json) {
    printJson({ readOnly: isOn, changed: isChanged })
    return
  }
  const says = isOn ? 'Servers only read' : 'Servers read and write'
  printLines(isChanged ? `${says} from now on.` : `Nothing has changed: ${says.toLowerCase()}.`)
}
