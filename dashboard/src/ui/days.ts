import { useMe } from '../api/hooks.ts'
import { businessId } from '../api/session.ts'

/**
 * The business's time zone. The business's days start according to this time zone, and payers see
 * times in it.
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
 * The calendar day of a point in time for the business, in the format the date field expects:
 * 2026-11-22. The end of a day, which is also the start of the next, counts as part of the day that
 * is ending.
 */
export function useDayOf(): (at: string | null, isEnd?: boolean) => string {
  const timeZone = useTimeZone()
  return (at, isEnd = false) => {
    if (!at) return ''
    const moment = new Date(Date.parse(at) - (isEnd ? 1 : 0))
    // The date field expects the Swedish format.
    return new Intl.DateTimeFormat('sv-SE', {
      timeZone,
      dateStyle: 'short',
    }).format(moment)
  }
}
