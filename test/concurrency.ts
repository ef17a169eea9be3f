import { Problem } from '../src/lib/problem.ts'
import type { Reply } from './harness.ts'

/* Shared by tests of races: run many calls at once and count their outcomes. */

/** FAULTS=1, as in CI, makes connections slower and rounds more numerous. */
const isThorough = process.env.FAULTS === '1'
/** The delay of each message to a remote database. */
export const FAR_MS = isThorough ? 100 : 20
/** The number of rounds of tests that look for a rare order of events. */
export const rounds = (many: number): number => (isThorough ? many : Math.ceil(many / 3))

export const times = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))

/** Returns how often each value occurs. */
export const counted = (all: readonly (string | number)[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(all, (one) => one)].map(([k, same]) => [k, same.length]))

/** Returns how many responses had each status, and for errors each code. */
export const statusesOf = (replies: readonly Reply[]) =>
  counted(replies.map(({ status, body }) => [status, body.errorCode].filter(Boolean).join(' ')))

/** Repeats a request while an overloaded server returns 503, which did nothing. */
export async function untilDone(send: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await send()
    if (reply.status !== 503) return reply
  }
}

/** Returns `done` or the code of the refusal. Retries while the database is too busy. */
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
