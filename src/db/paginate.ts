import type { Tenant } from '../lib/caller.ts'
import {
  type Cursor,
  type ListKey,
  type Page,
  type Place,
  pageOf,
  parseCursor,
  type Range,
  TOTAL_MAX,
  windowOf,
} from '../lib/paging.ts'
import type { Db } from './database.ts'
import { serverSecret } from './ids.ts'
import { all, PLAN_EACH_TIME, type Sql, sql } from './sql.ts'
import {
  ANY_TIME,
  candidates,
  createdIn,
  hasText,
  ofTenant,
  recordOf,
  type SearchQuery,
} from './text-search.ts'

/** How a list reads its table; see docs/design/lists.md. */
export interface List {
  table: Sql
  columns: Sql
  /** A join of other tables with the rows of `page`, for `paginate`. */
  joined?: Sql
  tenant: Tenant
  /**
   * Selects the rows that belong to the list, if the table also keeps other rows for history. The
   * list's indexes have the same condition, and the text index leaves out rows that don't meet it.
   */
  shown?: Sql
  /**
   * Conditions that a row must meet in addition to belonging to the tenant; `undefined` entries are
   * ignored.
   */
  filters?: readonly (Sql | undefined)[]
  range?: Range
  /** Filters on the leading columns of one of the list's indexes, all of which must hold. */
  indexed?: readonly IndexedFilter[]
  /** Exactly one of these conditions holds for each row; each has an index in the list's order. */
  either?: readonly Sql[]
  /** Whether the list starts with the newest row. Default: true. */
  isDescending?: boolean
  /** An order other than creation order. Must end in an id, so that the order is unique. */
  order?: Sql
  search?: SearchQuery | undefined
  /**
   * Conditions on columns that have their own indexes, in a different order from the list's. A row
   * must meet at least one. Those indexes are faster if few rows match; the list's index is faster
   * if many do.
   */
  lookup?: readonly Sql[] | undefined
  counts?: Counts
}

/** A column, the value that it must have (if any), and all the values that it can have. */
type IndexedFilter<Value = unknown> = readonly [Sql, Value | undefined, readonly Value[]]

interface Counts {
  /** Whether rows that have been counted stay in the list. Default: true for a list of all rows. */
  isLasting?: boolean
  /**
   * A name for the count, needed if its conditions differ every time, for example because they
   * include the current time.
   */
  key?: string
}

/** One page plus one row, and the number of matches. The API reports no number above TOTAL_MAX. */
interface Found<Row> {
  rows: Row[]
  total: number
}

const MANY = TOTAL_MAX + 1

/** Returns one page of a list, with its meta. The cost does not grow with the table. */
export async function paginate<Row extends { id: number }>(db: Db, list: List, page: Page) {
  const { rows, total } = await db.reading((from) => findPage<Row>(from, list, page))
  return pageOf(rows, page, total)
}

async function findPage<Row extends { id: number }>(
  db: Db,
  list: List,
  page: Page,
): Promise<Found<Row>> {
  const { search, lookup } = list
  if (lookup) return findLookedUp(db, list, lookup, page)
  if (!search) return findCounted(db, list, page)
  const { isQueued } = search.of
  // The text index also covers marks and the dates of queued kinds, so neither counts as a filter
  // here.
  const isFiltered = hasFilters(isQueued ? { ...list, range: ANY_TIME } : list) && !search.marks
  if (isFiltered || !isQueued) {
    const isHit = hasText(list.tenant, search, sql`first`)
    const [hits = 0] = await hitsAmongFirst(db, { ...list, search: undefined }, [isHit])
    if (hits >= SAMPLE_COMMON) return walk(db, list, page, { planEachTime: true })
    if (!isFiltered && isSoonFound(hits, page)) {
      const total = await countByText(db, list, search)
      return { rows: await pageInOrder<Row>(db, list, page), total }
    }
  }
  const most = isFiltered && isQueued ? FILTERED_MAX : MANY
  const found = await findByText<Row>(db, list, search, { ...windowOf(page), most })
  if (found) return found
  // More rows contain the text than were counted; how many match the filter is not known.
  return isFiltered
    ? walk(db, list, page, { planEachTime: true })
    : { rows: await pageInOrder<Row>(db, list, page), total: MANY }
}

