import type { Log } from '../db/log.ts'

/** Runs work that no request waits for, and that finishes before the server stops. */
export interface Background {
  run(work: () => Promise<unknown>): void
  settled(): Promise<void>
}

/** Failures are only logged. */
export function openBackground(log: Log): Background {
  const running = new Set<Promise<void>>()
  return {
    run: (work) => {
      const one = work()
        .then(() => undefined)
        .catch((err: unknown) => log.warn({ err }, 'background work for a request failed'))
        .finally(() => running.delete(one))
      running.add(one)
    },
    settled: async () => {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
