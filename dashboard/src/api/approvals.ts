import { useOperation } from './hooks.ts'
import { useMay } from './permissions.ts'

/** Returns the number of transfers and limit changes waiting for approval. */
export function useApprovals() {
  const may = useMay()
  const read = useOperation('get_approvals', undefined, { enabled: may('transfers:read') })
  return read.data?.data ?? { transfers: 0, limits: 0 }
}
