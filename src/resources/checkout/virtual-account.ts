import type { Tx } from '../../db/database.ts'
import { addMs } from '../../lib/clock.ts'
import { toAmount } from '../../lib/money.ts'
import { invalid, notFound } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { termsOf } from '../businesses/terms.ts'
import type { Deps } from '../deps.ts'
import { type Attempt, attemptOf } from '../transactions/service.ts'
import { askProvider, refused } from '../transactions/start.ts'
import { CHECKOUT_PURPOSE } from './paid-for.ts'
import { prepareWay } from './pay.ts'
import { type CheckoutRow, selectCheckoutById } from './queries.ts'
import type { NewVirtualAccount } from './schemas.ts'
import { accessCodeOf, checkoutOfCode, findCheckout, urlOf } from './service.ts'
import { type At, type StartDeps, startCheckout } from './start.ts'

/**
 * Begins a payment by transfer into an account made for it, of a checkout that is named or of a new
 * one; answers the id of its transaction. The provider is asked after the commit, by
 * `openAccount`. A checkout that has a live account has no other.
 */
export async function beginAccount(
  tx: Tx,
  deps: StartDeps,
  caller: At,
  request: NewVirtualAccount,
): Promise<number> {
  const { now } = caller
  const { expiresInMinutes } = request
  const row = await checkoutFor(tx, deps, caller, request)
  const expiresAt = addMs(now, expiresInMinutes * 60_000)
  const way = { channel: 'BANK_TRANSFER', bankCode: null, expiresAt } as const
  return (await prepareWay(tx, deps, caller, row.id, way)).id
}

async function checkoutFor(
  tx: Tx,
  deps: StartDeps,
  caller: At,
  request: NewVirtualAccount,
): Promise<CheckoutRow> {
  const { accessCode, reference, email, amount, pageId, expiresInMinutes } = request
  if (accessCode !== undefined) {
    const row = await checkoutOfCode(tx, accessCode)
    const isOwn = row.business_id === caller.businessId && row.live === caller.live
    if (!isOwn) throw notFound('checkout')
    if (reference !== undefined && reference !== row.reference) {
      throw invalid({ reference: ['is not of the checkout that accessCode names'] })
    }
    return row
  }
  if (reference !== undefined) return findCheckout(tx, caller, reference)
  return startCheckout(tx, deps, caller, {
    customerEmail: email!,
    amount: amount!,
    ...(pageId !== undefined && { pageId }),
    currency: 'NGN',
    channels: ['BANK_TRANSFER'],
    expiresInMinutes,
  })
}

type OpenDeps = Pick<Deps, 'db' | 'ids' | 'providers' | 'publicUrl'>

/**
 * Has the provider open the account, and answers it; `isFinal` unless the provider did not answer
 * in time. Throws 409 when it refused.
 */
export async function openAccount(deps: OpenDeps, caller: At, transactionId: number) {
  const { businessId, live, now } = caller
  const tenant = { businessId, live }
  const begun = await attemptOf(deps.db, tenant, transactionId)
  if (!begun) throw new Error(`Transaction ${transactionId} was begun, and is gone`)
  const { status } = begun.transaction
  if (status === 'Pending' && !begun.account) {
    const { name } = await termsOf(deps.db, tenant)
    await askProvider(deps, tenant, begun.transaction, { now, name })
  }
  const attempt = (await attemptOf(deps.db, tenant, transactionId)) ?? begun
  const { transaction, account } = attempt
  if (transaction.status === 'Failed' && !account) throw refused(transaction.gateway_response ?? '')
  const row = await checkoutOf(deps, tenant, attempt)
  const isFinal = account !== undefined || transaction.status !== 'Pending'
  return { record: accountRecord(deps, row, attempt), isFinal }
}

async function checkoutOf(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  { transaction }: Attempt,
): Promise<CheckoutRow> {
  const { purpose, purpose_id } = transaction
  const row = await selectCheckoutById(db, tenant, purpose_id)
  if (purpose === CHECKOUT_PURPOSE && row) return row
  throw new Error(`Transaction ${transaction.id} is of no checkout`)
}

function accountRecord(
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  row: CheckoutRow,
  { transaction, account }: Attempt,
) {
  return {
    reference: row.reference,
    status: transaction.status,
    accountNumber: account?.account_number ?? null,
    accountName: account?.account_name ?? null,
    bankName: account?.bank_name ?? null,
    bankCode: account?.bank_code ?? null,
    amount: toAmount(transaction.payable_minor, transaction.currency),
    amountMinor: Number(transaction.payable_minor),
    currency: transaction.currency,
    expiresAt: transaction.expires_at,
    transactionId: transaction.id,
    transactionReference: transaction.reference,
    accessCode: accessCodeOf(row),
    authorizationUrl: urlOf(publicUrl, row),
  }
}
