import { t } from '../../texts/webhooks.ts'

/** What an endpoint is told, in a few words: `events` of its record. */
export function wantedBy(events: readonly string[]): string {
  if (isAll(events)) return t.allEvents
  const [first = '', second] = events
  if (events.length <= 2) return second ? `${first}, ${second}` : first
  return t.andMore(first, events.length - 1)
}

export const isAll = (events: readonly string[]): boolean => events.includes('*')
