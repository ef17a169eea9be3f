import { useEffect, useRef, useState } from 'react'

type Key = string | number

/** How long a new row stays highlighted. */
const MARKED_MS = 4_000
const NONE: ReadonlySet<Key> = new Set()

/**
 * Returns the rows that have arrived since the list was opened, each for a short time. `of`
 * identifies the list, its filters and its page. `keys` is undefined while the list is loading.
 */
export function useNewRows(keys: readonly Key[] | undefined, of: string): ReadonlySet<Key> {
  const known = useRef<{ of: string; keys: Set<Key> }>(undefined)
  const [marked, setMarked] = useState(NONE)
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>())
  const text = keys && JSON.stringify(keys)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text represents the keys
  useEffect(() => {
    if (!keys) return
    const before = known.current
    if (before?.of !== of) {
      known.current = { of, keys: new Set(keys) }
      setMarked(NONE)
      return
    }
    // Rows at the end have only moved up from the next page, and are not new.
    const last = keys.findLastIndex((key) => before.keys.has(key))
    const came = keys.filter(
      (key, i) => !before.keys.has(key) && (i < last || before.keys.size === 0),
    )
    for (const key of keys) before.keys.add(key)
    if (came.length === 0) return
    setMarked((marks) => new Set([...marks, ...came]))
    const timer = setTimeout(() => {
      timers.current.delete(timer)
      setMarked((marks) => new Set([...marks].filter((key) => !came.includes(key))))
    }, MARKED_MS)
    timers.current.add(timer)
  }, [text, of])
  useEffect(() => () => timers.current.forEach(clearTimeout), [])
  return marked
}
