import type { Db } from '../db/database.ts'

/** How long a value is used after its reading began. */
const KEPT_MS = 1_000
const KEPT_MAX = 10_000

interface Entry<Value> {
  /** When reading began. The value is at least this recent. */
  since: number
  value: Promise<Value>
}

/**
 * Keeps what `read` returns for a second under `key`, and shares one read between simultaneous
 * calls. A call inside a transaction (`tx`) reads with the transaction's own connection, and never
 * waits for the read of another call, which could itself be waiting for that connection.
 */
export function cachedBriefly<Asked, Value>(
  read: (asked: Asked, tx: Db | undefined) => Promise<Value>,
) {
  const entries = new Map<string, Entry<Value>>()
  const settled = new WeakSet<Promise<Value>>()

  function keep(key: string, value: Promise<Value>, since: number): void {
    const entry = { since, value }
    entries.delete(key)
    entries.set(key, entry)
    if (entries.size > KEPT_MAX) entries.delete(entries.keys().next().value as string)
    const drop = () => {
      if (entries.get(key) === entry) entries.delete(key)
    }
    value.then(() => settled.add(value), drop)
  }

  return {
    async get(key: string, asked: Asked, tx?: Db): Promise<Value> {
      const since = performance.now()
      const entry = entries.get(key)
      const isFresh = entry !== undefined && since - entry.since < KEPT_MS
      if (isFresh && (!tx || settled.has(entry.value))) return entry.value
      const value = read(asked, tx)
      if (tx) keep(key, Promise.resolve(await value), since)
      else keep(key, value, since)
      return value
    },
  }
}
