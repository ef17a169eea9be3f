import type { Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import type { Log } from '../../db/log.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import { SWEEP_ROWS_MAX, type Sweeper } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
import { lookUp, providerOrderJob } from '../../provider-orders/look-ups.ts'
import type { ChargeState } from '../../provider-orders/provider.ts'
import { sharesOfOne } from './allocation.ts'
import {
  claimLookUps,
  closeAccount,
  moveTransaction,
  NO_PROVIDER,
  selectAttempts,
  selectByReference,
  selectExpired,
  type TransactionRow,
} from './queries.ts'
import { transactionEvent, virtualAccountEvent } from './record.ts'
import { failTransaction, type Payables, settleTransaction } from './settle.ts'
import { transactionMachine } from './states.ts'

export type LookUpDeps = Pick<Deps, 'db' | 'ids' | 'providers'> & { payables: Payables }

/**
 * Asks the provider what became of a charge and acts on it. A notice only triggers this: what it
 * claims is not believed. An unknown or pending answer changes nothing, and nor does one about a
 * transaction that has ended, so that repeated and reordered notices are harmless. Answers whether
 * the reference is a transaction's.
 */
export async function lookUpCharge(
  { db, ids, providers, payables }: LookUpDeps,
  tenant: Tenant,
  reference: string,
  now: Date,
): Promise<boolean> {
  const row = await selectByReference(db, tenant, reference)
  if (!row) return false
  if (row.channel !== 'USSD' && row.channel !== 'BANK_TRANSFER') return true
  if (row.status !== 'Pending' && row.status !== 'Abandoned') return true
  if (row.provider === NO_PROVIDER) return true
  const provider = providers.of(tenant.live, row.channel)
  const state = decided(await lookUp(provider.lookUpCharge(tenant, reference)), row)
  if (!state) return true
  const { status, message, amount_minor: received_minor } = state
  if (status === 'Failed') {
    await db.transaction((tx) => failTransaction(tx, ids, tenant, row.id, message, now))
    return true
  }
  const settlement = { tenant, transactionId: row.id, received_minor, message, now }
  const settlements = row.channel === 'USSD' && payables[row.purpose]?.settlements
  if (settlements) await settlements.add(settlement)
  else await db.transaction((tx) => settleTransaction(tx, ids, payables, settlement))
  return true
}

/** The provider's answer when it decides something, and is about this amount in this currency. */
function decided(
  state: ChargeState | 'never ordered' | undefined,
  row: TransactionRow,
): ChargeState | undefined {
  if (!state || state === 'never ordered' || state.status === 'Pending') return undefined
  const { status, amount_minor, currency } = state
  const isOurs = amount_minor === row.payable_minor && currency === row.currency
  if (status === 'Successful' && !isOurs) {
    throw new Error(`The provider reports another amount or currency for ${row.reference}`)
  }
  return state
}

/** Asks about charges whose notice did not come: lost, or the provider timed out. */
export const lookUpSweeper = (deps: LookUpDeps & { log: Log }): Sweeper =>
  providerOrderJob({
    name: 'transaction-look-ups',
    log: deps.log,
    claim: claimLookUps,
    run: (tenant, { reference }, now) => lookUpCharge(deps, tenant, reference, now),
  })

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
