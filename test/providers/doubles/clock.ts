/** A double's time. It stands still until a test moves it, unless the double runs for people. */
export interface DoubleClock {
  now(): Date
  /** Calls back when that much time has passed. */
  after(ms: number, act: () => void): void
  /** Moves the time forward, step by step to each callback that is due. */
  advance(ms: number): void
  stop(): void
}

interface Due {
  at: number
  act: () => void
}

export function openClock(start: Date, runs: boolean): DoubleClock {
  const opened = Date.now()
  let moved = start.getTime() - (runs ? opened : 0)
  let due: Due[] = []
  const now = () => moved + (runs ? Date.now() : 0)

  function run(until: number): void {
    for (;;) {
      const next = due.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
      if (!next) return
      due = due.filter((one) => one !== next)
      // Other callbacks count from the moment at which this one was due.
      if (!runs) moved = Math.max(moved, next.at)
      next.act()
    }
  }
  const ticks = runs ? setInterval(() => run(now()), 100) : undefined

  return {
    now: () => new Date(now()),
    after(ms, act) {
      due.push({ at: now() + ms, act })
    },
    advance(ms) {
      const until = now() + ms
      run(until)
      moved += Math.max(0, until - now())
    },
    stop() {
      clearInterval(ticks)
      due = []
    },
  }
}
