import type { Db } from '../db/database.ts'
import type { Tenant } from '../lib/tenant.ts'

/**
 * A text that changes whenever an event was written. What commits late may be older than the
 * newest, so those of the last seconds before it are counted too.
 */
export async function selectMark(db: Db, { businessId, live }: Tenant): Promise<string> {
  const found = await db.maybe<{ mark: string }>`
    select concat_ws('.', newest.id, (
      select count(*) from (
        select 1 from events
        where business_id = ${businessId} and live = ${live}
          and created_at > newest.created_at - interval '5 seconds'
        limit 2000
      ) late)) as mark
    from (
      select created_at, id from events where business_id = ${businessId} and live = ${live}
      order by created_at desc, id desc limit 1
    ) newest`
  return found?.mark ?? '0'
}
