import type { Database, Db } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { forEachConcurrent, JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { newReference } from '../../lib/tokens.ts'
import { lockBooked } from '../../provider-orders/differences.ts'
import type { IncomingPayment } from '../../providers/connector/types.ts'
import { throughOf } from '../../providers/providers.ts'
import { creditWallet } from '../wallet/service.ts'
import {
  claimDue,
  type FundingAccountRow,
  insertPayment,
  selectAccountByNumber,
  selectDue,
  selectPayment,
  updateLookedUp,
} from './queries.ts'

/** How often a provider is asked for the payments into an account. */
export const LOOK_UP_EVERY_MS = 10 * 60_000

/** Payments are listed again for this long, because a provider can report one late. */
const OVERLAP_MS = 3 * 24 * 3_600_000

/** Each is a call to a provider, and transactions for what it lists. */
const AT_ONCE = 2

type ReceiveDeps = Pick<Deps, 'ids' | 'providers'> & { db: Database }

/** Asks providers for the payments into the accounts that fund wallets. */
export function fundingJob(deps: ReceiveDeps): Job {
  return {
    name: 'funding',
    everyMs: 30_000,
    followsTestClock: true,
    async run(db, now, only) {
      const due = await selectDue(db, now, only ?? null, JOB_ROWS_MAX)
      await forEachConcurrent(due, AT_ONCE, async (account) => {
        const tenant = { businessId: account.business_id, live: account.live }
        const next = addMs(now, LOOK_UP_EVERY_MS)
        if (await claimDue(db, tenant, account.id, { now, next })) {
          await lookUpFunding(deps, tenant, account, now)
        }
      })
      return due.length
    },
  }
}

/**
 * Adds to the wallet what was paid into an account and is not there yet. If the provider does not
 * respond, a later lookup lists the same payments.
 */
export async function lookUpFunding(
  { db, ids, providers }: ReceiveDeps,
  { businessId, live }: Tenant,
  account: FundingAccountRow,
  now: Date,
): Promise<void> {
  const tenant = { businessId, live }
  const { id, reference, provider_id } = account
  const provider = await providers.holder(account.connection_id)
  const about = { tenant, order: { kind: 'funding', subjectId: id, attempt: 1 }, now }
  const accountNumber = account.account_number
  if (accountNumber === null || !provider.listFundingPayments) return
  const since = addMs(account.looked_up_at ?? account.created_at, -OVERLAP_MS)
  const refs = provider_id === null ? {} : { id: provider_id }
  const listed = { reference, accountNumber, refs }
  const outcome = await provider.listFundingPayments(about, listed, since)
  if (outcome.kind !== 'done') return
  for (const payment of outcome.value) {
    // What the provider sends back by itself is never on our balance.
    if (payment.disposition === 'returning') continue
    const through = throughOf(provider.connection, payment.fee_minor)
    await receive({ db, ids }, tenant, { account, payment, through, now })
  }
  await updateLookedUp(db, tenant, id, now)
}

interface Receiving {
  account: FundingAccountRow
  payment: IncomingPayment
  through: ReturnType<typeof throughOf>
  now: Date
}

/** Does nothing if the payment has been received before, or was booked by a person. */
const receive = (
  { db, ids }: Pick<ReceiveDeps, 'db' | 'ids'>,
  tenant: Tenant,
  { account, payment, through, now }: Receiving,
): Promise<void> =>
  db.transaction(async (tx) => {
    const { amount_minor, currency, providerId } = payment
    const { id: accountId, connection_id: connectionId } = account
    const money = { kind: 'charge', providerIds: [providerId] } as const
    if (await lockBooked(tx, tenant, connectionId, money)) return
    const id = await ids.next(tx)
    const reference = newReference('FND')
    const row = { ...payment, id, reference, accountId, connectionId, now }
    if (!(await insertPayment(tx, tenant, row))) return
    const cause = { type: 'funding', id } as const
    const credit = { amount_minor, currency, through, cause, reference, now }
    await creditWallet(tx, ids, tenant, credit)
  })

/** Finds the account with this number at a connection. */
export const findFundingAccount = (
  db: Db,
  tenant: Tenant,
  connectionId: number,
  accountNumber: string,
) => selectAccountByNumber(db, tenant, connectionId, accountNumber)

/** Finds a payment that has been received, by the provider's own number. */
export const findFundingPayment = (
  db: Db,
  tenant: Tenant,
  connectionId: number,
  providerReference: string,
) => selectPayment(db, tenant, connectionId, providerReference)
