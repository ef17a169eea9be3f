import { useSyncExternalStore } from 'react'

/**
 * A session that ended while somebody was typing: the screen stays, unseen, and whatever is asked of
 * the server waits until the same person has signed in again.
 */
let held: { until: Promise<boolean>; settle(isSame: boolean): void } | undefined
const listeners = new Set<() => void>()

/** Fulfilled once somebody signed in; false when what was typed is let go of. */
export function hold(): Promise<boolean> {
  if (!held) {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    held = { until: promise, settle: resolve }
    for (const tell of listeners) tell()
  }
  return held.until
}

export function release(isSame: boolean): void {
  const before = held
  held = undefined
  for (const tell of listeners) tell()
  before?.settle(isSame)
}

export const isHeld = (): boolean => held !== undefined

function subscribe(tell: () => void): () => void {
  listeners.add(tell)
  return () => listeners.delete(tell)
}

export const useIsHeld = (): boolean => useSyncExternalStore(subscribe, isHeld)
