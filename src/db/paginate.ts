import type { Tenant } from '../lib/caller.ts'
import { type Page, TOTAL_MAX, windowOf } from '../lib/paging.ts'
import type { Db } from './database.ts'
import { ANEW, type Sql, sql } from './sql.ts'
import { hasText, idsWithText, type Sought } from './text-search.ts'

/** What a list shows of a table (docs/design/lists.md). */
export interface Listing {
  table: Sql
  /**
   * Which of its rows are there at all, where others are kept for history: its indexes say so, and
   * those others have no texts any more.
   */
  shown?: Sql
  columns: Sql
  tenant: Tenant
  /**
   * What the rows meet beside being the tenant's, each of them exactly one of it; each has an index
   * in the order of the list. Empty: all rows.
   */
  parts: readonly Sql[]
  /** Ends in an id, so that it is one order only. */
  order: Sql
  /** Marks, if any, say all that `parts` say. */
  search: Sought | undefined
  /**
   * What is looked for in columns that have indexes of their own, in another order than the list's:
   * those serve where few rows meet it, and the list's where many do.
   */
  sought?: Sql | undefined
}

/** One page and one row more, and how many match; above TOTAL_MAX that is all that is told. */
export interface Found<Row> {
  rows: Row[]
  total: number
}

const MANY = TOTAL_MAX + 1

/** One page of a list, at a cost that does not grow with the table. */
export async function findPage<Row extends { id: number }>(
  db: Db,
  list: Listing,
  page: Page,
): Promise<Found<Row>> {
  const { search, sought } = list
  if (sought) {
    const hits = await hitsAmongFirst(db, { ...list, sought: undefined }, sought)
    return walk(db, list, page, { isAnew: hits < SAMPLE_COMMON })
  }
  if (!search) return findCounted(db, list, page)
  const without = { ...list, search: undefined }
  const hits = await hitsAmongFirst(db, without, hasText(list.tenant, search, sql`first`))
  if (hits >= SAMPLE_COMMON) return walk(db, list, page, { isAnew: true })
  // What its texts are marked with is counted with them.
  const isFiltered = list.parts.length > 0 && !search.marks
  if (!isFiltered && isSoonFound(hits, page)) {
    const total = await countByText(db, list, search)
    return { rows: await pageInOrder<Row>(db, list, page), total }
  }
  const found = await findByText<Row>(db, list, search, page)
  if (found) return found
  // That more have the text is known by now, but not of how many the filter is true, too.
  return isFiltered
    ? walk(db, list, page, { isAnew: true })
    : { rows: await pageInOrder<Row>(db, list, page), total: MANY }
}

/**
 * Above TOTAL_MAX no total is told, so counting so far again for each page is for nothing. A list
 * that no row leaves stays longer than that; of one that rows can leave, by being deleted or
 * changed, more are counted, and that is believed for as long as it takes until so many can have
 * left.
 */
const SPARE_MAX = 2 * TOTAL_MAX

/** Twice as many as one process was seen to change, in a millisecond. */
const LEAVING_PER_MS = 4

/** Until when there are more than TOTAL_MAX of what; of each database, since tests have several. */
const known = new WeakMap<object, Map<string, number>>()
const KNOWN_MAX = 10_000

async function findCounted<Row extends { id: number }>(
  db: Db,
  list: Listing,
  page: Page,
): Promise<Found<Row>> {
  const key = keyOf(list)
  const until = known.get(db)?.get(key)
  if (until !== undefined && performance.now() < until) {
    return { rows: await pageInOrder<Row>(db, list, page), total: MANY }
  }
  const isLasting = list.parts.length === 0 && !list.shown
  const found = await walk<Row>(db, list, page, { upTo: isLasting ? MANY : MANY + SPARE_MAX })
  const spare = found.total - MANY
  if (spare < 0) return found
  const ours = known.get(db) ?? new Map<string, number>()
  known.set(db, ours)
  if (ours.size >= KNOWN_MAX) ours.clear()
  const lifeMs = isLasting ? Number.POSITIVE_INFINITY : spare / LEAVING_PER_MS
  ours.set(key, performance.now() + lifeMs)
  return found
}

function keyOf({ tenant, table, parts }: Listing): string {
  const asked = parts.map((part) => part.compile()).map(({ text, values }) => [text, ...values])
  return [tenant.businessId, tenant.live, table.strings.join(), ...asked.flat()].join('\n')
}

const pageInOrder = <Row>(db: Db, list: Listing, page: Page): Promise<Row[]> =>
  db.many<Row>`select ${list.columns} from ${pageOf(list, page)} order by ${list.order}`

// Beside each row of the page, and alone in one when the page is empty, stands the count.
type Counted<Row> = Row & { total: number }

