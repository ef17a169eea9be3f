import { Type } from 'typebox'
import type { Database, Tx } from '../../db/database.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { conflict, Problem } from '../../lib/problem.ts'
import { Envelope, Nullable, Timestamp } from '../../lib/schemas.ts'
import { orderJobName } from '../../provider-orders/orders.ts'
import { payoutsStopOf, resumePayouts, type Stops, stopPayouts } from '../../providers/pauses.ts'
import { actorOf, appendAudit, type Change, OPERATOR } from '../audit-log/log.ts'
import { StopReason } from './schemas.ts'

/**
 * Stops all payouts, with an entry in the audit log. Returns whether they were not stopped yet, or
 * only by someone in the business and `takesOver` is true.
 */
export async function stop(
  tx: Tx,
  change: Change,
  reason: string,
  { takesOver = false } = {},
): Promise<boolean> {
  const { actor, now } = change
  const byOperator = actor === OPERATOR
  const stopping = { by: actor.name, byOperator, takesOver, reason, now }
  const isChanged = await stopPayouts(tx, change, stopping)
  if (isChanged) await log(tx, change, 'payouts.stop', 'Stopped all payouts')
  return isChanged
}

/** Lets payouts go out again. Returns whether one of these stops has ended. */
export async function resume(tx: Tx, change: Change, stops: Stops): Promise<boolean> {
  const isChanged = await resumePayouts(tx, change, stops, change.now)
  if (isChanged) await log(tx, change, 'payouts.resume', 'Resumed payouts')
  return isChanged
}

const log = (
  tx: Tx,
  { businessId, live, actor, now: at }: Change,
  action: string,
  detail: string,
): Promise<void> => appendAudit(tx, actor, { businessId, live, action, detail, at })

/** The jobs that send what has waited. */
const PAYOUT_JOBS = (['transfer', 'settlement', 'refund', 'deposit_return'] as const).map(
  orderJobName,
)

const Stop = Type.Object({
  stoppedAt: Timestamp,
  by: Type.String(),
  reason: Type.String(),
  resumedBy: Type.Enum(['owner', 'operator'], { description: 'Who can resume payouts.' }),
})
const OneStop = Envelope(Nullable(Stop))

/**
 * Anyone who can send payouts can stop them all at once. Resuming takes an owner, and the operator
 * if the operator has stopped them or has restored a backup.
 */
export const payoutRoutes = ({
  db,
  nudge,
}: Pick<ConsoleDeps, 'nudge'> & { db: Database }): Route[] => [
  route({
    method: 'GET',
    caller: 'member',
    scope: 'transfers:read',
    operation: 'get_payouts_stop',
    path: '/payouts/stop',
    response: OneStop,
    handle: async ({ caller }) =>
      success('Payouts retrieved.', (await payoutsStopOf(db, caller)) ?? null),
  }),
  route({
    method: 'POST',
    caller: 'member',
    scope: 'transfers:write',
    operation: 'stop_payouts',
    path: '/payouts/stop',
    body: StopReason,
    response: OneStop,
    handle: async (input) => {
      const { caller, body, now } = input
      const { businessId, live } = caller
      const change = { businessId, live, actor: actorOf(input), now }
      const stopped = await db.transaction(async (tx) => {
        await stop(tx, change, body.reason)
        return payoutsStopOf(tx, caller)
      })
      return success('Payouts are stopped.', stopped ?? null)
    },
  }),
  route({
    method: 'POST',
    caller: 'member',
    scope: 'transfers:write',
    proven: true,
    operation: 'resume_payouts',
    path: '/payouts/resume',
    response: OneStop,
    handle: async (input) => {
      const { caller, now } = input
      const { businessId, live, person } = caller
      if (person?.role !== 'owner') throw ownerNeeded()
      await db.transaction(async (tx) => {
        const change = { businessId, live, actor: actorOf(input), now }
        if (!(await resume(tx, change, 'of the business'))) {
          throw (await payoutsStopOf(tx, caller)) ? operatorNeeded() : notStopped()
        }
        tx.after(() => {
          for (const job of PAYOUT_JOBS) nudge(job)
        })
      })
      return success('Payouts are resumed.', null)
    },
  }),
]

const ownerNeeded = () =>
  new Problem('forbidden', 'owner_needed', 'Only an owner can resume payouts.')

const operatorNeeded = () =>
  new Problem('forbidden', 'operator_needed', 'Only the operator can resume these payouts.')

const notStopped = () => conflict('payouts_not_stopped', 'Payouts are not stopped.')
