import type { Actor } from '../../business/audit-log/log.ts'
import type { Db, Tx } from '../../db/database.ts'

export interface DueErasure {
  business_id: number
  id: number
  email: string
  person_id: number
  person_name: string
  ip: string
  request_id: string
  asked_at: Date
  due_at: Date
}

interface NewErasure {
  businessId: number
  id: number
  email: string
  actor: Actor
  now: Date
}

/** Asks again if the customer's data could not be erased before. */
export function upsertErasure(
  tx: Tx,
  { businessId, id, email, actor, now }: NewErasure,
): Promise<number> {
  return tx.run`
    insert into erasures
      (business_id, id, email, person_id, person_name, ip, request_id, asked_at, due_at)
    values (${businessId}, ${id}, ${email}, ${actor.personId}, ${actor.name}, ${actor.ip},
      ${actor.requestId}, ${now}, ${now})
    on conflict (business_id, email) where email is not null do update set
      person_id = excluded.person_id, person_name = excluded.person_name, ip = excluded.ip,
      request_id = excluded.request_id, asked_at = excluded.asked_at, due_at = excluded.due_at,
      refused = null`
}

/** Selects the last request for a customer whose data has not been erased. */
export const selectErasure = (db: Db, businessId: number, email: string) =>
  db.maybe<{ asked_at: Date; refused: string | null }>`
    select asked_at, refused from erasures
    where business_id = ${businessId} and email = ${email}`

export const selectDueErasures = (db: Db, now: Date, limit: number) =>
  db.many<DueErasure>`
    select business_id, id, email, person_id, person_name, ip, request_id, asked_at,
      due_at
    from erasures where due_at <= ${now} order by due_at limit ${limit}`

/** Takes an erasure until a time, when another process can try again. Returns 0 if it is taken. */
export function updateDueAt(
  db: Db,
  { business_id, id }: DueErasure,
  now: Date,
  until: Date,
): Promise<number> {
  return db.run`
    update erasures set due_at = ${until}
    where business_id = ${business_id} and id = ${id} and due_at <= ${now}`
}

/** Ends the requests about a customer up to a time, and deletes the copy of the email address. */
export function updateErased(
  tx: Tx,
  businessId: number,
  email: string,
  until: Date,
): Promise<number> {
  return tx.run`
    update erasures set email = null, due_at = null, refused = null
    where business_id = ${businessId} and email = ${email} and asked_at <= ${until}`
}

/** Returns 0 if the erasure was asked for again since: the new request is still due. */
export function updateRefused(
  tx: Tx,
  { business_id, id, asked_at }: DueErasure,
  refused: string,
): Promise<number> {
  return tx.run`
    update erasures set due_at = null, refused = ${refused}
    where business_id = ${business_id} and id = ${id} and asked_at = ${asked_at}
      and due_at is not null`
}
