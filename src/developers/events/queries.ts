import type { Db } from '../../db/database.ts'
import { paginate } from '../../db/paginate.ts'
import { sql } from '../../db/sql.ts'
import { TOLD_SEQUENCE } from '../../events/append.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Page, Place, Range } from '../../lib/paging.ts'

export interface EventRow extends Place {
  reference: string
  type: string
  object_type: string
  object_id: number
  sequence: number
  data: string
}

interface EventFilter {
  type: string | undefined
  /** Returns only these types; all if undefined. */
  types: readonly string[] | undefined
  objectId: number | undefined
  range: Range
  after: Place | undefined
  isDescending: boolean
}

const COLUMNS = sql`id, reference, type, object_type, object_id, ${TOLD_SEQUENCE}, data,
  created_at`

/**
 * Finds one page and its meta. Ids break ties between equal times, because within one process they
 * follow the order of the events.
 */
export const findEvents = (
  db: Db,
  tenant: Tenant,
  { type, types, objectId, after, ...filter }: EventFilter,
  page: Page,
) =>
  paginate<EventRow>(
    db,
    {
      ...filter,
      table: sql`events`,
      columns: COLUMNS,
      tenant,
      filters: [
        type === undefined ? undefined : sql`type = ${type}`,
        types === undefined ? undefined : sql`type = any(${types}::text[])`,
        objectId === undefined ? undefined : sql`object_id = ${objectId}`,
        after && sql`(created_at, id) > (${after.created_at}::timestamptz, ${after.id}::bigint)`,
      ],
      // Counts become outdated, because events are deleted after their retention period.
      counts: { isLasting: false },
    },
    page,
  )

/** Selects an event by its reference, which contains its time. */
export function selectEvent(
  db: Db,
  { businessId, live }: Tenant,
  { reference, at }: { reference: string; at: Date },
) {
  return db.maybe<EventRow>`
    select ${COLUMNS} from events
    where business_id = ${businessId} and live = ${live} and created_at = ${at}
      and reference = ${reference}`
}
