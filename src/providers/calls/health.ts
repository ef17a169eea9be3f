import type { Db } from '../../db/database.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import type { Service } from '../connector/types.ts'
import type { Calls } from './calls.ts'
import { selectFigures } from './queries.ts'

const PERIOD_MS = 24 * 3_600_000

/** How the calls through a connection went during the last day. */
export interface CallHealth {
  figures: {
    /** What the calls did, such as `order` or `lookUp`. */
    calls: string
    count: number
    /** Calls without a response, or with an error of the provider's server. */
    failed: number
    /** Half of the calls, and 95 % of them, took at most this long. */
    p50_ms: number
    p95_ms: number
    lastResponseAt: Date | null
  }[]
  /** The services for which this process sends no new orders now, and why. */
  suspended: { service: Service; why: string }[]
}

export async function callHealthOf(
  { db, calls }: { db: Db; calls: Pick<Calls, 'suspended'> },
  tenant: Tenant,
  connectionId: number,
  now: Date,
): Promise<CallHealth> {
  const rows = await selectFigures(db, tenant, connectionId, addMs(now, -PERIOD_MS))
  return {
    figures: rows.map(({ call_class, calls: count, last_response_at, ...row }) => ({
      calls: call_class,
      count,
      lastResponseAt: last_response_at,
      ...row,
    })),
    suspended: calls.suspended(connectionId),
  }
}
