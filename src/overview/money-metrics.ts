import { Counter, Gauge, type Registry } from 'prom-client'
import type { Db } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import { eventCounts } from '../events/append.ts'
import { type AccountKind, DEBIT_KINDS } from '../ledger/accounts.ts'
import { addMs, type Clock } from '../lib/clock.ts'
import type { Minor } from '../lib/money.ts'
import { isNotStopped } from '../provider-orders/decisions.ts'

/*
 * No metric here has a label for a business, a customer or a connection: a server can have
 * thousands of them, and each would cost a series for each combination of the other labels. The
 * dashboard has the figures of each business.
 */

/** The events that decide how money moves, with the labels under which they are counted. */
const OUTCOMES: Record<string, [kind: string, outcome: string]> = {
  'transaction.successful': ['payment', 'successful'],
  'transaction.failed': ['payment', 'failed'],
  'transaction.abandoned': ['payment', 'abandoned'],
  'transaction.reversed': ['payment', 'reversed'],
  'transfer.successful': ['transfer', 'successful'],
  'transfer.failed': ['transfer', 'failed'],
  'transfer.rejected': ['transfer', 'rejected'],
  'transfer.reversed': ['transfer', 'reversed'],
  'refund.processed': ['refund', 'successful'],
  'refund.failed': ['refund', 'failed'],
  'refund.needs_attention': ['refund', 'needs_attention'],
  'settlement.paid': ['settlement', 'successful'],
  'settlement.returned': ['settlement', 'reversed'],
  'utility.successful': ['bill', 'successful'],
  'utility.failed': ['bill', 'failed'],
  'dispute.opened': ['dispute', 'opened'],
  'dispute.won': ['dispute', 'won'],
  'dispute.lost': ['dispute', 'lost'],
  'dispute.accepted': ['dispute', 'accepted'],
}

/** Reading every balance takes a while in a large database, and nobody looks more often. */
const KEPT_MS = 60_000
const KEPT_AFTER_FAILURE_MS = 10 * KEPT_MS

const modeOf = (live: boolean) => (live ? 'live' : 'test')

interface MoneyDeps {
  db: Db
  ids: Ids
  clock: Clock
}

/** Adds metrics for the outcomes of payments and payouts, for balances and for differences. */
export const moneyMetrics = ({ db, ids, clock }: MoneyDeps) => ({
  measure(registry: Registry): void {
    measureOutcomes(registry, ids)
    measureBalances(registry, db, clock)
    measureDifferences(registry, db, clock)
    measurePauses(registry, db)
  },
})

function measureOutcomes(registry: Registry, ids: Ids): void {
  const labelNames = ['kind', 'outcome', 'channel', 'mode', 'currency'] as const
  const rows = () =>
    eventCounts(ids).flatMap(({ type, live, currency, channel, ...sums }) => {
      const [kind, outcome] = OUTCOMES[type] ?? []
      if (kind === undefined || outcome === undefined) return []
      // Bills use a channel of the API, which says nothing about them.
      const of = kind === 'payment' ? channel : ''
      return [{ labels: { kind, outcome, channel: of, mode: modeOf(live), currency }, ...sums }]
    })
  new Counter({
    name: 'tradepost_money_outcomes_total',
    help: 'Payments, transfers, refunds, settlements, bills and disputes, by outcome.',
    labelNames,
    registers: [registry],
    collect() {
      this.reset()
      for (const { labels, count } of rows()) this.inc(labels, count)
    },
  })
  new Counter({
    name: 'tradepost_money_amount_minor_total',
    help: 'The sum of their amounts, in minor units of the currency.',
    labelNames,
    registers: [registry],
    collect() {
      this.reset()
      for (const { labels, sumMinor } of rows()) this.inc(labels, sumMinor)
    },
  })
}

/**
 * Returns a function that reads at most once in `KEPT_MS`. If that fails, it returns the last rows
 * for `KEPT_AFTER_FAILURE_MS`, and then nothing.
 */
function seldom<Row>(clock: Clock, read: () => Promise<Row[]>): () => Promise<Row[]> {
  let startedAt = Number.NEGATIVE_INFINITY
  let last: { rows: Row[]; at: number } = { rows: [], at: startedAt }
  let known: Promise<Row[]> = Promise.resolve([])

  async function readAt(now: number): Promise<Row[]> {
    try {
      last = { rows: await read(), at: now }
    } catch {
      if (now - last.at > KEPT_AFTER_FAILURE_MS) return []
    }
    return last.rows
  }

  return () => {
    const now = clock.now().getTime()
    if (now - startedAt >= KEPT_MS || now < startedAt) {
      startedAt = now
      known = readAt(now)
    }
    return known
  }
}

