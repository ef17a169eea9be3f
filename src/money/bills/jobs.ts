import type { Log } from '../../db/log.ts'
import { SWEEP_ROWS_MAX, type Sweeper } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
import { lookUp, providerOrderJob } from '../../provider-orders/orders.ts'
import { apply, type VendDeps, vend } from './order.ts'
import { claimDue, deleteExpired, selectByReference } from './queries.ts'

/** Finds out what became of payments of which nothing was heard, and orders what never was. */
export const utilitySweeper = (deps: VendDeps & { log: Log }): Sweeper =>
  providerOrderJob({
    name: 'utility-payments',
    log: deps.log,
    claim: claimDue,
    // Who buys has the provider told at once, so any that is due may have been sent.
    run: (tenant, row, now) => vend(deps, tenant, row, { wasSent: true, clock: () => now }),
  })

/** Forgets enquiries that are of no more use. */
export const enquirySweeper: Sweeper = {
  name: 'utility-enquiries',
  everyMs: 60_000,
  sweep: (db, now, only) => deleteExpired(db, now, only ?? null, SWEEP_ROWS_MAX),
}

/**
 * Asks the provider about a payment of ours and acts on what it says; a notice only triggers this.
 * What it says of one that has ended changes nothing, and is told to the log where it delivered
 * what it had refused. Answers whether the order is of a payment.
 */
export async function lookUpUtility(
  deps: VendDeps & { log: Log },
  tenant: Tenant,
  reference: string,
  now: Date,
): Promise<boolean> {
  const row = await selectByReference(deps.db, tenant, reference)
  if (!row) return false
  if (row.status === 'Successful') return true
  const provider = deps.providers.of(tenant.live, 'UTILITY')
  const state = await lookUp(provider.lookUpVend(tenant, reference))
  if (!state || state === 'never ordered') return true
  if (row.status === 'Pending') {
    await apply(deps, tenant, row, state, now)
  } else if (state.status === 'Successful') {
    const { businessId, live } = tenant
    const fields = { businessId, live, reference }
    deps.log.error(fields, 'the provider delivered a utility payment that it had refused')
  }
  return true
}
