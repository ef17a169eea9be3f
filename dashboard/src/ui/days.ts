import { useMe } from '../api/hooks.ts'
import { businessId } from '../api/session.ts'

/**
 * Returns the business's time zone, which determines when its days start and in which payers see
 * times.
 */
export function useTimeZone(): string {
  const { data: me } = useMe()
  return me?.businesses.find(({ id }) => String(id) === businessId())?.timeZone ?? 'UTC'
}

/** Names a time zone: `Lagos, GMT+1` for Africa/Lagos. */
export function zoneName(timeZone: string): string {
  const [, ...place] = timeZone.split('/')
  const offset = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'shortOffset' })
    .formatToParts()
    .find(({ type }) => type === 'timeZoneName')?.value
  return [place.at(-1)?.replaceAll('_', ' '), offset].filter(Boolean).join(', ')
}

/**
 * Returns a function that gives the business's calendar day for a point in time, in the format that
 * the date field expects: 2026-11-22. With `isEnd`, the end of a day, which is also the start of
 * the next, counts as part of the day that is ending.
 */
export function useDayOf(): (at: string | null, isEnd?: boolean) => string {
  const timeZone = useTimeZone()
  return (at, isEnd = false) => {
    if (!at) return ''
    const moment = new Date(Date.parse(at) - (isEnd ? 1 : 0))
    // The Swedish format is the one that the date field expects.
    return new Intl.DateTimeFormat('sv-SE', {
      timeZone,
      dateStyle: 'short',
    }).format(moment)
  }
}
