import { useApprovals } from './approvals.ts'
import { useOperation } from './hooks.ts'
import { useUndecided } from './undecided.ts'

const NOTHING = { disputes: 0, differences: 0, orders: 0 }

/** Returns how much waits for a person on each screen, and for what. */
export function useWaiting(): Record<string, [count: number, says: string]> {
  const { transfers, limits } = useApprovals()
  const { deposits, refunds } = useUndecided()
  const { data } = useOperation('get_waiting')
  const { disputes, differences, orders } = data?.data ?? NOTHING
  return {
    transfers: [transfers, 'waiting for approval'],
    settings: [limits, 'waiting for approval'],
    refunds: [refunds, 'need attention'],
    deposits: [deposits, 'to decide'],
    disputes: [disputes, 'need a response'],
    differences: [differences, 'to close'],
    unresolved: [orders, 'to decide'],
  }
}
