import { Gauge, type Registry } from 'prom-client'
import type { Db } from '../db/database.ts'
import { countUnresolved } from './queries.ts'

/** Adds a metric for the orders that a person has to look at. */
export const unresolvedOrders = (db: Db) => ({
  measure(registry: Registry): void {
    new Gauge({
      name: 'tradepost_provider_orders_unresolved',
      help: 'Orders that a person has to look at, by kind and reason.',
      labelNames: ['kind', 'reason'] as const,
      // Every process counts the same rows.
      aggregator: 'max',
      registers: [registry],
      async collect() {
        const rows = await countUnresolved(db).catch(() => [])
        this.reset()
        for (const { kind, attention, count } of rows) this.set({ kind, reason: attention }, count)
      },
    })
  },
})
