/** The source of the current time, which tests and the test clock can move. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

export const addMs = (at: Date, ms: number): Date => new Date(at.getTime() + ms)

/**
 * Returns a function that returns the time, in whole seconds since `now`. Jobs that call outside
 * services use it, because a slow service can keep a run busy for many minutes.
 */
export function timeSince(now: Date): () => Date {
  const began = performance.now()
  return () => addMs(now, Math.floor((performance.now() - began) / 1_000) * 1_000)
}
