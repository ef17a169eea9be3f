export function subscribedEvents(events: readonly string[]): string {
  if (isSubscribedToAll(events)) return 'All events'
  const [first = '', second] = events
  if (events.length <= 2) return second ? `${first}, ${second}` : first
  return `${first} and ${events.length - 1} more`
}

export const isSubscribedToAll = (events: readonly string[]): boolean => events.includes('*')
