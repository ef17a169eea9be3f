import type { Db, Tx } from '../db/database.ts'
import type { Tenant } from '../lib/tenant.ts'

export interface LetterRow {
  business_id: number
  live: boolean
  id: number
  subject: string
  from_name: string
  reply_to: string | null
  body: Buffer
  kept_at: Date
}

export async function insertLetters(tx: Tx, rows: readonly LetterRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx.run`
    insert into letters
      (business_id, live, id, subject, from_name, reply_to, body, kept_at)
    select * from unnest(
      ${rows.map((row) => row.business_id)}::bigint[],
      ${rows.map((row) => row.live)}::boolean[],
      ${rows.map((row) => row.id)}::bigint[],
      ${rows.map((row) => row.subject)}::text[],
      ${rows.map((row) => row.from_name)}::text[],
      ${rows.map((row) => row.reply_to)}::text[],
      ${rows.map((row) => row.body)}::bytea[],
      ${rows.map((row) => row.kept_at)}::timestamptz[])`
}

export function selectLetter(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<LetterRow>`
    select business_id, live, id, subject, from_name, reply_to, body, kept_at from letters
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

export const deleteLetters = (db: Db, before: Date, limit: number): Promise<number> =>
  db.run`
    delete from letters where (business_id, live, id) in (
      select business_id, live, id from letters
      where kept_at <= ${before} limit ${limit} for update skip locked)`
