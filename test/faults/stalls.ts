import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../request.ts'

/** The goal is 250 ms on an idle machine. A busy one is slower, but not by as much as this. */
const STALL_MS = 10_000

/** Asks a server again and again whether it is alive, until `end` returns the longest wait. */
export function watchStalls(url: string) {
  const agent = new Agent({ keepAlive: true })
  let isOver = false
  let longestMs = 0
  const watching = (async () => {
    while (!isOver) {
      const began = performance.now()
      await send(`${url}/health/live`, { agent }).catch(() => {})
      longestMs = Math.max(longestMs, performance.now() - began)
      await sleep(20)
    }
  })()
  return {
    async end(): Promise<number> {
      isOver = true
      await watching
      agent.destroy()
      return longestMs
    },
  }
}

/** The violation of a server that kept others waiting for too long. */
export const stallOf = (promise: string, longestMs: number) =>
  longestMs > STALL_MS ? [{ promise, what: `/health/live took ${Math.round(longestMs)} ms` }] : []
