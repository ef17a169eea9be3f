/**
 * Runs a limited number of jobs at once. The owners of waiting jobs take turns, so that an owner
 * with very many jobs delays the others by at most one job.
 */
export function fairQueue(atOnceMax: number) {
  let free = atOnceMax
  // A Map keeps its entries in order, so an owner who has had a turn is moved to the end.
  const waiting = new Map<string | number, (() => void)[]>()

  function wait(who: string | number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const own = waiting.get(who)
    if (own) own.push(resolve)
    else waiting.set(who, [resolve])
    return promise
  }

  function next(): (() => void) | undefined {
    const [first] = waiting
    if (!first) return undefined
    const [who, own] = first
    const go = own.shift()
    waiting.delete(who)
    if (own.length > 0) waiting.set(who, own)
    return go
  }

  return async function inTurn<T>(who: string | number, work: () => Promise<T>): Promise<T> {
    if (free > 0) free--
    else await wait(who)
    try {
      return await work()
    } finally {
      const go = next()
      if (go) go()
      else free++
    }
  }
}
