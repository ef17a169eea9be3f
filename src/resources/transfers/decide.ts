import type { Tx } from '../../db/database.ts'
import { notFound } from '../../lib/problem.ts'
import type { Caller } from '../../lib/tenant.ts'
import type { Deps } from '../deps.ts'
import { moveTransfer } from './move.ts'
import { selectTransfer } from './queries.ts'
import { transferRecord } from './record.ts'
import { transferMachine } from './states.ts'
import { TRANSFER_SWEEPER } from './sweeper.ts'

/** What people decide about a transfer, and what its timeline says of it. */
const SAYS = {
  approve: 'Approved',
  reject: 'Rejected before it was sent',
  retry: 'Sent again',
} as const

/**
 * Approves, rejects or retries. What is to be paid after it is ordered after the commit. Throws
 * `transfer_not_found` (404) and, for any other state, `transfer_state` (409).
 */
export const decideTransfer =
  (decision: keyof typeof SAYS) =>
  async (
    tx: Tx,
    { ids, nudge }: Pick<Deps, 'ids' | 'nudge'>,
    caller: Caller,
    reference: string,
  ) => {
    const found = await selectTransfer(tx, caller, reference)
    if (!found) throw notFound('transfer')
    const reason = { now: caller.now, message: SAYS[decision] }
    const row = await moveTransfer(tx, ids, caller, found.id, decision, reason)
    if (!row) {
      const now = await selectTransfer(tx, caller, reference)
      throw transferMachine.refused(decision, now?.status ?? found.status)
    }
    if (row.status === 'Pending') tx.after(() => nudge(TRANSFER_SWEEPER))
    return transferRecord(row, caller)
  }
