import { paymentTermsOf } from '../../business/account/payment-settings.ts'
import type { Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import {
  clearingOf,
  postJournals,
  providerFeeMoves,
  type TenantJournal,
  type Through,
} from '../../ledger/ledger.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { conflict, notFound } from '../../lib/problem.ts'
import {
  findCurrentOrder,
  findOrder,
  type OrderKind,
  orderJobName,
  type ProviderReport,
  sentOf,
} from '../../provider-orders/orders.ts'
import { reorder } from '../../provider-orders/statements.ts'
import type { RefundState, SentOrder } from '../../providers/connector/types.ts'
import { throughOf } from '../../providers/providers.ts'
import { allocatedAmount } from '../attempts/allocation.ts'
import { findTransaction } from '../attempts/read.ts'
import { feesOf, type Payables, settleTransaction } from '../attempts/settle.ts'
import {
  type DepositWithPayment,
  moveDeposit,
  orderReturn,
  type ReturnStatus,
  selectById,
  selectDeposit,
} from './queries.ts'
import { depositEvent, depositRecord } from './record.ts'

/* What a business does with a deposit that the provider keeps: return it, or accept it. */

/** Asks the provider to send a held deposit back. Throws 404, and 409 if it is not held. */
export async function returnDeposit(
  tx: Tx,
  { nudge }: Pick<Deps, 'nudge'>,
  { businessId, live, now }: Pick<Caller, 'businessId' | 'live' | 'now'>,
  reference: string,
) {
  const tenant = { businessId, live }
  const found = await requireDeposit(tx, tenant, reference)
  const deposit = await moveDeposit(tx, tenant, found.id, { from: 'Held', to: 'Returning' })
  if (!deposit) throw notHeld(found)
  const { id, connection_id: connectionId, amount_minor, currency } = deposit
  const former = await findCurrentOrder(tx, tenant, 'deposit_return', id)
  if (former) {
    const next = { attempt: former.attempt + 1, reference: deposit.reference }
    await reorder(tx, tenant, { kind: 'deposit_return', id, now }, next)
  } else {
    const order = { connectionId, amount_minor, currency, sentAt: null, nextAt: now }
    await orderReturn(tx, tenant, deposit, order)
  }
  tx.after(() => nudge(orderJobName('deposit_return')))
  return depositRecord(deposit)
}

/**
 * Accepts a held deposit as the payment of its transaction, whatever it was rejected for. Throws
 * 404, 409 if it is not held, and 409 if the transaction cannot be paid with it.
 */
export async function acceptDeposit(
  tx: Tx,
  { ids, payables }: { ids: Ids; payables: Payables },
  { businessId, live, now }: Pick<Caller, 'businessId' | 'live' | 'now'>,
  reference: string,
) {
  const tenant = { businessId, live }
  const found = await requireDeposit(tx, tenant, reference)
  const deposit = await moveDeposit(tx, tenant, found.id, { from: 'Held', to: null })
  if (!deposit) throw notHeld(found)
  if (!(await isAcceptable(tx, tenant, payables, deposit))) throw notAcceptable()
  const { connection_id: connectionId, attempt, amount_minor: received_minor } = deposit
  const through = { connectionId }
  const alongside = releaseOf(tenant, deposit, { verb: 'accept', through, now })
  const paid = { tenant, transactionId: deposit.transaction_id, attempt, received_minor }
  const payment = { ...paid, through, message: 'Payment accepted', now, alongside }
  const settled = await settleTransaction(tx, ids, payables, payment)
  if (!settled) throw notAcceptable()
  await appendEvents(tx, ids, [depositEvent('deposit.accepted', deposit, tenant, now)])
  return depositRecord(deposit)
}

/** Whether the transaction could be paid with a deposit, if it has not been paid or failed. */
async function isAcceptable(
  tx: Tx,
  tenant: Tenant,
  payables: Payables,
  { amount_minor, currency, transaction_reference, transaction_currency }: DepositWithPayment,
): Promise<boolean> {
  if (currency !== transaction_currency) return false
  const transaction = await findTransaction(tx, tenant, transaction_reference)
  if (!transaction) return false
  const { purpose, payable_minor } = transaction
  if (payables[purpose]?.isSoldWhole && amount_minor < payable_minor) return false
  // Nothing would be left of it after the fee that the payer pays.
  const { fee_rules } = await paymentTermsOf(tx, tenant)
  return allocatedAmount(transaction, amount_minor, feesOf(fee_rules, transaction)) > 0n
}

const notAcceptable = () =>
  conflict(
    'deposit_not_acceptable',
    'This payment is in another currency than its transaction, or the transaction has already ' +
      'been paid or has failed, or the amount is too small for it. Return it instead.',
  )

async function requireDeposit(
  tx: Tx,
  tenant: Tenant,
  reference: string,
): Promise<DepositWithPayment> {
  const found = await selectDeposit(tx, tenant, reference)
  if (!found) throw notFound('deposit')
  return found
}

const notHeld = ({ status, return_status }: DepositWithPayment) =>
  conflict(
    'deposit_state',
    `Only a deposit that the provider holds can be returned or accepted; this one is ${return_status ?? status}.`,
  )

interface Finishing {
  from: ReturnStatus
  through: Through
  now: Date
}

/** Books a deposit that the provider has sent back. Returns false if it has another state. */
export async function finishReturn(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  id: number,
  { from, through, now }: Finishing,
): Promise<boolean> {
  const deposit = await moveDeposit(tx, tenant, id, { from, to: 'Returned' })
  if (!deposit) return false
  await postJournals(tx, ids, [releaseOf(tenant, deposit, { verb: 'return', through, now })])
  await appendEvents(tx, ids, [depositEvent('deposit.returned', deposit, tenant, now)])
  return true
}

/** Takes a deposit out of the unallocated money. */
const releaseOf = (
  tenant: Tenant,
  { id, amount_minor, currency }: DepositWithPayment,
  { verb, through, now }: { verb: 'return' | 'accept'; through: Through; now: Date },
): TenantJournal => ({
  tenant,
  cause: { type: 'deposit', id },
  verb,
  now,
  moves: [
    {
      debit: { kind: 'unallocated', currency },
      credit: clearingOf(through.connectionId, currency),
      amount_minor,
      kind: 'deposit',
    },
    ...providerFeeMoves(through, currency),
  ],
})

/** A deposit with the order of its charge, by which the provider knows the payment. */
interface Returning extends DepositWithPayment {
  charge: SentOrder
}

/** The provider treats the return of a payment as a refund of it. */
export const depositReturnOrders = ({
  ids,
}: Pick<Deps, 'ids'>): OrderKind<RefundState, Returning> => ({
  kind: 'deposit_return',
  async find(db, tenant, { subject_id }) {
    const deposit = await selectById(db, tenant, subject_id)
    if (!deposit) return undefined
    const { transaction_id, attempt } = deposit
    const key = { kind: 'charge', subject_id: transaction_id, attempt } as const
    const charge = await findOrder(db, tenant, key)
    return charge && { ...deposit, charge: sentOf(charge) }
  },
  send: (provider, { about, reference }, { charge, ...deposit }) => {
    const { provider_reference: paymentId, amount_minor, currency } = deposit
    const order = { reference, charge, paymentId, amount_minor, currency, reason: null }
    return provider.refund(about, order)
  },
  lookUp: (provider, about, sent, { charge }) => provider.lookUpRefund(about, { ...sent, charge }),
  refused: (message) => ({ status: 'Failed', message }),
  apply: (reported) => apply(ids, reported),
})

const apply = (
  ids: Ids,
  { tenant, row, state, provider, now, commit, contradict }: ProviderReport<RefundState, Returning>,
): Promise<void> =>
  commit(async (tx) => {
    if (state.status !== 'Successful' && state.status !== 'Failed') return
    const through = throughOf(provider.connection, state.fee_minor)
    const is =
      state.status === 'Failed'
        ? await holdAgain(tx, ids, tenant, row.id, now)
        : await finishReturn(tx, ids, tenant, row.id, { from: 'Returning', through, now })
    if (is) return
    const { status, return_status } = (await selectById(tx, tenant, row.id)) ?? row
    const expected = state.status === 'Failed' ? 'Held' : 'Returned'
    if (return_status !== expected) await contradict(tx, return_status ?? status)
  })

/** The provider could not send it back, so a person has to decide again. */
async function holdAgain(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  id: number,
  now: Date,
): Promise<boolean> {
  const deposit = await moveDeposit(tx, tenant, id, { from: 'Returning', to: 'Held' })
  if (!deposit) return false
  await appendEvents(tx, ids, [depositEvent('deposit.held', deposit, tenant, now)])
  return true
}
