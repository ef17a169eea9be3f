import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { addressOf } from '../api/call.ts'
import { businessId } from '../api/session.ts'
import { useMode } from './where.ts'

/** Lists and figures are read again when something happened, at most so often. */
const EVERY_MS = 1_500

/** Follows what happens in the business: the server tells by events, and what is in view is reread. */
export function useLiveData(): void {
  const queries = useQueryClient()
  const mode = useMode()
  const business = businessId()
  useEffect(() => {
    if (!business) return undefined
    const source = new EventSource(addressOf('/console/live', { business, mode }))
    let timer: ReturnType<typeof setTimeout> | undefined
    source.addEventListener('changed', () => {
      timer ??= setTimeout(() => {
        timer = undefined
        void queries.invalidateQueries({
          predicate: ({ queryKey }) => queryKey[0] === business,
          refetchType: 'active',
        })
      }, EVERY_MS)
    })
    return () => {
      clearTimeout(timer)
      source.close()
    }
  }, [queries, mode, business])
}
