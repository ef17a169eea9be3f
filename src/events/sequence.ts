import { sql } from '../db/sql.ts'

/**
 * The sequence number of an event that is told to others; for the columns of a statement on
 * `events`. After a restore, it is higher than the stored one, because the numbers after the last
 * one in the backup may have been told already. `events_skipped` is the number of ids that were
 * left out, and each event has one.
 */
export const TOLD_SEQUENCE = sql`(sequence + (
  select coalesce(sum(events_skipped), 0) from restores where first_id <= id
))::bigint as sequence`
