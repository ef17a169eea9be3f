import type { Db } from '../db/database.ts'

/** How long a value is used after it was read. */
const KNOWN_MS = 1_000
const KNOWN_MAX = 10_000

interface Known<Value> {
  /** When reading began. The value is at least this recent. */
  since: number
  value: Promise<Value>
}

/**
 * Keeps what `read` returns for a second, and shares one read between simultaneous calls. A call
 * inside a transaction (`tx`) never waits for the read of another call, which could itself be
 * waiting for the connection of this transaction.
 */
export function cachedBriefly<Key, Value>(read: (key: Key, tx: Db | undefined) => Promise<Value>) {
  const known = new Map<string, Known<Value>>()
  const settled = new WeakSet<Promise<Value>>()

  function keep(name: string, value: Promise<Value>, since: number): void {
    const entry = { since, value }
    known.delete(name)
    known.set(name, entry)
    if (known.size > KNOWN_MAX) known.delete(known.keys().next().value as string)
    const drop = () => {
      if (known.get(name) === entry) known.delete(name)
    }
    value.then(() => settled.add(value), drop)
  }

  return {
    async get(name: string, key: Key, tx?: Db): Promise<Value> {
      const since = performance.now()
      const entry = known.get(name)
      const isFresh = entry !== undefined && since - entry.since < KNOWN_MS
      if (isFresh && (!tx || settled.has(entry.value))) return entry.value
      const value = read(key, tx)
      if (tx) keep(name, Promise.resolve(await value), since)
      else keep(name, value, since)
      return value
    },
  }
}
