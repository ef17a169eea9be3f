import type { Peers } from '../lib/peers.ts'

export const NUDGE_TOPIC = 'nudge'

/** One job, and when it is due: at the latest after this time. */
export type Nudge = [job: string, afterMs: number]

/**
 * How long nudges wait for each other. Almost every write nudges a job, and a message for each
 * would cost more than the nudge is worth.
 */
const TOGETHER_MS = 10

/** Returns a function that wakes jobs in the process that runs them, for requests in this one. */
export function openNudger(peers: Peers): (job: string, afterMs?: number) => void {
  const waiting = new Map<string, Nudge>()

  function send(): void {
    peers.tell(NUDGE_TOPIC, [...waiting.values()])
    waiting.clear()
  }

  return (job, afterMs = 0) => {
    if (waiting.size === 0) setTimeout(send, TOGETHER_MS).unref()
    // A job may be due at several times, but not several times within a moment.
    waiting.set(`${job} ${Math.ceil(afterMs / TOGETHER_MS)}`, [job, afterMs])
  }
}
