import type { Peers } from '../lib/peers.ts'

export const NUDGE_TOPIC = 'nudge'

/** A job, and the maximum delay before it is due. */
export type Nudge = [job: string, afterMs: number]

/**
 * How long nudges are collected before they are sent together. Almost every write nudges a job, and
 * a separate message for each nudge would cost too much.
 */
const TOGETHER_MS = 10

/** Returns a function for requests in this process. It wakes jobs in the process that runs them. */
export function openNudger(peers: Peers): (job: string, afterMs?: number) => void {
  const waiting = new Map<string, Nudge>()

  function send(): void {
    peers.tell(NUDGE_TOPIC, [...waiting.values()])
    waiting.clear()
  }

  return (job, afterMs = 0) => {
    if (waiting.size === 0) setTimeout(send, TOGETHER_MS).unref()
    // Several nudges of a job are kept if they are for different times, but only one for each
    // moment.
    waiting.set(`${job} ${Math.ceil(afterMs / TOGETHER_MS)}`, [job, afterMs])
  }
}
