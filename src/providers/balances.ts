import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { forEachConcurrent, JOB_ROWS_MAX, type Job } from '../jobs/jobs.ts'
import type { Tenant } from '../lib/caller.ts'
import { addMs } from '../lib/clock.ts'
import type { Balance, Outcome, Provider, Providers } from './connector/types.ts'
import {
  type BalanceKey,
  deleteBalances,
  insertBalances,
  selectOldBalances,
  selectUnread,
} from './queries.ts'

export { type RecordedBalance, selectLatestBalances as latestBalances } from './queries.ts'

/**
 * Asks a provider what it holds, and records it. Returns undefined if the provider has no such
 * operation.
 */
export async function recordBalances(
  db: Database,
  { connection, balances }: Pick<Provider, 'connection' | 'balances'>,
  tenant: Tenant,
  now: Date,
): Promise<Outcome<readonly Balance[]> | undefined> {
  const outcome = await balances?.balances({ tenant, now })
  if (outcome?.kind === 'done') await insertBalances(db, tenant, connection.id, outcome.value, now)
  return outcome
}

const HOUR_MS = 3_600_000
const AT_ONCE = 4

/** Records every hour what providers hold. */
export function balanceJob({ providers, log }: { providers: Providers; log: Logger }): Job {
  return {
    name: 'provider-balances',
    everyMs: 10 * 60_000,
    restFactor: 0,
    async run(db, now, only) {
      // Businesses with a test clock have no accounts with real providers.
      if (only !== undefined) return 0
      const unread = await selectUnread(db, addMs(now, -HOUR_MS), JOB_ROWS_MAX)
      let recorded = 0
      await forEachConcurrent(unread, AT_ONCE, async ({ id, business_id: businessId, live }) => {
        const about = { connection: id, businessId, live }
        try {
          const provider = await providers.holder(id)
          const outcome = await recordBalances(db, provider, { businessId, live }, now)
          if (outcome?.kind === 'done' && outcome.value.length > 0) recorded++
          else if (outcome) log.warn({ ...about, outcome }, 'the balance was not read')
        } catch (err) {
          log.warn({ ...about, err }, 'the balance was not read')
        }
      })
      return recorded
    },
  }
}

const KEPT_MS = 90 * 24 * HOUR_MS

/** Deletes balances that are older than 90 days, except for the last one of each day. */
export const balanceExpiryJob: Job = {
  name: 'provider-balance-expiry',
  everyMs: HOUR_MS,
  async run(db, now, only) {
    if (only !== undefined) return 0
    const keys: BalanceKey[] = await selectOldBalances(db, addMs(now, -KEPT_MS), JOB_ROWS_MAX)
    if (keys.length > 0) await deleteBalances(db, keys)
    return keys.length
  },
}