const foundIn = <Row extends { id: number }>(rows: Counted<Row>[]): Found<Row> => ({
  rows: rows.filter(({ id }) => id !== null),
  total: rows[0]?.total ?? 0,
})

/**
 * Through the list in its order, and through as many as are counted. Where nothing is searched for
 * one plan serves all, and making it is a third of the time of a page.
 */
async function walk<Row extends { id: number }>(
  db: Db,
  list: Listing,
  page: Page,
  { upTo = MANY, isAnew = false },
): Promise<Found<Row>> {
  const counts = partsOf(list).map(
    (wanted) =>
      sql`(select count(*) from (select from ${list.table} where ${wanted} limit ${upTo}) i)`,
  )
  const rows = await db.many<Counted<Row>>`${isAnew ? ANEW : sql``}
    with counted as (
      select ${counts.reduce((left, right) => sql`${left} + ${right}`)} as total
    ), page as materialized (
      select * from ${pageOf(list, page)}
    )
    select total, ${list.columns} from counted left join page on true order by ${list.order}`
  return foundIn(rows)
}

/** The rows of a page as a table. Each part is cut in the order of its index, and then merged. */
function pageOf(list: Listing, page: Page): Sql {
  const { table, order } = list
  const { offset, take } = windowOf(page)
  const parts = partsOf(list).map(
    (wanted) =>
      sql`(select * from ${table} where ${wanted} order by ${order} limit ${offset + take})`,
  )
  return sql`(
    select * from (${parts.reduce((left, right) => sql`${left} union all ${right}`)}) parts
    order by ${order} limit ${take} offset ${offset}
  ) page`
}

function partsOf({ parts, search, sought, ...list }: Listing): Sql[] {
  const text = search ? hasText(list.tenant, search, list.table) : (sought ?? sql`true`)
  const all = parts.length > 0 ? parts : [sql`true`]
  return all.map((part) => sql`${of(list)} and ${part} and ${text}`)
}

/** So many of the first are looked at, and so many of them make a text a common one. */
const SAMPLE = 500
const SAMPLE_COMMON = 100

/**
 * How many of the first of the list have the text. Of a common one a walk soon comes by all that
 * are shown and counted, while the index would collect every one of them first.
 */
async function hitsAmongFirst(db: Db, list: Listing, isHit: Sql): Promise<number> {
  const { hits } = await db.one<{ hits: number }>`
    select count(*) as hits from (
      select * from ${pageOf(list, { page: 1, limit: SAMPLE - 1 })}
    ) first where ${isHit}`
  return hits
}

/** To walk past so many rows takes no longer than to look up a thousand that the index names. */
const WALK_MAX = 5_000

/** Whether a walk comes by the page itself soon, if the other rows are like the first. */
const isSoonFound = (hits: number, page: Page): boolean => {
  const { offset, take } = windowOf(page)
  return ((offset + take) * SAMPLE) / hits <= WALK_MAX
}

/** How many have the text, up to MANY. */
async function countByText(db: Db, { tenant }: Listing, sought: Sought): Promise<number> {
  const { total } = await db.one<{ total: number }>`${ANEW}
    select count(*) as total from (${idsWithText(tenant, sought)} limit ${MANY}) found`
  return total
}

/** Through the index of texts; undefined when more than TOTAL_MAX have it. */
async function findByText<Row extends { id: number }>(
  db: Db,
  list: Listing,
  sought: Sought,
  page: Page,
): Promise<Found<Row> | undefined> {
  const { table, columns, tenant, parts, order } = list
  const { offset, take } = windowOf(page)
  const filter = parts.length > 0 ? parts.reduce((a, b) => sql`${a} or ${b}`) : sql`true`
  const rows = await db.many<Counted<Row> & { candidates: number }>`${ANEW}
    with candidates as materialized (
      ${idsWithText(tenant, sought)} limit ${MANY}
    ), matches as materialized (
      select t.* from candidates c cross join lateral (
        select * from ${table} where ${of(list)} and id = c.id offset 0
      ) t where (${filter}) and (select count(*) from candidates) < ${MANY}
    ), counted as (
      select (select count(*) from candidates) as candidates,
        (select count(*) from matches) as total
    ), page as (
      select * from matches order by ${order} limit ${take} offset ${offset}
    )
    select candidates, total, ${columns} from counted left join page on true order by ${order}`
  return (rows[0]?.candidates ?? 0) < MANY ? foundIn(rows) : undefined
}

function of({ tenant, shown }: Pick<Listing, 'tenant' | 'shown'>): Sql {
  const own = sql`business_id = ${tenant.businessId} and live = ${tenant.live}`
  return shown ? sql`${own} and ${shown}` : own
}