/**
 * Reads each condition's index by itself: an `or` would read the row of every match, even if the
 * index has all to count and sort it. PostgreSQL assumes that matches are spread evenly, and would
 * walk past most rows to reach old ones. So unless the first rows have some, a fence prevents that.
 */
async function findLookedUp<Row extends { id: number }>(
  db: Db,
  list: List,
  lookup: readonly Sql[],
  page: Page,
): Promise<Found<Row>> {
  const order = sql`order by ${orderOf(list)}`
  const { offset, take } = windowOf(page)
  const hits = await hitsAmongFirst(db, { ...list, lookup: undefined }, lookup)
  const columns = list.order ? sql`*` : sql`id, created_at`
  const union = (isWalked: (hits: number) => boolean, which: (isWalked: boolean) => Sql) =>
    lookup
      .flatMap((condition, i) => {
        const walks = isWalked(hits[i]!)
        return partsOf({ ...list, lookup: [condition] }).map(
          (part) => sql`(select * from (
            select ${columns} from ${list.table} where ${part} ${walks ? sql`` : sql`offset 0`}
          ) m ${which(walks)})`,
        )
      })
      .reduce((left, right) => sql`${left} union ${right}`)
  const counted = union(
    (hits) => hits >= SAMPLE_COMMON,
    // Without an order, the walk could become a scan of the whole table.
    (walks) => sql`${walks ? order : sql``} limit ${MANY}`,
  )
  const first = union(
    (hits) => isSoonFound(hits, page),
    () => sql`${order} limit ${offset + take}`,
  )
  const total = sql`(select total from counted)`
  // If not all matches are counted, those that are need not be the first.
  const rows = await db.many<Counted<Row>>`${PLAN_EACH_TIME}
    with matches as materialized (${counted}), counted as (
      select count(*) as total from matches
    ), page as materialized (
      select r.* from (
        select id from (
          select * from matches where ${total} < ${MANY}
          union all
          select * from (${first}) first where ${total} >= ${MANY}
        ) m ${order} limit ${take} offset ${offset}
      ) m cross join lateral (
        select * from ${list.table} where ${ofTenant(list.tenant)} and id = m.id offset 0
      ) r
    )
    select total, ${list.columns} from counted left join page on true ${list.joined ?? sql``}
    ${order}`
  return foundIn(rows)
}

/**
 * Above TOTAL_MAX, no total is reported, so counting that far again for each page would be wasted
 * work. If rows never leave the list, its total stays above TOTAL_MAX. If rows can leave it,
 * because they are deleted or changed, we count further and reuse the result for as long as too few
 * rows can have left.
 */
const SPARE_MAX = 2 * TOTAL_MAX

/** Twice the highest rate of changes measured for one process. */
const LEAVING_PER_MS = 4

interface KnownCount {
  /** The time until which the count is certain to exceed TOTAL_MAX. */
  until: number
  /** When one request counts again, while all others still rely on this count. */
  renewedFrom: number
}

/** Kept per database, since tests have several. */
const known = new WeakMap<object, Map<string, KnownCount>>()
const KNOWN_MAX = 10_000

