import { type Command, InvalidArgumentError, Option } from 'commander'
import { createBusiness } from '../business/account/bootstrap.ts'
import { listBusinesses } from '../business/account/details.ts'
import { publicUrlOf, storageOf } from '../config.ts'
import { addMs } from '../lib/clock.ts'
import { dayIn, isDay, startOfDay } from '../lib/dates.ts'
import { formatAmount } from '../lib/money.ts'
import { walletBalances } from '../money/wallet/service.ts'
import type { Progress, Seeded } from '../seed/seed.ts'
import { type Opened, withDatabase } from './open.ts'
import {
  type Bar,
  bold,
  dim,
  openBar,
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
    .option('--rows <number>', 'invoices to make, up to 1,000,000 (1,000)', readRows)
    .option('--seed <number>', 'another number makes another shop', readSeed, 1)
    .option('--until <date>', 'the day on which its history stops, as it begins (today)', readDay)
    .option('--business <ID>', 'whose test data (the first business)', readId)
    .option('--new <NAME>', 'make a business for it, and print its keys')
    .addOption(new Option('--live').hideHelp())
    .option('--json', 'print what was made as JSON')
    .addHelpText(
      'after',
      `
A furniture and fabrics shop in Lagos: customers, invoices in every state, transfers, USSD codes,
declined and abandoned tries, an overpayment, cash; the books, events and mails that go with them.
Nothing is sent: mails are kept as if they had been. The same seed, rows and day make the same.
With --new, it also gets a logo, a colour, contacts, products, pages, orders, refunds, payouts,
bills, webhooks and a team, whose owner can sign in; the password is shown once.
Without --new, the look of the business stays as it is, because payers see it in live mode too.

To remove demo data, delete its database: stop the server and delete DATA_DIR. It cannot be told
apart from other test data later, so use --new for a business of its own.

Works while the server runs. A business has each seed once; a run that was cut short is finished.

Examples:
  $ tradepost seed
  $ tradepost seed --new "Adire & Oak" --rows 5000
  $ tradepost seed --business 101 --seed 7 --until 2026-06-30 --json`,
    )
    .action(seed)
}

async function seed(options: Options): Promise<void> {
  if (options.live) throw new UsageError('--live: live books take no invented money')
  if (options.new !== undefined && options.business !== undefined) {
    throw new UsageError('--new goes with no --business')
  }
  const beganAt = performance.now()
  const bar = openBar()
  const made = await withDatabase((opened) => fill(opened, options, bar), {
    mayCreate: true,
  }).finally(bar.end)
  const tookMs = Math.round(performance.now() - beganAt)
  if (options.json) printJson({ ...made, tookMs })
  else show(made, tookMs)
}

type Made = Awaited<ReturnType<typeof fill>>

async function fill({ config, db, ids, now }: Opened, options: Options, bar: Bar) {
  const { seedShop } = await import('../seed/seed.ts')
  const { businessId, name, keys } = await businessFor({ db, ids, now }, options)
  const { rows, seed, until } = options
  const tenant = { businessId, live: false }
  const onProgress = ({ phase, done, total }: Progress) =>
    bar.show(LABELS[phase], done, total, THINGS[phase])
  const seeded = await seedShop(db, ids, {
    ...{ tenant, seed, rows, until, now, onProgress },
    publicUrl: publicUrlOf(config),
    idempotencyMs: config.IDEMPOTENCY_HOURS * 3_600_000,
    storage: storageOf(config),
    // The look of a business holds in live mode too, so only a new business gets one.
    isDemo: keys !== undefined,
  })
  const wallet = (await walletBalances(db, tenant)).find(({ currency }) => currency === 'NGN')
  return { businessId, name, ...seeded, wallet: wallet ?? null, ...(keys && { keys }) }
}

const LABELS = { writing: 'Writing', sealing: 'Sealing', indexing: 'Indexing' } as const
const THINGS = { writing: 'invoices', sealing: 'transfers', indexing: 'texts' } as const

/** The one that was named, a new one, or the first there is. */
async function businessFor(
  { db, ids, now }: Pick<Opened, 'db' | 'ids' | 'now'>,
  { business, new: name, until }: Options,
) {
  if (name !== undefined) {
    // It opened when its history begins, by the time zone that new businesses have.
    const end = startOfDay(until ?? dayIn(TIME_ZONE, now), TIME_ZONE)
    const opened = addMs(end, -HISTORY_MS)
    return db.transaction((tx) => createBusiness(tx, ids, { name, ...CONTACT, now: opened }))
  }
  const businesses = await listBusinesses(db)
  const found = businesses.find(({ businessId }) => (business ?? businessId) === businessId)
  if (found) return { ...found, keys: undefined }
  if (business !== undefined) {
    throw new Error(`there is no business ${business}: see tradepost business list`)
  }
  throw new Error('there is no business yet: tradepost seed --new NAME')
}

const TIME_ZONE = 'Africa/Lagos'
const HISTORY_MS = 365 * 24 * 3_600_000
const CONTACT = { email: 'hello@example.com', phone: '+234 800 555 0100' }

function show(made: Made, tookMs: number): void {
  const { name, businessId, continuedAfter, keys, invoices, transactions, wallet } = made
  const seconds = tookMs / 1000
  const after = continuedAfter > 0 ? `, after ${continuedAfter} that were there` : ''
  printLines(
    `${bold(name)} (${businessId}) has a year of invoices until ${made.until}: ${counted(invoices.all)}${after}.`,
  )
  printFields({
    invoices: `${listed(invoices)}; ${made.overdue} overdue`,
    payments: `${listed(transactions)}; ${made.overpayments} overpaid`,
    mails: `${listed(made.mails)}; none was sent`,
    books: `${counted(made.journals.all)} journals, ${counted(made.events.all)} events`,
    ...(made.isBranded && { looks: 'a logo, a colour and contacts of its own' }),
    wallet: wallet ? formatAmount(BigInt(wallet.availableMinor), wallet.currency) : '-',
    took: `${seconds.toLocaleString('en')} s, ${counted(made.rowsWritten)} rows`,
    ...(made.owner && { 'sign in': `${made.owner.email} with ${made.owner.password}` }),
    ...(keys && { 'test key': keys.testSecret, 'live key': keys.liveSecret }),
  })
  printLines(dim(`Made from seed ${made.seed}, for tests only.`))
}

const counted = (count: number): string => count.toLocaleString('en')

/** `12 Draft, 40 Sent`: without the sum, and without what there is none of. */
const listed = ({ all: _all, ...states }: Seeded['invoices']): string =>
  Object.entries(states)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${counted(count)} ${state}`)
    .join(', ')

const ROWS_MAX = 1_000_000
/** Seeds are whole numbers of 32 bits. */
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
  throw new InvalidArgumentError('It must be a day that exists, as YYYY-MM-DD.')
}
