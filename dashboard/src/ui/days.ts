import { useMe } from '../api/hooks.ts'
import { businessId } from '../api/session.ts'

/** The time zone of the business: its days start in it, and payers see times in it. */
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
 * The business's calendar day of a moment, as the date field takes it: 2026-11-22. The end of a
 * day, which is the start of the next, counts as the day that ends.
 */
export function useDayOf(): (at: string | null, isEnd?: boolean) => string {
  const timeZone = useTimeZone()
  return (at, isEnd = false) => {
    if (!at) return ''
    const moment = new Date(Date.parse(at) - (isEnd ? 1 : 0))
    // The Swedish format is the one the date field takes.
    return new Intl.DateTimeFormat('sv-SE', {
      timeZone,
      dateStyle: 'short',
    }).format(moment)
  }
}
