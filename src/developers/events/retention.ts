import type { Database, Db } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { forgetEvents } from '../../events/digest.ts'
import type { Job } from '../../jobs/jobs.ts'
import { DAY_MS, isNotHeld, TENANTS_NOT_HELD } from '../../jobs/retention.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import type { Archive } from './archive.ts'
import { EXPORTED, type ExportedRow } from './export.ts'

export interface EventRetention {
  /** How many days events are kept; for ever if undefined. */
  days?: number | undefined
  /** Where events are written before they are deleted. */
  archive?: Archive | undefined
  /** A database whose role can delete events, which the server's own role cannot. */
  owner: Database
}

/** A seal covers at most this many digests of one statement. */
const ROWS_MAX = 500

/**
 * Deletes events after `days` days, by the server's clock, except those of businesses on legal hold
 * and those with deliveries. If there is an archive, events are deleted only once they are on its
 * disk; after a crash between the two, the archive contains them twice.
 */
export const eventExpiryJob = ({ days, archive, owner }: EventRetention): Job => ({
  name: 'event-expiry',
  everyMs: 60_000,
  async run(db, now, only) {
    if (days === undefined || only !== undefined) return 0
    const before = addMs(now, -days * DAY_MS)
    const old = await selectOld(db, before)
    let count = 0
    for (const rows of Map.groupBy(old, tenantKey).values()) {
      await archive?.append(rows)
      count += await forget(owner, rows, before)
    }
    return count
  },
})

const tenantKey = ({ business_id, live }: ExportedRow) => `${business_id} ${live}`

/** A condition on events `e`. Deliveries are deleted earlier, unless they are still waiting. */
const canGo = (before: Date): Sql => sql`e.created_at < ${before} and not exists (
  select from webhooks w
  join webhook_deliveries d
    on d.business_id = w.business_id and d.live = w.live and d.webhook_id = w.id
  where w.business_id = e.business_id and w.live = e.live and d.event_id = e.id)`

const selectOld = (db: Db, before: Date) =>
  db.many<ExportedRow>`
    select old.* from ${TENANTS_NOT_HELD}
    cross join lateral (
      select ${EXPORTED} from events e
      where e.business_id = of.business_id and e.live = of.live and ${canGo(before)}
      order by e.created_at, e.id limit ${ROWS_MAX}
    ) as old
    limit ${ROWS_MAX}`

function forget(owner: Database, rows: readonly ExportedRow[], before: Date): Promise<number> {
  const { business_id: businessId, live } = rows[0]!
  const ids = rows.map(({ id }) => id)
  return owner.transaction(async (tx) => {
    await lockReplays(tx, { businessId, live })
    const condition = sql`${canGo(before)} and ${isNotHeld(sql`e.business_id`)}`
    return forgetEvents(tx, { businessId, live }, ids, condition)
  })
}

/**
 * Makes the deletion of events wait for replays, which queue deliveries for old events, and replays
 * wait for the deletion. Otherwise, a delivery could remain without its event.
 */
export const lockReplays = (
  db: Db,
  { businessId }: Tenant,
  mode: 'delete' | 'replay' = 'delete',
): Promise<unknown> =>
  mode === 'delete'
    ? db.one`select pg_advisory_xact_lock(hashtextextended(${`replays ${businessId}`}, 0))`
    : db.one`select pg_advisory_xact_lock_shared(hashtextextended(${`replays ${businessId}`}, 0))`
