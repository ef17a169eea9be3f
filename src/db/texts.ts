import { folded, PIECE_MAX, pieceOfMark, piecesOf, piecesSought } from '../lib/pieces.ts'
import type { Tenant } from '../lib/tenant.ts'
import type { Tx } from './database.ts'
import { containing, type Sql, sql } from './sql.ts'

/**
 * Keeps what a record is found by, in place of what it was found by before. By its `marks` a search
 * is narrowed, such as to a status.
 */
export async function keepTexts(
  tx: Tx,
  { businessId, live }: Tenant,
  kind: string,
  id: number,
  fields: readonly string[],
  marks: readonly string[] = [],
): Promise<void> {
  const { text, pieces } = textOfRecord({ businessId, live }, kind, fields, marks)
  await tx.run`
    insert into search_texts (business_id, live, id, kind, text, pieces)
    values (${businessId}, ${live}, ${id}, ${kind}, ${text}, ${pieces}::integer[])
    on conflict (business_id, live, id) do update
      set text = excluded.text, pieces = excluded.pieces`
}

/** What a record is found by: its fields as they are compared, and the pieces of all. */
export function textOfRecord(
  tenant: Tenant,
  kind: string,
  fields: readonly string[],
  marks: readonly string[],
): { text: string; pieces: number[] } {
  const own = fields.map(folded)
  const ofMarks = marks.map((mark) => pieceOfMark(tenant, mark, kind))
  return { text: own.join('\n'), pieces: [...piecesOf(tenant, own, kind), ...ofMarks] }
}

/** What is sought, and what very many records begin with in lower case, such as `acct_`. */
export interface Sought {
  kind: string
  text: string
  commonStart?: string
  /** Marks that the record must have, all of them. */
  marks?: readonly string[]
}

/** Of what very many have, each further piece costs milliseconds. */
const PIECES_MAX = 4

/** The ids of what has the text, in no order. `offset 0` keeps the planner to its index. */
export function idsWithText({ businessId, live }: Tenant, sought: Sought): Sql {
  const tenant = { businessId, live }
  const { kind, commonStart = '', marks = [] } = sought
  const text = folded(sought.text)
  const pieces = [
    ...piecesSought(tenant, rareOf(text, commonStart), kind, PIECES_MAX),
    ...marks.map((mark) => pieceOfMark(tenant, mark, kind)),
  ]
  return sql`
    select id from (
      select * from search_texts where pieces @> ${pieces}::integer[] offset 0
    ) found
    where business_id = ${businessId} and live = ${live} and kind = ${kind}
      and text like ${containing(text)}`
}

/**
 * Whether a row of `table` has the text. It looks up each row that it is asked of, and no other:
 * as a subquery of one value, so that the planner does not join all texts with the table.
 */
export const hasText = ({ businessId, live }: Tenant, { text }: Sought, table: Sql): Sql => sql`(
  select t.text from search_texts t
  where t.business_id = ${businessId} and t.live = ${live} and t.id = ${table}.id
) like ${containing(folded(text))}`

/**
 * Whether a kept text is not that of these columns. Compared by the letters of ASCII, whose lower
 * case PostgreSQL and `folded` agree on; of all else each of them has its own version of Unicode.
 */
export const isOtherText = (text: Sql, columns: Sql): Sql => {
  const plain = (one: Sql) =>
    sql`regexp_replace(lower(replace(normalize(${one}), 'İ', 'i')), '[^\n -~]', '', 'g')`
  return sql`${plain(text)} <> ${plain(sql`concat_ws(e'\n', ${columns})`)}`
}

/** The part of it that few others have, in pieces that go over the end of what very many have. */
function rareOf(text: string, commonStart: string): string {
  const isMore = text.length > commonStart.length && text.startsWith(commonStart)
  return isMore ? text.slice(Math.max(0, commonStart.length - (PIECE_MAX - 1))) : text
}
