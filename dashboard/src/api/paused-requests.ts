import { useSyncExternalStore } from 'react'

/**
 * If the session ends while someone is typing, the screen is kept but hidden, and requests wait
 * until the same person signs in again.
 */
let paused: { until: Promise<boolean>; settle(isSame: boolean): void } | undefined
const listeners = new Set<() => void>()

/**
 * Resolves to true once the user has signed in again, or to false if what they typed has been
 * discarded.
 */
export function pauseRequests(): Promise<boolean> {
  if (!paused) {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    paused = { until: promise, settle: resolve }
    for (const tell of listeners) tell()
  }
  return paused.until
}

export function resumeRequests(isSame: boolean): void {
  const before = paused
  paused = undefined
  for (const tell of listeners) tell()
  before?.settle(isSame)
}

export const isPaused = (): boolean => paused !== undefined

function subscribe(tell: () => void): () => void {
  listeners.add(tell)
  return () => listeners.delete(tell)
}

export const useIsPaused = (): boolean => useSyncExternalStore(subscribe, isPaused)
