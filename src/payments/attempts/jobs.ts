import { isLockTimeout } from '../../db/failures.ts'
import type { Ids } from '../../db/ids.ts'
import type { Deps } from '../../deps.ts'
import { JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { notFound } from '../../lib/problem.ts'
import {
  findCurrentOrder,
  hasOtherOpen,
  lockOrder,
  lookUpOrder,
  type OrderKind,
  type ProviderReport,
} from '../../provider-orders/orders.ts'
import { throughOf } from '../../providers/providers.ts'
import { type Charge, chargeStart, endAttempt, expiryMove } from './attempt.ts'
import {
  lockById,
  NO_PROVIDER,
  selectAttempts,
  selectById,
  selectByReference,
  selectExpired,
  type TransactionRow,
  transactionsById,
} from './queries.ts'
import { recordOf } from './read.ts'
import { type TransactionState, transactionMachine } from './schemas.ts'
import {
  type IncomingPayments,
  type PaidOrder,
  type Payables,
  settleTransaction,
} from './settle.ts'

export type LookUpDeps = Pick<Deps, 'db' | 'ids' | 'providers' | 'pauses'> & {
  payables: Payables
  incoming: IncomingPayments
}

export function chargeOrders(deps: LookUpDeps): OrderKind<Charge, TransactionRow> {
  const start = chargeStart(deps)
  const from: readonly TransactionState[] = transactionMachine.moves.succeed.from
  return {
    ...start,
    async find(db, tenant, { subject_id }) {
      const [row] = await transactionsById(db).add({ tenant, id: subject_id })
      return row && (from.includes(row.status) || canBePaidAgain(row)) ? row : undefined
    },
    apply(reported) {
      const { status, payments = [] } = reported.state
      if (status === 'Reversed') return reverse(deps, reported)
      if (payments.length > 0) return receive(deps, reported)
      if (!from.includes(reported.row.status)) return reported.note()
      return status === 'Successful' ? settle(deps, reported) : start.apply(reported)
    },
  }
}

/** The simulator takes one payment for a USSD code. */
const canBePaidAgain = ({ provider, channel }: TransactionRow) =>
  provider !== NO_PROVIDER && (provider !== 'simulator' || channel === 'BANK_TRANSFER')

/**
 * Settling a payment ends all of its orders. Money that does not settle it ends none, because the
 * payer can still pay the right amount.
 */
async function receive(
  { incoming }: LookUpDeps,
  reported: ProviderReport<Charge, TransactionRow>,
): Promise<void> {
  await incoming.receive(paidOrderOf(reported), reported.state.payments ?? [])
  await reported.note({ isOpen: true })
}

const paidOrderOf = ({
  tenant,
  row: transaction,
  order: { attempt },
  provider,
  now,
}: ProviderReport<Charge, TransactionRow>): PaidOrder => ({
  tenant,
  transaction,
  attempt,
  now,
  through: throughOf(provider.connection),
})

/**
 * The provider took a payment, and has sent it back. If we have settled that payment, and have not
 * refunded it, a person has to look at it.
 */
function reverse(
  { ids, incoming }: LookUpDeps,
  reported: ProviderReport<Charge, TransactionRow>,
): Promise<void> {
  const { tenant, row: found, order, state, now, commit, contradict } = reported
  return commit(async (tx) => {
    await incoming.takeBack(tx, paidOrderOf(reported), state.payments ?? [])
    // The payment may have been booked while the provider was asked, as when a deposit is accepted.
    const row = await lockById(tx, tenant, found.id)
    const isPaidByIt = (await lockOrder(tx, tenant, order))?.state === 'Successful'
    const message = 'Paid and returned by the provider'
    if (row.status === 'Pending' && !(await hasOtherOpen(tx, order))) {
      await endAttempt(tx, ids, tenant, row.id, { move: 'fail', message, now })
    }
    const isExplained = row.status === 'Reversed' || row.refunding_minor === row.paid_minor
    if (row.paid_at !== null && isPaidByIt && !isExplained) await contradict(tx, row.status)
  })
}

/**
 * Settling a payment also ends its order, so that a whole batch needs only one transaction. The
 * protocol has compared the amount and the currency with the order's.
 */
async function settle(
  { ids, payables }: LookUpDeps,
  { tenant, order, row, state, provider, now, commit }: ProviderReport<Charge, TransactionRow>,
): Promise<void> {
  const { message, amount_minor: received_minor = row.payable_minor } = state
  const through = throughOf(provider.connection, state.fee_minor)
  const paid = { tenant, transactionId: row.id, attempt: order.attempt, received_minor }
  const payment = { ...paid, through, message, now }
  // A person may have booked what was paid through an order that had ended.
  const isPlain = row.channel !== 'BANK_TRANSFER' && order.ended_at === null
  const batch = isPlain && payables[row.purpose]?.settleBatch
  try {
    if (batch) return void (await batch.add(payment))
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    // Another transaction holds the wallet, for example. We wait for it outside the batch.
  }
  await commit((tx) => settleTransaction(tx, ids, payables, payment))
}

/**
 * Returns a transaction by its own reference or its payable's. If it has not been paid or failed,
 * asks the provider first. If no response arrives in time, leaves the transaction unchanged. Throws
 * 404.
 */
export async function verifyTransaction(deps: LookUpDeps, caller: Caller, reference: string) {
  const { db } = deps
  const row =
    (await selectByReference(db, caller, reference)) ??
    (await transactionFor(deps, caller, reference))
  if (!row) throw notFound('transaction')
  const isOpen = transactionMachine.moves.succeed.from.some((state) => state === row.status)
  const order = isOpen && (await findCurrentOrder(db, caller, 'charge', row.id))
  if (order && !(await deps.pauses.isReadOnly())) {
    await lookUpOrder(deps, chargeOrders(deps), order, caller.now)
  }
  return recordOf(db, caller, await selectById(db, caller, row.id))
}

/** How many of a payer's card payments are looked up when the payer comes back. */
const RETURNED_MAX = 3

/**
 * Looks up the newest card payments for a payable, because its payer has come back from the
 * provider's page. The payer can have paid one that they have since dismissed or that has expired.
 */
export async function lookUpCardPayments(
  deps: LookUpDeps,
  { now, ...tenant }: Tenant & { now: Date },
  purpose: string,
  purposeId: number,
): Promise<void> {
  const attempts = await selectAttempts(deps.db, tenant, purpose, purposeId)
  const opened = attempts.filter((row) => row.pay_url !== null && row.paid_at === null)
  for (const { id } of opened.slice(0, RETURNED_MAX)) {
    const order = await findCurrentOrder(deps.db, tenant, 'charge', id)
    if (order) await lookUpOrder(deps, chargeOrders(deps), order, now)
  }
}

/** Finds a transaction by one of its payable's own references. */
async function transactionFor(
  { db, payables }: LookUpDeps,
  tenant: Tenant,
  reference: string,
): Promise<TransactionRow | undefined> {
  for (const { transactionOf } of Object.values(payables)) {
    const found = await transactionOf?.(db, tenant, reference)
    if (found !== undefined) return selectByReference(db, tenant, found)
  }
  return undefined
}

export function expiryJob({ ids }: { ids: Ids }): Job {
  return {
    name: 'transaction-expiry',
    everyMs: 5_000,
    followsTestClock: true,
    async run(db, now, only) {
      const expired = await selectExpired(db, now, only ?? null, JOB_ROWS_MAX)
      let ended = 0
      for (const { business_id: businessId, live, id } of expired) {
        const tenant = { businessId, live }
        if (await db.transaction((tx) => endAttempt(tx, ids, tenant, id, expiryMove(now)))) ended++
      }
      return ended
    },
  }
}
