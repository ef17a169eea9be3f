import { addMs } from '../lib/clock.ts'
import { type Sql, sql } from './sql.ts'

/** Longer than any lease. */
const LEASE_MAX_MS = 60 * 60_000

/**
 * Returns the condition for a row being free: its lease was never taken, has expired, or ends later
 * than any lease can because the clock of the process that took it was ahead and has been set back.
 */
export const isLeaseFree = (leaseUntil: Sql, serverNow: Date): Sql =>
  sql`(${leaseUntil} is null or ${leaseUntil} <= ${serverNow}
    or ${leaseUntil} > ${addMs(serverNow, LEASE_MAX_MS)})`
