import { type Sql, sql } from './sql.ts'

/* The timeline of a record is a JSON list, stored as text. */

/** Returns the entry for a change of a record's status. `message` is the provider's, for people. */
export const timelineEntry = (status: string, message: string | null, at: Date): string =>
  JSON.stringify({ status, at, message })

/** Returns a timeline with one more entry. */
export const withEntry = (timeline: Sql, entry: string | Sql): Sql =>
  sql`case when ${timeline} = '[]' then '[' else left(${timeline}, -1) || ',' end
    || ${entry}::text || ']'`
