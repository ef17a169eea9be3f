import { useEffect, useState } from 'react'
import { useSearchState } from './navigation.ts'

/** Returns whether the create form is open. `?new=1` in the URL opens it once. */
export function useNewParam(): [boolean, { open(): void; close(): void }] {
  const [search, change] = useSearchState()
  const [isOpen, setOpen] = useState(false)
  const isAsked = search.new !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the parameter changes
  useEffect(() => {
    if (!isAsked) return
    setOpen(true)
    change({ new: undefined }, true)
  }, [isAsked])
  return [isOpen, { open: () => setOpen(true), close: () => setOpen(false) }]
}
