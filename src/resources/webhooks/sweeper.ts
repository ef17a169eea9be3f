import { addMs } from '../../lib/clock.ts'
import { SWEEP_ROWS_MAX, type Sweeper } from '../../sweepers/sweepers.ts'
import type { Deliverer } from './deliver.ts'
import { deleteOld } from './queries-deliver.ts'

/** The sweeper to nudge when a delivery was queued: `tx.after(() => nudge(WEBHOOK_SWEEPER))`. */
export const WEBHOOK_SWEEPER = 'webhooks'

/** How long deliveries and their attempts are kept (CONTRACT.md, section 17). */
const KEPT_MS = 30 * 24 * 3_600_000

/** One takes what is due and begins to send it, never waiting for a receiver; one forgets. */
export const webhookSweepers = ({ sweep }: Deliverer): Sweeper[] => [
  { name: WEBHOOK_SWEEPER, everyMs: 500, followsTestClock: true, restFactor: 0, sweep },
  {
    name: 'webhook-prune',
    everyMs: 600_000,
    sweep: (db, now, only) => deleteOld(db, addMs(now, -KEPT_MS), only, SWEEP_ROWS_MAX),
  },
]
