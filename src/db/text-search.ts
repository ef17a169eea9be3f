import type { Tenant } from '../lib/caller.ts'
import { foldCase, NGRAM_MAX, ngramsOf, numberOfMark, someNgramsOf } from '../lib/ngrams.ts'
import type { Range } from '../lib/paging.ts'
import type { Tx } from './database.ts'
import { takeDue } from './leases.ts'
import { all, containing, Sql, sql } from './sql.ts'

/** A kind of record that a search finds by part of its text; see docs/design/lists.md. */
// biome-ignore lint/suspicious/noExplicitAny: lists, searches and the job take every kind
export interface Searchable<Row = any> {
  kind: string
  table: string
  /** The columns that a search covers. */
  fields: readonly (keyof Row & string)[]
  /** The columns whose values can narrow a search within the index itself. */
  marks?: readonly (keyof Row & string)[]
  /** A lower-case prefix that very many values share, such as `acct_`. */
  commonStart?: string
  /**
   * True for kinds with so many new records that a job indexes them from a queue, which searches
   * also scan. Their search texts are in a separate table and are searched week by week.
   */
  isQueued?: boolean
}

/** The text to search for, and its conditions. */
export interface SearchQuery {
  of: Searchable
  text: string
  /** The values of the marks, all of which the record must have. */
  marks?: readonly string[]
}

/** Returns the search for a text; undefined if the text is missing or blank. */
export function searchFor(
  of: Searchable,
  text: string | undefined,
  marks?: readonly (string | undefined)[],
): SearchQuery | undefined {
  const trimmed = text?.trim()
  if (!trimmed) return undefined
  return { of, text: trimmed, ...(marks && { marks: marks.filter((mark) => mark !== undefined) }) }
}

/** Turns names from the code into SQL. */
const named = (...names: string[]): Sql => new Sql([names.join(', ')], [])

export const recordsOf = ({ table }: Searchable): Sql => named(table)
const textsOf = ({ kind, isQueued }: Searchable): Sql =>
  named(isQueued ? `${kind}_texts` : 'search_texts')
const queueOf = ({ kind }: Searchable): Sql => named(`${kind}_texts_due`)

export const ofTenant = ({ businessId, live }: Tenant): Sql =>
  sql`business_id = ${businessId} and live = ${live}`

export const createdIn = ({ from, until }: Range): Sql =>
  all([from && sql`created_at >= ${from}`, until && sql`created_at < ${until}`])

/**
 * Selects a record by its key, as a lateral join. `offset 0`, here and below, keeps the planner
 * from choosing plans that only suit a table of a different size.
 */
export const recordOf = ({ table }: Searchable, tenant: Tenant, id: Sql): Sql =>
  sql`lateral (select * from ${named(table)} where ${ofTenant(tenant)} and id = ${id} offset 0)`

/** Returns a record's search text: its normalised fields, and the n-grams from all of them. */
export function textOf<Row>(tenant: Tenant, searchable: Searchable<Row>, row: NoInfer<Row>) {
  const { fields, marks = [], isQueued } = searchable
  const own = fields.map((field) => row[field] as string | null).filter((field) => !!field)
  const texts = isQueued ? (own as string[]) : own.map((field) => foldCase(field!))
  const kind = seedKindOf(searchable)
  const ngrams = [
    ...ngramsOf(tenant, texts, kind),
    ...marks.map((mark) => numberOfMark(tenant, row[mark] as string, kind)),
  ]
  const { created_at: at } = row as { created_at?: Date }
  return { text: texts.join('\n'), ngrams: isQueued ? ngramsInWeek(ngrams, at!) : ngrams }
}

export const indexText = <Row extends { id: number }>(
  tx: Tx,
  { businessId, live }: Tenant,
  searchable: Searchable<Row>,
  row: NoInfer<Row>,
): Promise<void> => writeTexts(tx, searchable, [{ ...row, business_id: businessId, live }])

/** The columns of `textValues` in a JSON record. */
export const TEXT_COLUMNS = 'text text, pieces text'

/** A new record's search text in a JSON record. */
export function textValues<Row>(tenant: Tenant, of: Searchable<Row>, row: NoInfer<Row>) {
  const { text, ngrams } = textOf(tenant, of, row)
  return { text, pieces: `{${ngrams}}` }
}

/**
 * The part of a `with` clause that indexes new records. `rows` has `business_id, live, id` and
 * TEXT_COLUMNS.
 */
export const insertingTexts = ({ kind }: Searchable, rows: string): string => `
  insert into search_texts (business_id, live, id, kind, text, pieces)
  select business_id, live, id, '${kind}', text, pieces::integer[] from ${rows}`

export const removeText = (
  tx: Tx,
  { businessId, live }: Tenant,
  searchable: Searchable,
  id: number,
) =>
  tx.run`
    delete from ${textsOf(searchable)}
    where business_id = ${businessId} and live = ${live} and id = ${id}`

