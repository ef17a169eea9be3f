/** Where the time comes from, so that tests and the test clock can move it. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

export const addMs = (at: Date, ms: number): Date => new Date(at.getTime() + ms)
