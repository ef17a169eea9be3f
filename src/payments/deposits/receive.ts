import { type PaymentTerms, paymentTermsOf } from '../../business/account/payment-settings.ts'
import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import { clearingOf, postJournal, providerFeeMoves, type Through } from '../../ledger/ledger.ts'
import type { Tenant } from '../../lib/caller.ts'
import { type Minor, toAmount } from '../../lib/money.ts'
import { notFound } from '../../lib/problem.ts'
import type { DepositNotification, IncomingPayment } from '../../providers/connector/types.ts'
import { allocatedAmount } from '../attempts/allocation.ts'
import { virtualAccountEvent } from '../attempts/record.ts'
import {
  countAccountEvent,
  feesOf,
  lockAccountOf,
  type Payables,
  type ReceivePayment,
  selectByAccount,
  settleTransaction,
  type TransactionRow,
  type VirtualAccountRow,
} from '../attempts/settle.ts'
import {
  type DepositRefusal,
  insertDeposit,
  type ReturnStatus,
  type Sender,
  selectDeposit,
} from './queries.ts'

type ReceiveDeps = Pick<Deps, 'ids'> & { payables: Payables }

/** Money that has reached a provider for a payment attempt. */
interface Deposit {
  tenant: Tenant
  /** The order that it was paid for. */
  attempt: number
  through: Through
  /** The provider's own number for it, unique within the connection. */
  providerReference: string
  amount_minor: Minor
  currency: string
  /**
   * `kept`: it is in our balance with the provider, whatever we decide. `returning`: the provider
   * sends it back. `asking`: the provider sends it back if we do not accept it.
   */
  disposition: IncomingPayment['disposition'] | 'asking'
  sender: Sender | null
  receivedAt: Date
}

interface Decision {
  accepted: boolean
  reason: DepositRefusal | null
}

/**
 * Accepts money paid into a virtual account, or has it sent back, according to the business's
 * policy. In both cases, the deposit is recorded. A repeated notification gets the same result as
 * the first. Throws `not_found` if the business has no account with this number.
 */
export async function receiveDeposit(
  tx: Tx,
  deps: ReceiveDeps,
  { accountNumber, depositReference, sender, ...notice }: DepositNotification,
  now: Date,
): Promise<Decision> {
  const transaction = await selectByAccount(tx, notice.tenant, accountNumber)
  if (!transaction) throw notFound('virtual_account')
  const deposit: Deposit = {
    ...notice,
    attempt: transaction.attempt,
    through: { connectionId: transaction.connection_id },
    providerReference: depositReference,
    disposition: 'asking',
    sender: sender ?? null,
    receivedAt: now,
  }
  return receive(tx, deps, transaction, deposit, now)
}

/** Returns a function that receives a payment which a lookup has found, each only once. */
export const paymentReceiver =
  (deps: ReceiveDeps): ReceivePayment =>
  async (tx, tenant, { transaction, attempt, through, payment, now }) => {
    const { providerId: providerReference, amount_minor, currency, receivedAt } = payment
    const { disposition, sender } = payment
    const deposit: Deposit = {
      ...{ tenant, attempt, providerReference, amount_minor, currency, disposition, receivedAt },
      through: { ...through, fee_minor: payment.fee_minor },
      sender: sender && {
        accountName: sender.name,
        accountNumber: sender.accountLast4 && `******${sender.accountLast4}`,
        bankName: sender.bankName,
      },
    }
    await receive(tx, deps, transaction, deposit, now)
  }

