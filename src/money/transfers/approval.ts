import { APPROVERS_MIN } from '../../business/account/approval.ts'
import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { notFound, Problem } from '../../lib/problem.ts'
import { orderJobName } from '../../provider-orders/orders.ts'
import { selectTransfer, type TransferRow } from './queries.ts'
import { transferRecord } from './record.ts'
import { transferMachine } from './schemas.ts'
import {
  actorOf,
  cancelUnsentTransfer,
  type MoveDeps,
  moveTransfer,
  transferSent,
} from './transition.ts'

/** The messages in a transfer's timeline about people's decisions. */
const SAYS = {
  approve: 'Approved',
  reject: 'Rejected before it was sent',
  retry: 'Sent again',
} as const

export type ApprovalDeps = Pick<Deps, 'ids' | 'nudge' | 'people' | 'keyring'>

/**
 * Approves, rejects or retries a transfer. A payout is requested after the commit. Throws
 * `transfer_not_found` (404), `transfer_state` (409) in any other state, `transfer_sent` (409) if a
 * provider may have one that is to be rejected, and `second_person_needed` (403) if it is above a
 * limit and the caller created it or is unknown.
 */
export const decideTransfer =
  (decision: keyof typeof SAYS) =>
  async (tx: Tx, deps: ApprovalDeps, caller: Caller, reference: string) => {
    const found = await selectTransfer(tx, caller, reference)
    if (!found) throw notFound('transfer')
    const isApproval = decision === 'approve'
    if (isApproval) await refuseOwn(tx, deps, caller, found)
    const approver = isApproval ? actorOf(caller) : undefined
    const reason = { now: caller.now, message: SAYS[decision], approver }
    const row = await moveTransfer(tx, deps, caller, found.id, decision, reason)
    if (!row) {
      const now = await selectTransfer(tx, caller, reference)
      throw transferMachine.refused(decision, now?.status ?? found.status)
    }
    if (row.status === 'Pending') tx.after(() => deps.nudge(orderJobName('transfer')))
    return transferRecord(row, caller)
  }

/**
 * Cancels a transfer that no provider has been sent, and releases its money. Throws
 * `transfer_not_found` (404), `transfer_state` (409) in any other state, and `transfer_sent` (409)
 * if a provider may already have it.
 */
export async function cancelTransfer(tx: Tx, deps: MoveDeps, caller: Caller, reference: string) {
  const found = await selectTransfer(tx, caller, reference)
  if (!found) throw notFound('transfer')
  const reason = { now: caller.now, message: 'Cancelled before it was sent' }
  const row = await cancelUnsentTransfer(tx, deps, caller, found.id, reason)
  if (row) return transferRecord(row, caller)
  const { status } = (await selectTransfer(tx, caller, reference)) ?? found
  if (!transferMachine.moves.cancel.from.some((state) => state === status)) {
    throw transferMachine.refused('cancel', status)
  }
  throw transferSent('cancelled')
}

/**
 * A transfer above a limit needs the approval of a second person, given by hand or with a key that
 * this person created. If only the account name is in doubt, anyone who can send money can confirm
 * it. The creator of a transfer never changes, so this check can come first.
 */
async function refuseOwn(
  tx: Tx,
  { people }: ApprovalDeps,
  caller: Caller,
  { doubt, created_by, created_by_person }: TransferRow,
): Promise<void> {
  if (doubt !== 'limit') return
  const approvers = await people.approversOf(tx, caller)
  // There is no second person, so the limits are suspended. The owners have been notified.
  if (approvers.length < APPROVERS_MIN) return
  const { personId } = actorOf(caller)
  if (personId === null || !approvers.includes(personId)) {
    throw secondNeeded(
      'This key is not linked to a person. Sign in, or use a key that you created.',
    )
  }
  if (personId === (created_by ?? created_by_person)) {
    throw secondNeeded('You created this transfer, so someone else must approve it.')
  }
}

const secondNeeded = (message: string) => new Problem('forbidden', 'second_person_needed', message)
