import { type PaymentTerms, paymentTermsOf } from '../../business/account/payment-settings.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { AMOUNT_MINOR_MAX, type Minor, parseAmount } from '../../lib/money.ts'
import { conflict, invalid, notFound } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import { newReference, newTokenSecret } from '../../lib/tokens.ts'
import { splitPageFor } from '../../money/split-pages/service.ts'
import { payeeFor } from '../../money/subaccounts/service.ts'
import { computeShares, type FeeBearer, type Share } from '../../payments/attempts/allocation.ts'
import { costOf, openAttempt } from '../../payments/attempts/attempt.ts'
import type { Channel } from '../../provider-orders/provider.ts'
import { releaseDiscount, reserveDiscount } from '../discounts/redemptions.ts'
import { createOrder } from '../orders/service.ts'
import {
  amountOn,
  type PayingPage,
  releasePagePlace,
  reservePagePlace,
} from '../payment-pages/paying.ts'
import { reserveStock } from '../products/stock/service.ts'
import {
  addressOf,
  type Cart,
  cartFor,
  type FieldAnswer,
  fieldAnswers,
  isReserving,
  openPageFor,
  type Payer,
  requireSoldOnPage,
  totalTooLarge,
} from './cart.ts'
import { completeCheckout } from './close.ts'
import { checkCallback, paymentRequestOf, workingChannels } from './payable.ts'
import {
  type CheckoutRow,
  insertCheckout,
  type RelatedFields,
  selectCheckout,
  selectRelated,
} from './queries.ts'
import { statusOf } from './record.ts'
import type { NewCheckout } from './schemas.ts'

export type StartDeps = Pick<Deps, 'ids' | 'clock' | 'providers' | 'publicUrl' | 'nudge'>

/** A tenant and the time that applies to the request. */
export type TenantAt = Tenant & { now: Date }

/** All known channels only support naira. */
export const CURRENCY = 'NGN'

/** How long goods stay reserved for a payer who has not yet chosen a way to pay. */
export const STOCK_MS = 15 * 60_000

/** Longer than any checkout lasts, so the discount use ends with the checkout and not before. */
const DISCOUNT_MS = 24 * 3_600_000

/**
 * Creates a checkout in the given transaction: computes the amount from our own rows; writes the
 * order; reserves goods, a use of the discount and a place on the page; and creates a first payment
 * attempt, which no provider knows about yet. A checkout with nothing to pay is Paid immediately.
 *
 * `payer` is set for a page’s form: the page’s required fields then apply, and reservations are
 * limited. Throws 400 naming invalid fields, 404 for missing objects, and 409 for unavailable
 * objects or a reference that is already in use.
 */
export async function startCheckout(
  tx: Tx,
  deps: StartDeps,
  caller: TenantAt,
  request: NewCheckout,
  payer?: Payer,
): Promise<CheckoutRow> {
  return (await startCheckoutForRecord(tx, deps, caller, request, payer)).row
}

/** A new checkout and the related fields that its record needs. */
interface Begun {
  row: CheckoutRow
  shown: RelatedFields
}

