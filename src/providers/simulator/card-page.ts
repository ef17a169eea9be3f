import type { Database } from '../../db/database.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import type { Minor } from '../../lib/money.ts'
import { ussdScriptOf } from './magic.ts'
import { SIMULATOR_JOB, type SimulatorOptions } from './orders.ts'
import { moveOrder, ordersByReference, type SimulatedOrder, scheduleOrder } from './queries.ts'

/** What a payer can do on the simulator's page for card payments. */
export const CARD_CHOICES = ['pay', 'decline', 'slow', 'leave'] as const
export type CardChoice = (typeof CARD_CHOICES)[number]

/** Returns the page's path. Its reference cannot be guessed. */
export const cardPagePath = ({ businessId }: Tenant, reference: string): string =>
  `/simulator/pay/${businessId.toString(36)}-${reference}`

/** A card payment at the simulator, which always knows where its payer came from. */
export interface CardPayment {
  tenant: Tenant
  order: SimulatedOrder & { return_url: string }
}

/** Finds the payment for the last part of a page's path. */
export async function findCardPayment(
  db: Database,
  token: string,
): Promise<CardPayment | undefined> {
  const [, business, reference] = /^([0-9a-z]{1,10})-([0-9a-z-]{1,64})$/.exec(token) ?? []
  if (business === undefined || reference === undefined) return undefined
  const tenant = { businessId: Number.parseInt(business, 36), live: false }
  const [order] = await ordersByReference(db).add({ tenant, reference })
  if (order?.kind !== 'CARD' || order.return_url === null) return undefined
  return { tenant, order: { ...order, return_url: order.return_url } }
}

/** How many delays it takes until a slow bank decides. */
const SLOW_DELAYS = 5

/** Does what the payer has chosen, unless the payment has ended. */
export async function chooseOnCardPage(
  { db, simulatorDelayMs, nudge }: SimulatorOptions,
  { tenant, order: { reference, amount_minor } }: CardPayment,
  choice: CardChoice,
  now: Date,
): Promise<void> {
  const decision = decisionOf(choice, amount_minor)
  if (!decision) return
  const { status, message, isSlow } = decision
  if (!isSlow) {
    const move = { from: ['Pending'], to: status, message } as const
    await db.transaction((tx) => moveOrder(tx, tenant, reference, move))
    return nudge(SIMULATOR_JOB)
  }
  const afterMs = simulatorDelayMs * SLOW_DELAYS
  await scheduleOrder(db, tenant, reference, { status, message, dueAt: addMs(now, afterMs) })
  nudge(SIMULATOR_JOB, afterMs)
}

interface Decision {
  status: 'Successful' | 'Failed'
  message: string
  isSlow: boolean
}

/** The amount decides what the bank does when the payer pays, as with USSD payments. */
function decisionOf(choice: CardChoice, amount_minor: Minor): Decision | undefined {
  if (choice === 'leave') return undefined
  if (choice === 'slow') return { status: 'Successful', message: 'Approved late', isSlow: true }
  if (choice === 'decline') {
    return { status: 'Failed', message: 'Declined by the bank', isSlow: false }
  }
  const { steps, silentDelays } = ussdScriptOf(amount_minor)
  const [step] = steps
  if (!step) return undefined
  const status = step.status === 'Successful' ? 'Successful' : 'Failed'
  return { status, message: step.message, isSlow: silentDelays > 0 }
}
