import type { Tx } from '../../db/database.ts'
import type { Minor } from '../../lib/money.ts'
import { conflict, notFound } from '../../lib/problem.ts'
import { newReference } from '../../lib/random.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { endSimulatedCharge } from '../../providers/simulator/simulator.ts'
import type { Deps } from '../deps.ts'
import { receiveDeposit } from '../transactions/deposits.ts'
import { lookUp } from '../transactions/look-up.ts'
import type { Purposes } from '../transactions/purposes.ts'
import { findTransaction } from '../transactions/service.ts'

export type SimulatorDeps = Deps & { purposes: Purposes }

/** The simulator's rails move naira. */
export const SIMULATED_CURRENCY = 'NGN'

/** Whose test data, and the moment that decides. */
type TestCaller = Tenant & { now: Date }

/** The payer approves or declines at once, instead of after the delay. */
export async function simulateUssd(
  deps: SimulatorDeps,
  caller: TestCaller,
  { reference, outcome }: { reference: string; outcome: 'success' | 'failed' },
) {
  const before = await findTransaction(deps.db, caller, reference)
  if (before?.channel !== 'USSD') throw notFound('transaction')
  if (!(await endSimulatedCharge(deps.db, caller, reference, outcome))) {
    throw conflict('transaction_state', `This payment has ended: it is ${before.status}.`)
  }
  const tenant = { businessId: caller.businessId, live: caller.live }
  await lookUp(deps, tenant, reference, caller.now)
  const after = await findTransaction(deps.db, caller, reference)
  return { reference, status: after?.status ?? before.status }
}

/** Money arrives on a virtual account, as from the payer's bank. */
export async function simulateDeposit(
  tx: Tx,
  deps: SimulatorDeps,
  { businessId, live, now }: TestCaller,
  { accountNumber, amount_minor }: { accountNumber: string; amount_minor: Minor },
) {
  const depositReference = newReference('DEP')
  const notice = {
    tenant: { businessId, live },
    depositReference,
    accountNumber,
    amount_minor,
    currency: SIMULATED_CURRENCY,
  }
  const { accepted, reason } = await receiveDeposit(tx, deps, notice, now)
  const status = accepted ? 'Accepted' : 'Rejected'
  return { reference: depositReference, status, accepted, reason }
}
