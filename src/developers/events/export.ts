import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Tenant } from '../../lib/caller.ts'

/** An event as it is exported. */
export interface ExportedRow {
  business_id: number
  live: boolean
  id: number
  reference: string
  type: string
  object_type: string
  object_id: number
  sequence: number
  /** JSON on one line. */
  data: string
  salt: string | null
  /** With microseconds. */
  at: string
}

/** The columns of `ExportedRow`, of events `e`. */
export const EXPORTED = sql`e.business_id, e.live, e.id, e.reference, e.type, e.object_type,
  e.object_id, e.sequence, e.data, e.salt,
  to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`

/**
 * Returns an event as JSON on one line with everything that its digest covers. The data is copied
 * character by character, so that the digest can still be checked.
 */
export function exportLine(row: ExportedRow): string {
  const head = JSON.stringify({
    businessId: row.business_id,
    mode: row.live ? 'live' : 'test',
    id: row.reference,
    eventId: row.id,
    type: row.type,
    object: row.object_type,
    objectId: row.object_id,
    sequence: row.sequence,
    timestamp: row.at,
    salt: row.salt,
  })
  return `${head.slice(0, -1)},"data":${row.data}}`
}

const PAGE = 1_000

/**
 * Yields one tenant's events before a time, oldest first, in pages. Each page is a separate
 * statement, so that an export of any length holds back no vacuum.
 */
export async function* eventsBefore(
  db: Db,
  { businessId, live }: Tenant,
  before: Date,
): AsyncGenerator<ExportedRow[]> {
  let last: ExportedRow | undefined
  do {
    const after = last && sql`and (e.created_at, e.id) > (${last.at}::timestamptz, ${last.id})`
    const rows: ExportedRow[] = await db.many<ExportedRow>`
      select ${EXPORTED} from events e
      where e.business_id = ${businessId} and e.live = ${live} and e.created_at < ${before}
        ${after ?? sql``}
      order by e.created_at, e.id limit ${PAGE}`
    if (rows.length > 0) yield rows
    last = rows.length === PAGE ? rows.at(-1) : undefined
  } while (last)
}