async function findCounted<Row extends { id: number }>(
  db: Db,
  list: List,
  page: Page,
): Promise<Found<Row>> {
  const key = keyOf(list)
  const counted = known.get(db)?.get(key)
  const now = performance.now()
  if (counted && now < counted.until) {
    if (now < counted.renewedFrom) {
      return { rows: await pageInOrder<Row>(db, list, page), total: MANY }
    }
    counted.renewedFrom = Number.POSITIVE_INFINITY
  }
  const isLasting = list.counts?.isLasting ?? !(hasFilters(list) || list.shown)
  const found = await countTogether<Row>(db, key, list, page, isLasting ? MANY : MANY + SPARE_MAX)
  const spare = found.total - MANY
  if (spare < 0) return found
  const ours = known.get(db) ?? new Map<string, KnownCount>()
  known.set(db, ours)
  if (ours.size >= KNOWN_MAX) ours.clear()
  const lifeMs = isLasting ? Number.POSITIVE_INFINITY : spare / LEAVING_PER_MS
  ours.set(key, { until: now + lifeMs, renewedFrom: now + lifeMs / 2 })
  return found
}

function keyOf(list: List): string {
  const { tenant, table, counts } = list
  const { name, values } = all(partsOf(list)).compile()
  const key = counts?.key ?? [name, values]
  return JSON.stringify([tenant.businessId, tenant.live, table.strings, key])
}

/** Returns whether the list shows only some of the rows. */
const hasFilters = ({ filters, range, indexed, either }: List): boolean =>
  either !== undefined ||
  filters?.some((filter) => filter !== undefined) ||
  range?.from !== undefined ||
  range?.until !== undefined ||
  (indexed ?? []).some(([, value]) => value !== undefined)

/**
 * Only its values show that an alternative has almost no rows. A plan for any values reads the
 * whole table for it: 290 ms with 1,000,000 rows.
 */
const isPlannedEachTime = ({ either }: List): boolean => either !== undefined

const planOf = (list: List): Sql => (isPlannedEachTime(list) ? PLAN_EACH_TIME : sql``)

const pageInOrder = <Row>(db: Db, list: List, page: Page): Promise<Row[]> =>
  db.many<Row>`${planOf(list)}
    with page as materialized (select * from ${pageQuery(list, page)})
    select ${list.columns} from page ${list.joined ?? sql``} order by ${orderOf(list)}`

interface Counting {
  running: Promise<unknown>
  /** Starts once `running` has ended. */
  next?: Promise<number>
  /**
   * What `next` counts: the list as the latest request has it, because its conditions can include
   * the current time.
   */
  list?: List
}

/** The counts that run at the moment, by database and list. */
const counting = new WeakMap<object, Map<string, Counting>>()

/**
 * Like `walk`, but while a list is being counted, further requests for it read only their page and
 * share the next count, which begins after they have arrived.
 */
async function countTogether<Row extends { id: number }>(
  db: Db,
  key: string,
  list: List,
  page: Page,
  upTo: number,
): Promise<Found<Row>> {
  const ours = counting.get(db) ?? new Map<string, Counting>()
  counting.set(db, ours)
  const run = <T>(work: Promise<T>): Promise<T> => {
    const own: Counting = { running: work.catch(() => undefined) }
    ours.set(key, own)
    void own.running.then(() => {
      if (ours.get(key) === own && !own.next) ours.delete(key)
    })
    return work
  }
  const current = ours.get(key)
  if (!current) return run(walk<Row>(db, list, page, { upTo }))
  current.list = list
  current.next ??= current.running.then(() => run(count(db, current.list!, upTo)))
  const [rows, total] = await Promise.all([pageInOrder<Row>(db, list, page), current.next])
  return { rows, total: totalWith(rows.length, page, total) }
}

/** Corrects a total by what the page shows, since rows may have come or gone in between. */
function totalWith(found: number, page: Page, counted: number): number {
  const { offset, take } = windowOf(page)
  const least = offset + found
  if (found === take) return Math.max(counted, least)
  return found === 0 ? Math.min(counted, offset) : least
}

async function count(db: Db, list: List, upTo: number): Promise<number> {
  const rows = await db.many<{
    total: number
  }>`${planOf(list)} select ${countOf(list, upTo)} as total`
  return rows[0]!.total
}

