import { type Command, InvalidArgumentError, Option } from 'commander'
import { createBusiness } from '../business/account/bootstrap.ts'
import { listBusinesses } from '../business/account/service.ts'
import { publicUrlOf, storageOf } from '../config.ts'
import { addMs } from '../lib/clock.ts'
import { dayIn, isDay, startOfDay } from '../lib/dates.ts'
import { formatAmount } from '../lib/money.ts'
import { walletBalances } from '../money/wallet/service.ts'
import type { Progress, Seeded } from '../seed/seed.ts'
import type { SignIn } from '../seed/shop.ts'
import { type CommandContext, withDatabase } from './open.ts'
import {
  bold,
  dim,
  openProgressBar,
  type ProgressBar,
  printFields,
  printJson,
  printLines,
  UsageError,
} from './output.ts'
import { readId } from './values.ts'

interface Options {
  rows?: number
  seed: number
  until?: string
  business?: number
  new?: string
  live?: true
  json?: true
}

export function seedCommand(program: Command): void {
  program
    .command('seed')
    .description('Generate a year of realistic demo data in test mode')
    .option('--rows <number>', 'invoices to create, up to 1,000,000 (default: 1,000)', readRows)
    .option('--seed <number>', 'seed number; each number creates a different shop', readSeed, 1)
    .option('--until <date>', 'end the history at the start of this day (default: today)', readDay)
    .option('--business <ID>', 'business to fill (default: the first business)', readId)
    .option('--new <NAME>', 'create a business for the data, and print its keys')
    .addOption(new Option('--live').hideHelp())
    .option('--json', 'print what was created as JSON')
    .addHelpText(
      'after',
      `
Creates a furniture and fabrics shop in Lagos: customers, invoices in every state, transfers, USSD
codes, declined and abandoned attempts, an overpayment and cash, with their ledger entries, events
and emails. No emails are sent, but they are stored as if they had been. The same seed, rows and day
always create the same data.

With --new, the business also gets a logo, a colour, contacts, products, pages, orders, refunds,
payouts, bills, webhooks and a team whose owner can sign in; the password is shown once. The keys
and the password are printed as soon as they work; with --json, at the end.
Without --new, the branding of the business does not change, because payers see it in live mode too.

To remove demo data, stop the server and delete DATA_DIR. Demo data cannot be distinguished from
other test data later, so use --new to keep it in a separate business.

The server can keep running. For about half a minute, requests that create invoices or move money in
the test data of the same business can fail with 503; retry them, or use --new.
Each seed can be used once per business. To resume an interrupted run, run the same command again;
after --new NAME, with --business ID instead. If that business has no invoices yet, use --new again,
because --business creates no products, pages or team.

Examples:
  $ tradepost seed
  $ tradepost seed --new "Adire & Oak" --rows 5000
  $ tradepost seed --business 101 --seed 7 --until 2026-06-30 --json`,
    )
    .action(seed)
}

async function seed(options: Options): Promise<void> {
  if (options.live) throw new UsageError('--live: demo data can only be created in test mode')
  if (options.new !== undefined && options.business !== undefined) {
    throw new UsageError('--new cannot be combined with --business')
  }
  const beganAt = performance.now()
  const bar = openProgressBar()
  const made = await withDatabase((opened) => fill(opened, options, bar), {
    mayCreate: true,
  }).finally(bar.end)
  const tookMs = Math.round(performance.now() - beganAt)
  if (options.json) printJson({ ...made, tookMs })
  else show(made, tookMs)
}

type Made = Awaited<ReturnType<typeof fill>>

async function fill(opened: CommandContext, options: Options, bar: ProgressBar) {
  const { config, db, ids, keyring, now } = opened
  const { seedShop } = await import('../seed/seed.ts')
  const { businessId, name, keys } = await businessFor(opened, options)
  const { rows, seed, until, json } = options
  // An interrupted run must not leave a business to which nobody has the keys. With --json, they
  // are only in the JSON, because standard error is often kept in a log.
  if (keys && !json) {
    const business = `${name} (${businessId})`
    const { testSecret, liveSecret } = keys
    printFields({ business, 'test key': testSecret, 'live key': liveSecret })
  }
  const tenant = { businessId, live: false }
  const onProgress = ({ phase, done, total }: Progress) =>
    bar.show(LABELS[phase], done, total, THINGS[phase])
  const onOwner = ({ email, password }: SignIn) => {
    if (json) return
    bar.end()
    printFields({ 'sign in': `${email} with ${password}` })
  }
  const seeded = await seedShop(db, ids, {
    keyring,
    tenant,
    seed,
    rows,
    until,
    now,
    onProgress,
    onOwner,
    publicUrl: publicUrlOf(config),
    idempotencyMs: config.IDEMPOTENCY_HOURS * 3_600_000,
    storage: storageOf(config),
    // Branding also applies in live mode, so only a new business gets it.
    isDemo: keys !== undefined,
  })
  const wallet = (await walletBalances(db, tenant)).find(({ currency }) => currency === 'NGN')
  return { businessId, name, ...seeded, wallet: wallet ?? null, ...(keys && { keys }) }
}

