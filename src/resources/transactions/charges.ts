import type { Deps } from '../deps.ts'
import type { Purpose } from './purposes.ts'
import { openSettlements } from './settle-batch.ts'

/** What a payment is for that was begun through the API: nothing that we would know of. */
export const CHARGE_PURPOSE = 'charge'

/** All that was offered is kept, and nothing else has to be locked: so many settle at once. */
export const chargePurpose = (deps: Pick<Deps, 'db' | 'ids'>): Purpose => ({
  lock: async () => {},
  receive: async (_tx, { amount_minor }) => ({ kept_minor: amount_minor, events: [] }),
  settlements: openSettlements(deps),
})
