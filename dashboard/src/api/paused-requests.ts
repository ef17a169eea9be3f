import { useSyncExternalStore } from 'react'

/**
 * A session that ended while somebody was typing: the screen stays, unseen, and whatever is asked of
 * the server waits until the same person has signed in again.
 */
let paused: { until: Promise<boolean>; settle(isSame: boolean): void } | undefined
const listeners = new Set<() => void>()

/** Fulfilled once somebody signed in; false when what was typed is let go of. */
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