// Putting the limit directly above the index scan, with no union, halves the time for 10,000 rows.
const countOf = (list: List, upTo: number): Sql =>
  partsOf(list)
    .map(
      (part) =>
        sql`(select count(*) from (select from ${list.table} where ${part} limit ${upTo}) i)`,
    )
    .reduce((left, right) => sql`${left} + ${right}`)

// Each row on the page carries the total. An empty page has one row with only the total.
type Counted<Row> = Row & { total: number }

const foundIn = <Row extends { id: number }>(rows: Counted<Row>[]): Found<Row> => ({
  rows: rows.filter(({ id }) => id !== null),
  total: rows[0]?.total ?? 0,
})

/**
 * Walks through the list in order, until it has counted `upTo` rows. Without a search, a single
 * plan suits every page. Planning would take a third of a page's time.
 */
async function walk<Row extends { id: number }>(
  db: Db,
  list: List,
  page: Page,
  { upTo = MANY, planEachTime = isPlannedEachTime(list) },
): Promise<Found<Row>> {
  const rows = await db.many<Counted<Row>>`${planEachTime ? PLAN_EACH_TIME : sql``}
    with counted as (
      select ${countOf(list, upTo)} as total
    ), page as materialized (
      select * from ${pageQuery(list, page)}
    )
    select total, ${list.columns} from counted left join page on true ${list.joined ?? sql``}
    order by ${orderOf(list)}`
  return foundIn(rows)
}

/** Selects a page's rows as a table. Each part is limited in its order, then they are merged. */
function pageQuery(list: List, page: Page): Sql {
  const order = orderOf(list)
  const { offset, take } = windowOf(page)
  return sql`(
    select * from (${merged(list, sql`*`, offset + take)}) parts
    order by ${order} limit ${take} offset ${offset}
  ) page`
}

const isDescending = (list: List): boolean => list.isDescending ?? true

const orderOf = (list: List): Sql =>
  list.order ?? (isDescending(list) ? sql`created_at desc, id desc` : sql`created_at, id`)

function merged(list: List, columns: Sql, limit: number, further?: Sql): Sql {
  const parts = partsOf(list).map(
    (part) => sql`(select ${columns} from ${list.table} where ${all([part, further])}
      order by ${orderOf(list)} limit ${limit})`,
  )
  return parts.reduce((left, right) => sql`${left} union all ${right}`)
}

const anyOf = (conditions: readonly Sql[] | undefined): Sql | undefined =>
  conditions && sql`(${conditions.reduce((left, right) => sql`${left} or ${right}`)})`

/** Splits a list into parts, so that each row is in exactly one of them. */
function partsOf({ search, ...list }: List): Sql[] {
  const text = search && hasText(list.tenant, search, list.table)
  const whole = all([own(list), ...(list.filters ?? []), anyOf(list.lookup), text])
  return alternativesOf(list).map((part) => (part ? sql`${whole} and ${part}` : whole))
}

const own = ({ tenant, shown, range }: List): Sql =>
  all([ofTenant(tenant), shown, range && createdIn(range)])

/** An index column without a filter is split into its possible values. */
function alternativesOf({ either, indexed = [], lookup }: List): (Sql | undefined)[] {
  if (either) return [...either]
  if (lookup) return [all(equalTo(indexed))]
  if (indexed.every(([, value]) => value === undefined)) return [undefined]
  return indexed.reduce<(Sql | undefined)[]>(
    (parts, [column, value, values]) =>
      parts.flatMap((part) =>
        (value === undefined ? values : [value]).map((one) =>
          part ? sql`${part} and ${column} = ${one}` : sql`${column} = ${one}`,
        ),
      ),
    [undefined],
  )
}

const equalTo = (indexed: readonly IndexedFilter[]): (Sql | undefined)[] =>
  indexed.map(([column, value]) => (value === undefined ? undefined : sql`${column} = ${value}`))

/**
 * How many rows to look at from the start of the list, and how many must match for the text to
 * count as common.
 */
