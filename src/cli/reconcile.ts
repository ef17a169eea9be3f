import { type Command, InvalidArgumentError } from 'commander'
import { pino } from 'pino'
import { appOptionsOf } from '../app/from-config.ts'
import { openShared } from '../app/shared.ts'
import { isDay } from '../lib/dates.ts'
import { dayOf, lastDay } from '../reconciliation/days.ts'
import { reconcilable, reconcileDay } from '../reconciliation/run.ts'
import { type CommandContext, withDatabase } from './open.ts'
import { EXIT, printList, terminal, UsageError } from './output.ts'
import { readId } from './values.ts'

export function reconcileCommand(program: Command): void {
  program
    .command('reconcile')
    .description('Compare the records of providers with the books')
    .option('--business <id>', 'only the connections of this business', readId)
    .option('--connection <id>', 'only this connection', readId)
    .option('--day <YYYY-MM-DD>', 'day in Lagos (default: the last one that has ended)', readDay)
    .option('--json', 'print the days as JSON')
    .addHelpText(
      'after',
      `
Reads the day's entries and the balance from each provider, and stores what does not agree. A server
does the same every morning. The exit status is 1 if something does not agree, or if a provider did
not respond. People close differences in the dashboard.

The simulator, connection 1, is compared only if you name it and a business.

Examples:
  $ tradepost reconcile
  $ tradepost reconcile --business 101 --day 2026-11-02 --json`,
    )
    .action(reconcile)
}

function readDay(text: string): string {
  if (!isDay(text)) throw new InvalidArgumentError('It must be a day such as 2026-11-02.')
  return text
}

interface Options {
  business?: number
  connection?: number
  day?: string
  json?: true
}

async function reconcile({ business, connection, day, json }: Options): Promise<void> {
  const days = await withDatabase(async (context) => {
    const { db, now } = context
    if (day !== undefined && day > dayOf(now)) throw new UsageError('--day is in the future')
    const found = await reconcilable(db, { businessId: business, connectionId: connection })
    if (found.length === 0)
      throw new UsageError('no connection to a provider matches; see tradepost providers list')
    return readAll(context, found, day ?? lastDay(now))
  })
  printList(days, {
    json,
    columns: {
      BUSINESS: ({ businessId, live }) => `${businessId} (${live ? 'live' : 'test'})`,
      CONNECTION: ({ connectionId, name }) => `${connectionId} ${name}`,
      DAY: (one) => one.day,
      MATCHED: ({ matched }) => String(matched),
      WAITING: ({ waiting }) => String(waiting),
      DIFFERENCES: ({ differences }) => String(differences),
      RESULT: ({ status, problem }) => problem ?? (status === 'Closed' ? 'agrees' : 'open'),
    },
  })
  if (days.some(({ status }) => status !== 'Closed')) terminal().exitCode = EXIT.failed
}

type Found = Awaited<ReturnType<typeof reconcilable>>

async function readAll(
  { config, db, ids, keyring, now }: CommandContext,
  found: Found,
  day: string,
) {
  const log = pino({ level: 'silent' })
  const own = { db, ids, keyring, log, nudge: () => {}, publicUrl: '' }
  const shared = await openShared({ ...appOptionsOf(config, own), smtp: undefined })
  const days = []
  try {
    const deps = { ...shared.deps, orderKinds: shared.orderKinds }
    for (const { id: connectionId, name, business_id: businessId, live } of found) {
      const key = { tenant: { businessId, live }, connectionId, day }
      const row = await reconcileDay(deps, key, { now })
      const { status = 'Open', matched = 0, waiting = 0, differences = 0 } = row ?? {}
      const problem = row ? row.problem : 'Another process is reading the day.'
      const counts = { status, matched, waiting, differences, problem }
      days.push({ businessId, live, connectionId, name, day, ...counts })
    }
  } finally {
    await shared.close()
  }
  return days
}
