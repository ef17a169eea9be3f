import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import type { Minor } from '../../lib/money.ts'
import { newReference } from '../../lib/tokens.ts'
import { holdUpTo } from '../../money/wallet/service.ts'
import type { DisputeState } from '../../providers/connector/types.ts'
import type { Payables } from '../attempts/settle.ts'
import {
  addDisputed,
  type DisputeRow,
  insertDispute,
  type PaymentRow,
  sumTakenExcess,
  updateHeld,
} from './queries.ts'
import { disputeEvent, emailDispute } from './record.ts'

export type DisputeDeps = Pick<Deps, 'ids' | 'nudge' | 'people'> & { payables: Payables }

/** What a provider says about one of its disputes. */
export interface DisputeReport {
  tenant: Tenant
  connectionId: number
  providerId: string
  state: DisputeState
  now: Date
}

const HOUR_MS = 3_600_000

/** How often an open dispute is looked up, as notifications can be lost. */
export const LOOKUP_MS = { beforeDue: 6 * HOUR_MS, afterDue: HOUR_MS } as const

/** Long enough for the provider's clock to have passed the deadline too. */
const AFTER_DUE_MS = 60_000

/**
 * Stores a new dispute about a payment, and puts the money on hold: first what was overpaid, then
 * as much as the wallet has. Subaccounts keep their shares. Returns nothing if the dispute is
 * stored already. The caller has locked the payable and the payment.
 */
export async function openDispute(
  tx: Tx,
  deps: DisputeDeps,
  { tenant, connectionId, providerId, state, now }: DisputeReport,
  { id: transactionId, paid_minor }: PaymentRow,
): Promise<DisputeRow | undefined> {
  const { currency, dueAt: due_at, reason } = state
  // Some providers report 0 once there was a response.
  const amount_minor = state.amount_minor > 0n ? state.amount_minor : paid_minor!
  const id = await deps.ids.next(tx)
  const regularly = addMs(now, LOOKUP_MS.beforeDue)
  const afterDue = due_at && addMs(due_at, AFTER_DUE_MS)
  const inserted = await insertDispute(tx, tenant, {
    ...{ id, reference: newReference('DSP'), transaction_id: transactionId },
    ...{ connection_id: connectionId, provider_id: providerId, amount_minor, currency },
    ...{ reason, due_at, remind_at: reminderOf(due_at, now) },
    look_up_at: afterDue && afterDue < regularly ? afterDue : regularly,
    now,
  })
  if (!inserted) return undefined
  const payment = await addDisputed(tx, tenant, { id: transactionId, amount_minor, now })
  const dispute = await holdFor(tx, deps, tenant, { id, payment, amount_minor, currency, now })
  await appendEvents(tx, deps.ids, [disputeEvent('dispute.opened', dispute, NOTHING, now)])
  await emailDispute(tx, deps, dispute, payment, 'opened')
  return dispute
}

const NOTHING = { response: undefined, files: [] }

const REMIND_MS = 48 * HOUR_MS

/** Two days before the deadline, or at half of the time if there is less. */
export function reminderOf(dueAt: Date | null, now: Date): Date | null {
  if (!dueAt || dueAt <= now) return null
  const half = new Date((dueAt.getTime() + now.getTime()) / 2)
  const early = addMs(dueAt, -REMIND_MS)
  return early > half ? early : half
}

interface Holding {
  id: number
  payment: PaymentRow
  amount_minor: Minor
  currency: string
  now: Date
}

/** All payments share the wallet's row, so it is locked as late as possible. */
async function holdFor(
  tx: Tx,
  { ids }: Pick<Deps, 'ids'>,
  tenant: Tenant,
  { id, payment, amount_minor, currency, now }: Holding,
): Promise<DisputeRow> {
  const taken = { transactionId: payment.id, disputeId: id }
  const left_minor = payment.excess_minor - (await sumTakenExcess(tx, tenant, taken))
  const excess_minor = left_minor < amount_minor ? left_minor : amount_minor
  const held_minor = await holdUpTo(tx, ids, tenant, {
    cause: { type: 'dispute', id },
    now,
    currency,
    amount_minor: amount_minor - excess_minor,
    others: [{ account: { kind: 'refunds', currency }, amount_minor: excess_minor }],
  })
  return updateHeld(tx, tenant, id, { excess_minor, held_minor })
}
