import type { Peers } from '../lib/peers.ts'

/** What two processes of a server send each other over their channel. */
export type Message =
  | { kind: 'tell'; topic: string; data: unknown }
  | { kind: 'ask'; id: number; topic: string; data: unknown }
  | { kind: 'answer'; id: number; data: unknown }

/** One end of a channel between two processes. */
export interface Link {
  tell(topic: string, data?: unknown): void
  /** Returns what the other process returns, or undefined if it takes longer or has ended. */
  ask(topic: string, data?: unknown, withinMs?: number): Promise<unknown>
  /** Handles a message that has arrived. */
  take(message: Message): void
  /** Stops waiting for the other process, because it has ended. */
  close(): void
}

/**
 * How long a process waits for the others. A process that has not responded by then is left out.
 */
export const ANSWER_MS = 1_000

/** Handles what the other process sends. */
interface Receiver {
  told(topic: string, data: unknown): void
  /** Returns the response. */
  asked(topic: string, data: unknown): unknown
}

/** Opens one end of a channel. */
export function openLink(send: (message: Message) => void, { told, asked }: Receiver): Link {
  const waiting = new Map<number, (data: unknown) => void>()
  let count = 0

  function ask(topic: string, data?: unknown, withinMs = ANSWER_MS): Promise<unknown> {
    const id = ++count
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const timer = Number.isFinite(withinMs) ? setTimeout(resolve, withinMs) : undefined
    waiting.set(id, resolve)
    send({ kind: 'ask', id, topic, data })
    return promise.finally(() => {
      clearTimeout(timer)
      waiting.delete(id)
    })
  }

  async function answer(id: number, topic: string, data: unknown): Promise<void> {
    const response = (async () => asked(topic, data))()
    // If there is no response, the process that asked continues as if this process had ended.
    send({ kind: 'answer', id, data: await response.catch(() => undefined) })
  }

  return {
    ask,
    tell: (topic, data) => send({ kind: 'tell', topic, data }),
    take(message) {
      if (message.kind === 'tell') told(message.topic, message.data)
      else if (message.kind === 'ask') void answer(message.id, message.topic, message.data)
      else waiting.get(message.id)?.(message.data)
    },
    close() {
      for (const resolve of waiting.values()) resolve(undefined)
    },
  }
}

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
