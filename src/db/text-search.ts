import type { Tenant } from '../lib/caller.ts'
import { folded, PIECE_MAX, pieceOfMark, piecesOf, piecesSought } from '../lib/ngrams.ts'
import type { Range } from '../lib/paging.ts'
import type { Tx } from './database.ts'
import { all, containing, type Sql, sql } from './sql.ts'

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

/** Has a record found no more, such as one that was deleted. */
export const dropTexts = (tx: Tx, { businessId, live }: Tenant, id: number) =>
  tx.run`
    delete from search_texts
    where business_id = ${businessId} and live = ${live} and id = ${id}`

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

/**
 * A table whose records are found by a part of `customer_name` or `customer_email`, the table of
 * their texts, and the queue of those whose text is new or changed: see
 * docs/design/invoice-search.md.
 */
export interface TextIndex {
  records: Sql
  texts: Sql
  due: Sql
}

interface Wanted {
  text: string
  range: Range
  /** More about `created_at` and `id`. */
  further?: Sql | undefined
  /** Begins with the oldest week instead of the newest. */
  ascending?: boolean
}

/**
 * What has the text, id and date alone. The index is looked through week by week, so that a text
 * that very many have is found often enough in a few; within a week in no order. Take it with a
 * limit, in a statement that is planned ANEW.
 */
export function candidates(index: TextIndex, tenant: Tenant, wanted: Wanted): Sql {
  const { text, range, further, ascending = false } = wanted
  const pattern = containing(lowered(text))
  const isWanted = all([createdIn(range), further])
  const weeks = ascending ? sql`first, last, 1` : sql`last, first, -1`
  return sql`
    select r.id, r.created_at
    from (select distinct id as due_id from ${index.due} where ${of(tenant)}) due
      cross join ${recordOf(index, tenant, sql`due_id`)} r
    where ${isWanted} and ${hasPattern(pattern)}
    union all
    select t.id, t.created_at
    from (
      select ${weekOf(sql`min(created_at)`)} as first, ${weekOf(sql`max(created_at)`)} as last
      from ${index.records} where ${of(tenant)} and ${createdIn(range)}
    ) weeks, generate_series(${weeks}) week, lateral (
      select array(
        select piece # (week * ${WEEK_FACTOR}::bigint)::bit(32)::integer
        from unnest(${piecesOfSearch(tenant, lowered(text))}::integer[]) piece) as wanted offset 0
    ) weekly, lateral (
      select * from ${index.texts} where pieces @> wanted offset 0
    ) t
    where ${of(tenant)} and ${isWanted} and text like ${pattern}`
}

/**
 * A record by its key, joined laterally. `offset 0` here and above keeps the planner from other
 * ways, that would be good for a table of another size.
 */
export const recordOf = ({ records }: Pick<TextIndex, 'records'>, tenant: Tenant, id: Sql): Sql =>
  sql`lateral (select * from ${records} where ${of(tenant)} and id = ${id} offset 0)`

/** Of a record, without an index. */
export const containsText = (text: string): Sql => hasPattern(containing(lowered(text)))

const hasPattern = (pattern: string): Sql =>
  sql`(lower(customer_email) like ${pattern} or lower(customer_name) like ${pattern})`

const lowered = (text: string) => text.toLowerCase()

const weekOf = (at: Sql): Sql => sql`floor(extract(epoch from ${at}) / ${WEEK_SECONDS})::bigint`

/** The tenant’s own. */
export const of = ({ businessId, live }: Tenant): Sql =>
  sql`business_id = ${businessId} and live = ${live}`

export const createdIn = ({ from, until }: Range): Sql =>
  all([from && sql`created_at >= ${from}`, until && sql`created_at < ${until}`])

/**
 * The pieces by which a record is found also depend on its week, so that a search can look through
 * the newest first: `piece # week * WEEK_FACTOR`, cut to 32 bits. Shorter spans would make a text
 * that nothing has dearer, longer ones a text that everything has.
 */
const WEEK_SECONDS = 7 * 24 * 3600
const WEEK_FACTOR = 0x9e3779b1

const weekNumberOf = (at: Date): number => Math.floor(at.getTime() / 1000 / WEEK_SECONDS)

/** The pieces of a record, given as the fields that a search looks into. */
export function piecesOfText(tenant: Tenant, createdAt: Date, fields: readonly string[]): number[] {
  const week = Math.imul(weekNumberOf(createdAt), WEEK_FACTOR)
  return Array.from(piecesOf(tenant, fields), (piece) => piece ^ week)
}

/** Shorter than this, what stands before the @ says less than the whole address. */
const LOCAL_LENGTH_MIN = 3

/**
 * Pieces that whatever contains `text` has; of an e-mail address rather those before the @, since
 * very many share what is after it.
 */
function piecesOfSearch(tenant: Tenant, text: string): number[] {
  const at = text.indexOf('@')
  return piecesSought(tenant, at >= LOCAL_LENGTH_MIN ? text.slice(0, at) : text)
}
