/** The source of the current time, which tests and the test clock can move. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

export const addMs = (at: Date, ms: number): Date => new Date(at.getTime() + ms)
