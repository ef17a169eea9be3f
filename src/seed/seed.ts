import type { AppOptions } from '../app/shared.ts'
import { takeNumbers } from '../business/account/invoice-series.ts'
import { clockOffsetMs, isConnected, paymentTermsOf } from '../business/account/payment-settings.ts'
import type { Database, Db } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import { Sql, sql } from '../db/sql.ts'
import { textJob } from '../jobs/maintenance.ts'
import { ledgerSeal } from '../ledger/seals.ts'
import type { Tenant } from '../lib/caller.ts'
import { addMs } from '../lib/clock.ts'
import { dayIn, startOfDay } from '../lib/dates.ts'
import { TRANSACTIONS } from '../payments/attempts/record.ts'
import { INVOICES } from '../sales/invoices/record.ts'
import { OVERDUE_STEP } from '../sales/invoices/reminders.ts'
import { customerOf, randomOf } from './cast.ts'
import {
  type Copy,
  deleteUnsent,
  holdMails,
  insertCopies,
  type Original,
  readOriginals,
  releaseMails,
} from './copies.ts'
import { type DemoServer, inOneTransaction, type Script, withServer } from './demo-server.ts'
import { INVOICES_MAX, invoiceScripts } from './invoices.ts'
import { OWNER, type SignIn, shopScripts, signInOf } from './shop.ts'

const ROWS_DEFAULT = 1_000

export interface SeedRequest
  extends Pick<AppOptions, 'keyring' | 'publicUrl' | 'idempotencyMs' | 'storage'> {
  /** Must be in test mode, because live mode does not accept demo data. */
  tenant: Tenant
  /** 0..2^32 - 1. */
  seed: number
  /** How many invoices to create, from 1 to 1,000,000; default 1,000. */
  rows?: number | undefined
  /** The history ends at the start of this day (`YYYY-MM-DD`). Default: today. */
  until?: string | undefined
  now: Date
  /**
   * True if the business was created for the seed. It then gets everything else that a shop has,
   * including branding.
   */
  isDemo?: boolean
  /** Called as soon as the owner can sign in. Only the owner of a demo business can. */
  onOwner?: (owner: SignIn) => void
  onProgress?: (progress: Progress) => void
}

export interface Progress {
  phase: 'writing' | 'sealing' | 'indexing'
  done: number
  total: number
}

/** The inputs that determine the data. They are stored in an invoice's metadata for later runs. */
interface Run {
  seed: number
  rows: number
  until: string
}

/**
 * In a run, the copies have the first invoice numbers, and the originals have the numbers after
 * them.
 */
interface Begun extends Run {
  firstNumber: number
  prefix: string
}

export type Seeded = Awaited<ReturnType<typeof seedShop>>

/**
 * Fills a business's test data with a year in the life of a furniture and fabric shop. The last few
 * weeks are created through the API of a server with its own clock. The year before that consists
 * of copies. The data passes the audit, and nothing is sent to anyone. Throws if the business's
 * test mode is connected to a provider, which would get the orders.
 *
 * The same seed, row count and day always create the same data, except for ids, references and page
 * URLs. Completes an unfinished run. Throws if the business already has the shop for this seed.
 */
