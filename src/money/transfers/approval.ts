import { APPROVERS_MIN } from '../../business/account/approval.ts'
import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { notFound, Problem } from '../../lib/problem.ts'
import { orderJobName } from '../../provider-orders/orders.ts'
import { selectTransfer, type TransferRow } from './queries.ts'
import { transferRecord } from './record.ts'
import { transferMachine } from './states.ts'
import { actorOf, moveTransfer } from './transition.ts'

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
 * `second_person_needed` (403) where it is above a limit and the caller made it, or is not known.
 */
export const decideTransfer =
  (decision: keyof typeof SAYS) =>
  async (tx: Tx, deps: DecideDeps, caller: Caller, reference: string) => {
    const { ids, nudge } = deps
    const found = await selectTransfer(tx, caller, reference)
    if (!found) throw notFound('transfer')
    const isApproval = decision === 'approve'
    if (isApproval) await refuseOwn(tx, deps, caller, found)
    const approver = isApproval ? actorOf(caller) : undefined
    const reason = { now: caller.now, message: SAYS[decision], approver }
    const row = await moveTransfer(tx, ids, caller, found.id, decision, reason)
    if (!row) {
      const now = await selectTransfer(tx, caller, reference)
      throw transferMachine.refused(decision, now?.status ?? found.status)
    }
    if (row.status === 'Pending') tx.after(() => nudge(orderJobName('transfer')))
    return transferRecord(row, caller)
  }

/**
 * What is above a limit is approved by a second person, by hand or with a key that they made.
 * Another name may be confirmed by anybody who may send money. Who made it stays the same, so this
 * may be looked at before.
 */
async function refuseOwn(
  tx: Tx,
  { people }: DecideDeps,
  caller: Caller,
  { doubt, created_by, created_by_person }: TransferRow,
): Promise<void> {
  if (doubt !== 'limit') return
  const approvers = await people.approversOf(tx, caller)
  // Nobody could be the second: the limits are suspended, and the owners know.
  if (approvers.length < APPROVERS_MIN) return
  const { personId } = actorOf(caller)
  if (personId === null || !approvers.includes(personId)) {
    throw secondNeeded('This key does not say who approves: sign in, or use a key that you made.')
  }
  if (personId === (created_by ?? created_by_person)) {
    throw secondNeeded('You made this transfer: somebody else has to approve it.')
  }
}

const secondNeeded = (message: string) => new Problem('forbidden', 'second_person_needed', message)
