type Owner = string | number

/**
 * A queue whose owners take turns, so that an owner with very many items delays the others by at
 * most one item. The items of one owner keep their order. `src/db/turns.ts` says who owns the
 * current work, and docs/design/fairness.md where such queues are used.
 */
interface Turns<Item> {
  push(owner: Owner, item: Item): void
  shift(): Item | undefined
  /** Removes and returns all items that meet the condition. */
  remove(isWanted: (item: Item) => boolean): Item[]
  size(): number
}

export function openTurns<Item>(): Turns<Item> {
  // A Map keeps its entries in order, so an owner who has had a turn is moved to the end.
  const waiting = new Map<Owner, Item[]>()
  let size = 0
  return {
    push(owner, item) {
      size++
      const own = waiting.get(owner)
      if (own) own.push(item)
      else waiting.set(owner, [item])
    },
    shift() {
      const [first] = waiting
      if (!first) return undefined
      const [owner, own] = first
      const item = own.shift()
      size--
      waiting.delete(owner)
      if (own.length > 0) waiting.set(owner, own)
      return item
    },
    remove(isWanted) {
      const removed: Item[] = []
      for (const [owner, own] of waiting) {
        if (!own.some(isWanted)) continue
        const kept: Item[] = []
        for (const item of own) (isWanted(item) ? removed : kept).push(item)
        if (kept.length === 0) waiting.delete(owner)
        else waiting.set(owner, kept)
      }
      size -= removed.length
      return removed
    },
    size: () => size,
  }
}

/** Runs a limited number of jobs at once. The owners of waiting jobs take turns. */
export function fairQueue(atOnceMax: number) {
  let free = atOnceMax
  const waiting = openTurns<() => void>()

  function wait(who: Owner): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.push(who, resolve)
    return promise
  }

  return async function inTurn<T>(who: Owner, work: () => Promise<T>): Promise<T> {
    if (free > 0) free--
    else await wait(who)
    try {
      return await work()
    } finally {
      const go = waiting.shift()
      if (go) go()
      else free++
    }
  }
}