async function receive(
  tx: Tx,
  deps: ReceiveDeps,
  found: TransactionRow,
  deposit: Deposit,
  now: Date,
): Promise<Decision> {
  const { tenant, through, providerReference, amount_minor, currency, sender } = deposit
  await deps.payables[found.purpose]?.lock(tx, tenant, found.purpose_id)
  const { transaction, account } = await lockAccountOf(tx, tenant, found.id)
  const earlier = await selectDeposit(tx, tenant, through.connectionId, providerReference)
  if (earlier) return { accepted: earlier.status === 'Accepted', reason: earlier.reason }

  const reason = await decide(tx, deps, transaction, account, deposit, now)
  const id = await deps.ids.next(tx)
  const returnStatus = reason && whatBecomesOf(deposit)
  await insertDeposit(tx, tenant, {
    id,
    connection_id: through.connectionId,
    provider_reference: providerReference,
    transaction_id: transaction.id,
    virtual_account_id: account?.id ?? null,
    account_number: account?.account_number ?? null,
    amount_minor,
    currency,
    provider_fee_minor: through.fee_minor ?? null,
    status: reason ? 'Rejected' : 'Accepted',
    reason,
    return_status: returnStatus,
    sender,
    created_at: now,
  })
  if (!reason || !returnStatus) return { accepted: true, reason: null }
  if (account) {
    const told = { account, reference: transaction.reference, reason, returnStatus, now }
    await tellRejected(tx, deps, deposit, told)
  }
  if (returnStatus === 'Held') await bookHeld(tx, deps, deposit, id, now)
  return { accepted: false, reason }
}

const whatBecomesOf = ({ disposition }: Deposit): ReturnStatus =>
  disposition === 'kept' ? 'Held' : 'ReturnedByProvider'

/** Settles the payment, or returns why the deposit is not accepted. */
async function decide(
  tx: Tx,
  { ids, payables }: ReceiveDeps,
  transaction: TransactionRow,
  account: VirtualAccountRow | undefined,
  deposit: Deposit,
  now: Date,
): Promise<DepositRefusal | null> {
  const { tenant, attempt, through, amount_minor, disposition } = deposit
  const terms = await paymentTermsOf(tx, tenant)
  const isSoldWhole = payables[transaction.purpose]?.isSoldWhole ?? false
  const refusal = account
    ? refusalOf(account, transaction, deposit, { ...terms, isSoldWhole })
    : refusalOfOther(transaction, deposit)
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
 * Checks whether a deposit is too small, too large, too late or a duplicate, according to the
 * policy. Returns null if the deposit is accepted.
 */
function refusalOf(
  account: VirtualAccountRow,
  transaction: TransactionRow,
  { amount_minor, currency, receivedAt }: Deposit,
  { virtual_account_policy: policy, isSoldWhole }: PaymentTerms & { isSoldWhole: boolean },
): DepositRefusal | null {
  if (account.status === 'Paid') return 'already_paid'
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
  deposit: Deposit,
): DepositRefusal | null {
  if (paid_at !== null) return 'already_paid'
  if (status === 'Failed') return 'account_expired'
  if (deposit.currency !== currency) return 'wrong_currency'
  if (deposit.amount_minor < payable_minor) return 'amount_too_low'
  return deposit.amount_minor > payable_minor ? 'amount_too_high' : null
}

/** The provider keeps money of which nobody has decided yet whose it is. */
async function bookHeld(
  tx: Tx,
  { ids }: ReceiveDeps,
  { tenant, through, amount_minor, currency }: Deposit,
  id: number,
  now: Date,
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

interface Told {
  account: VirtualAccountRow
  /** The transaction's. */
  reference: string
  reason: DepositRefusal
  returnStatus: ReturnStatus
  now: Date
}

async function tellRejected(
  tx: Tx,
  { ids }: ReceiveDeps,
  { tenant, amount_minor, currency, providerReference, sender }: Deposit,
  { account, reference, reason, returnStatus, now }: Told,
): Promise<void> {
  const counted = await countAccountEvent(tx, tenant, account.id)
  const received = {
    receivedAmount: toAmount(amount_minor, currency),
    receivedAmountMinor: Number(amount_minor),
    receivedCurrency: currency,
    reason,
    returnStatus,
    depositReference: providerReference,
    sender,
  }
  await appendEvents(tx, ids, [
    virtualAccountEvent('bank.transfer.rejected', counted, reference, tenant, now, received),
  ])
}
