import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { type SettleDeps, settleClaimed } from './create.ts'
import type { SettlementRow } from './queries.ts'
import { claimAny, selectOpen } from './queries.ts'
import { recordsOf } from './service.ts'

/** So many of the new settlements are shown; the list has them all. */
const SHOWN_MAX = 100

const PAGE_ROWS = 100

/** A request has to end: whoever has more subaccounts asks again. */
const SETTLED_MAX = 1_000

/**
 * Settles now what the subaccounts of a tenant have open, today's included, each in a transaction
 * of its own. Again, it settles what has come since.
 */
export async function settleNow(deps: SettleDeps, tenant: Tenant & { now: Date }) {
  const { now } = tenant
  const times = { now, before: addMs(now, 1) }
  const made: SettlementRow[] = []
  let count = 0
  for (let after = 0; count < SETTLED_MAX; ) {
    const page = await selectOpen(deps.db, tenant, { ...times, after, limit: PAGE_ROWS })
    for (const { id } of page) {
      const row = await settleClaimed(deps, tenant, (tx) => claimAny(tx, tenant, id, now), times)
      if (row && made.length < SHOWN_MAX) made.push(row)
      if (row) count += 1
    }
    if (page.length < PAGE_ROWS) break
    after = page.at(-1)!.id
  }
  return { count, settlements: await recordsOf(deps.db, tenant, made) }
}
