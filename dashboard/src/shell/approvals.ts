import { type Envelope, useRead } from '../api/hooks.ts'
import { useMay } from './may.ts'

interface Approvals {
  /** At most 100. */
  transfers: number
  /** 1 where a change of the approval limits waits. */
  limits: number
}

const NONE: Approvals = { transfers: 0, limits: 0 }

/** What waits for somebody who can approve transfers. */
export function useApprovals(): Approvals {
  const may = useMay()
  const read = useRead<Envelope<Approvals>>('/console/approvals', {}, may('transfers:read'))
  return read.data?.data ?? NONE
}
