import { paymentTermsOf } from '../../business/account/payment-settings.ts'
import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { toAmount } from '../../lib/money.ts'
import { conflict, invalid, notFound } from '../../lib/problem.ts'
import { formText } from '../../lib/schemas.ts'
import {
  ATTEMPT_OPEN_MS,
  chooseMethod,
  finishOpening,
  type MethodChoice,
  requestFromProvider,
} from '../../payments/attempts/attempt.ts'
import type { Attempt, TransactionRow } from '../../payments/attempts/read.ts'
import type { Payables } from '../../payments/attempts/settle.ts'
import { extendDiscount } from '../discounts/service.ts'
import { reopenOrder, updateOrderAddress, updateOrderAttempt } from '../orders/service.ts'
import { deletedProduct, extendReservations } from '../products/stock/service.ts'
import { notForSale } from './cart.ts'
import { closeCheckout } from './close.ts'
import { STOCK_MS, type TenantAt } from './draft.ts'
import {
  appliedByAll,
  CHECKOUT_PURPOSE,
  paymentRequestOf,
  paymentsReceived,
  tenantOf,
} from './payable.ts'
import {
  type CheckoutRow,
  lockCheckout,
  moveCheckout,
  selectCheckoutById,
  updateAttempt,
} from './queries.ts'
import { accessCodeOf, findCheckout, ownCheckoutOfCode, urlOf } from './record.ts'
import { checkoutMachine, type NewVirtualAccount, stateAt } from './schemas.ts'
import { type StartDeps, startCheckout } from './start.ts'

type PayDeps = Pick<Deps, 'db' | 'ids' | 'providers'>

/**
 * Starts a payment attempt for a checkout, unless there is an open one. Returns the URL of the
 * provider's page, if the payer continues there. Throws 409 if the checkout can no longer be paid,
 * if its goods are gone, or if the bank refuses.
 */
export async function payCheckout(
  deps: PayDeps & { payables?: Payables },
  caller: TenantAt,
  id: number,
  choice: MethodChoice,
): Promise<string | undefined> {
  const { businessId, live, now } = caller
  const row = await deps.db.transaction((tx) => openCheckoutAttempt(tx, deps, caller, id, choice))
  return requestFromProvider(deps, { businessId, live }, row, now)
}

async function openCheckoutAttempt(
  tx: Tx,
  deps: Pick<PayDeps, 'ids' | 'providers'>,
  { businessId, live, now }: TenantAt,
  id: number,
  { channel, bankCode, expiresAt }: MethodChoice,
): Promise<TransactionRow> {
  const tenant = { businessId, live }
  const row = await lockCheckout(tx, tenant, id)
  if (!row) throw notFound('checkout')
  refuseEnded(row, now)
  if (!row.channels.includes(channel)) {
    throw conflict('channel_not_offered', `This checkout cannot be paid by ${channel}.`)
  }
  const until = expiresAt ?? least(addMs(now, ATTEMPT_OPEN_MS[channel]), row.expires_at)
  if (row.order_id !== null) {
    const moment = { causeId: id, expiresAt: until, now }
    if (row.payer_reserves !== false) {
      await extendDiscount(tx, tenant, { ...moment, field: 'discountCode' })
    }
    await extendReservations(tx, deps.ids, tenant, moment)
  }
  const due_minor = row.amount_minor - appliedByAll(await paymentsReceived(tx, row))
  const terms = await paymentTermsOf(tx, tenant)
  const request = paymentRequestOf(row, due_minor, now)
  const choice = { channel, bankCode, expiresAt: until }
  const transaction = await chooseMethod(tx, deps, terms, request, choice)
  await setCurrentAttempt(tx, row, transaction, now)
  return transaction
}

const least = (a: Date, b: Date) => (a < b ? a : b)

function refuseEnded(row: CheckoutRow, now: Date): void {
  const shown = stateAt(row, now)
  if (shown !== 'Open') throw checkoutMachine.refused('pay', shown)
}

/** Marks an attempt as the current one for its checkout and for the checkout’s order. */
async function setCurrentAttempt(
  tx: Tx,
  row: CheckoutRow,
  { id: transactionId, expires_at: expiresAt }: TransactionRow,
  now: Date,
): Promise<void> {
  if (row.transaction_id === transactionId && expiresAt <= row.expires_at) return
  const tenant = tenantOf(row)
  await updateAttempt(tx, tenant, row.id, { transactionId, expiresAt, now })
  if (row.order_id !== null) await updateOrderAttempt(tx, tenant, row.order_id, transactionId)
}

/** The same limit as in the API. */
const ADDRESS_MAX = 1000

/** Reads the address from a form. Returns undefined if it is empty or too long. */
export function addressInForm(given: unknown): string | undefined {
  const address = formText(given)
  return address !== '' && address.length <= ADDRESS_MAX ? address : undefined
}