const SAMPLE = 500
const SAMPLE_COMMON = 100

/**
 * Counts how many of the list's first rows meet each condition, such as to contain the text. If it
 * is common, a walk quickly finds all rows to show and count, while the text index would first
 * collect every match.
 */
async function hitsAmongFirst(db: Db, list: List, areHits: readonly Sql[]): Promise<number[]> {
  const counts = areHits.map((isHit) => sql`count(*) filter (where ${isHit})`)
  const { hits } = await db.one<{ hits: number[] }>`${planOf(list)}
    select array[${counts.reduce((left, right) => sql`${left}, ${right}`)}]::int[] as hits from (
      select * from ${pageQuery(list, { page: 1, limit: SAMPLE - 1 })}
    ) first`
  return hits
}

/** Walking past this many rows takes no longer than looking up a thousand that the index found. */
const WALK_MAX = 5_000

/** Returns whether a walk probably reaches the page soon, if other rows resemble the sample. */
const isSoonFound = (hits: number, page: Page): boolean => {
  const { offset, take } = windowOf(page)
  return ((offset + take) * SAMPLE) / hits <= WALK_MAX
}

/** Counts how many records contain the text, up to MANY. */
async function countByText(db: Db, { tenant }: List, search: SearchQuery): Promise<number> {
  const { total } = await db.one<{ total: number }>`${PLAN_EACH_TIME}
    select count(*) as total from (${candidates(tenant, search)} limit ${MANY}) found`
  return total
}

/** The maximum number of matches collected for a queued kind before the filter is applied. */
const FILTERED_MAX = 50_000
/** Above this, matches are joined with all rows that meet the filter, not looked up one by one. */
const LOOKED_UP_MAX = 5_000

interface Window {
  offset: number
  take: number
  /** The maximum number of text matches to collect. */
  most: number
  /** Where to start, if not with the first row. */
  after?: Place | undefined
}

/** Searches through the text index. Returns `undefined` if too many rows match. */
async function findByText<Row extends { id: number }>(
  db: Db,
  list: List,
  search: SearchQuery,
  window: Window,
): Promise<Found<Row> | undefined> {
  const { offset, take, most, after } = window
  const order = orderOf(list)
  const scope = {
    range: rangeFrom(list, after),
    further: after && beyond(list, after),
    ascending: !isDescending(list),
  }
  // For a queued kind, the text index contains the columns that the list is ordered by.
  const page = search.of.isQueued
    ? sql`
      select r.* from (
        select id from matches order by ${order} limit ${take} offset ${offset}
      ) m cross join ${recordOf(search.of, list.tenant, sql`m.id`)} r`
    : sql`select * from matches order by ${order} limit ${take} offset ${offset}`
  const rows = await db.many<Counted<Row> & { candidates: number }>`${PLAN_EACH_TIME}
    with candidates as materialized (
      ${candidates(list.tenant, search, scope)} limit ${most}
    ), matches as materialized (
      ${matchesOf(list, search, most)}
    ), counted as (
      select (select count(*) from candidates) as candidates,
        (select count(*) from matches) as total
    ), page as materialized (${page})
    select candidates, total, ${list.columns} from counted left join page on true
      ${list.joined ?? sql``}
    order by ${order}`
  return rows[0]!.candidates < most ? foundIn(rows) : undefined
}

