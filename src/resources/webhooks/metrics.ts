import { Counter, Gauge, type Registry } from 'prom-client'

export interface Stats {
  running: number
  waiting: number
  delivered: number
  failed: number
}

/** Adds to `/metrics` how this process is doing at telling merchants' servers. */
export function measureWebhooks(registry: Registry, stats: () => Stats): void {
  new Gauge({
    name: 'tradepost_webhook_deliveries',
    help: 'Deliveries that this process has in hand, by what they do.',
    labelNames: ['state'] as const,
    registers: [registry],
    collect() {
      const { running, waiting } = stats()
      this.set({ state: 'under_way' }, running)
      this.set({ state: 'waiting' }, waiting)
    },
  })
  new Counter({
    name: 'tradepost_webhook_attempts_total',
    help: 'Attempts at deliveries, by how they ended.',
    labelNames: ['outcome'] as const,
    registers: [registry],
    collect() {
      const { delivered, failed } = stats()
      this.reset()
      this.inc({ outcome: 'delivered' }, delivered)
      this.inc({ outcome: 'failed' }, failed)
    },
  })
}