const LABELS = { writing: 'Writing', sealing: 'Sealing', indexing: 'Indexing' } as const
const THINGS = { writing: 'invoices', sealing: 'transfers', indexing: 'texts' } as const

/** Returns the given business, a new one, or the first one. */
async function businessFor(
  { db, ids, keyring, now }: CommandContext,
  { business, new: name, until }: Options,
) {
  if (name !== undefined) {
    // The business opens when its history begins, in the default time zone for new businesses.
    const day = until ?? dayIn(TIME_ZONE, now)
    const end = startOfDay(day, TIME_ZONE)
    const { requirePast } = await import('../seed/seed.ts')
    requirePast(day, end, now)
    const opened = addMs(end, -HISTORY_MS)
    return db.transaction((tx) =>
      createBusiness(tx, { ids, keyring }, { name, ...CONTACT, now: opened }),
    )
  }
  const businesses = await listBusinesses(db)
  const found = businesses.find(({ businessId }) => (business ?? businessId) === businessId)
  if (found) return { ...found, keys: undefined }
  if (business !== undefined) {
    throw new Error(`there is no business ${business}; see tradepost business list`)
  }
  throw new Error('there are no businesses yet; create one with tradepost seed --new NAME')
}

const TIME_ZONE = 'Africa/Lagos'
const HISTORY_MS = 365 * 24 * 3_600_000
const CONTACT = { email: 'hello@example.com', phone: '+234 800 555 0100' }

function show(made: Made, tookMs: number): void {
  const { name, businessId, continuedAfter, invoices, transactions, wallet } = made
  const seconds = tookMs / 1000
  const after = continuedAfter > 0 ? ` (in addition to ${continuedAfter} existing ones)` : ''
  printLines(
    `${bold(name)} (${businessId}) has a year of invoices up to ${made.until}: ${counted(invoices.all)}${after}.`,
  )
  printFields({
    invoices: `${listed(invoices)}; ${made.overdue} overdue`,
    payments: `${listed(transactions)}; ${made.overpayments} overpaid`,
    mails: `${listed(made.mails)}; none were sent`,
    books: `${counted(made.journals.all)} journals, ${counted(made.events.all)} events`,
    ...(made.isBranded && { looks: 'its own logo, colour and contacts' }),
    wallet: wallet ? formatAmount(BigInt(wallet.availableMinor), wallet.currency) : '-',
    took: `${seconds.toLocaleString('en')} s, ${counted(made.rowsWritten)} rows`,
  })
  printLines(dim(`Generated from seed ${made.seed}, for tests only.`))
}

const counted = (count: number): string => count.toLocaleString('en')

/** Prints `12 Draft, 40 Sent`, without the total and any zeros. */
const listed = ({ all: _all, ...states }: Seeded['invoices']): string =>
  Object.entries(states)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${counted(count)} ${state}`)
    .join(', ')

const ROWS_MAX = 1_000_000
/** Seeds are 32-bit integers. */
const SEED_MAX = 2 ** 32 - 1

function readRows(text: string): number {
  const rows = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (rows >= 1 && rows <= ROWS_MAX) return rows
  throw new InvalidArgumentError(`It must be a number from 1 to ${ROWS_MAX}.`)
}

function readSeed(text: string): number {
  const seed = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (seed <= SEED_MAX) return seed
  throw new InvalidArgumentError(`It must be a number from 0 to ${SEED_MAX}.`)
}

function readDay(text: string): string {
  if (isDay(text)) return text
  throw new InvalidArgumentError('It must be a valid date in the form YYYY-MM-DD.')
}