/** Every process reads the same rows. */
const SHARED = { aggregator: 'max' as const }

function measureBalances(registry: Registry, db: Db, clock: Clock): void {
  const registers = [registry]
  const readLedger = seldom(clock, () => selectLedger(db))
  const readProviders = seldom(clock, () => selectProviders(db))
  new Gauge({
    ...SHARED,
    name: 'tradepost_ledger_balance_minor',
    help: 'What the ledger says in all businesses together, by kind of account, in minor units.',
    labelNames: ['account', 'mode', 'currency'] as const,
    registers,
    async collect() {
      this.reset()
      for (const { kind, live, currency, balance_minor } of await readLedger()) {
        const sign = DEBIT_KINDS.includes(kind) ? -1 : 1
        this.set({ account: kind, mode: modeOf(live), currency }, sign * Number(balance_minor))
      }
    },
  })
  const labelNames = ['provider', 'mode', 'currency'] as const
  new Gauge({
    ...SHARED,
    name: 'tradepost_provider_balance_minor',
    help: 'What providers said in the last hours that they hold, in minor units.',
    labelNames,
    registers,
    async collect() {
      this.reset()
      for (const { provider, live, currency, theirs_minor } of await readProviders()) {
        if (theirs_minor === null) continue
        this.set({ provider, mode: modeOf(live), currency }, Number(theirs_minor))
      }
    },
  })
  new Gauge({
    ...SHARED,
    name: 'tradepost_provider_ledger_minor',
    help: 'What the ledger says that these accounts with providers hold, in minor units.',
    labelNames,
    registers,
    async collect() {
      this.reset()
      for (const { provider, live, currency, ours_minor } of await readProviders()) {
        this.set({ provider, mode: modeOf(live), currency }, Number(ours_minor))
      }
    },
  })
}

const selectLedger = (db: Db) =>
  db.many<{ kind: AccountKind; live: boolean; currency: string; balance_minor: Minor }>`
    select kind, live, currency, sum(credits_minor - debits_minor)::bigint as balance_minor
    from ledger_accounts group by kind, live, currency`

interface ProviderRow {
  provider: string
  live: boolean
  currency: string
  ours_minor: Minor
  /** Null if none of these accounts has reported its balance. */
  theirs_minor: Minor | null
}

/** The latest balance of each account is one step in an index. The simulator holds no money. */
const selectProviders = (db: Db) =>
  db.many<ProviderRow>`
    select c.provider, a.live, a.currency, sum(a.debits_minor - a.credits_minor)::bigint
        as ours_minor,
      sum((
        select b.available_minor + coalesce(b.pending_minor, 0) from provider_balances b
        where b.business_id = a.business_id and b.live = a.live and b.connection_id = a.subject_id
          and b.currency = a.currency
        order by b.at desc limit 1))::bigint as theirs_minor
    from provider_connections c join ledger_accounts a
      on a.business_id = c.business_id and a.live = c.live and a.subject_id = c.id
    where a.kind = 'provider_clearing' and c.business_id is not null and c.status <> 'Removed'
    group by c.provider, a.live, a.currency`

function measureDifferences(registry: Registry, db: Db, clock: Clock): void {
  const labelNames = ['kind', 'provider', 'mode'] as const
  const registers = [registry]
  new Gauge({
    ...SHARED,
    name: 'tradepost_differences_open',
    help: 'Open differences between providers and the books, by kind.',
    labelNames,
    registers,
    async collect() {
      const rows = await selectDifferences(db).catch(() => [])
      this.reset()
      for (const { kind, provider, live, count } of rows) {
        this.set({ kind, provider, mode: modeOf(live) }, count)
      }
    },
  })
  new Gauge({
    ...SHARED,
    name: 'tradepost_differences_open_seconds',
    help: 'How long the oldest of them has been open, in seconds.',
    labelNames,
    registers,
    async collect() {
      const rows = await selectDifferences(db).catch(() => [])
      this.reset()
      for (const { kind, provider, live, oldest_at } of rows) {
        const ms = clock.now().getTime() - oldest_at.getTime()
        this.set({ kind, provider, mode: modeOf(live) }, ms / 1000)
      }
    },
  })
}

/** Reads an index that contains only open differences. */
const selectDifferences = (db: Db) =>
  db.many<{ kind: string; provider: string; live: boolean; count: number; oldest_at: Date }>`
    select d.kind, c.provider, d.live, count(*)::int as count, min(d.first_seen_at) as oldest_at
    from provider_differences d join provider_connections c on c.id = d.connection_id
    where d.status = 'Open' group by d.kind, c.provider, d.live`

