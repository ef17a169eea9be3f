import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { Type } from 'typebox'
import type { Tenant } from './caller.ts'
import { parseTimestamp } from './dates.ts'
import { invalid } from './problem.ts'
import { TimestampText } from './schemas.ts'

/** Counting stops here, so that lists do not get slower as data grows. */
export const TOTAL_MAX = 10_000

const PAGE_MAX = 1_000_000
const LIMIT_MAX = 100
const LIMIT_DEFAULT = 20

const page = Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: 1 })
const limit = Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT })

const sort = Type.String({
  pattern: '^(?:[aA][sS][cC]|[dD][eE][sS][cC])$',
  default: 'DESC',
  'x-says': 'must be ASC or DESC',
})

/** The `page` and `limit` parameters that every list has. */
export const paging = { page, limit }
/** For lists that are always short and usually fit on one page. */
export const shortListPaging = { page, limit: { ...limit, default: LIMIT_MAX } }
/** For lists that return everything unless one of the two parameters is sent. */
export const optionalPaging = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_MAX })),
}
export const sorting = { sort }

const required = <T extends object>({ default: _, ...schema }: T & { default?: unknown }) => schema

/** For lists for which the contract requires both parameters. */
export const pagingRequired = { page: required(page), limit: required(limit) }
export const sortingRequired = { sort: required(sort) }

/** Filters on the creation date: days in the business's time zone, or exact instants. */
export const dateRange = {
  startDate: Type.Optional(TimestampText),
  endDate: Type.Optional(TimestampText),
}

export interface Page {
  page: number
  limit: number
}

/**
 * Returns the window for a list query: one more row than is shown, to tell whether there is a next
 * page.
 */
export const windowOf = ({ page, limit }: Page) => ({
  offset: (page - 1) * limit,
  take: limit + 1,
})

/**
 * Turns the rows that `windowOf` fetched into a page. `counted` is the number of matches, counted
 * up to TOTAL_MAX + 1.
 */
export function pageOf<Row>(rows: Row[], { page, limit }: Page, counted: number) {
  const total = Math.min(counted, TOTAL_MAX)
  const hasNext = rows.length > limit
  // Beyond the largest exact total, every page that has a next page raises the count, so that a
  // client that loops up to `pageCount` reads all rows.
  const known = counted > TOTAL_MAX ? page + (hasNext ? 1 : 0) : 0
  return {
    rows: rows.slice(0, limit),
    meta: {
      total,
      totalIsExact: counted <= TOTAL_MAX,
      page,
      limit,
      pageCount: Math.max(Math.ceil(total / limit), known),
      hasNext,
      hasPrevious: page > 1,
    },
  }
}

type PageRead<Row> = ReturnType<typeof pageOf<Row>>

/** Returns the rows in a reference list: either all of them or the requested page. */
export function allOrPage<Row>(rows: Row[], page: Page): PageRead<Row>
export function allOrPage<Row>(
  rows: Row[],
  page: Partial<Page>,
): PageRead<Row> | { rows: Row[]; meta: undefined }
export function allOrPage<Row>(rows: Row[], { page, limit }: Partial<Page>) {
  if (page === undefined && limit === undefined) return { rows, meta: undefined }
  const asked = { page: page ?? 1, limit: limit ?? LIMIT_DEFAULT }
  const { offset, take } = windowOf(asked)
  return pageOf(rows.slice(offset, offset + take), asked, rows.length)
}

export interface Range {
  from: Date | undefined
  /** Exclusive. */
  until: Date | undefined
}

/** Throws 400 naming `startDate` if it is after `endDate`. */
export function rangeOf(
  { startDate, endDate }: { startDate?: string; endDate?: string },
  timeZone: string,
): Range {
  const from =
    startDate === undefined ? undefined : parseTimestamp(startDate, timeZone, 'startDate')
  const until =
    endDate === undefined ? undefined : parseTimestamp(endDate, timeZone, 'endDate', true)
  if (from && until && from >= until) throw invalid({ startDate: ['must not be after endDate'] })
  return { from, until }
}

/** Finds a name, ignoring case; throws 400 naming the field if it is not in the list. */
export function oneOf<Name extends string>(
  field: string,
  names: readonly Name[],
  text: string | undefined,
): Name | undefined {
  if (text === undefined) return undefined
  const found = names.find((name) => name.toLowerCase() === text.toLowerCase())
  if (!found) throw invalid({ [field]: [`must be one of ${names.join(', ')}`] })
  return found
}

export const isDescending = (sort: string): boolean => sort.toUpperCase() === 'DESC'

