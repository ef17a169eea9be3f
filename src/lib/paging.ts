import { Type } from 'typebox'
import { parseMoment } from './dates.ts'
import { invalid } from './problem.ts'
import { MomentText } from './schemas.ts'

/** Counting is bounded, so that no list costs more as its data grows. */
export const TOTAL_MAX = 10_000

const PAGE_MAX = 1_000_000
const LIMIT_MAX = 100
const LIMIT_DEFAULT = 20

const page = Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: 1 })
const limit = Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT })

const sort = Type.String({
  pattern: '^(?:[aA][sS][cC]|[dD][eE][sS][cC])$',
  default: 'DESC',
  'x-says': 'must be one of ASC, DESC',
})

/** `page` and `limit` of every list. */
export const paging = { page, limit }
/** Of lists that are always short, and so mostly come on one page. */
export const pagingOfShort = { page, limit: { ...limit, default: LIMIT_MAX } }
/** Of lists that are whole unless one of the two is sent. */
export const pagingIfAsked = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_MAX })),
}
export const sorting = { sort }

const required = <T extends object>({ default: _, ...schema }: T & { default?: unknown }) => schema

/** Of the lists for which the contract requires them. */
export const pagingRequired = { page: required(page), limit: required(limit) }
export const sortingRequired = { sort: required(sort) }

/** Filters on the date of creation: days of the business's time zone, or exact instants. */
export const dateRange = {
  startDate: Type.Optional(MomentText),
  endDate: Type.Optional(MomentText),
}

export interface Page {
  page: number
  limit: number
}

/** What a list query fetches: one row more than is shown, which tells whether there is a next. */
export const windowOf = ({ page, limit }: Page) => ({
  offset: (page - 1) * limit,
  take: limit + 1,
})

/**
 * Cuts what `windowOf` fetched into a page. `counted` is the number of matches, counted up to
 * TOTAL_MAX + 1.
 */
export function pageOf<Row>(rows: Row[], { page, limit }: Page, counted: number) {
  const total = Math.min(counted, TOTAL_MAX)
  const hasNext = rows.length > limit
  // Past the exact total, each page that has a next one raises the count, so that a loop up to
  // `pageCount` misses nothing.
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

/** The rows of a reference list: all of them, or the page that was asked for. */
export function wholeOrPage<Row>(rows: Row[], { page, limit }: Partial<Page>) {
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

/** Throws 400 naming `startDate` when it lies after `endDate`. */
export function rangeOf(
  { startDate, endDate }: { startDate?: string; endDate?: string },
  timeZone: string,
): Range {
  const from = startDate === undefined ? undefined : parseMoment(startDate, timeZone, 'startDate')
  const until = endDate === undefined ? undefined : parseMoment(endDate, timeZone, 'endDate', true)
  if (from && until && from >= until) throw invalid({ startDate: ['must not be after endDate'] })
  return { from, until }
}

export const isDescending = (sort: string): boolean => sort.toUpperCase() === 'DESC'
