import { type PaymentTerms, paymentTermsOf } from '../../business/account/payment-settings.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { clearingOf, postJournal, providerFeeMoves, type Through } from '../../ledger/ledger.ts'
import type { Tenant } from '../../lib/caller.ts'
import { toAmount } from '../../lib/money.ts'
import { newReference } from '../../lib/tokens.ts'
import { lockBooked } from '../../provider-orders/differences.ts'
import type { IncomingPayment } from '../../providers/connector/types.ts'
import { allocatedAmount } from '../attempts/allocation.ts'
import { virtualAccountEvent } from '../attempts/record.ts'
import {
  countAccountEvent,
  feesOf,
  type IncomingPayments,
  lockAccountOf,
  type PaidOrder,
  type Payables,
  settleTransaction,
  type TransactionRow,
  type VirtualAccountRow,
} from '../attempts/settle.ts'
import {
  type DepositRefusal,
  type DepositRow,
  insertDeposit,
  type ReturnStatus,
  type Sender,
  selectAccepted,
  selectReceived,
} from './queries.ts'
import { depositEvent } from './record.ts'
import { finishReturn } from './return.ts'

type ReceiveDeps = Pick<Deps, 'db' | 'ids'> & { payables: Payables }

/** One payment for an order, with the fee that the provider keeps. */
interface Paying extends PaidOrder {
  payment: IncomingPayment
}

