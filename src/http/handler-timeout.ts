import { Problem } from '../lib/problem.ts'
import { timeLimit } from '../lib/time-limit.ts'

/**
 * Stops waiting for a handler that takes too long; its work can still complete. Fastify's own
 * timeout would create an AbortController and a timer for each request.
 */
export function handlerTimeout(limitMs: number) {
  const watch = timeLimit(limitMs)

  return <T>(work: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const ended = watch(() => reject(timedOut()))
      work.then(
        (result) => {
          ended()
          resolve(result)
        },
        (error) => {
          ended()
          reject(error)
        },
      )
    })
}

const timedOut = () =>
  new Problem('internal', 'timed_out', 'The request took too long; its outcome is unknown.')
