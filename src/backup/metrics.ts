import { Gauge, type Registry } from 'prom-client'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { selectLastBackup } from './queries.ts'

/** Adds a metric for the age of the last backup that `tradepost backup` has made. */
export const lastBackup = (db: Db, clock: Clock) => ({
  measure(registry: Registry): void {
    new Gauge({
      name: 'tradepost_backup_age_seconds',
      help: 'Time since the last backup by tradepost backup, or since the first business.',
      // Every process reads the same row.
      aggregator: 'max',
      registers: [registry],
      async collect() {
        const { at } = await selectLastBackup(db).catch(() => ({ at: null }))
        if (at) this.set((clock.now().getTime() - at.getTime()) / 1000)
      },
    })
  },
})
