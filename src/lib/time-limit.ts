interface Watched {
  at: number
  late(): void
}

/**
 * Returns a function that calls `late` after `limitMs`, unless the function that it returns is
 * called first. A single timer serves all calls, because a timer for each request or statement
 * would take up several percent of a request’s time.
 */
export function timeLimit(limitMs: number): (late: () => void) => () => void {
  const watched = new Set<Watched>()
  const timer = setInterval(look, Math.min(1_000, limitMs / 4))
  timer.unref()

  function look(): void {
    const now = performance.now()
    for (const one of watched) {
      // The entries are in the order in which they started, so the search ends at the first one
      // that has time left.
      if (one.at > now) break
      watched.delete(one)
      one.late()
    }
  }

  return (late) => {
    const one = { at: performance.now() + limitMs, late }
    watched.add(one)
    return () => watched.delete(one)
  }
}
