import type { Database, Db } from '../../db/database.ts'
import {
  type Customer,
  type FoundRecords,
  idsOf,
  type PersonalData,
} from '../../db/personal-data.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { forgetEvents } from '../../events/digest.ts'
import type { Archive, ArchiveLine } from '../../jobs/archive.ts'
import type { Job } from '../../jobs/jobs.ts'
import {
  DAY_MS,
  deleteGroups,
  isNotHeld,
  type Search,
  tenantsToDelete,
} from '../../jobs/retention.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { EXPORTED, type ExportedRow, exportLine } from './export.ts'

export interface EventRetention {
  /** How many days events are kept; for ever if undefined. */
  days?: number | undefined
  /** A database whose role can delete events, which the server's own role cannot. */
  owner: Database
}

/** A seal covers at most this many digests of one statement. */
const ROWS_MAX = 500

/**
 * Deletes events after `days` days, by the server's clock, except those of businesses on legal hold
 * and those with deliveries. If there is an archive, events are deleted only once they are on its
 * disk.
 */
export const eventExpiryJob = (
  { days, owner }: EventRetention,
  archive: Archive | undefined,
): Job => ({
  name: 'event-expiry',
  everyMs: 60_000,
  async run(db, now, only) {
    if (days === undefined || only !== undefined) return 0
    const before = addMs(now, -days * DAY_MS)
    const find = async (except: readonly number[]) =>
      Map.groupBy(await selectOld(db, { before, limit: ROWS_MAX, except }), tenantKey).values()
    return deleteGroups(find, (rows) => forget(owner, archive, rows, before))
  },
})

const tenantKey = ({ business_id, live }: ExportedRow) => `${business_id} ${live}`

/** A condition on events `e`. Deliveries are deleted earlier, unless they are still waiting. */
const canGo = (before: Date): Sql => sql`e.created_at < ${before} and not exists (
  select from webhooks w
  join webhook_deliveries d
    on d.business_id = w.business_id and d.live = w.live and d.webhook_id = w.id
  where w.business_id = e.business_id and w.live = e.live and d.event_id = e.id)`

const selectOld = (db: Db, search: Search) =>
  db.many<ExportedRow>`
    select old.* from ${tenantsToDelete(search)}
    cross join lateral (
      select ${EXPORTED} from events e
      where e.business_id = of.business_id and e.live = of.live and ${canGo(search.before)}
      order by e.created_at, e.id limit ${search.limit}
    ) as old
    limit ${search.limit}`

function forget(
  owner: Database,
  archive: Archive | undefined,
  rows: readonly ExportedRow[],
  before: Date,
): Promise<number> {
  const { business_id: businessId, live } = rows[0]!
  const ids = rows.map(({ id }) => id)
  const move = () =>
    owner.transaction(async (tx) => {
      await lockReplays(tx, { businessId, live })
      const condition = sql`${canGo(before)} and ${isNotHeld(sql`e.business_id`)}`
      const forgotten = new Set(await forgetEvents(tx, { businessId, live }, ids, condition))
      await archive?.append('events', rows.filter(({ id }) => forgotten.has(id)).map(lineOf))
      return forgotten.size
    })
  return archive ? archive.inTurn(move) : move()
}

const lineOf = (row: ExportedRow): ArchiveLine => ({
  business_id: row.business_id,
  live: row.live,
  month: row.at.slice(0, 7),
  text: exportLine(row),
})

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

/** A seal covers at most this many digests of one statement. */
const FORGOTTEN_MAX = 500

/**
 * Events cannot be changed, because their digests cover their data, so they are deleted as at the
 * end of their retention. Only the owner of the tables can do that.
 */
export const eventPersonalData: PersonalData = {
  name: 'events',
  async find(db, customer, found) {
    const about = await selectAbout(db, customer, found)
    return [...new Set([...about, ...(await findMentions(db, customer))])]
  },
  async erase(tx, customer, ids) {
    await lockReplays(tx, customer)
    let count = 0
    for (let i = 0; i < ids.length; i += FORGOTTEN_MAX) {
      count += (await forgetEvents(tx, customer, ids.slice(i, i + FORGOTTEN_MAX))).length
    }
    return count
  },
}

async function selectAbout(db: Db, { businessId, live }: Customer, found: FoundRecords) {
  const rows = await db.many<{ id: number }>`
    select id from events
    where business_id = ${businessId} and live = ${live}
      and object_id = any(${idsOf(found)}::bigint[])`
  return rows.map(({ id }) => id)
}

/** Reading a page takes some 20 ms. */
const PAGE = 5_000

interface Place {
  at: string
  id: number
}

/** Finds events about other objects that mention the customer's email address. */
async function findMentions(db: Db, { businessId, live, email }: Customer): Promise<number[]> {
  const ids: number[] = []
  for (let after: Place | undefined = { at: '-infinity', id: 0 }; after; ) {
    const page: (Place & { is_hit: boolean })[] = await db.many`
      select created_at::text as at, id, position(${email} in lower(data)) > 0 as is_hit
      from events
      where business_id = ${businessId} and live = ${live}
        and (created_at, id) > (${after.at}::timestamptz, ${after.id}::bigint)
      order by created_at, id limit ${PAGE}`
    ids.push(...page.filter(({ is_hit }) => is_hit).map(({ id }) => id))
    after = page.at(-1)
  }
  return ids
}
