import type { Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import { appendEvents } from '../../events/append.ts'
import { toAmount } from '../../lib/money.ts'
import { notFound } from '../../lib/problem.ts'
import type { DepositNotice } from '../../providers/provider.ts'
import { type Terms, termsOf } from '../businesses/terms.ts'
import type { Deps } from '../deps.ts'
import { offeredOf } from './division.ts'
import { virtualAccountEvent } from './events.ts'
import type { Purposes } from './purposes.ts'
import {
  countAccountEvent,
  type DepositRefusal,
  insertDeposit,
  lockAccount,
  selectByAccount,
  selectDeposit,
  type VirtualAccountRow,
} from './queries-accounts.ts'
import { feesOf, settleTransaction } from './settle.ts'

export interface DepositResult {
  accepted: boolean
  reason: DepositRefusal | null
}

/**
 * Takes money that arrived on a virtual account, or has it sent back, as the business's policy
 * says; either way it is on record. A notice that comes twice gets the first answer. Throws
 * `not_found` for a number that is no account of the business.
 */
export async function receiveDeposit(
  tx: Tx,
  { ids, purposes }: Pick<Deps, 'ids'> & { purposes: Purposes },
  notice: DepositNotice,
  now: Date,
): Promise<DepositResult> {
  const { tenant, amount_minor, currency, accountNumber, depositReference } = notice
  const transaction = await selectByAccount(tx, tenant, accountNumber)
  if (!transaction) throw notFound('virtual_account')
  await purposes[transaction.purpose]?.lock(tx, tenant, transaction.purpose_id)
  const account = await lockAccount(tx, tenant, accountNumber)
  const earlier = await selectDeposit(tx, tenant, depositReference)
  if (earlier) return { accepted: earlier.status === 'Accepted', reason: earlier.reason }

  const reason = await decide()
  await insertDeposit(tx, tenant, {
    id: await ids.next(tx),
    provider_reference: depositReference,
    virtual_account_id: account.id,
    account_number: accountNumber,
    amount_minor,
    currency,
    status: reason ? 'Rejected' : 'Accepted',
    reason,
    created_at: now,
  })
  if (reason) await tellRejected(tx, ids, notice, account, transaction.reference, reason, now)
  return { accepted: reason === null, reason }

  async function decide(): Promise<DepositRefusal | null> {
    const terms = await termsOf(tx, tenant)
    const isSoldWhole = purposes[transaction!.purpose]?.isSoldWhole ?? false
    const refusal = refusalOf(account, notice, { ...terms, isSoldWhole }, now)
    if (refusal) return refusal
    const feeOf = feesOf(terms, transaction!)
    if (offeredOf(transaction!, amount_minor, feeOf) === 0n) return 'amount_too_low'
    const settled = await settleTransaction(tx, ids, purposes, {
      tenant,
      transactionId: account.transaction_id,
      received_minor: amount_minor,
      message: 'Transfer received',
      now,
    })
    return settled ? null : 'already_paid'
  }
}

async function tellRejected(
  tx: Tx,
  ids: Ids,
  { tenant, amount_minor, currency, depositReference, sender }: DepositNotice,
  { id }: VirtualAccountRow,
  reference: string,
  reason: DepositRefusal,
  now: Date,
): Promise<void> {
  const counted = await countAccountEvent(tx, tenant, id)
  const received = {
    receivedAmount: toAmount(amount_minor, currency),
    receivedAmountMinor: Number(amount_minor),
    receivedCurrency: currency,
    reason,
    depositReference,
    sender: sender ?? null,
  }
  await appendEvents(tx, ids, [
    virtualAccountEvent('bank.transfer.rejected', counted, reference, tenant, now, received),
  ])
}

/** Too little, too much, too late and twice, by the policy; null when it is to be taken. */
function refusalOf(
  account: VirtualAccountRow,
  { amount_minor, currency }: DepositNotice,
  { virtual_account_policy: policy, isSoldWhole }: Terms & { isSoldWhole: boolean },
  now: Date,
): DepositRefusal | null {
  if (account.status === 'Paid') return 'already_paid'
  if (account.status === 'Expired' || account.expires_at <= now) return 'account_expired'
  if (currency !== account.currency) return 'wrong_currency'
  const takesParts = policy === 'accept_partial' && !isSoldWhole
  if (amount_minor < account.amount_minor && !takesParts) return 'amount_too_low'
  if (amount_minor > account.amount_minor && policy !== 'accept_over') return 'amount_too_high'
  return null
}
