import type { Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import { appendEvents } from '../../events/append.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { SWEEP_ROWS_MAX, type Sweeper } from '../../sweepers/sweepers.ts'
import { transactionEvent, virtualAccountEvent } from './events.ts'
import { moveTransaction, selectAttempts, selectExpired } from './queries.ts'
import { closeAccount } from './queries-accounts.ts'
import { sharesOfOne } from './queries-shares.ts'
import { transactionMachine } from './states.ts'

/**
 * Ends a Pending transaction that nobody paid in time; a payment at the same moment wins or loses.
 */
export async function abandonTransaction(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  id: number,
  now: Date,
  message = 'Not paid in time',
): Promise<boolean> {
  const { from, to } = transactionMachine.moves.abandon
  const moved = await moveTransaction(tx, tenant, id, { from, to, message, now })
  if (!moved) return false
  const shares = await sharesOfOne(tx, tenant, moved)
  const events = [transactionEvent('transaction.abandoned', moved, tenant, now, shares)]
  const account = await closeAccount(tx, tenant, id, 'Expired')
  if (account) {
    events.push(
      virtualAccountEvent('virtual_account.expired', account, moved.reference, tenant, now),
    )
  }
  await appendEvents(tx, ids, events)
  return true
}

/** Ends every open way of paying for something that is not to be paid any more. */
export async function abandonOpen(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  { purpose, purposeId }: { purpose: string; purposeId: number },
  now: Date,
  message: string,
): Promise<void> {
  for (const { id, status } of await selectAttempts(tx, tenant, purpose, purposeId)) {
    if (status === 'Pending') await abandonTransaction(tx, ids, tenant, id, now, message)
  }
}

export function expirySweeper({ ids }: { ids: Ids }): Sweeper {
  return {
    name: 'transaction-expiry',
    everyMs: 5_000,
    followsTestClock: true,
    async sweep(db, now, only) {
      const expired = await selectExpired(db, now, only ?? null, SWEEP_ROWS_MAX)
      let ended = 0
      for (const { business_id, live, id } of expired) {
        const tenant = { businessId: business_id, live }
        if (await db.transaction((tx) => abandonTransaction(tx, ids, tenant, id, now))) ended++
      }
      return ended
    },
  }
}