export async function seedShop(db: Database, ids: Ids, request: SeedRequest) {
  const { tenant, seed, now, onProgress, onOwner, isDemo = false } = request
  if (tenant.live) throw new Error('demo data can only be created in test mode')
  const { time_zone: timeZone } = await paymentTermsOf(db, tenant)
  const aheadMs = await clockOffsetMs(db, tenant)
  const today = addMs(now, aheadMs)
  const before = await countsOf(db, tenant)
  const earlier = await earlierRun(db, tenant, request)
  const until = earlier?.until ?? request.until ?? dayIn(timeZone, today)
  const end = startOfDay(until, timeZone)
  requirePast(until, end, today)
  // The rest of an interrupted run orders nothing.
  if (!earlier && (await isConnected(db, tenant))) {
    throw new Error(
      'the test mode of this business is connected to a provider, which would get the demo orders: ' +
        'choose another --business, or --new NAME',
    )
  }

  const run = { seed, rows: earlier?.rows ?? request.rows ?? ROWS_DEFAULT, until }
  const untilMs = end.getTime()
  const times = { timeZone, untilMs, today, aheadMs }
  const owner = isDemo && !earlier ? signInOf(OWNER, tenant.businessId) : undefined
  onProgress?.({ phase: 'writing', done: 0, total: run.rows })
  const begun = earlier ?? (await begin(db, request, run, { ...times, owner }))
  if (owner) onOwner?.(owner)
  const written = earlier?.written ?? 0
  const originals = Math.min(run.rows, INVOICES_MAX)
  onProgress?.({ phase: 'writing', done: written + originals, total: run.rows })
  await copyBack(db, ids, request, begun, { written, untilMs })
  await finish(db, request)
  const after = await countsOf(db, tenant)
  const continuedAfter = earlier ? written + originals : 0
  return {
    ...run,
    continuedAfter,
    isBranded: owner !== undefined,
    owner,
    ...difference(after, before),
  }
}

/** Throws if the day at whose start the history ends has not started. */
export function requirePast(until: string, start: Date, now: Date): void {
  if (start <= now) return
  throw new Error(`the history cannot end in the future (${until})`)
}