function measurePauses(registry: Registry, db: Db): void {
  new Gauge({
    ...SHARED,
    name: 'tradepost_paused',
    help: 'What someone has paused or stopped, by kind: payouts, connection, business, channel …',
    labelNames: ['what'] as const,
    registers: [registry],
    async collect() {
      for (const { what, count } of await countPauses(db).catch(() => [])) {
        this.set({ what }, count)
      }
    },
  })
}

const countPauses = (db: Db) =>
  db.many<{ what: string; count: number }>`
    select what, count(at)::int as count from (
      select 'payouts' as what, payouts_stopped_at as at from provider_settings
      where payouts_stopped_at is not null
      union all
      select 'connection', updated_at from provider_connections where status = 'Paused'
      union all
      select case when what in ('business', 'writes') then what else 'channel' end, paused_at
      from pauses
      union all
      -- Every kind is listed, even if nothing is paused.
      select unnest(array['payouts', 'connection', 'business', 'channel', 'writes']), null
    ) as paused
    group by what`

/** Work that is due this long is late: jobs find all work within seconds. */
const LATE_MS = 60_000

/** More rows than this are not counted, so that a scrape stays cheap when everything is stuck. */
const COUNTED_MAX = 10_000

interface Late {
  queue: string
  count: number
  oldest_at: Date | null
}

/** Adds metrics for work that should have been done, such as emails that were not sent. */
export const lateWork = (db: Db, clock: Clock) => ({
  measure(registry: Registry): void {
    let reading: Promise<Late[]> | undefined
    /** Both metrics of one scrape share one statement. */
    const read = (now: Date) => {
      reading ??= selectLate(db, addMs(now, -LATE_MS))
        .catch(() => [])
        .finally(() => {
          reading = undefined
        })
      return reading
    }
    // Every process counts the same rows.
    const shared = {
      labelNames: ['queue'] as const,
      aggregator: 'max' as const,
      registers: [registry],
    }
    new Gauge({
      ...shared,
      name: 'tradepost_late_rows',
      help: `Work that has been due for over a minute, by queue; at most ${COUNTED_MAX}.`,
      async collect() {
        for (const { queue, count } of await read(clock.now())) this.set({ queue }, count)
      },
    })
    new Gauge({
      ...shared,
      name: 'tradepost_late_seconds',
      help: 'How long the oldest work in this queue has been due, in seconds.',
      async collect() {
        const now = clock.now()
        for (const { queue, oldest_at } of await read(now)) {
          this.set({ queue }, oldest_at === null ? 0 : (now.getTime() - oldest_at.getTime()) / 1000)
        }
      },
    })
  },
})

/**
 * Each part reads an index that contains only the rows that wait. Orders that wait until payouts
 * are resumed are not late: they would hide those that are.
 */
function selectLate(db: Db, before: Date): Promise<Late[]> {
  return db.many<Late>`
    select queue, count(at)::int as count, min(at) as oldest_at from (
      select 'emails' as queue, at from (
        select due_at as at from mails where status = 'Queued' and due_at <= ${before}
        order by due_at limit ${COUNTED_MAX}) as waiting
      union all
      select 'webhooks', at from (
        select d.due_at as at from webhooks w join webhook_deliveries d
          on (d.business_id, d.live, d.webhook_id) = (w.business_id, w.live, w.id)
        where w.status = 'Active' and d.status = 'Pending' and d.due_at <= ${before}
        limit ${COUNTED_MAX}) as waiting
      union all
      select 'provider_orders', at from (
        select next_at as at from provider_orders o
        where next_at <= ${before} and ${isNotStopped}
        limit ${COUNTED_MAX}) as waiting
      union all
      select 'provider_notices', at from (
        select next_at as at from provider_notices where next_at <= ${before}
        order by next_at limit ${COUNTED_MAX}) as waiting
      union all
      select 'payments', at from (
        select expires_at as at from transactions
        where status = 'Pending' and expires_at <= ${before}
        order by expires_at limit ${COUNTED_MAX}) as waiting
      union all
      select 'checkouts', at from (
        select expires_at as at from checkouts where status = 'Open' and expires_at <= ${before}
        order by expires_at limit ${COUNTED_MAX}) as waiting
      union all
      select 'seals', at from (
        select j.created_at as at from ledger_unsealed u join ledger_journals j
          on (j.business_id, j.live, j.id) = (u.business_id, u.live, u.journal_id)
        where j.created_at <= ${before} limit ${COUNTED_MAX}) as waiting
      union all
      -- Every queue is listed, even if it is empty.
      select unnest(array['emails', 'webhooks', 'provider_orders', 'provider_notices', 'payments',
        'checkouts', 'seals']), null
    ) as late
    group by queue`
}
