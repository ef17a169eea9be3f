import type { Tx } from '../../db/database.ts'
import { notFound, Problem } from '../../lib/problem.ts'
import type { Caller } from '../../lib/tenant.ts'
import type { Deps } from '../deps.ts'
import { moveTransfer } from './move.ts'
import { selectTransfer, type TransferRow } from './queries.ts'
import { transferRecord } from './record.ts'
import { transferMachine } from './states.ts'
import { TRANSFER_SWEEPER } from './sweeper.ts'

/** What people decide about a transfer, and what its timeline says of it. */
const SAYS = {
  approve: 'Approved',
  reject: 'Rejected before it was sent',
  retry: 'Sent again',
} as const

export type DecideDeps = Pick<Deps, 'ids' | 'nudge' | 'people'>

/**
 * Approves, rejects or retries. What is to be paid after it is ordered after the commit. Throws
 * `transfer_not_found` (404), for any other state `transfer_state` (409), and
 * `second_person_needed` (403) where whoever made it by hand approves it and somebody else could.
 */
export const decideTransfer =
  (decision: keyof typeof SAYS) =>
  async (tx: Tx, deps: DecideDeps, caller: Caller, reference: string) => {
    const { ids, nudge } = deps
    const found = await selectTransfer(tx, caller, reference)
    if (!found) throw notFound('transfer')
    const isApproval = decision === 'approve'
    if (isApproval) await refuseOwn(tx, deps, caller, found)
    const approvedBy = isApproval ? caller.person?.id : undefined
    const reason = { now: caller.now, message: SAYS[decision], approvedBy }
    const row = await moveTransfer(tx, ids, caller, found.id, decision, reason)
    if (!row) {
      const now = await selectTransfer(tx, caller, reference)
      throw transferMachine.refused(decision, now?.status ?? found.status)
    }
    if (row.status === 'Pending') tx.after(() => nudge(TRANSFER_SWEEPER))
    return transferRecord(row, caller)
  }

/** Who made it stays the same, so this may be looked at before. */
async function refuseOwn(
  tx: Tx,
  { people }: DecideDeps,
  caller: Caller,
  { created_by }: TransferRow,
): Promise<void> {
  const { person } = caller
  if (!person || created_by !== person.id) return
  const approvers = await people.approversOf(tx, caller)
  if (approvers.every((id) => id === person.id)) return
  const message = 'You made this transfer: somebody else is to approve it.'
  throw new Problem('forbidden', 'second_person_needed', message)
}
