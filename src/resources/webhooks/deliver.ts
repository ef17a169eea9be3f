import type { Tenant } from '../../lib/tenant.ts'
import type { Sweep } from '../../sweepers/sweepers.ts'

/** An attempt as it is stored: a row of webhook_attempts. */
export interface AttemptRow {
  number: number
  url: string
  /** Of the request, as JSON. */
  headers: string
  /** Null when no answer came. */
  status: number | null
  error: string | null
  response: string | null
  duration_ms: number
  at: Date
}

/** Sends what is queued. One in each process; several share a database. */
export interface Deliverer {
  sweep: Sweep
  /**
   * Makes one attempt at one delivery at once, and answers it when it is noted: whoever asks waits
   * for the receiver, 15 s at most. If it is under way already, that attempt is the one. `now` is
   * the business's.
   */
  deliverNow(tenant: Tenant, webhookId: number, eventId: number, now: Date): Promise<AttemptRow>
  /** Resolves when nothing is under way. */
  idle(): Promise<void>
  /** Begins nothing more, and ends what is under way. */
  stop(): Promise<void>
}
