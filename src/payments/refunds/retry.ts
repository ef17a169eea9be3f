import type { Database, Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { conflict, invalid, notFound, type Problem } from '../../lib/problem.ts'
import {
  aboutOf,
  applyChangeReport,
  findCurrentOrder,
  lookUpOrder,
  type OrderRow,
  sentOf,
} from '../../provider-orders/orders.ts'
import { resumeOrder } from '../../provider-orders/statements.ts'
import { doubtOf, holderOf } from '../../providers/account-holder.ts'
import { type Bank, bankNamed } from '../../providers/banks/banks.ts'
import type { Outcome, PayoutAccount, Provider } from '../../providers/connector/types.ts'
import type { FinishDeps } from './finish.ts'
import { needAttention, refundOrders } from './provider-order.ts'
import { moveRefund, type RefundRow, selectById, selectRefund } from './queries.ts'
import { type RefundRetry, refundMachine } from './schemas.ts'
import { getRefund } from './service.ts'

export type RetryDeps = FinishDeps & Pick<Deps, 'db' | 'providers'>

/** Another bank account of the payer. */
interface Account extends PayoutAccount {
  bank: Bank
}

/**
 * Returns the account in a request; undefined if there is none. Throws 400 if only one of its parts
 * is given, and if the bank says that someone else holds the account.
 */
export async function accountIn(
  { providers }: Pick<Deps, 'providers'>,
  caller: Caller,
  { bankCode, accountNumber, accountName }: RefundRetry,
): Promise<Account | undefined> {
  if (bankCode === undefined && accountNumber === undefined) {
    if (accountName === undefined) return undefined
    throw invalid({ accountNumber: ['is required with accountName'] })
  }
  if (accountNumber === undefined) throw invalid({ accountNumber: ['is required with bankCode'] })
  if (bankCode === undefined) throw invalid({ bankCode: ['is required with accountNumber'] })
  const bank = bankNamed(bankCode, 'bankCode')
  const holder = await holderOf(providers, caller, bank, accountNumber)
  const doubt = doubtOf(holder, accountName)
  if (doubt !== null) throw invalid({ accountName: [`cannot be confirmed: ${doubt}`] })
  const name = holder?.accountName ?? accountName ?? null
  return { bank, bankCode: bank.code, accountNumber, accountName: name }
}

/**
 * Asks the provider of a refund that needs attention about it again, for example because someone
 * has acted at the provider. Throws 409 if it still needs attention.
 */
export async function askAgain(deps: RetryDeps, caller: Caller, reference: string) {
  const refund = await requireStuck(deps.db, caller, reference)
  const { order, provider } = await orderOf(deps, caller, refund)
  await lookUpOrder(deps, refundOrders(deps), order, caller.now)
  const record = await getRefund(deps.db, caller, reference)
  if (!record.canRetry) return record
  throw provider.retryRefund
    ? conflict(
        'refund_account_needed',
        'The refund still needs attention. Retry it with bankCode and accountNumber.',
      )
    : accountUnsupported()
}

async function requireStuck(db: Database, tenant: Tenant, reference: string): Promise<RefundRow> {
  const refund = await selectRefund(db, tenant, reference)
  if (!refund) throw notFound('refund')
  const { from } = refundMachine.moves.retry
  if (!from.some((state) => state === refund.status)) {
    throw refundMachine.refused('retry', refund.status)
  }
  return refund
}

async function orderOf(
  { db, providers }: RetryDeps,
  tenant: Tenant,
  { id, reference }: RefundRow,
): Promise<{ order: OrderRow; provider: Provider }> {
  const order = await findCurrentOrder(db, tenant, 'refund', id)
  if (!order) throw new Error(`The refund ${reference} has no order`)
  return { order, provider: await providers.holder(order.connection_id) }
}

const accountUnsupported = () =>
  conflict(
    'refund_account_unsupported',
    'The provider of this payment cannot pay a refund to another bank account.',
  )

/**
 * Marks a refund that needs attention as Processing, so that only one request gives the provider an
 * account. Returns its id. Throws 409 in any other state, and if the provider takes no account.
 */
export async function beginRetry(
  tx: Tx,
  { providers }: Pick<RetryDeps, 'providers'>,
  caller: Caller,
  reference: string,
  { bank, accountNumber }: Account,
): Promise<number> {
  const { now } = caller
  const refund = await selectRefund(tx, caller, reference)
  if (!refund) throw notFound('refund')
  const order = await findCurrentOrder(tx, caller, 'refund', refund.id)
  const provider = order && (await providers.holder(order.connection_id, tx))
  const { from, to } = refundMachine.moves.retry
  const message = `Sent again, to ${bank.name}, account ending in ${accountNumber.slice(-4)}`
  const change = { from, to, message, now, hasEvent: false }
  if (!(await moveRefund(tx, caller, refund.id, change))) {
    const { status } = (await selectRefund(tx, caller, reference)) ?? refund
    throw refundMachine.refused('retry', status)
  }
  if (!provider?.retryRefund) throw accountUnsupported()
  await resumeOrder(tx, caller, { kind: 'refund', id: refund.id, now })
  return refund.id
}

/**
 * Gives the provider the account. If it does not take it, the refund needs attention again. After
 * an unknown outcome, a lookup decides.
 */
export async function finishRetry(
  deps: RetryDeps,
  caller: Caller,
  id: number,
  account: Account,
): Promise<Problem | undefined> {
  const { db } = deps
  const kind = refundOrders(deps)
  const { businessId, live, now } = caller
  const tenant = { businessId, live }
  const refund = await selectById(db, tenant, id)
  // An earlier attempt at the same request may have finished.
  if (refund?.status !== 'Processing') return undefined
  const { order, provider } = await orderOf(deps, tenant, refund)
  const row = await kind.find(db, tenant, order)
  if (!row || !provider.retryRefund) return undefined
  const sent = { ...sentOf(order), charge: row.charge }
  const outcome = await provider.retryRefund(aboutOf(order, now), sent, account)
  if (outcome.kind === 'done') await applyChangeReport(deps, kind, order, row, outcome, now)
  if (outcome.kind !== 'refused' && outcome.kind !== 'notNow') return undefined
  const { message } = outcome
  await db.transaction((tx) => needAttention(tx, deps, row, { message, now }))
  return problemOf(outcome)
}

function problemOf(outcome: Outcome<unknown> & { kind: 'refused' | 'notNow' }): Problem {
  if (outcome.kind === 'notNow') {
    return conflict(
      'refund_not_retried',
      'The provider cannot take the account at the moment. The refund still needs attention.',
    )
  }
  const field = outcome.code === 'unknown_bank' ? 'bankCode' : 'accountNumber'
  return invalid({ [field]: [`was rejected: ${outcome.message}`] })
}
