import type { Db, Tx } from '../db/database.ts'
import type { Paused, PauseKey } from './pauses.ts'

export interface PauseRow {
  id: number
  business_id: number | null
  live: boolean | null
  what: Paused
  reason: string
  paused_by: string
  paused_at: Date
}

export const selectPauses = (db: Db) =>
  db.many<PauseRow>`
    select id, business_id, live, what, reason, paused_by, paused_at from pauses
    order by paused_at, id`

interface NewPause extends PauseKey {
  id: number
  by: string
  reason: string
  now: Date
}

/** Returns nothing if the same is paused already. */
export const insertPause = (tx: Tx, { id, businessId, live, what, by, reason, now }: NewPause) =>
  tx.maybe`
    insert into pauses (id, business_id, live, what, reason, paused_by, paused_at)
    values (${id}, ${businessId}, ${live}, ${what}, ${reason}, ${by}, ${now})
    on conflict do nothing returning id`

export const deletePause = (tx: Tx, { businessId, live, what }: PauseKey) =>
  tx.maybe`
    delete from pauses
    where what = ${what} and business_id is not distinct from ${businessId}
      and live is not distinct from ${live}
    returning id`
