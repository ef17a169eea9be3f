import { useOperation } from './hooks.ts'
import { usePermission } from './permissions.ts'

export function useApprovals() {
  const may = usePermission()
  const read = useOperation('get_approvals', undefined, { enabled: may('transfers:read') })
  return read.data?.data ?? { transfers: 0, limits: 0 }
}