/**
 * Queues a changed record's text for indexing. Until it has been indexed, searches find it in the
 * queue.
 */
export async function queueText(
  tx: Tx,
  { businessId, live }: Tenant,
  searchable: Searchable,
  id: number,
): Promise<void> {
  await removeText(tx, { businessId, live }, searchable, id)
  await tx.run`
    insert into ${queueOf(searchable)} (business_id, live, id)
    values (${businessId}, ${live}, ${id})`
}

/** Indexes up to `most` records from a queue. Returns how many. */
export async function indexQueued(tx: Tx, searchable: Searchable, most: number): Promise<number> {
  const { table, fields, isQueued } = searchable
  const texts = fields.map((field) => (isQueued ? `lower(${field}) as ${field}` : field))
  const queue = queueOf(searchable)
  // The queue has no index. If a row's ctid has been reused in the meantime, it now belongs to
  // another record that also has to be indexed.
  const find = () => tx.many<QueuePlace>`select business_id, ctid from ${queue} limit ${most}`
  const take = (places: QueuePlace[]) => tx.many<StoredRow>`
    with taken as (
      delete from ${queue} where business_id = any(${businessesOf(places)}::bigint[])
        and ctid = any(array(
          select ctid from ${queue} where business_id = any(${businessesOf(places)}::bigint[])
            and ctid = any(${places.map(({ ctid }) => ctid)}::tid[])
          for update skip locked))
      returning business_id, live, id
    )
    select business_id, live, id, created_at, ${named(...texts)}
    from ${named(table)} join (select distinct * from taken) t using (business_id, live, id)`
  const rows = await takeDue(tx, find, take)
  if (rows.length > 0) await writeTexts(tx, searchable, rows)
  return rows.length
}

interface QueuePlace {
  business_id: number
  ctid: string
}

const businessesOf = (places: readonly QueuePlace[]): number[] => [
  ...new Set(places.map(({ business_id }) => business_id)),
]

/** A record with its kind's columns. */
interface StoredRow {
  business_id: number
  live: boolean
  id: number
  created_at?: Date
}

async function writeTexts(tx: Tx, searchable: Searchable, rows: StoredRow[]): Promise<void> {
  const { kind, isQueued } = searchable
  const indexed = rows.map((row) => {
    const tenant = { businessId: row.business_id, live: row.live }
    return textOf(tenant, searchable, row)
  })
  const [extra, values] = isQueued
    ? [sql`created_at`, sql`${rows.map((row) => row.created_at)}::timestamptz[]`]
    : [sql`kind`, sql`${rows.map(() => kind)}::text[]`]
  await tx.run`
    insert into ${textsOf(searchable)} (business_id, live, id, ${extra}, text, pieces)
    select business_id, live, id, ${extra}, text, pieces::integer[] from unnest(
      ${rows.map((row) => row.business_id)}::bigint[],
      ${rows.map((row) => row.live)}::boolean[],
      ${rows.map((row) => row.id)}::bigint[],
      ${values},
      ${indexed.map(({ text }) => text)}::text[],
      ${indexed.map(({ ngrams }) => `{${ngrams}}`)}::text[]
    ) as new (business_id, live, id, ${extra}, text, pieces)
    on conflict (business_id, live, id) do update
      set text = excluded.text, pieces = excluded.pieces`
}

/** Selects the records in which to look for the text. */
interface Scope {
  range?: Range
  /** A further condition on a queued kind's `created_at` and `id`. */
  further?: Sql | undefined
  /** Starts with the oldest week instead of the newest. */
  ascending?: boolean
}

/**
 * Selects the records that contain the text: their id, and `created_at`, which is null if the kind
 * is not queued. Must be used with a limit, in a statement that begins with `PLAN_EACH_TIME`.
 *
 * The index of a queued kind is searched week by week, so for a common text the search ends after a
 * few weeks. Within a week, the order is undefined.
 */
export function candidates(tenant: Tenant, query: SearchQuery, scope: Scope = {}): Sql {
  const pattern = patternOf(query)
  const texts = textsOf(query.of)
  if (!query.of.isQueued) {
    return sql`
      select id, null::timestamptz as created_at from (
        select * from ${texts} where pieces @> ${ngramsToFind(tenant, query)}::integer[] offset 0
      ) t
      where ${ofTenant(tenant)} and kind = ${query.of.kind} and text like ${pattern}`
  }
  const { range = ANY_TIME, further, ascending = false } = scope
  const isInScope = all([createdIn(range), further])
  const weeks = ascending ? sql`first, last, 1` : sql`last, first, -1`
  return sql`
    select r.id, r.created_at
    from (select distinct id as due_id from ${queueOf(query.of)} where ${ofTenant(tenant)}) due
      cross join ${recordOf(query.of, tenant, sql`due_id`)} r
    where ${isInScope} and ${fieldsContain(query)}
    union all
    select t.id, t.created_at
    from (
      select ${weekOf(sql`min(created_at)`)} as first, ${weekOf(sql`max(created_at)`)} as last
      from ${named(query.of.table)} where ${ofTenant(tenant)} and ${createdIn(range)}
    ) weeks, generate_series(${weeks}) week, lateral (
      select array(
        select ngram # (week * ${WEEK_FACTOR}::bigint)::bit(32)::integer
        from unnest(${ngramsToFind(tenant, query)}::integer[]) ngram) as wanted offset 0
    ) weekly, lateral (
      select * from ${texts} where pieces @> wanted offset 0
    ) t
    where ${ofTenant(tenant)} and ${isInScope} and text like ${pattern}`
}

