import { useMe } from '../api/hooks.ts'
import { businessId } from '../api/session.ts'

/** The time zone of the business, in which its days begin and payers read times, too. */
export function useTimeZone(): string {
  const { data: me } = useMe()
  return me?.businesses.find(({ id }) => String(id) === businessId())?.timeZone ?? 'UTC'
}

/** `Lagos, GMT+1` of Africa/Lagos. */
export function zoneName(timeZone: string): string {
  const [, ...place] = timeZone.split('/')
  const offset = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'shortOffset' })
    .formatToParts()
    .find(({ type }) => type === 'timeZoneName')?.value
  return [place.at(-1)?.replaceAll('_', ' '), offset].filter(Boolean).join(', ')
}

/**
 * The calendar day of a moment where the business is, as a field for days takes it: 2026-11-22. Of
 * the end of a day, which is the beginning of the next one, it is the day that ends.
 */
export function useDayOf(): (at: string | null, isEnd?: boolean) => string {
  const timeZone = useTimeZone()
  return (at, isEnd = false) => {
    if (!at) return ''
    const moment = new Date(Date.parse(at) - (isEnd ? 1 : 0))
    // Swedish days are written as fields want them.
    return new Intl.DateTimeFormat('sv-SE', {
      timeZone,
      dateStyle: 'short',
    }).format(moment)
  }
}
