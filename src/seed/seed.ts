import { setImmediate as others } from 'node:timers/promises'
import { clockOffsetMs, termsOf } from '../business/account/payment-settings.ts'
import type { Database } from '../db/database.ts'
import { isUniqueViolation } from '../db/failures.ts'
import type { Ids } from '../db/ids.ts'
import type { Deps } from '../deps.ts'
import { ledgerSeal } from '../ledger/seals.ts'
import type { Tenant } from '../lib/caller.ts'
import { addMs } from '../lib/clock.ts'
import { dayIn, startOfDay } from '../lib/dates.ts'
import { transactionTextSweeper } from '../payments/attempts/search.ts'
import { invoiceTextSweeper } from '../sales/invoices/list.ts'
import { postSettlements } from './books.ts'
import { brandShop } from './branding.ts'
import { calendarOf, momentsOf } from './calendar.ts'
import { addStories, type Counts, nothing } from './counts.ts'
import { customersOf } from './customers.ts'
import { BATCH_ROWS, earlierRun, type Run, refuseOther } from './earlier.ts'
import { storyOf } from './life.ts'
import { ROWS } from './limits.ts'
import { numberInvoices } from './numbers.ts'
import { fateOf } from './plots.ts'
import { insertStories } from './rows.ts'
import type { Shop, Story } from './story.ts'

export interface SeedRequest {
  /** Of test mode: live books take no invented money. */
  tenant: Tenant
  /** 0..2^32 - 1. */
  seed: number
  /** Invoices to make, 1..1,000,000; absent for 1,000. */
  rows?: number | undefined
  /** `YYYY-MM-DD`, the day on which the history stops as it begins; absent for today. */
  until?: string | undefined
  /** The server's clock. */
  now: Date
  /** What payers' links begin with. */
  publicUrl: string
  /** Where its logo is kept. Without it the shop looks as the business does. */
  files?: Deps['files'] | undefined
  onProgress?: (progress: Progress) => void
}

export interface Progress {
  phase: 'writing' | 'sealing' | 'indexing'
  done: number
  total: number
}

export interface Seeded extends Run, Counts {
  /** How many invoices were there already, of a run that did not come to its end. */
  continuedAfter: number
  /** It was given a logo and a colour, see `brandShop`. */
  isBranded: boolean
}

/**
 * Fills the test data of a business with a year of a furniture and fabrics shop: invoices in every
 * state and their payments, mails and events, as the slices would have left them. What it writes
 * together is right together, so that the audit finds nothing at any time, and no row of it is due:
 * nothing is sent.
 *
 * The same seed, rows and day give the same, but for ids, page addresses and references of events.
 * Throws when the business has the shop of this seed already; one that was left half done is
 * finished.
 */
export async function seedShop(db: Database, ids: Ids, request: SeedRequest): Promise<Seeded> {
  const { tenant, seed, now } = request
  if (tenant.live) throw new Error('only test data can be made: live books take no invented money')
  const terms = await termsOf(db, tenant)
  const today = addMs(now, await clockOffsetMs(db, tenant))
  const earlier = await earlierRun(db, tenant, seed)
  if (earlier) refuseOther(earlier, request)
  const rows = earlier?.rows ?? request.rows ?? ROWS.default
  const until = earlier?.until ?? request.until ?? dayIn(terms.time_zone, today)
  const untilMs = startOfDay(until, terms.time_zone).getTime()
  if (untilMs > today.getTime())
    throw new Error(`the history cannot end on a day to come, ${until}`)

  const { publicUrl, files } = request
  const isBranded = files !== undefined && (await brandShop({ db, files }, tenant, { seed, now }))
  const shop: Shop = { tenant, seed, terms, publicUrl, untilMs, nowMs: today.getTime() }
  const run = { seed, rows, until }
  const continuedAfter = earlier?.written ?? 0
  const counts = await writeAll(db, ids, shop, run, continuedAfter, request)
  await finish(db, request, counts)
  return { ...run, continuedAfter, isBranded, ...counts }
}

/** While a batch is written by the database, the next one is thought up. */
async function writeAll(
  db: Database,
  ids: Ids,
  shop: Shop,
  run: Run,
  from: number,
  { onProgress }: SeedRequest,
): Promise<Counts> {
  const counts = nothing()
  let done = from
  let writing = Promise.resolve()
  for await (const stories of batchesOf(ids, shop, run, from)) {
    await writing
    writing = write(db, ids, shop, stories).then(() => {
      addStories(counts, stories)
      done += stories.length
      onProgress?.({ phase: 'writing', done, total: run.rows })
    })
    // It is waited for above, later; until then nobody else must stumble over it.
    writing.catch(() => {})
  }
  await writing
  return counts
}

async function write(db: Database, ids: Ids, { tenant }: Shop, stories: Story[]): Promise<void> {
  const settled = stories.flatMap((story) => story.settled)
  try {
    await db.transaction(
      async (tx) => {
        await numberInvoices(tx, tenant, stories)
        await insertStories(tx, tenant, stories)
        await postSettlements(tx, ids, tenant, settled)
      },
      { statementMs: STATEMENT_MS },
    )
  } catch (error) {
    if (!isUniqueViolation(error, 'invoices_business_id_live_reference_key')) throw error
    throw new Error('this shop is being made by another process just now', { cause: error })
  }
}

/** Each takes a second at most on a small machine; a busy disk may need longer. */
const STATEMENT_MS = 60_000

/** More than any story needs. */
const STOCK = 100

/** The stories in batches, by the time of their invoices; those before `from` are left out. */
async function* batchesOf(ids: Ids, shop: Shop, run: Run, from: number): AsyncGenerator<Story[]> {
  const { seed, rows, until } = run
  const customers = customersOf(seed, rows)
  const days = calendarOf(rows, shop.untilMs)
  const recentFrom = days.find(({ isRecent }) => isRecent)?.from ?? rows
  const stock: number[] = []
  let batch: Story[] = []
  for (const day of days) {
    if (day.from + day.count <= from) continue
    for (const [i, createdMs] of momentsOf(day, seed).entries()) {
      const index = day.from + i
      if (index < from) continue
      while (stock.length < STOCK) stock.push(ids.take() ?? (await ids.next()))
      const fate = fateOf(seed, index, day, recentFrom)
      const marker = index === 0 && { marker: { demo: { seed, rows, until } } }
      const birth = { index, createdMs, fate, ...marker }
      batch.push(storyOf(shop, customers, birth, () => stock.shift()!))
      if (batch.length % STORIES_AT_ONCE === 0) await others()
      if (batch.length < BATCH_ROWS) continue
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}

/** So many take some milliseconds, for which the batch before would wait. */
const STORIES_AT_ONCE = 25

/** What the sweepers of a server would do after it: seals of the books, and the search. */
async function finish(
  db: Database,
  { now, onProgress }: SeedRequest,
  { journals, invoices, transactions }: Counts,
): Promise<void> {
  const phases = [
    { phase: 'sealing', sweeper: ledgerSeal, total: journals.all },
    { phase: 'indexing', sweeper: invoiceTextSweeper, total: invoices.all },
    { phase: 'indexing', sweeper: transactionTextSweeper, total: transactions.all },
  ] as const
  for (const { phase, sweeper, total } of phases) {
    for (let done = 0; ; ) {
      const swept = await sweeper.sweep(db, now)
      if (swept === 0) break
      done += swept
      onProgress?.({ phase, done: Math.min(done, total), total })
    }
  }
}
