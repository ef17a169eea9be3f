import type { Db, Tx } from '../db/database.ts'
import type { Tenant } from '../lib/tenant.ts'

export interface NoteRow {
  id: number
  text: string
  author_id: number
  author_name: string
  created_at: Date
}

/** Nothing comes back where there is no such order. */
export const insertNote = (
  tx: Tx,
  { businessId, live }: Tenant,
  reference: string,
  { id, text, author_id, author_name, created_at }: NoteRow,
) =>
  tx.maybe<NoteRow>`
    insert into order_notes
      (business_id, live, order_id, id, text, author_id, author_name, created_at)
    select business_id, live, orders.id, ${id}::bigint, ${text}::text, ${author_id}::bigint,
      ${author_name}::text, ${created_at}::timestamptz
    from orders
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
    returning id, text, author_id, author_name, created_at`

/** The newest first; undefined where there is no such order. */
export async function selectNotes(
  db: Db,
  { businessId, live }: Tenant,
  reference: string,
  most: number,
): Promise<NoteRow[] | undefined> {
  const rows = await db.many<{ [Name in keyof NoteRow]: NoteRow[Name] | null }>`
    select n.id, n.text, n.author_id, n.author_name, n.created_at
    from orders o left join order_notes n
      on n.business_id = ${businessId} and n.live = ${live} and n.order_id = o.id
    where o.business_id = ${businessId} and o.live = ${live} and o.reference = ${reference}
    order by n.id desc limit ${most}`
  if (rows.length === 0) return undefined
  return rows.filter((row): row is NoteRow => row.id !== null)
}
