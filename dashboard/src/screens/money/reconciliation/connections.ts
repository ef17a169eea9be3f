import { useMode } from '../../../api/history.ts'
import { useOperation } from '../../../api/hooks.ts'

/** The simulator is nobody's connection, so it is not in the list. Its id is the same everywhere. */
const SIMULATOR = { id: 1, name: 'Simulator', status: 'Active' }

/** Returns the connections to providers, as options and by id. */
export function useConnections() {
  const mode = useMode()
  const { data } = useOperation('list_providers')
  const all = [...(data?.data ?? []), ...(mode === 'test' ? [SIMULATOR] : [])]
  const optionsOf = (some: typeof all) =>
    some.map(({ id, name }) => ({ value: String(id), label: name }))
  return {
    options: optionsOf(all),
    /** Without those that were never used, or that are gone. */
    readable: optionsOf(all.filter(({ status }) => status === 'Active' || status === 'Paused')),
    nameOf: (id: number) => all.find((one) => one.id === id)?.name ?? `Connection ${id}`,
  }
}