/** Like `startCheckout`, but also returns what its record needs. */
export async function startCheckoutForRecord(
  tx: Tx,
  deps: StartDeps,
  caller: TenantAt,
  request: NewCheckout,
  payer?: Payer,
): Promise<Begun> {
  const { businessId, live, now } = caller
  const tenant = { businessId, live }
  const { reference = newReference('CHK') } = request
  if (request.reference !== undefined) await refuseUsed(tx, tenant, reference)
  const terms = await paymentTermsOf(tx, tenant)
  const purchase = await purchaseOf(tx, { ...tenant, now }, request, payer !== undefined)
  const id = await deps.ids.next(tx)
  const { lines, delivery_fee_minor, page, subtotal_minor } = purchase
  const reserves = page && payer ? await isReserving(tx, tenant, page.id, payer) : null
  const discount = await discountOf(tx, { ...tenant, now }, id, request, purchase)
  // A use is available, and remains so until the transaction ends.
  if (discount && reserves === false) await releaseDiscount(tx, tenant, { causeId: id, now })
  const amount_minor = subtotal_minor - (discount?.discount_minor ?? 0n) + delivery_fee_minor
  if (amount_minor > AMOUNT_MINOR_MAX) throw totalTooLarge(CURRENCY, ', including delivery')

  const pageSplitId = page?.split_page_id ?? null
  const shared = { request, pageSplitId, amount_minor, currency: CURRENCY }
  const sharing = await sharingOf(tx, tenant, shared)
  const channels = channelsOf(deps, tenant, request, page, amount_minor)
  const hasOrder = lines.length > 0 || page !== undefined || discount !== undefined
  const row: CheckoutRow = {
    business_id: businessId,
    live,
    id,
    reference,
    secret: newTokenSecret(),
    status: 'Open',
    page_id: page?.id ?? null,
    order_id: hasOrder ? await deps.ids.next(tx) : null,
    transaction_id: amount_minor > 0n ? await deps.ids.next(tx) : null,
    split_page_id: sharing.splitPageId,
    subaccount_id: sharing.subaccountId,
    amount_minor,
    currency: CURRENCY,
    fee_bearer: feeBearerOf(request, page, sharing, terms),
    channels,
    customer_email: request.customerEmail,
    customer_name: request.customerName ?? null,
    customer_phone: request.customerPhone ?? null,
    callback_url: await callbackOf(tx, tenant, request),
    answers: JSON.stringify(purchase.answers),
    metadata: request.metadata ? JSON.stringify(request.metadata) : null,
    expires_at: addMs(now, request.expiresInMinutes * 60_000),
    paid_at: null,
    cancelled_by: null,
    payer_network: payer?.network ?? null,
    payer_reserves: reserves,
    created_at: now,
    updated_at: now,
  }
  if (!(await insertCheckout(tx, row))) throw await used(tx, tenant, reference)
  const order = hasOrder
    ? await createOrder(tx, deps, orderOf(row, request, purchase, discount), lines, row)
    : undefined
  const orderEvents = order ? [order.event] : []
  const attempt = await firstAttempt(tx, deps.ids, terms, row, sharing.shares, orderEvents)
  if (!attempt) await appendEvents(tx, deps.ids, orderEvents)
  // The most contended rows come last, so that their locks are held as briefly as possible.
  if (page) await reservePagePlace(tx, tenant, page.id)
  if (page && reserves === false) await releasePagePlace(tx, tenant, page.id)
  await reserveStock(tx, deps.ids, tenant, {
    causeId: id,
    lines: lines.map((line) => ({ ...line, productId: line.product_id })),
    expiresAt: least(addMs(now, STOCK_MS), row.expires_at),
    now,
    holds: reserves === null ? 'all' : HOLDS[`${reserves}`],
  })
  const shown = {
    transaction_reference: attempt?.reference ?? null,
    transaction_status: attempt?.status ?? null,
    order_reference: order?.row.reference ?? null,
    shipping_address: order?.row.delivery_address ?? null,
    subaccount_code: sharing.subaccountCode,
  }
  return { row: attempt ? row : await completed(tx, deps, row, now), shown }
}

/**
 * How much stock a page’s checkout withholds from others, depending on whether it reserves
 * anything.
 */
const HOLDS = { true: 'some', false: 'nothing' } as const

/**
 * No provider knows about the attempt until the payer chooses a channel. There is no attempt if
 * nothing is due.
 */
function firstAttempt(
  tx: Tx,
  ids: Deps['ids'],
  terms: PaymentTerms,
  row: CheckoutRow,
  shares: Sharing['shares'],
  earlier: readonly NewEvent[],
) {
  if (row.transaction_id === null) return undefined
  const request = paymentRequestOf(row, row.amount_minor, row.created_at)
  const channel = row.channels[0]!
  const method = {
    id: row.transaction_id,
    channel,
    expiresAt: row.expires_at,
    ...costOf(terms, request, channel),
    shares,
  }
  return openAttempt(tx, ids, request, method, earlier)
}

const least = (a: Date, b: Date) => (a < b ? a : b)

/** Completes a checkout with nothing to pay. */
async function completed(tx: Tx, deps: StartDeps, row: CheckoutRow, now: Date) {
  const done = await completeCheckout(tx, deps, row, { transaction: null, now })
  if (!done) throw new Error('The items that were just reserved are no longer available')
  await done.tell()
  return done.row
}

async function refuseUsed(tx: Tx, tenant: Tenant, reference: string): Promise<void> {
  if (await selectCheckout(tx, tenant, reference)) throw await used(tx, tenant, reference)
}