/** Sets the delivery address of an open checkout. Throws 409 if it is no longer open. */
export async function setAddress(
  tx: Tx,
  { businessId, live, now }: TenantAt,
  id: number,
  address: string,
): Promise<void> {
  const tenant = { businessId, live }
  const row = await lockCheckout(tx, tenant, id)
  if (!row) throw notFound('checkout')
  refuseEnded(row, now)
  if (row.order_id !== null) await updateOrderAddress(tx, tenant, row.order_id, { address, now })
}

/**
 * Starts a bank transfer to a new virtual account, for the checkout in the request or for a new
 * checkout, and returns the id of the transaction. `openAccount` calls the provider after the
 * commit. If the checkout already has a live account, that account is used.
 */
export async function startBankTransfer(
  tx: Tx,
  deps: StartDeps,
  caller: TenantAt,
  request: NewVirtualAccount,
): Promise<number> {
  const { now } = caller
  const { expiresInMinutes } = request
  const row = await checkoutFor(tx, deps, caller, request)
  const expiresAt = addMs(now, expiresInMinutes * 60_000)
  const way = { channel: 'BANK_TRANSFER', bankCode: null, expiresAt } as const
  return (await openCheckoutAttempt(tx, deps, caller, row.id, way)).id
}

async function checkoutFor(
  tx: Tx,
  deps: StartDeps,
  caller: TenantAt,
  request: NewVirtualAccount,
): Promise<CheckoutRow> {
  const { accessCode, reference, email, amount, pageId, expiresInMinutes } = request
  if (accessCode !== undefined) {
    const row = await ownCheckoutOfCode(tx, caller, accessCode)
    if (reference !== undefined && reference !== row.reference) {
      throw invalid({
        reference: ['must be the reference of the checkout that accessCode identifies'],
      })
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
 * Asks the provider to open the account, and returns it. `isFinal` is false only if the provider
 * timed out. Throws 409 if the provider refused.
 */
export async function openAccount(deps: OpenDeps, caller: TenantAt, transactionId: number) {
  const { businessId, live, now } = caller
  const tenant = { businessId, live }
  const attempt = await finishOpening(deps, { ...tenant, now }, transactionId)
  const { transaction, account } = attempt
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
  throw new Error(`Transaction ${transaction.id} does not belong to a checkout`)
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

/** How long after a checkout has ended the payer can restart it. */
const AGAIN_MS = 24 * 3_600_000
/**
 * How long after its creation a checkout can be restarted. The limit exists because its prices are
 * from that day.
 */
const AGAIN_AT_MOST_MS = 3 * AGAIN_MS

/**
 * Returns whether the payer can restart a checkout under the same reference: within a day, if it
 * expired or they cancelled it. A checkout that came from a payment page is restarted on the page
 * instead, at current prices.
 */
export function canReopen(row: CheckoutRow, now: Date): boolean {
  if (row.page_id !== null) return false
  const state = stateAt(row, now)
  const isTheirs = state === 'Expired' || (state === 'Cancelled' && row.cancelled_by === 'payer')
  const ended = state === 'Expired' ? row.expires_at : row.updated_at
  const isYoung = now < addMs(row.created_at, AGAIN_AT_MOST_MS)
  return isTheirs && isYoung && now < addMs(ended, AGAIN_MS)
}

const REOPENED_MS = 30 * 60_000

/**
 * Restarts a checkout. It is then Open for another half hour, with its goods and discount reserved.
 * Leaves an Open checkout unchanged. Throws 409 if the checkout can’t be restarted or its goods are
 * unavailable, and 400 if its discount is unavailable.
 */
export async function reopenCheckout(
  tx: Tx,
  deps: Pick<Deps, 'ids'>,
  { businessId, live, now }: TenantAt,
  id: number,
): Promise<void> {
  const found = await lockCheckout(tx, { businessId, live }, id)
  if (!found) throw notFound('checkout')
  if (stateAt(found, now) === 'Open') return
  if (!canReopen(found, now)) throw checkoutMachine.refused('reopen', stateAt(found, now))
  // The checkout may be past its expiry although the job has not expired it yet.
  const row = (await closeCheckout(tx, deps, found, 'expire', now)) ?? found
  const tenant = tenantOf(row)
  const expiresAt = addMs(now, REOPENED_MS)
  if (row.order_id !== null) {
    await extendDiscount(tx, tenant, { causeId: id, expiresAt, now, field: 'discountCode' })
    await extendReservations(tx, deps.ids, tenant, {
      causeId: id,
      expiresAt: addMs(now, STOCK_MS),
      now,
    })
    const deleted = await deletedProduct(tx, tenant, id)
    if (deleted !== undefined) throw notForSale(deleted, 'Deleted')
    await reopenOrder(tx, tenant, row.order_id, now)
  }
  const reopened = await moveCheckout(tx, tenant, id, {
    ...checkoutMachine.moves.reopen,
    now,
    expiresAt,
  })
  if (!reopened) throw new Error(`Checkout ${id} is no longer ${row.status}`)
}
