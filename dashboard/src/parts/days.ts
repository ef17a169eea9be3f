import { useMe } from '../api/hooks.ts'
import { businessId } from '../api/session.ts'

/**
 * The calendar day of a moment where the business is, as a field for days takes it: 2026-11-22. Of
 * the end of a day, which is the beginning of the next one, it is the day that ends.
 */
export function useDayOf(): (at: string | null, isEnd?: boolean) => string {
  const { data: me } = useMe()
  const business = me?.businesses.find(({ id }) => String(id) === businessId())
  return (at, isEnd = false) => {
    if (!at) return ''
    const moment = new Date(Date.parse(at) - (isEnd ? 1 : 0))
    // Swedish days are written as fields want them.
    return new Intl.DateTimeFormat('sv-SE', {
      timeZone: business?.timeZone ?? 'UTC',
      dateStyle: 'short',
    }).format(moment)
  }
}