async function used(tx: Tx, tenant: Tenant, reference: string) {
  const row = await selectCheckout(tx, tenant, reference)
  const status = row ? statusOf(row, await selectRelated(tx, tenant, row.id)) : 'gone'
  return conflict(
    'checkout_reference_used',
    `This reference is already used by a checkout that is ${status}.`,
    { reference: [`is already used by a checkout that is ${status}`] },
  )
}

interface Purchase extends Cart {
  page: PayingPage | undefined
  answers: FieldAnswer[]
}

const callbackOf = async (tx: Tx, tenant: Tenant, { callbackUrl }: NewCheckout) =>
  callbackUrl === undefined ? null : checkCallback(tx, tenant, callbackUrl)

/** Determines what is bought and its price before any discount. */
async function purchaseOf(
  tx: Tx,
  caller: TenantAt,
  request: NewCheckout,
  isPayer: boolean,
): Promise<Purchase> {
  const { amount, pageId, products, currency, deliveryLocation } = request
  if (currency !== CURRENCY) throw invalid({ currency: [`must be ${CURRENCY}`] })
  if (amount !== undefined && products !== undefined) {
    throw invalid({
      amount: ['must be left out if products are given, because their prices determine the amount'],
    })
  }
  const page = pageId === undefined ? undefined : await openPageFor(tx, caller, pageId)
  if (page && page.currency !== CURRENCY) {
    throw invalid({ pageId: [`must be a page in ${CURRENCY}: this one is in ${page.currency}`] })
  }
  const answers = page ? fieldAnswers(page, request, isPayer) : noAnswers(request)
  if (page && products) requireSoldOnPage(page, products)
  if (page && page.product_ids.length > 0 && products === undefined) {
    throw invalid({ products: ['is required because the payer chooses products on this page'] })
  }
  if (products !== undefined) {
    const shopping = { products, deliveryLocation, currency: CURRENCY }
    return { ...(await cartFor(tx, caller, shopping)), page, answers }
  }
  const subtotal_minor = amountOf(page, amount)
  return { lines: [], subtotal_minor, delivery_fee_minor: 0n, page, answers }
}

function amountOf(page: PayingPage | undefined, amount: NewCheckout['amount']): Minor {
  if (page) return amountOn(page, amount)
  if (amount === undefined)
    throw invalid({ amount: ['is required unless pageId or products is given'] })
  return parseAmount(amount, CURRENCY)
}

function noAnswers({ customFields }: NewCheckout): FieldAnswer[] {
  if (!customFields || Object.keys(customFields).length === 0) return []
  throw invalid({ customFields: ['can be given only with pageId'] })
}

async function discountOf(
  tx: Tx,
  { now, ...tenant }: TenantAt,
  causeId: number,
  { discountCode: code, customerEmail: email }: NewCheckout,
  { page, lines, subtotal_minor }: Purchase,
) {
  if (code === undefined) return undefined
  const field = 'discountCode'
  if (page && !page.allow_discount_codes)
    throw invalid({ [field]: ['cannot be used on this page'] })
  const bought = lines.map((line) => ({ productId: line.product_id, ...line }))
  const use = await reserveDiscount(tx, tenant, {
    causeId,
    code,
    lines: bought.length > 0 ? bought : [{ productId: null, amount_minor: subtotal_minor }],
    currency: CURRENCY,
    email,
    expiresAt: addMs(now, DISCOUNT_MS),
    now,
    field,
  })
  return { ...use, code: code.trim().toUpperCase() }
}

/**
 * Returns the offered channels that work now; throws 503 if there are none and something is due.
 */
function channelsOf(
  { providers }: Pick<Deps, 'providers'>,
  { live }: Tenant,
  request: NewCheckout,
  page: PayingPage | undefined,
  amount_minor: Minor,
): Channel[] {
  const offered = request.channels ?? page?.channels ?? []
  const channels = workingChannels(providers, live, offered)
  if (channels.length === 0 && amount_minor > 0n) {
    providers.of(live, (offered[0] as Channel | undefined) ?? 'BANK_TRANSFER')
    throw new Error('A channel that was unavailable is now available')
  }
  return channels
}

