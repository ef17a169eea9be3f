import { Problem } from '../src/lib/problem.ts'
import type { Reply } from './harness.ts'

/* What tests of races share: many at once, and how each of them ended. */

/** With FAULTS=1, as in CI, lines are as slow and rounds as many as they ever were. */
const isThorough = process.env.FAULTS === '1'
/** What each message takes on a line to a database that is far away. */
export const FAR_MS = isThorough ? 100 : 20
/** How many rounds of those that look for a rare order of events. */
export const rounds = (many: number): number => (isThorough ? many : Math.ceil(many / 3))

export const times = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))

/** How often each of them is there. */
export const counted = (all: readonly (string | number)[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(all, (one) => one)].map(([k, same]) => [k, same.length]))

/** How many answers had each status; where something went wrong, with its code. */
export const statusesOf = (replies: readonly Reply[]) =>
  counted(replies.map(({ status, body }) => [status, body.errorCode].filter(Boolean).join(' ')))

/** A server that cannot keep up says 503: nothing was done, and it is to be sent again. */
export async function untilDone(send: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await send()
    if (reply.status !== 503) return reply
  }
}

/** `done`, or the reason of the refusal; a database that is too busy is asked again. */
export async function outcomeOf(work: () => Promise<unknown>): Promise<string> {
  for (;;) {
    try {
      await work()
      return 'done'
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.kind !== 'unavailable') return error.fields.code?.[0] ?? error.code
    }
  }
}
