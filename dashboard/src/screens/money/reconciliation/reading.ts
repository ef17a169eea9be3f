import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { ListedReconciliationDay } from '../../../api/operations.ts'

type Day = Pick<ListedReconciliationDay, 'connectionId' | 'day' | 'runAt'>

const keyOf = ({ connectionId, day }: Day): string => `${connectionId} ${day}`

/** When each day that was asked for in this window had been read before. */
const asked = new Map<string, string | null>()

/** Notes the days that the server is going to read. */
export function noteAsked(days: readonly Day[]): void {
  for (const day of days) asked.set(keyOf(day), day.runAt)
}

/** Whether a day has not been read yet since someone asked for it. */
export const isBeingRead = (day: Day): boolean =>
  day.runAt === null || asked.get(keyOf(day)) === day.runAt

/** How often to look whether a day has been read, because reading it causes no event. */
const LOOK_MS = 1_500

/** Reloads what is visible until the days have been read. */
export function useReload(isReading: boolean): void {
  const queries = useQueryClient()
  const wasReading = useRef(false)
  useEffect(() => {
    const reload = (part: string) =>
      void queries.invalidateQueries({
        predicate: ({ queryKey }) => String(queryKey[2] ?? '').includes(part),
      })
    if (!isReading) {
      // What was found is on other screens and in badges too.
      if (wasReading.current) reload('/console/')
      wasReading.current = false
      return undefined
    }
    wasReading.current = true
    const timer = setInterval(() => reload('/console/reconciliation'), LOOK_MS)
    return () => clearInterval(timer)
  }, [isReading, queries])
}