/** Selects the candidates that the list shows, or none if some could not be collected. */
function matchesOf(
  { search: _text, ...list }: List,
  { of: { isQueued } }: SearchQuery,
  most: number,
) {
  const count = sql`(select count(*) from candidates)`
  const { filters = [], indexed = [], either } = list
  const isShown = all([own(list), ...filters, ...equalTo(indexed), anyOf(either)])
  if (!isQueued) {
    return sql`
      select t.* from candidates c cross join lateral (
        select * from ${list.table} where ${isShown} and id = c.id offset 0
      ) t where ${count} < ${most}`
  }
  if (!hasFilters({ ...list, range: ANY_TIME })) {
    return sql`select id, created_at from candidates where ${count} < ${most}`
  }
  // The date and the id let the query use one of the filter's indexes, so most rows that fail the
  // filter are never read.
  const few = sql`
    select c.id, c.created_at from candidates c cross join lateral (
      select from ${list.table}
      where ${isShown} and created_at = c.created_at and id = c.id offset 0
    ) t where ${count} < ${Math.min(most, LOOKED_UP_MAX)}`
  if (most <= LOOKED_UP_MAX) return few
  const parts = partsOf(list).map((part) => sql`select id from ${list.table} where ${part}`)
  return sql`${few}
    union all
    select c.id, c.created_at from candidates c
      join (${parts.reduce((left, right) => sql`${left} union all ${right}`)}) t using (id)
    where ${count} >= ${LOOKED_UP_MAX} and ${count} < ${most}`
}

/**
 * Decodes a query's cursor. Also returns the key of its list, which covers the filters too. Throws
 * 400 naming `cursor` if the cursor came from another list.
 */
export async function cursorOf(db: Db, tenant: Tenant, list: string, text: string | undefined) {
  const key: ListKey = { secret: await serverSecret(db, 'cursor'), tenant, list }
  return { key, cursor: text === undefined ? undefined : parseCursor(key, text) }
}

/**
 * Without a total, collect up to this many matches. If more rows than this contain the text, a walk
 * through the list quickly finds a page of them.
 */
const COLLECTED_MAX = 5_000

/**
 * Returns up to `limit` rows from the cursor on, newest first. If the cursor says `back`, returns
 * the rows before it, oldest first.
 */
export const paginateByCursor = <Row extends { id: number }>(
  db: Db,
  list: List,
  cursor: Cursor | undefined,
  limit: number,
): Promise<Row[]> => db.reading((from) => findFrom<Row>(from, list, cursor, limit))

async function findFrom<Row extends { id: number }>(
  db: Db,
  list: List,
  cursor: Cursor | undefined,
  limit: number,
): Promise<Row[]> {
  const inOrder = { ...list, isDescending: !cursor?.back }
  if (list.search && !list.lookup) {
    const window = { offset: 0, take: limit, most: COLLECTED_MAX, after: cursor }
    const found = await findByText<Row>(db, inOrder, list.search, window)
    if (found) return found.rows
  }
  return readNextRows(db, inOrder, cursor, limit)
}

/** Reads more rows in list order, starting where the last page ended. */
export function readNextRows<Row>(
  db: Db,
  list: List,
  after: Place | undefined,
  limit: number,
): Promise<Row[]> {
  const order = orderOf(list)
  const further = after && beyond(list, after)
  const parts = alternativesOf(list).length
  if (parts === 1) return db.many<Row>`${merged(list, list.columns, limit, further)}`
  // Each part stops at the limit, and only the rows that remain are read in full.
  return db.many<Row>`
    select ${list.columns} from (
      select id as found_id from (${merged(list, sql`id, created_at`, limit, further)}) parts
      order by ${order} limit ${limit}
    ) found cross join lateral (
      select * from ${list.table} where ${ofTenant(list.tenant)} and id = found_id offset 0
    ) page
    order by ${order}`
}

function beyond(list: List, { created_at, id }: Place): Sql {
  const place = sql`(${created_at}::timestamptz, ${id}::bigint)`
  return isDescending(list) ? sql`(created_at, id) < ${place}` : sql`(created_at, id) > ${place}`
}

/** Returns the part of the range beyond the cursor, so that weeks on its other side are skipped. */
function rangeFrom(list: List, after: Place | undefined): Range {
  const { from, until } = list.range ?? ANY_TIME
  if (!after) return { from, until }
  const at = after.created_at
  if (!isDescending(list)) return { from: from && from > at ? from : at, until }
  const next = new Date(at.getTime() + 1)
  return { from, until: until && until < next ? until : next }
}