/** Returns what to do with the payments that a lookup of a charge lists. */
export const incomingPayments = (deps: ReceiveDeps): IncomingPayments => ({
  /**
   * Accepts each payment, or rejects it according to the business's policy, in its own transaction,
   * so that one that fails does not stop the others. A lookup finds it again.
   */
  async receive(paid, payments) {
    const { tenant, through } = paid
    const ids = payments.map(({ providerId }) => providerId)
    const received = await selectReceived(deps.db, tenant, through.connectionId, ids)
    const known = new Set(received.map(({ provider_reference }) => provider_reference))
    const failures: unknown[] = []
    for (const payment of payments.filter(({ providerId }) => !known.has(providerId))) {
      const withFee = { ...through, fee_minor: payment.fee_minor }
      try {
        await deps.db.transaction((tx) =>
          receivePayment(tx, deps, { ...paid, through: withFee, payment }),
        )
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  },
  async takeBack(tx, { tenant, through, now }, payments) {
    const ids = payments.map(({ providerId }) => providerId)
    for (const { id } of await selectReceived(tx, tenant, through.connectionId, ids)) {
      await finishReturn(tx, deps.ids, tenant, id, { from: 'Held', through, now })
    }
  },
})

async function receivePayment(tx: Tx, deps: ReceiveDeps, paying: Paying): Promise<void> {
  const { tenant, transaction: found, attempt, through, payment, now } = paying
  const { connectionId, fee_minor } = through
  const money = { kind: 'charge', providerIds: [payment.providerId] } as const
  if (await lockBooked(tx, tenant, connectionId, money)) return
  await deps.payables[found.purpose]?.lock(tx, tenant, found.purpose_id)
  const { transaction, account } = await lockAccountOf(tx, tenant, found.id)
  const [earlier] = await selectReceived(tx, tenant, connectionId, [payment.providerId])
  if (earlier) return

  const reason = await decide(tx, deps, { ...paying, transaction }, account)
  const returnStatus = reason && whatBecomesOf(payment)
  const isInto = account?.connection_id === connectionId && account.attempt === attempt
  const deposit: DepositRow = {
    id: await deps.ids.next(tx),
    reference: newReference('DEP'),
    connection_id: connectionId,
    attempt,
    provider_reference: payment.providerId,
    transaction_id: transaction.id,
    virtual_account_id: account?.id ?? null,
    account_number: isInto ? account.account_number : null,
    amount_minor: payment.amount_minor,
    currency: payment.currency,
    provider_fee_minor: fee_minor ?? null,
    status: reason ? 'Rejected' : 'Accepted',
    reason,
    return_status: returnStatus,
    sender: senderOf(payment),
    event_sequence: returnStatus === 'Held' ? 1 : 0,
    created_at: now,
  }
  await insertDeposit(tx, tenant, deposit)
  const events: NewEvent[] = []
  if (account && returnStatus) {
    const counted = await countAccountEvent(tx, tenant, account.id)
    events.push(rejectedEvent(tenant, counted, transaction, deposit, now))
  }
  if (returnStatus === 'Held') {
    await bookHeld(tx, deps, paying, deposit)
    const { reference: transaction_reference, currency: transaction_currency } = transaction
    const row = { ...deposit, transaction_reference, transaction_currency }
    events.push(depositEvent('deposit.held', row, tenant, now))
  }
  await appendEvents(tx, deps.ids, events)
}

const whatBecomesOf = ({ disposition }: IncomingPayment): ReturnStatus =>
  disposition === 'kept' ? 'Held' : 'ReturnedByProvider'

const senderOf = ({ sender }: IncomingPayment): Sender | null =>
  sender && {
    accountName: sender.name,
    accountNumber: sender.accountLast4 && `******${sender.accountLast4}`,
    bankName: sender.bankName,
  }

/** Settles the payment, or returns why it is not accepted. */
async function decide(
  tx: Tx,
  { ids, payables }: ReceiveDeps,
  { tenant, transaction, attempt, through, payment, now }: Paying,
  account: VirtualAccountRow | undefined,
): Promise<DepositRefusal | null> {
  const { amount_minor, disposition } = payment
  const terms = await paymentTermsOf(tx, tenant)
  const isSoldWhole = payables[transaction.purpose]?.isSoldWhole ?? false
  const refusal = account
    ? refusalOf(account, transaction, payment, { ...terms, isSoldWhole })
    : refusalOfOther(transaction, payment)
  if (refusal) return refusal
  if (disposition === 'returning') {
    // The provider's rules are stricter than the business's.
    return amount_minor < transaction.payable_minor ? 'amount_too_low' : 'amount_too_high'
  }
  const feeOf = feesOf(terms.fee_rules, transaction)
  if (allocatedAmount(transaction, amount_minor, feeOf) === 0n) return 'amount_too_low'
  const settled = await settleTransaction(tx, ids, payables, {
    tenant,
    transactionId: transaction.id,
    attempt,
    received_minor: amount_minor,
    through,
    message: account ? 'Transfer received' : 'Payment received',
    now,
  })
  return settled ? null : 'already_paid'
}

/**
 * Checks whether a payment into an account is too small, too large, too late or a duplicate,
 * according to the policy. Returns null if it is accepted.
 */
function refusalOf(
  account: VirtualAccountRow,
  transaction: TransactionRow,
  { amount_minor, currency, receivedAt }: IncomingPayment,
  { virtual_account_policy: policy, isSoldWhole }: PaymentTerms & { isSoldWhole: boolean },
): DepositRefusal | null {
  if (account.status === 'Paid' || transaction.paid_at !== null) return 'already_paid'
  if (receivedAt >= closedAt(account, transaction)) return 'account_expired'
  if (currency !== account.currency) return 'wrong_currency'
  const takesParts = policy === 'accept_partial' && !isSoldWhole
  if (amount_minor < account.amount_minor && !takesParts) return 'amount_too_low'
  if (amount_minor > account.amount_minor && policy !== 'accept_over') return 'amount_too_high'
  return null
}

/**
 * Returns since when an account takes no payments: since it expired, or since its transaction ended
 * before that, for example because the invoice was voided. A provider may report a payment later.
 */
function closedAt({ expires_at }: VirtualAccountRow, { status, updated_at }: TransactionRow): Date {
  if (status === 'Failed') return new Date(0)
  // An abandoned transaction does not change again until it is paid.
  return status === 'Abandoned' && updated_at < expires_at ? updated_at : expires_at
}

/** A payment that was not made into an account must be exact, but can be late. */
function refusalOfOther(
  { payable_minor, currency, status, paid_at }: TransactionRow,
  payment: IncomingPayment,
): DepositRefusal | null {
  if (paid_at !== null) return 'already_paid'
  if (status === 'Failed') return 'account_expired'
  if (payment.currency !== currency) return 'wrong_currency'
  if (payment.amount_minor < payable_minor) return 'amount_too_low'
  return payment.amount_minor > payable_minor ? 'amount_too_high' : null
}

/** The provider keeps the money, which is unallocated until someone decides. */
async function bookHeld(
  tx: Tx,
  { ids }: ReceiveDeps,
  { tenant, through, now }: { tenant: Tenant; through: Through; now: Date },
  { id, amount_minor, currency }: DepositRow,
): Promise<void> {
  await postJournal(tx, ids, tenant, {
    cause: { type: 'deposit', id },
    verb: 'receive',
    now,
    moves: [
      {
        debit: clearingOf(through.connectionId, currency),
        credit: { kind: 'unallocated', currency },
        amount_minor,
        kind: 'deposit',
      },
      ...providerFeeMoves(through, currency),
    ],
  })
}

const rejectedEvent = (
  tenant: Tenant,
  account: VirtualAccountRow,
  { reference }: TransactionRow,
  { amount_minor, currency, reason, return_status, sender, ...deposit }: DepositRow,
  now: Date,
): NewEvent =>
  virtualAccountEvent('bank.transfer.rejected', account, reference, tenant, now, {
    receivedAmount: toAmount(amount_minor, currency),
    receivedAmountMinor: Number(amount_minor),
    receivedCurrency: currency,
    reason,
    returnStatus: return_status,
    depositReference: deposit.reference,
    sender,
  })

/** Returns the provider's own number for the payment of a transaction, if it has one. */
export async function paymentIdOf(
  db: Db,
  tenant: Tenant,
  transactionId: number,
): Promise<string | null> {
  return (await selectAccepted(db, tenant, transactionId))?.provider_reference ?? null
}

/** Finds a deposit by the provider's own number. */
export async function findReceived(
  db: Db,
  tenant: Tenant,
  connectionId: number,
  providerReference: string,
) {
  const [found] = await selectReceived(db, tenant, connectionId, [providerReference])
  return found
}
