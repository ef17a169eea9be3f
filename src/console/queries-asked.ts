import type { Db, Tx } from '../db/database.ts'

/** What a person asked for, until its answer is known. */
export interface AskedRow {
  business_id: number
  id: number
  live: boolean
  at: Date
  person_id: number
  person_name: string
  ip: string
  request_id: string
  action: string
  object: string | null
}

export const insertAsked = (db: Db, row: AskedRow) =>
  db.run`
    insert into audit_asked
      (business_id, id, live, at, person_id, person_name, ip, request_id, action, object)
    values (${row.business_id}, ${row.id}, ${row.live}, ${row.at}, ${row.person_id},
      ${row.person_name}, ${row.ip}, ${row.request_id}, ${row.action}, ${row.object})`

export const deleteAsked = async (
  tx: Tx,
  { business_id, id }: Pick<AskedRow, 'business_id' | 'id'>,
): Promise<boolean> =>
  (await tx.run`
    delete from audit_asked where business_id = ${business_id} and id = ${id}`) > 0

/** What was asked before a moment and has no answer yet, oldest first. */
export const selectUnanswered = (db: Db, before: Date, limit: number) =>
  db.many<AskedRow>`
    select business_id, id, live, at, person_id, person_name, ip, request_id, action, object
    from audit_asked where at <= ${before} order by at, id limit ${limit}`
