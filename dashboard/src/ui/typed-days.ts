const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/** `2026-11-02` or, with a time, `2026-11-02T14:30`. */
const STORED = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2})?$/

export const isApiDate = (value: string): boolean =>
  STORED.test(value) && !Number.isNaN(Date.parse(`${value.slice(0, 10)}T00:00:00Z`))

const DAY = new Intl.DateTimeFormat('en-NG', { dateStyle: 'medium', timeZone: 'UTC' })

/** A calendar day is the same in every time zone. */
export const dayOf = (day: string | null | undefined): string =>
  day ? DAY.format(new Date(`${day.slice(0, 10)}T00:00:00Z`)) : '–'

/** Returns the time in a zone, as the date field expects it: `2026-11-02T14:30`. */
export const timeIn = (timeZone: string, at: string | number): string =>
  // Swedish dates have nearly the format that the date field expects.
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
    .format(new Date(at))
    .replace(' ', 'T')

/**
 * Returns the instant that a date field with a time means in a zone. Returns text that is not a date
 * as typed, so that the server can refuse it.
 */
export function instantIn(timeZone: string, time: string): string {
  if (!isApiDate(time)) return time
  const wanted = Date.parse(`${time}Z`)
  const offsetAt = (at: number) => Date.parse(`${timeIn(timeZone, at)}Z`) - at
  // The first guess can be on the other side of a change of the clocks.
  const guess = wanted - offsetAt(wanted)
  return new Date(wanted - offsetAt(guess)).toISOString()
}

/**
 * Returns the text for the field: `2 Nov 2026` or `2 Nov 2026, 14:30`. Returns incomplete dates as
 * typed.
 */
export function dayText(value: string): string {
  if (!isApiDate(value)) return value
  const [day, time] = value.split('T')
  return [dayOf(day), time].filter(Boolean).join(', ')
}

interface Read {
  /** In the API's format. */
  value: string
  /** Whether the user typed the complete date. If not, the year or the time is assumed. */
  isWhole: boolean
}

/**
 * Parses a date as people write it: 2 Nov 2026, Nov 2, 02/11/2026, 2026-11-02. In dates such as
 * 02/11/2026, the day comes first. Returns undefined for anything else.
 */
export function parseDay(typed: string, hasTime: boolean): Read | undefined {
  const [, date = '', hours, minutes] = (hasTime ? WITH_TIME : WITHOUT).exec(typed.trim()) ?? []
  const found = partsOf(date.toLowerCase())
  if (!found) return undefined
  const { year = new Date().getFullYear(), month, day } = found
  const moment = new Date(Date.UTC(year, month - 1, day, Number(hours ?? 0), Number(minutes ?? 0)))
  const isReal = moment.getUTCMonth() === month - 1 && moment.getUTCDate() === day
  if (!isReal) return undefined
  const isWhole = found.year !== undefined && (!hasTime || hours !== undefined)
  return { value: moment.toISOString().slice(0, hasTime ? 16 : 10), isWhole }
}

const WITHOUT = /^(.+)$/
const WITH_TIME = /^(.+?)(?:(?:T|,|\s)\s*(\d{1,2}):(\d{2}))?$/i

function partsOf(date: string): { year?: number; month: number; day: number } | undefined {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(date)
  if (iso) return { year: Number(iso[1]), month: Number(iso[2]), day: Number(iso[3]) }
  const figures = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(date)
  if (figures) {
    return { year: Number(figures[3]), month: Number(figures[2]), day: Number(figures[1]) }
  }
  const [, day, name, name2, day2, year] =
    /^(?:(\d{1,2})\s*([a-z]{3,9})|([a-z]{3,9})\s*(\d{1,2}))\.?,?\s*(\d{4})?$/.exec(date) ?? []
  const month = MONTHS.indexOf((name ?? name2 ?? '').slice(0, 3)) + 1
  if (month === 0) return undefined
  return { ...(year && { year: Number(year) }), month, day: Number(day ?? day2) }
}
