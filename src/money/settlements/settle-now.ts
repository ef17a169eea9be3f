import type { Tx } from '../../db/database.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { isNoConnection } from '../../providers/providers.ts'
import { type SettleDeps, settleClaimed } from './create.ts'
import type { SettlementRow } from './queries.ts'
import { claimAny, selectOpen } from './queries.ts'
import { recordsOf } from './service.ts'

/**
 * The maximum number of new settlements in the response. The list of settlements has all of them.
 */
const SHOWN_MAX = 100

const PAGE_ROWS = 100

/** The maximum per request. Businesses with more subaccounts repeat the request. */
const SETTLED_MAX = 1_000

/**
 * Settles the outstanding amounts of a tenant's subaccounts now, including today's, in a separate
 * transaction for each subaccount. A repeated call settles only amounts that have been added since.
 * Leaves out subaccounts that no connection can pay at the moment, and throws 503 if there are only
 * such ones.
 */
export async function settleNow(deps: SettleDeps, tenant: Tenant & { now: Date }) {
  const { now } = tenant
  const times = { now, before: addMs(now, 1) }
  const made: SettlementRow[] = []
  let count = 0
  let unpayable: unknown
  for (let after = 0; count < SETTLED_MAX; ) {
    const page = await selectOpen(deps.db, tenant, { ...times, after, limit: PAGE_ROWS })
    for (const { id } of page) {
      const claim = (tx: Tx) => claimAny(tx, tenant, id, now)
      const row = await settleClaimed(deps, tenant, claim, times).catch((error) => {
        if (!isNoConnection(error)) throw error
        unpayable = error
      })
      if (row && made.length < SHOWN_MAX) made.push(row)
      if (row) count += 1
    }
    if (page.length < PAGE_ROWS) break
    after = page.at(-1)!.id
  }
  if (unpayable && count === 0) throw unpayable
  return { count, settlements: await recordsOf(deps.db, deps.keyring, tenant, made) }
}
