import { useOperation } from './hooks.ts'
import { usePermission } from './permissions.ts'

/** Counts the records that stay as they are until someone decides about them. */
export function useUndecided() {
  const may = usePermission()
  const deposits = useOperation(
    'list_deposits',
    { returnStatus: 'Held', limit: 1 },
    { enabled: may('transactions:read') },
  )
  const refunds = useOperation(
    'list_refunds',
    { status: 'NeedsAttention', limit: 1 },
    { enabled: may('refunds:read') },
  )
  return {
    deposits: deposits.data?.meta.total ?? 0,
    refunds: refunds.data?.meta.total ?? 0,
  }
}
