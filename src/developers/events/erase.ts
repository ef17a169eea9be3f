import type { Db } from '../../db/database.ts'
import {
  type Customer,
  type FoundRecords,
  idsOf,
  type PersonalData,
} from '../../db/personal-data.ts'
import { forgetEvents } from '../../events/digest.ts'
import { lockReplays } from './retention.ts'

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
      count += await forgetEvents(tx, customer, ids.slice(i, i + FORGOTTEN_MAX))
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
