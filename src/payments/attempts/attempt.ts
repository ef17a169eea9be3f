import { collectionFee } from '../../business/account/fees.ts'
import { type Terms, termsOf } from '../../business/account/payment-settings.ts'
import type { Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import type { Minor } from '../../lib/money.ts'
import { Problem } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import { bankOf } from '../../provider-orders/banks.ts'
import type { Channel, VirtualAccount } from '../../provider-orders/provider.ts'
import {
  bearFee,
  cutShares,
  type FeeBearer,
  insertShares,
  type Share,
  sharesOfOne,
  sumOf,
  updateShares,
} from './allocation.ts'
import { abandonTransaction } from './jobs.ts'
import {
  insertTransaction,
  insertVirtualAccount,
  lockOpen,
  NO_PROVIDER,
  resumeOpen,
  selectAccountOf,
  selectAttempts,
  type TransactionDetails,
  type TransactionRow,
  updateMethod,
  updateUssdCodes,
} from './queries.ts'
import { type Attempt, attemptOf } from './read.ts'
import { transactionEvent, virtualAccountEvent } from './record.ts'
import { failTransaction } from './settle.ts'

/**
 * How long the payer has: a code is dialled at once, while a transfer can need a visit to the bank
 * app.
 */
export const OPEN_MS: Record<Channel, number> = {
  USSD: 10 * 60_000,
  BANK_TRANSFER: 30 * 60_000,
}

/** When the provider is first asked what became of a charge that no notice told of. */
const LOOK_UP_AFTER_MS = 60_000

/** What is paid for, and by whom: the same for every attempt to pay it. */
export interface PaymentRequest extends TransactionDetails {
  tenant: Tenant
  purpose: string
  purpose_id: number
  /** The amount still to be paid. */
  amount_minor: Minor
  currency: string
  fee_bearer: FeeBearer
  now: Date
}

/** The channel, its cost for the payer, and the shares. */
interface Method {
  /** Taken earlier, if something else refers to the attempt. */
  id?: number
  channel: TransactionRow['channel']
  provider: string
  bankCode?: string | null
  expiresAt: Date
  fee_minor: Minor
  payable_minor: Minor
  /** Each subaccount's share, before its part of the fee. */
  shares?: readonly Share[]
  /** When it was paid, for money that Tradepost did not receive. */
  paidAt?: Date
}

/**
 * Stores an attempt with its shares and its event. Every transaction starts here. The caller has
 * locked the payable, because two attempts by one channel cannot be open at once, and calls the
 * provider after the commit. `earlier` events of the same cause are sent in the same statement.
 */
export async function openAttempt(
  tx: Tx,
  ids: Ids,
  { tenant, now, ...request }: PaymentRequest,
  method: Method,
  earlier: readonly NewEvent[] = [],
): Promise<TransactionRow> {
  const { id = await ids.next(tx), channel, provider, fee_minor, payable_minor } = method
  const { bankCode = null, paidAt = null, shares = [] } = method
  const row = await insertTransaction(tx, tenant, {
    ...request,
    id,
    reference: newReference('TRX'),
    status: paidAt ? 'Successful' : 'Pending',
    channel,
    fee_minor,
    payable_minor,
    provider,
    bank_code: bankCode,
    paid_minor: paidAt && payable_minor,
    paid_at: paidAt,
    expires_at: method.expiresAt,
    look_up_at: lookUpAt(method, now),
    now,
  })
  const frozen = await insertShares(tx, tenant, id, withFees(row, shares))
  const type = paidAt ? 'transaction.successful' : 'transaction.pending'
  await appendEvents(tx, ids, [...earlier, transactionEvent(type, row, tenant, now, frozen)])
  return row
}

const lookUpAt = ({ channel, provider }: Pick<Method, 'channel' | 'provider'>, now: Date) =>
  channel === 'USSD' && provider !== NO_PROVIDER ? addMs(now, LOOK_UP_AFTER_MS) : null

/** Adds to each share its part of the fee that the payer does not pay on top. */
function withFees<T extends { amount_minor: Minor }>(
  { amount_minor, fee_minor, fee_bearer, payable_minor }: TransactionRow,
  shares: readonly T[],
): (T & { fee_minor: Minor })[] {
  const own_minor = amount_minor - sumOf(shares.map((share) => share.amount_minor))
  // A payer can be asked for less than the fee; the business pays the rest.
  const bearer = fee_bearer === 'customer' ? 'business' : fee_bearer
  return bearFee(bearer, fee_minor - (payable_minor - amount_minor), shares, own_minor)
}

/** Returns what a payer pays with a channel. */
export function costOf(
  { fee_rules }: Pick<Terms, 'fee_rules'>,
  {
    amount_minor,
    currency,
    fee_bearer,
  }: Pick<PaymentRequest, 'amount_minor' | 'currency' | 'fee_bearer'>,
  channel: Channel,
): { fee_minor: Minor; payable_minor: Minor } {
  const fee_minor = collectionFee(fee_rules, channel, amount_minor, currency)
  const onTop_minor = fee_bearer === 'customer' ? fee_minor : 0n
  return { fee_minor, payable_minor: amount_minor + onTop_minor }
}

/** The payer's choice. */
export interface Choice {
  channel: Channel
  /** The bank whose code is dialled; null for the first. */
  bankCode: string | null
  /** When the attempt ends, if not after the channel's usual time. */
  expiresAt?: Date
}

/**
 * Returns the attempt that the payer uses now: the open one of this channel if it still fits,
 * otherwise one that no provider knows yet, otherwise a new one beside the open ones. The caller
 * has locked the payable, and calls the provider after the commit (`askProvider`).
 */
export async function chooseMethod(
  tx: Tx,
  { ids, providers }: Pick<Deps, 'ids' | 'providers'>,
  terms: Terms,
  request: PaymentRequest,
  choice: Choice,
): Promise<TransactionRow> {
  const { tenant, amount_minor, now } = request
  const { channel, expiresAt = addMs(now, OPEN_MS[channel]) } = choice
  const bankCode = bankOf(choice.bankCode ?? '')?.ussdTemplate ? choice.bankCode : null
  const provider = providers.of(tenant.live, channel).name
  const open = await lockOpen(tx, tenant, request)
  const same = open.find((one) => one.channel === channel)
  const isFit = same?.amount_minor === amount_minor && same.expires_at > now
  if (isFit && same.provider !== NO_PROVIDER) return resumeOpen(tx, tenant, same.id, bankCode)
  if (same && !isFit) await abandonTransaction(tx, ids, tenant, same.id, now)

  const method = { channel, provider, bankCode, expiresAt, ...costOf(terms, request, channel) }
  const unassigned = open.find(
    (one) =>
      one.provider === NO_PROVIDER && one.amount_minor === amount_minor && (isFit || one !== same),
  )
  if (!unassigned) {
    return openAttempt(tx, ids, request, { ...method, shares: await frozenShares(tx, request) })
  }
  const row = await updateMethod(tx, tenant, unassigned.id, {
    ...method,
    bank_code: bankCode,
    expires_at: expiresAt,
    look_up_at: lookUpAt(method, now),
  })
  const shares = await sharesOfOne(tx, tenant, row)
  if (shares.length > 0) await updateShares(tx, tenant, withFees(row, shares))
  return row
}

/**
 * Returns the shares of the amount still to be paid, as fixed with the first attempt, in proportion
 * if that was for another amount.
 */
async function frozenShares(tx: Tx, request: PaymentRequest): Promise<Share[]> {
  const { tenant, purpose, purpose_id, amount_minor, split_page_id, subaccount_id } = request
  if (!split_page_id && !subaccount_id) return []
  const [earlier] = await selectAttempts(tx, tenant, purpose, purpose_id)
  if (!earlier) return []
  const shares = await sharesOfOne(tx, tenant, earlier)
  return cutShares(shares, amount_minor, earlier.amount_minor).map((share) => ({
    subaccountId: share.subaccount_id,
    share: share.share,
    amount_minor: share.amount_minor,
    fee_minor: 0n,
  }))
}

type ProviderDeps = Pick<Deps, 'db' | 'ids' | 'providers'>

/**
 * Has the provider start an attempt, and commits its answer: USSD codes or an account; nothing
 * where the attempt has these already. It may be run again, since the provider knows the
 * reference. Throws 409 when the provider refuses.
 */
export async function askProvider(
  { db, ids, providers }: ProviderDeps,
  tenant: Tenant,
  row: TransactionRow,
  /** The account bears the name under which payers know the business. */
  { now, name: accountName }: { now: Date; name: string },
): Promise<void> {
  const isUssd = row.channel === 'USSD'
  if (isUssd ? row.ussd_codes : await selectAccountOf(db, tenant, row.id)) return
  const provider = providers.of(tenant.live, row.channel as Channel)
  const request = {
    tenant,
    reference: row.reference,
    amount_minor: row.payable_minor,
    currency: row.currency,
    expiresAt: row.expires_at,
    now,
  }
  const outcome = isUssd
    ? await provider.startUssd(request)
    : await provider.openVirtualAccount({ ...request, accountName })
  if (outcome.kind === 'unknown' || outcome.kind === 'notNow') return
  await db.transaction(async (tx) => {
    if (outcome.kind === 'refused') {
      await failTransaction(tx, ids, tenant, row.id, outcome.message, now)
    } else if (Array.isArray(outcome.value)) {
      await updateUssdCodes(tx, tenant, row.id, JSON.stringify(outcome.value))
    } else {
      await storeAccount(tx, ids, tenant, row, outcome.value, now)
    }
  })
  if (outcome.kind === 'refused') throw providerRefused(outcome.message)
}

const providerRefused = (message: string) =>
  new Problem('conflict', 'provider_refused', `The payment could not be started: ${message}`)

/** If two requests want one account at once, it is stored once. */
async function storeAccount(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  row: TransactionRow,
  account: VirtualAccount,
  now: Date,
): Promise<void> {
  const stored = await insertVirtualAccount(tx, tenant, {
    id: await ids.next(tx),
    transaction_id: row.id,
    account_number: account.accountNumber,
    account_name: account.accountName,
    bank_code: account.bankCode,
    bank_name: account.bankName,
    amount_minor: row.payable_minor,
    currency: row.currency,
    expires_at: row.expires_at,
    created_at: now,
  })
  if (!stored) return
  await appendEvents(tx, ids, [
    virtualAccountEvent('virtual_account.created', stored, row.reference, tenant, now),
  ])
}

/**
 * Has the provider start an attempt that was opened through the API, unless it has started or
 * ended. Returns the attempt as it is then. Throws 409 if the provider refused.
 */
export async function finishOpening(
  deps: ProviderDeps,
  { businessId, live, now }: Tenant & { now: Date },
  id: number,
): Promise<Attempt> {
  const tenant = { businessId, live }
  const opened = await attemptOf(deps.db, tenant, id)
  if (!opened) throw new Error(`Transaction ${id} was opened, and is gone`)
  const { status, channel, expires_at } = opened.transaction
  if (status === 'Pending' && expires_at > now) {
    const name = channel === 'USSD' ? '' : (await termsOf(deps.db, tenant)).name
    await askProvider(deps, tenant, opened.transaction, { now, name })
  }
  const attempt = (await attemptOf(deps.db, tenant, id)) ?? opened
  const { transaction, account } = attempt
  const hasStarted = account !== undefined || transaction.ussd_codes !== null
  if (transaction.status === 'Failed' && !hasStarted) {
    throw providerRefused(transaction.gateway_response ?? '')
  }
  return attempt
}