/** Finds an unfinished run with this seed for this business. Throws if there is a finished one. */
async function earlierRun(db: Db, { businessId, live }: Tenant, request: SeedRequest) {
  const { seed } = request
  // No other query scans all invoices, so an index for this one would not be worthwhile.
  const first = await db.maybe<{ metadata: string }>`
    select metadata from invoices
    where business_id = ${businessId} and live = ${live}
      and metadata like ${`{"demo":{"seed":${seed},%`}`
  if (!first) return undefined
  const { demo } = JSON.parse(first.metadata) as { demo: Begun }
  const { rows, until, firstNumber } = demo
  const copies = rows - Math.min(rows, INVOICES_MAX)
  const { written } = await db.one<{ written: number }>`
    select count(*) as written from invoices
    where business_id = ${businessId} and live = ${live}
      and number >= ${firstNumber} and number < ${firstNumber + copies}`
  if (written === copies) {
    throw new Error(
      `the shop of seed ${seed} already exists: choose another --seed or --business, or ` +
        `--new NAME (${rows} invoices, until ${until})`,
    )
  }
  // An unfinished run can be completed only with its original options, because the two parts would
  // not fit together otherwise.
  const isSame = (request.rows ?? rows) === rows && (request.until ?? until) === until
  if (isSame) return { ...demo, written }
  throw new Error(
    `the shop of seed ${seed} was started with --rows ${rows} --until ${until}, and can only be ` +
      'finished with these options',
  )
}

interface Times {
  timeZone: string
  untilMs: number
  today: Date
  aheadMs: number
}

/**
 * Creates the last few weeks in one transaction, so that they are stored completely or not at all.
 */
function begin(
  db: Database,
  request: SeedRequest,
  run: Run,
  { timeZone, untilMs, today, aheadMs, owner }: Times & { owner: SignIn | undefined },
): Promise<Begun> {
  const { keyring, tenant, publicUrl, idempotencyMs, storage } = request
  const originals = Math.min(run.rows, INVOICES_MAX)
  return inOneTransaction(db, async (inside) => {
    const { prefix, first: firstNumber } = await inside.transaction((tx) =>
      takeNumbers(tx, tenant, run.rows - originals),
    )
    const begun = { ...run, firstNumber, prefix }
    const { from } = await inside.one<{ from: number }>`select nextval('ids') as from`
    // A business that already existed can have endpoints, which would get what never happened.
    const sendsWebhooks = owner !== undefined
    const own = { aheadMs, today, sendsWebhooks }
    const options = { keyring, tenant, publicUrl, idempotencyMs, storage, ...own }
    const nowMs = today.getTime()
    const endMs = nowMs - untilMs < DAY_MS ? nowMs : untilMs
    const history = { seed: run.seed, untilMs, endMs, timeZone }
    const held = await holdMails(inside, tenant, request.now)
    await withServer(inside, options, (server) =>
      server.play([
        runsOf(server, untilMs, nowMs),
        ...invoiceScripts(server, history, originals, { demo: begun }),
        ...(owner ? shopScripts(server, history, owner) : []),
      ]),
    )
    await releaseMails(inside, tenant, held)
    await deleteUnsent(inside, tenant, { from, now: today })
    return begun
  })
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Longer than the life of any invoice from the last few weeks. */
const PLAYED_DAYS = 60

/** Runs due work once a day, and once more at the end so that nothing is left due. */
async function* runsOf({ runJobs }: DemoServer, untilMs: number, nowMs: number): Script {
  for (let at = untilMs - PLAYED_DAYS * DAY_MS; at < untilMs; at += DAY_MS) {
    yield at + 9.5 * HOUR_MS
    await runJobs()
  }
  yield nowMs
  await runJobs()
}

/** The number of copies per transaction. */
export const BATCH_ROWS = 1_000

/** Fills the year before with copies, in chronological order. */
async function copyBack(
  db: Database,
  ids: Ids,
  { tenant, onProgress }: SeedRequest,
  { seed, rows, firstNumber, prefix }: Begun,
  { written, untilMs }: { written: number; untilMs: number },
): Promise<void> {
  const count = rows - Math.min(rows, INVOICES_MAX)
  if (written === count) return
  const numbers = { from: firstNumber + count, to: firstNumber + rows }
  const originals = await readOriginals(db, tenant, numbers)
  const briefest = originals.toSorted((a, b) => spanOf(a) - spanOf(b)).slice(0, 1)
  const random = randomOf(seed, COPIES)
  let batch: Copy[] = []
  let number = firstNumber
  for (const day of daysOf(count, untilMs)) {
    const fit = originals.filter((one) => day.startMs + timeOfDay(one) + spanOf(one) < untilMs)
    const some = Array.from({ length: day.count }, () =>
      random.pick(fit.length > 0 ? fit : briefest),
    )
    for (const original of some.sort((a, b) => timeOfDay(a) - timeOfDay(b))) {
      const customer = customerOf(random, random.whole(0, Math.floor(count / 2_000)))
      if (number++ < firstNumber + written) continue
      const days = Math.round((day.startMs - (original.createdMs - timeOfDay(original))) / DAY_MS)
      const own: number[] = []
      while (own.length < original.idCount) own.push(ids.take() ?? (await ids.next()))
      batch.push({ original, days, number: number - 1, prefix, customer, ids: own })
      if (batch.length < BATCH_ROWS && number < firstNumber + count) continue
      await write(db, ids, tenant, batch)
      batch = []
      onProgress?.({ phase: 'writing', done: number - firstNumber + rows - count, total: rows })
    }
  }

  function timeOfDay({ createdMs }: Original): number {
    return (((createdMs - untilMs) % DAY_MS) + DAY_MS) % DAY_MS
  }
}

const spanOf = ({ createdMs, endMs }: Original): number => endMs - createdMs

/** The random stream used for the copies. */
const COPIES = 1_000_003

function write(db: Database, ids: Ids, tenant: Tenant, copies: Copy[]): Promise<void> {
  // A batch can double the size of the tables, but foreign keys would be checked with the plans
  // made for the previous batch.
  db.replan()
  return db.transaction((tx) => insertCopies(tx, ids, tenant, copies), { statementMs: 60_000 })
}

/** The relative sales of each month and of each weekday. */
const MONTHS = [0.75, 0.8, 0.95, 1, 0.95, 0.95, 1, 1.05, 1, 1.05, 1.25, 1.75]
const WEEKDAYS = [0.35, 0.9, 0.95, 0.95, 1.05, 1.25, 1.55]
const HISTORY_DAYS = 365

/** Returns how many copies each day of the year gets, for a shop that grows. */
function daysOf(count: number, untilMs: number): { startMs: number; count: number }[] {
  const starts = Array.from(
    { length: HISTORY_DAYS },
    (_, i) => untilMs - (HISTORY_DAYS - i) * DAY_MS,
  )
  const weights = starts.map((startMs, i) => {
    const noon = new Date(startMs + DAY_MS / 2)
    const growth = 0.8 + (0.4 * i) / HISTORY_DAYS
    return growth * MONTHS[noon.getUTCMonth()]! * WEEKDAYS[noon.getUTCDay()]!
  })
  const whole = weights.reduce((a, b) => a + b)
  let [passed, done] = [0, 0]
  return starts.map((startMs, i) => {
    passed += weights[i]!
    const to = i === HISTORY_DAYS - 1 ? count : Math.floor((passed / whole) * count)
    const day = { startMs, count: to - done }
    done = to
    return day
  })
}

/**
 * Runs the jobs that a server would otherwise run later: sealing the books and indexing for search.
 */
async function finish(db: Database, { now, onProgress }: SeedRequest): Promise<void> {
  const phases = [
    { phase: 'sealing', job: ledgerSeal, table: 'ledger_unsealed' },
    { phase: 'indexing', job: textJob([INVOICES]), table: 'invoice_texts_due' },
    { phase: 'indexing', job: textJob([TRANSACTIONS]), table: 'transaction_texts_due' },
  ] as const
  for (const { phase, job, table } of phases) {
    const { total } = await db.one<{ total: number }>`
      select count(*) as total from ${new Sql([table], [])}`
    for (let done = 0; ; ) {
      const swept = await job.run(db, now)
      if (swept === 0) break
      done += swept
      onProgress?.({ phase, done: Math.min(done, total), total })
    }
  }
}

/** The counts by state or type; `all` is the total. */
type Tally = { all: number } & Record<string, number>

/** Tables whose rows are all counted. */
const COUNTED = [
  'virtual_accounts',
  'deposits',
  'invoice_texts',
  'transaction_texts',
  'ledger_transfers',
]

function countsOf(db: Database, { businessId, live }: Tenant) {
  const of = sql`business_id = ${businessId} and live = ${live}`
  return db.transaction(
    async (tx) => {
      const tally = async (table: string, state: string): Promise<Tally> => {
        const rows = await tx.many<{ name: string; n: number }>`
          select ${new Sql([state], [])} as name, count(*) as n from ${new Sql([table], [])}
          where ${of} group by 1 order by 1`
        const states = Object.fromEntries(rows.map(({ name, n }) => [name, n]))
        return { all: rows.reduce((sum, { n }) => sum + n, 0), ...states }
      }
      const count = async (from: Sql) =>
        (await tx.one<{ n: number }>`select count(*) as n from ${from}`).n
      const invoices = await tally('invoices', 'status')
      const transactions = await tally('transactions', 'status')
      const mails = await tally('mails', 'status')
      const events = await count(sql`events where ${of}`)
      const journals = await count(sql`ledger_journals where ${of}`)
      let others = 0
      for (const table of COUNTED) others += await count(sql`${new Sql([table], [])} where ${of}`)
      return {
        invoices,
        overdue: await count(sql`invoices where ${of} and next_step > ${OVERDUE_STEP}
          and status in ('Sent', 'PartiallyPaid')`),
        transactions,
        overpayments: await count(sql`transactions where ${of} and excess_minor > 0`),
        mails,
        events: { all: events },
        journals: { all: journals },
        rowsWritten: invoices.all + transactions.all + mails.all + events + journals + others,
      }
    },
    { statementMs: 600_000 },
  )
}

/** Returns the differences between the counts. */
function difference<T extends number | object>(after: T, before: T | undefined): T {
  if (typeof after === 'number') return (after - ((before as number | undefined) ?? 0)) as T
  const entries = Object.entries(after).map(([name, value]) => [
    name,
    difference(value, (before as Record<string, typeof value> | undefined)?.[name]),
  ])
  return Object.fromEntries(entries) as T
}
