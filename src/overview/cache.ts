const ENTRIES_MAX = 500
/** So many times as long as an answer took it is given again. */
const FACTOR = 10
const MS_MAX = 10_000

/**
 * Keeps what is dear to find for a moment that grows with how dear it was, so that no number of
 * people who watch takes more than a tenth of a connection; who asks at the same time shares one.
 */
export function cachedFor<Args extends unknown[], Found>(find: (...args: Args) => Promise<Found>) {
  const known = new Map<string, { found: Promise<Found>; until: number }>()
  return (name: string, ...args: Args): Promise<Found> => {
    const begun = performance.now()
    const before = known.get(name)
    if (before && before.until > begun) return before.found
    // The oldest goes first: a Map keeps the order in which its entries came.
    known.delete(name)
    if (known.size >= ENTRIES_MAX) known.delete(known.keys().next().value!)
    const entry = { found: find(...args), until: Number.POSITIVE_INFINITY }
    known.set(name, entry)
    entry.found.then(
      () => {
        const now = performance.now()
        entry.until = now + Math.min((now - begun) * FACTOR, MS_MAX)
      },
      () => {
        entry.until = 0
      },
    )
    return entry.found
  }
}
