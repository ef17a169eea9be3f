import type { Log } from '../../db/log.ts'
import type { Clock } from '../../lib/clock.ts'

/** Two keys' marks each, for as many keys as one process sees at a time. */
const MARKS_MAX = 20_000

export const USED_EVERY_MS = 60_000
export const BROWSER_SEEN_EVERY_MS = 3_600_000

/**
 * Writes that a request leaves behind, now and then, without waiting for them or failing by them.
 */
export function marker(log: Log) {
  const written = new Map<string, number>()

  return (
    name: string,
    before: Date | null,
    everyMs: number,
    clock: Clock,
    write: (now: Date) => Promise<void>,
  ): void => {
    const now = clock.now()
    const last = Math.max(written.get(name) ?? 0, before?.getTime() ?? 0)
    if (now.getTime() - last < everyMs) return
    written.delete(name)
    written.set(name, now.getTime())
    if (written.size > MARKS_MAX) written.delete(written.keys().next().value as string)
    write(now).catch((err) => log.warn({ err }, 'when a key was last used could not be stored'))
  }
}
