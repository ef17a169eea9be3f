import type { Database, Tx } from '../../db/database.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import type { Connector, DisputeState, Outcome } from '../connector/types.ts'
import type { SimulatorOptions } from './orders.ts'
import { insertDispute, type SimulatedDispute, selectDispute, updateDispute } from './queries.ts'

export { lockDisputed, selectDispute as findSimulatedDispute } from './queries.ts'

/** The part of the simulator that handles disputes, which only people open and decide. */
export function simulatedDisputes({ db }: Pick<SimulatorOptions, 'db'>) {
  return {
    async lookUpDispute({ tenant, now }, providerId) {
      const found = await selectDispute(db, tenant, providerId)
      return found ? { kind: 'done', value: stateOf(found, now) } : UNKNOWN
    },
    async respondToDispute({ tenant, now }, providerId, { accept, amount_minor }) {
      const changed = await updateDispute(db, tenant, providerId, {
        from: ['AwaitingResponse'],
        now,
        ...(accept ? { to: 'Accepted', amount_minor } : { to: 'UnderReview' }),
      })
      if (changed) return { kind: 'done', value: stateOf(changed, now) }
      const found = await selectDispute(db, tenant, providerId)
      return found ? { kind: 'unknown', reason: 'inconclusive' } : UNKNOWN
    },
  } satisfies Partial<Connector>
}

const UNKNOWN: Outcome<never> = {
  kind: 'refused',
  code: 'unknown_order',
  message: 'No such dispute.',
}

/** Without a response, a dispute is lost when it is due. */
const stateOf = (
  { charge_reference, status, amount_minor, currency, reason, due_at }: SimulatedDispute,
  now: Date,
): DisputeState => ({
  status: status === 'AwaitingResponse' && due_at <= now ? 'Lost' : status,
  amount_minor,
  currency,
  chargeReference: charge_reference,
  reason,
  dueAt: due_at,
})

interface NewDispute {
  /** The simulator's number for it. */
  providerId: string
  chargeReference: string
  amount_minor: Minor
  currency: string
  reason: string
  dueAt: Date
  now: Date
}

/** Opens a dispute as the payer's bank does. */
export async function openSimulatedDispute(
  tx: Tx,
  tenant: Tenant,
  dispute: NewDispute,
): Promise<void> {
  await insertDispute(tx, tenant, {
    provider_id: dispute.providerId,
    charge_reference: dispute.chargeReference,
    status: 'AwaitingResponse',
    amount_minor: dispute.amount_minor,
    currency: dispute.currency,
    reason: dispute.reason,
    due_at: dispute.dueAt,
    created_at: dispute.now,
  })
}

export const DISPUTE_OUTCOMES = ['won', 'lost'] as const
export type DisputeOutcome = (typeof DISPUTE_OUTCOMES)[number]

/** Decides a dispute as the payer's bank does. Returns whether its state allowed that. */
export async function decideSimulatedDispute(
  db: Database,
  tenant: Tenant,
  providerId: string,
  { outcome, now }: { outcome: DisputeOutcome; now: Date },
): Promise<boolean> {
  const to = outcome === 'won' ? 'Won' : 'Lost'
  const from = ['AwaitingResponse', 'UnderReview'] as const
  return (await updateDispute(db, tenant, providerId, { from, to, now })) !== undefined
}