const feeBearerOf = (
  { feeBearer }: NewCheckout,
  page: PayingPage | undefined,
  sharing: Sharing,
  terms: PaymentTerms,
) => feeBearer ?? page?.fee_bearer ?? sharing.feeBearer ?? terms.fee_bearer

type Discount = Awaited<ReturnType<typeof discountOf>>

const orderOf = (
  row: CheckoutRow,
  request: NewCheckout,
  purchase: Purchase,
  discount: Discount,
) => ({
  id: row.order_id!,
  business_id: row.business_id,
  live: row.live,
  checkout_id: row.id,
  page_id: row.page_id,
  transaction_id: row.transaction_id,
  customer_email: row.customer_email,
  customer_name: row.customer_name,
  customer_phone: row.customer_phone,
  subtotal_minor: purchase.subtotal_minor,
  discount_id: discount?.discountId ?? null,
  discount_code: discount?.code ?? null,
  discount_minor: discount?.discount_minor ?? 0n,
  delivery_fee_minor: purchase.delivery_fee_minor,
  amount_minor: row.amount_minor,
  currency: row.currency,
  delivery_location: request.deliveryLocation ?? null,
  delivery_address: addressOf(request) ?? null,
  now: row.created_at,
})

/** The subaccounts that share a payment, and what each gets before fees. */
interface Sharing {
  splitPageId: number | null
  subaccountId: number | null
  subaccountCode: string | null
  /** The split page’s setting; null means that the business’s setting applies. */
  feeBearer: FeeBearer | null
  shares: Share[]
}

const ALONE: Sharing = {
  splitPageId: null,
  subaccountId: null,
  subaccountCode: null,
  feeBearer: null,
  shares: [],
}

interface SharedPayment {
  request: Pick<NewCheckout, 'splitPageId' | 'subaccountCode'>
  /** The payment page’s split page, used if the request doesn’t name one. */
  pageSplitId: number | null
  amount_minor: Minor
  currency: string
}

/**
 * Determines how the payment is shared: among the members of a split page, or with one subaccount
 * after the business has kept its percentage. Throws 404, 409 for inactive ones, and 400 if the
 * shares exceed the amount.
 */
async function sharingOf(
  db: Db,
  tenant: Tenant,
  { request, pageSplitId, amount_minor, currency }: SharedPayment,
): Promise<Sharing> {
  const { splitPageId, subaccountCode } = request
  if (splitPageId !== undefined && subaccountCode !== undefined) {
    throw invalid({ subaccountCode: ['cannot be combined with splitPageId'] })
  }
  if (subaccountCode !== undefined) {
    return withSubaccount(db, tenant, subaccountCode, amount_minor, currency)
  }
  const id = splitPageId === undefined ? pageSplitId : toId(splitPageId)
  if (id === null) return ALONE
  const page = await splitPageFor(db, tenant, id)
  if (!page) throw notFound('split_page')
  if (!page.active) throw conflict('split_page_inactive', 'This split page is inactive.')
  if (page.currency !== currency) {
    throw invalid({
      splitPageId: [`must be a split page in ${currency}: this one is in ${page.currency}`],
    })
  }
  const { splitType, shares, feeBearer } = page
  const isShared = amount_minor > 0n
  return {
    ...ALONE,
    splitPageId: id,
    feeBearer,
    shares: isShared ? computeShares({ amount_minor, currency, splitType }, shares) : [],
  }
}

const ALL_POINTS = 10_000

async function withSubaccount(
  db: Db,
  tenant: Tenant,
  code: string,
  amount_minor: Minor,
  currency: string,
): Promise<Sharing> {
  const payee = await payeeFor(db, tenant, code)
  if (payee.currency !== currency) {
    throw invalid({
      subaccountCode: [`must be a subaccount in ${currency}: this one is in ${payee.currency}`],
    })
  }
  const points = ALL_POINTS - payee.charge_basis_points
  // Uses the form in which shares are stored; the amount is exact.
  const wholePercent = Math.floor(points / 100)
  const share = {
    subaccountId: payee.id,
    share: wholePercent,
    amount_minor: (amount_minor * BigInt(points)) / BigInt(ALL_POINTS),
    fee_minor: 0n,
  }
  return {
    ...ALONE,
    subaccountId: payee.id,
    subaccountCode: payee.reference,
    shares: amount_minor > 0n ? [share] : [],
  }
}
