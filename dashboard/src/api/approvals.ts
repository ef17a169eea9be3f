import { useOperation } from './hooks.ts'
import { useMay } from './permissions.ts'

/** What waits for somebody who can approve transfers. */
export function useApprovals() {
  const may = useMay()
  const read = useOperation('get_approvals', undefined, { enabled: may('transfers:read') })
  return read.data?.data ?? { transfers: 0, limits: 0 }
}
