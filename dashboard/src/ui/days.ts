import { useMe } from '../api/hooks.ts'
import { businessId } from '../api/session.ts'

/**
 * Returns the time zone of the business. It determines when days start, and in which zone payers
 * see times.
 */
export function useTimeZone(): string {
  const { data: me } = useMe()
  return me?.businesses.find(({ id }) => String(id) === businessId())?.timeZone ?? 'UTC'
}

/** `Lagos, GMT+1` for Africa/Lagos. */
export function zoneName(timeZone: string): string {
  const [, ...place] = timeZone.split('/')
  const offset = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'shortOffset' })
    .formatToParts()
    .find(({ type }) => type === 'timeZoneName')?.value
  return [place.at(-1)?.replaceAll('_', ' '), offset].filter(Boolean).join(', ')
}

/**
 * Returns a function that returns the business's calendar day at a point in time, as the date field
 * expects it: 2026-11-22. With `isEnd`, midnight belongs to the day that is ending.
 */
export function useDayOf(): (at: string | null, isEnd?: boolean) => string {
  const timeZone = useTimeZone()
  return (at, isEnd = false) => {
    if (!at) return ''
    const moment = new Date(Date.parse(at) - (isEnd ? 1 : 0))
    // Swedish dates have the format that the date field expects.
    return new Intl.DateTimeFormat('sv-SE', {
      timeZone,
      dateStyle: 'short',
    }).format(moment)
  }
}