export const ANY_TIME: Range = { from: undefined, until: undefined }

/**
 * Returns the condition for a row containing the text. `row` is the row's alias in the statement.
 */
export const hasText = ({ businessId, live }: Tenant, query: SearchQuery, row: Sql): Sql =>
  // A subquery with one value, which is evaluated only for the rows in question. Without it, the
  // planner would join all search texts with the table.
  query.of.isQueued
    ? fieldsContain(query)
    : sql`(
  select t.text from search_texts t
  where t.business_id = ${businessId} and t.live = ${live} and t.id = ${row}.id
) like ${patternOf(query)}`

const fieldsContain = (query: SearchQuery): Sql =>
  sql`(${query.of.fields
    .map((field) => sql`lower(${named(field)}) like ${patternOf(query)}`)
    .reduce((left, right) => sql`${left} or ${right}`)})`

/**
 * The `from` and `where` clauses for records that are indexed with outdated text, and for index
 * entries without a record. Compares only ASCII letters, because PostgreSQL and `foldCase` agree on
 * their lower case; for other letters, each uses its own version of Unicode.
 */
export const staleIndexEntries = (
  { kind, table, fields }: Searchable,
  isThere = sql`true`,
): Sql => {
  const plain = (one: Sql) =>
    sql`regexp_replace(lower(replace(normalize(${one}), 'İ', 'i')), '[^\n -~]', '', 'g')`
  const text = sql`concat_ws(e'\n', ${named(...fields)})`
  return sql`
    from ${named(table)} left join search_texts t using (business_id, live, id)
    where case when ${isThere}
      then t.kind is distinct from ${kind}::text or ${plain(sql`t.text`)} <> ${plain(text)}
      else t.id is not null end`
}

const patternOf = ({ of, text }: SearchQuery): string =>
  containing(of.isQueued ? text.toLowerCase() : foldCase(text))

/** Queued kinds do not share tables with other kinds. */
const seedKindOf = ({ kind, isQueued }: Searchable): string => (isQueued ? '' : kind)

/** More n-grams would barely narrow the search, and each costs another index lookup. */
const NGRAMS_MAX = 8
/** Without weeks, an n-gram can match very many rows, so each additional one costs milliseconds. */
const NGRAMS_MAX_OF_ALL = 4
/** Below this length, the part before the @ is less selective than the whole email address. */
const LOCAL_LENGTH_MIN = 3

/** Returns the n-grams and mark numbers that every match has. */
function ngramsToFind(tenant: Tenant, { of: searchable, text, marks = [] }: SearchQuery): number[] {
  const { kind, commonStart = '', isQueued } = searchable
  if (isQueued) {
    // Very many email addresses share the part after the @.
    const lower = text.toLowerCase()
    const at = lower.indexOf('@')
    const rare = at >= LOCAL_LENGTH_MIN ? lower.slice(0, at) : lower
    return someNgramsOf(tenant, rare, seedKindOf(searchable), NGRAMS_MAX)
  }
  const rare = withoutStart(foldCase(text), commonStart)
  return [
    ...someNgramsOf(tenant, rare, kind, NGRAMS_MAX_OF_ALL),
    ...marks.map((mark) => numberOfMark(tenant, mark, kind)),
  ]
}

/**
 * Returns the selective part of a string, including the n-grams that overlap the end of the prefix.
 */
function withoutStart(text: string, start: string): string {
  const isMore = text.length > start.length && text.startsWith(start)
  return isMore ? text.slice(Math.max(0, start.length - (NGRAM_MAX - 1))) : text
}

/**
 * The n-grams of a queued kind also depend on the record's week, so that a search can start with
 * the newest: `ngram # week * WEEK_FACTOR`, cut to 32 bits. Shorter spans would make a search
 * without matches slower, and longer spans a search that matches everything.
 */
const WEEK_SECONDS = 7 * 24 * 3600
const WEEK_FACTOR = 0x9e3779b1

const weekOf = (at: Sql): Sql => sql`floor(extract(epoch from ${at}) / ${WEEK_SECONDS})::bigint`

function ngramsInWeek(ngrams: number[], at: Date): number[] {
  const week = Math.floor(at.getTime() / 1000 / WEEK_SECONDS)
  const change = Math.imul(week, WEEK_FACTOR)
  return ngrams.map((ngram) => ngram ^ change)
}
