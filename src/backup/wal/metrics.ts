import { Gauge, type Registry } from 'prom-client'
import { type WalProgress, walProgress } from '../../db/embedded/wal.ts'
import type { Clock } from '../../lib/clock.ts'

/**
 * Returns since when the database cannot be recovered to each moment; undefined if its WAL is not
 * archived.
 */
export function unprotectedSince(progress: WalProgress | undefined): Date | undefined {
  if (!progress) return undefined
  const { line, from, until } = progress
  return from && until ? until : new Date(line.since)
}

/**
 * Adds a metric for the age of the archived WAL of the embedded database. It is NaN if the WAL is
 * not archived.
 */
export const walArchiveAge = (top: string | undefined, clock: Clock) => ({
  measure(registry: Registry): void {
    new Gauge({
      name: 'tradepost_wal_archive_age_seconds',
      help: 'How long ago the last moment was to which tradepost restore --at can go back.',
      // Every process reads the same files.
      aggregator: 'max',
      registers: [registry],
      collect() {
        const since = top === undefined ? undefined : unprotectedSince(walProgress(top))
        this.set(since ? (clock.now().getTime() - since.getTime()) / 1000 : Number.NaN)
      },
    })
  },
})
