import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { type Place, placeInView } from './call.ts'

/**
 * What a person changed, shown before the server has answered: in every list and record that is
 * there of it. For what rarely fails and moves no money.
 */
// biome-ignore lint/suspicious/noExplicitAny: rows are as the API answers them
export interface OptimisticChange<Row = any> {
  /** Paths of what shows it, or how they begin. */
  in: string | string[]
  is(row: Row): boolean
  /** What of it is other then. */
  as: Partial<Row>
}

/** Of actions that are shown at once: what is read meanwhile would show the state before. */
export const OPTIMISTIC = ['shown at once']

/** Shows it; answers how to go back to what was there. */
export async function changeNow(
  queries: QueryClient,
  { in: path, is, as }: OptimisticChange,
  place: Place = placeInView(),
): Promise<() => void> {
  const filter = { predicate: ({ queryKey }: { queryKey: QueryKey }) => isOf(queryKey) }
  const isOf = ([business, mode, of]: QueryKey) =>
    business === place.business &&
    mode === place.mode &&
    [path].flat().some((one) => String(of ?? '').startsWith(one))
  await queries.cancelQueries(filter)
  const before = queries.getQueriesData<{ data?: unknown }>(filter)
  const changed = (row: unknown) =>
    typeof row === 'object' && row !== null && is(row) ? { ...row, ...as } : row
  queries.setQueriesData<{ data?: unknown }>(filter, (answer) => {
    if (!answer?.data) return answer
    const { data } = answer
    return { ...answer, data: Array.isArray(data) ? data.map(changed) : changed(data) }
  })
  return () => {
    for (const [key, answer] of before) queries.setQueryData(key, answer)
  }
}
