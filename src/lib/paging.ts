import { Type } from 'typebox'
import { parseMoment } from './dates.ts'
import { invalid } from './problem.ts'
import { MomentText } from './schemas.ts'

/** Counting is bounded, so that no list costs more as its data grows. */
export const TOTAL_MAX = 10_000

const page = Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })
const limit = Type.Integer({ minimum: 1, maximum: 100, default: 20 })

const sort = Type.String({
  pattern: '^(?:[aA][sS][cC]|[dD][eE][sS][cC])$',
  default: 'DESC',
  'x-says': 'must be one of ASC, DESC',
})

/** `page` and `limit` of every list. */
export const paging = { page, limit }
export const sorting = { sort }

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
  return {
    rows: rows.slice(0, limit),
    meta: {
      total,
      totalIsExact: counted <= TOTAL_MAX,
      page,
      limit,
      pageCount: Math.ceil(total / limit),
      hasNext: rows.length > limit,
      hasPrevious: page > 1,
    },
  }
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
