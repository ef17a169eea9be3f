const ENTRIES_MAX = 500
/** How long a response is cached, as a multiple of the time it took to compute. */
const FACTOR = 10
const MS_MAX = 10_000

/**
 * Caches an expensive result for a time that grows with its cost. However many people are watching,
 * the computations use at most a tenth of a connection. Simultaneous requests share one
 * computation.
 */
export function cachedFor<Args extends unknown[], Found>(find: (...args: Args) => Promise<Found>) {
  const known = new Map<string, { found: Promise<Found>; until: number }>()
  return (name: string, ...args: Args): Promise<Found> => {
    const begun = performance.now()
    const before = known.get(name)
    if (before && before.until > begun) return before.found
    // A Map keeps its insertion order, so this removes the oldest entry.
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
