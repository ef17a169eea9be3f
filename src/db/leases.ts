import { addMs } from '../lib/clock.ts'
import { type Sql, sql } from './sql.ts'

/** Longer than any lease. */
const LEASE_MAX_MS = 60 * 60_000

/**
 * Returns a condition that is true if a row is free: its lease was never taken, has expired, or
 * ends later than any lease can. The last happens if the clock of the process that took the lease
 * was ahead.
 */
export const isLeaseFree = (leaseUntil: Sql, serverNow: Date): Sql =>
  sql`(${leaseUntil} is null or ${leaseUntil} <= ${serverNow}
    or ${leaseUntil} > ${addMs(serverNow, LEASE_MAX_MS)})`