/** A position in a list sorted by creation time. */
export interface Place {
  created_at: Date
  id: number
}

/**
 * Where a page starts: after a place (with older records, in lists that start with the newest), or
 * before it.
 */
export interface Cursor extends Place {
  back: boolean
}

/** The `cursor` and `limit` parameters that every cursor list has. */
export const cursorPaging = {
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      description: '`meta.next` or `meta.previous` from another page of the same list.',
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
}

export const CursorMeta = Type.Object({
  limit: Type.Integer(),
  next: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  previous: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  hasMore: Type.Boolean(),
})

/** The tenant and list that a cursor belongs to; it is not valid for any other list. */
export interface ListKey {
  secret: KeyObject
  tenant: Tenant
  /** The list and its filters as a string, without the limit. */
  list: string
}

const MAC_BYTES = 16

/**
 * Serialises a cursor: opaque and signed, so that it works only for this list and cannot be forged.
 */
function printCursor(key: ListKey, { created_at, id, back }: Cursor): string {
  const text = `${back ? 'b' : 'f'}${created_at.getTime().toString(36)}.${id.toString(36)}`
  return `${Buffer.from(text).toString('base64url')}.${macOf(key, text)}`
}

/** Throws 400 naming `cursor` if it does not belong to this list. */
export function parseCursor(key: ListKey, cursor: string): Cursor {
  const [encoded = '', mac = '', ...rest] = cursor.split('.')
  const text = Buffer.from(encoded, 'base64url').toString('latin1')
  const [, direction, at, id] = /^([bf])([0-9a-z]{1,11})\.([0-9a-z]{1,11})$/.exec(text) ?? []
  const isOurs = direction && rest.length === 0 && equal(mac, macOf(key, text))
  if (!isOurs)
    throw invalid({
      cursor: ['does not belong to this list; send a cursor from the list’s `meta`, unchanged'],
    })
  return {
    created_at: new Date(Number.parseInt(at!, 36)),
    id: Number.parseInt(id!, 36),
    back: direction === 'b',
  }
}

function macOf({ secret, tenant, list }: ListKey, text: string): string {
  const of = JSON.stringify([tenant.businessId, tenant.live, list, text])
  return createHmac('sha256', secret)
    .update(of)
    .digest()
    .subarray(0, MAC_BYTES)
    .toString('base64url')
}

function equal(one: string, other: string): boolean {
  const a = Buffer.from(one)
  const b = Buffer.from(other)
  return a.length === b.length && timingSafeEqual(a, b)
}

/**
 * Turns rows into a page with its cursors. Up to one more row than `limit` must have been read. The
 * rows are in the order of reading, which is away from the cursor: towards the start of the list if
 * the cursor's `back` is set.
 */
export function cursorPage<Row extends Place>(
  key: ListKey,
  read: readonly Row[],
  limit: number,
  cursor: Cursor | undefined,
) {
  const more = read.length > limit
  const back = cursor?.back ?? false
  const rows = back ? read.slice(0, limit).reverse() : read.slice(0, limit)
  const [first] = rows
  const last = rows.at(-1)
  const hasNext = back ? true : more
  const hasPrevious = back ? more : cursor !== undefined
  const at = (place: Row | undefined, isBack: boolean) =>
    place ? printCursor(key, { created_at: place.created_at, id: place.id, back: isBack }) : null
  return {
    rows,
    meta: {
      limit,
      next: hasNext ? at(last, false) : null,
      previous: hasPrevious ? at(first, true) : null,
      hasMore: hasNext && last !== undefined,
    },
  }
}

/**
 * How many rows one page of a list scans for matches, if no index has the filter in the order of
 * the list. 10,000 take 10 to 20 ms. Without it, a filter with few matches would read everything.
 */
export const SCANNED_MAX = 10_000

/**
 * Returns the cursors of a page whose scan stopped at `end`, for its meta. The page has the matches
 * that were found so far, perhaps none, and the next one continues where the scan stopped.
 */
export function scannedMeta(
  key: ListKey,
  { created_at, id }: Place,
  cursor: Cursor | undefined,
  isEmpty: boolean,
) {
  const back = cursor?.back ?? false
  const onward = printCursor(key, { created_at, id, back })
  if (!isEmpty || !cursor) return back ? { previous: onward } : { next: onward, hasMore: true }
  // Continues in the other direction from the first row of this page, and includes that row.
  const turned = printCursor(key, { ...cursor, id: cursor.id + (back ? 1 : -1), back: !back })
  return back
    ? { previous: onward, next: turned, hasMore: true }
    : { previous: turned, next: onward, hasMore: true }
}
