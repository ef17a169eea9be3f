import type { Database } from '../../db/database.ts'
import type { Log } from '../../db/log.ts'
import { SWEEP_ROWS_MAX, type Sweeper, workThrough } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
import { act, ask, askOrVend, type VendDeps } from './order.ts'
import { claimDue, deleteExpired, selectByReference } from './queries.ts'

/** Providers are waited for more than they are worked for. */
const ASKED_AT_ONCE = 4

/** Finds out what became of payments of which nothing was heard, and orders what never was. */
export function utilitySweeper(deps: VendDeps): Sweeper {
  return {
    name: 'utility-payments',
    everyMs: 10_000,
    followsTestClock: true,
    async sweep(db: Database, now, only) {
      const due = await claimDue(db, now, only ?? null, SWEEP_ROWS_MAX)
      await workThrough(due, ASKED_AT_ONCE, (row) => {
        const tenant = { businessId: row.business_id, live: row.live }
        return askOrVend(deps, tenant, row, now)
      })
      return due.length
    },
  }
}

/** Forgets enquiries that are of no more use. */
export const enquirySweeper: Sweeper = {
  name: 'utility-enquiries',
  everyMs: 60_000,
  sweep: (db, now, only) => deleteExpired(db, now, only ?? null, SWEEP_ROWS_MAX),
}

/**
 * Asks the provider about a payment of ours and acts on what it says; a notice only triggers this.
 * What it says of one that has ended changes nothing, and is told to the log where it delivered
 * what it had refused.
 */
export async function lookUpUtility(
  deps: VendDeps & { log: Log },
  tenant: Tenant,
  reference: string,
  now: Date,
): Promise<void> {
  const row = await selectByReference(deps.db, tenant, reference)
  if (!row || row.status === 'Successful') return
  const said = await ask(deps.providers.of(tenant.live, 'UTILITY'), tenant, reference)
  if (said === 'never ordered') return
  if (row.status === 'Pending') return act(deps, tenant, row, said, now)
  if (said.kind !== 'done' || said.value.status !== 'Successful') return
  const { businessId, live } = tenant
  const fields = { businessId, live, reference }
  deps.log.error(fields, 'the provider delivered a utility payment that it had refused')
}
