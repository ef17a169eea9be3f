import { Gauge, type Registry } from 'prom-client'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { addMs } from '../lib/clock.ts'

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

/** Each part reads an index that contains only the rows that wait. */
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
        select next_at as at from provider_orders where next_at <= ${before}
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
