import { createHmac, type KeyObject } from 'node:crypto'
import { addMs } from '../lib/clock.ts'
import type { Database, Db } from './database.ts'
import { serverSecret } from './ids.ts'

/** As in `src/http/rate-limit.ts`. */
interface RateLimit {
  perSecond: number
  burst: number
}

/** How many tokens a process has granted to someone and not told the others yet. */
type Granted = readonly [who: string | number, count: number]

/** The rate limits that all servers on a database share; see docs/design/processes.md. */
export interface SharedLimits {
  /** Takes granted tokens from the shared buckets, and returns what is left in each of them. */
  take(
    name: string,
    limit: RateLimit,
    granted: readonly Granted[],
    now: Date,
  ): Promise<Map<string | number, number>>
}

export function openSharedLimits(db: Database): SharedLimits {
  return {
    async take(name, limit, granted, now) {
      const secret = await serverSecret(db, 'cursor')
      const takes = new Map(
        granted.map(([who, count]) => [bucketOf(secret, name, who), { who, count }]),
      )
      const rows = await takeTokens(db, limit, takes, now)
      return new Map(rows.map(({ bucket, tokens }) => [takes.get(bucket)!.who, tokens]))
    },
  }
}

/** IP addresses are not stored, only their hashes. */
const bucketOf = (secret: KeyObject, name: string, who: string | number): string =>
  createHmac('sha256', secret).update(`rate limit\n${name}\n${who}`).digest('hex').slice(0, 32)

/**
 * A debt can be larger than a burst if many servers grant a whole burst at the same moment. A row
 * is kept for this many times as long as an empty bucket takes to fill.
 */
const KEPT = 10

/**
 * Refills the buckets and takes from them, in one statement. Simultaneous statements wait for each
 * other's rows, in the same order. The clock of a row never runs backwards, so servers whose clocks
 * differ do not refill it twice.
 */
function takeTokens(
  db: Db,
  { perSecond, burst }: RateLimit,
  takes: ReadonlyMap<string, { count: number }>,
  now: Date,
) {
  const buckets = [...takes.keys()].sort()
  const keptUntil = addMs(now, (KEPT * 1_000 * burst) / perSecond)
  return db.many<{ bucket: string; tokens: number }>`
    insert into rate_limits as b (bucket, tokens, at, kept_until)
    select decode(bucket, 'hex'), ${burst}::float8 - count, ${now}, ${keptUntil}
    from unnest(
      ${buckets}::text[], ${buckets.map((bucket) => takes.get(bucket)!.count)}::int[]
    ) as taken (bucket, count)
    order by bucket
    on conflict (bucket) do update set
      tokens = least(${burst}::float8,
        least(${burst}::float8, b.tokens + ${perSecond}::float8
          * greatest(0, extract(epoch from excluded.at - b.at)::float8))
        - (${burst}::float8 - excluded.tokens)),
      at = greatest(b.at, excluded.at),
      kept_until = greatest(b.kept_until, excluded.kept_until)
    returning encode(bucket, 'hex') as bucket, tokens`
}

/** Deletes the buckets that are full again. */
export const deleteFullBuckets = (db: Db, now: Date) =>
  db.run`delete from rate_limits where kept_until <= ${now}`
