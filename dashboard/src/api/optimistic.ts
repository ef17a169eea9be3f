import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { currentPlace, type Place } from './call.ts'

/**
 * A change that every cached list and record shows before the server responds. Only for actions
 * that rarely fail and don't move money.
 */
// biome-ignore lint/suspicious/noExplicitAny: rows as the API returns them
export interface OptimisticChange<Row = any> {
  /** The paths, or prefixes of paths, that show the record. */
  in: string | string[]
  is(row: Row): boolean
  as: Partial<Row>
}

/**
 * The mutation key that all optimistic actions share. While one is in progress, a read would
 * return the previous state.
 */
export const OPTIMISTIC = ['shown at once']

export async function changeOptimistically(
  queries: QueryClient,
  { in: path, is, as }: OptimisticChange,
  place: Place = currentPlace(),
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
