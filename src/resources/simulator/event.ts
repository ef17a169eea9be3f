import type { Tx } from '../../db/database.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { Deps } from '../deps.ts'
import { eventRecord } from '../events/service.ts'
import { type SampleRequest, tellSample } from '../webhooks/sample.ts'
import { WEBHOOK_SWEEPER } from '../webhooks/sweeper.ts'

/**
 * Writes an event as if it had happened, and has it sent to each endpoint that wants its type.
 * Answers it as lists of events show it. Throws 400 naming `type`.
 */
export async function simulateEvent(
  tx: Tx,
  { ids, nudge, events }: Pick<Deps, 'ids' | 'nudge' | 'events'>,
  caller: Tenant & { now: Date },
  request: SampleRequest,
) {
  const event = await tellSample(tx, { ids, events }, caller, 'simulated_event', request)
  tx.after(() => nudge(WEBHOOK_SWEEPER))
  return eventRecord(event, caller)
}
