import type { Sweeper } from '../../sweepers/sweepers.ts'
import type { Deliverer } from './deliver.ts'

/** The sweeper to nudge when a delivery was queued: `tx.after(() => nudge(WEBHOOK_SWEEPER))`. */
export const WEBHOOK_SWEEPER = 'webhooks'

/** Takes due deliveries and begins to send them; it never waits for a receiver. */
export const webhookSweeper = ({ sweep }: Deliverer): Sweeper => ({
  name: WEBHOOK_SWEEPER,
  everyMs: 1_000,
  followsTestClock: true,
  restFactor: 0,
  sweep,
})
