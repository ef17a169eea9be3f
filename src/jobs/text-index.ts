import type { Tx } from '../db/database.ts'
import type { TextIndex } from '../db/text-search.ts'
import { piecesOfText } from '../db/text-search.ts'
import type { Sweeper } from './jobs.ts'

/** 500 take some 50 ms. */
const ROWS_MAX = 500

/**
 * Takes new and changed names and addresses into an index of texts. Off the request path: it would
 * cost the creation of an invoice as much as all else together. Nothing here is due by a clock.
 */
export const textSweeper = (name: string, index: TextIndex): Sweeper => ({
  name,
  everyMs: 1_000,
  restFactor: 9,
  sweep: (db, _now, only) =>
    only === undefined ? db.transaction((tx) => indexTexts(tx, index)) : Promise.resolve(0),
})

interface TextRow {
  business_id: number
  live: boolean
  id: number
  created_at: Date
  email: string | null
  name: string | null
}

async function indexTexts(tx: Tx, { records, texts, due }: TextIndex): Promise<number> {
  const rows = await tx.many<TextRow>`
    with taken as (
      delete from ${due} where ctid = any(array(
        select ctid from ${due} limit ${ROWS_MAX} for update skip locked))
      returning business_id, live, id
    )
    select business_id, live, id, created_at, lower(customer_email) as email,
      lower(customer_name) as name
    from ${records} join (select distinct * from taken) t using (business_id, live, id)`
  if (rows.length === 0) return 0
  await tx.run`
    insert into ${texts} (business_id, live, id, created_at, text, pieces)
    select business_id, live, id, created_at, text, pieces::integer[] from unnest(
      ${rows.map((row) => row.business_id)}::bigint[],
      ${rows.map((row) => row.live)}::boolean[],
      ${rows.map((row) => row.id)}::bigint[],
      ${rows.map((row) => row.created_at)}::timestamptz[],
      ${rows.map((row) => fieldsOf(row).join('\n'))}::text[],
      ${rows.map((row) => `{${piecesOfText(tenantOf(row), row.created_at, fieldsOf(row))}}`)}::text[]
    ) as new (business_id, live, id, created_at, text, pieces)
    on conflict (business_id, live, id) do update
      set text = excluded.text, pieces = excluded.pieces`
  return rows.length
}

const fieldsOf = ({ email, name }: TextRow): string[] =>
  [name, email].filter((field) => field !== null)

const tenantOf = ({ business_id, live }: TextRow) => ({ businessId: business_id, live })
