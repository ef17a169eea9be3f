import type { PaymentTerms } from '../../business/account/payment-settings.ts'
import type { Db } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { type EventRow, eventRow } from '../../events/append.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { AMOUNT_MINOR_MAX, type Minor, parseAmount } from '../../lib/money.ts'
import { conflict, invalid, notFound } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import { newReference, newTokenSecret } from '../../lib/tokens.ts'
import { splitPageFor } from '../../money/split-pages/service.ts'
import { payeeFor } from '../../money/subaccounts/service.ts'
import {
  computeShares,
  type FeeBearer,
  type Share,
  shareOfPayee,
} from '../../payments/attempts/allocation.ts'
import { costOf, newAttempt } from '../../payments/attempts/attempt.ts'
import type { Channel } from '../../providers/connector/types.ts'
import { newOrder } from '../orders/service.ts'
import { amountOn, type PayingPage } from '../payment-pages/service.ts'
import {
  addressOf,
  type Cart,
  cartFor,
  type FieldAnswer,
  fieldAnswers,
  openPageFor,
  requireSoldOnPage,
  totalTooLarge,
} from './cart.ts'
import { checkCallback, paymentRequestOf, workingChannels } from './payable.ts'
import type { CheckoutRow, Reads, RelatedFields } from './queries.ts'
import type { NewCheckout } from './schemas.ts'
import type { NewCheckoutRows } from './start.ts'

/*
 * Computes the rows for a new checkout, from the request and the stored rows, before anything is
 * written.
 */

type DraftDeps = Pick<Deps, 'ids' | 'providers' | 'publicUrl'>

/** `now` is the time for this tenant, which in test mode comes from its test clock. */
export type TenantAt = Tenant & { now: Date }

/** All known channels only support naira. */
export const CURRENCY = 'NGN'

/** How long goods stay reserved for a payer who has not yet chosen a payment method. */
export const STOCK_MS = 15 * 60_000

/** What the transaction has already reserved for the checkout. */
export interface Reserved {
  id: number
  discount?: { discountId: number; code: string; discount_minor: Minor } | undefined
  /** For a payer on a page: the keyed hash of their network, and whether anything is reserved. */
  payer?: { network: string; reserves: boolean }
}

/** The rows for a new checkout, and the related fields that its record needs. */
export interface Draft {
  rows: NewCheckoutRows
  shown: RelatedFields
}

/** Returns the rows for a new checkout. Throws 400, 404, 409 or 503. */
export async function draftOf(
  { db, terms: termsOf }: Pick<Reads, 'db' | 'terms'>,
  deps: DraftDeps,
  { now, ...tenant }: TenantAt,
  request: NewCheckout,
  purchase: Purchase,
  { id, discount, payer }: Reserved,
): Promise<Draft> {
  const { ids } = deps
  const { lines, page, subtotal_minor, delivery_fee_minor } = purchase
  const terms = await termsOf(tenant)
  const amount_minor = subtotal_minor - (discount?.discount_minor ?? 0n) + delivery_fee_minor
  if (amount_minor > AMOUNT_MINOR_MAX) throw totalTooLarge(CURRENCY, ', including delivery')
  const pageSplitId = page?.split_page_id ?? null
  const shared = { request, pageSplitId, amount_minor, currency: CURRENCY }
  const sharing = await sharingOf(db, tenant, shared)
  const channels = await channelsOf(db, deps, tenant, request, page, amount_minor)
  const hasOrder = lines.length > 0 || page !== undefined || discount !== undefined
  const row: CheckoutRow = {
    business_id: tenant.businessId,
    live: tenant.live,
    id,
    reference: request.reference ?? newReference('CHK'),
    secret: newTokenSecret(),
    status: 'Open',
    page_id: page?.id ?? null,
    order_id: hasOrder ? await ids.next(db) : null,
    transaction_id: amount_minor > 0n ? await ids.next(db) : null,
    split_page_id: sharing.splitPageId,
    subaccount_id: sharing.subaccountId,
    amount_minor,
    currency: CURRENCY,
    fee_bearer: feeBearerOf(request, page, sharing, terms),
    channels,
    customer_email: request.customerEmail,
    customer_name: request.customerName ?? null,
    customer_phone: request.customerPhone ?? null,
    callback_url: await callbackOf(db, tenant, request),
    answers: JSON.stringify(purchase.answers),
    metadata: request.metadata ? JSON.stringify(request.metadata) : null,
    expires_at: addMs(now, request.expiresInMinutes * 60_000),
    paid_at: null,
    cancelled_by: null,
    payer_network: payer?.network ?? null,
    payer_reserves: payer?.reserves ?? null,
    created_at: now,
    updated_at: now,
  }
  const order = hasOrder
    ? newOrder(deps, orderOf(row, request, purchase, discount), lines, row)
    : undefined
  const events: EventRow[] = []
  if (order) events.push(eventRow(order.event, await ids.next(db)))
  const attempt = await firstAttempt(db, ids, terms, row, sharing.shares)
  return {
    rows: {
      row,
      order,
      attempt,
      events: [...events, ...(attempt?.events ?? [])],
      stock: {
        lines,
        expiresAt: least(addMs(now, STOCK_MS), row.expires_at),
        withheld: payer ? WITHHELD[`${payer.reserves}`] : 'all',
      },
    },
    shown: {
      transaction_reference: attempt?.row.reference ?? null,
      transaction_status: attempt?.row.status ?? null,
      order_reference: order?.row.reference ?? null,
      shipping_address: order?.row.delivery_address ?? null,
      subaccount_code: sharing.subaccountCode,
    },
  }
}

/**
 * The part of the stock that a checkout on a page withholds from others, depending on whether it
 * reserves anything.
 */
const WITHHELD = { true: 'some', false: 'nothing' } as const

const least = (a: Date, b: Date) => (a < b ? a : b)

/**
 * Providers learn about the attempt only when the payer chooses a channel. If nothing is due, there
 * is no attempt.
 */
async function firstAttempt(
  db: Db,
  ids: Deps['ids'],
  terms: PaymentTerms,
  row: CheckoutRow,
  shares: Sharing['shares'],
) {
  if (row.transaction_id === null) return undefined
  const request = paymentRequestOf(row, row.amount_minor, row.created_at)
  const channel = row.channels[0]!
  return newAttempt(db, ids, request, {
    id: row.transaction_id,
    channel,
    expiresAt: row.expires_at,
    ...costOf(terms, request, channel),
    shares,
  })
}

export interface Purchase extends Cart {
  page: PayingPage | undefined
  answers: FieldAnswer[]
}

const callbackOf = async (db: Db, tenant: Tenant, { callbackUrl }: NewCheckout) =>
  callbackUrl === undefined ? null : checkCallback(db, tenant, callbackUrl)

/** Determines what is bought and its price before any discount. */
export async function purchaseOf(
  reads: Reads,
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
  const page = pageId === undefined ? undefined : await openPageFor(reads.db, caller, pageId)
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
    return { ...(await cartFor(reads, caller, shopping)), page, answers }
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

/**
 * Returns the offered channels that work now. Throws 503 if there are none and something is due.
 */
async function channelsOf(
  db: Db,
  { providers }: Pick<Deps, 'providers'>,
  tenant: Tenant,
  request: NewCheckout,
  page: PayingPage | undefined,
  amount_minor: Minor,
): Promise<Channel[]> {
  const offered = request.channels ?? page?.channels ?? []
  const channels = await workingChannels(providers, tenant, offered, db)
  if (channels.length > 0 || amount_minor === 0n) return channels
  const service = (offered[0] as Channel | undefined) ?? 'BANK_TRANSFER'
  await providers.choose(tenant, { service, currency: CURRENCY, amount_minor }, db)
  // The channel has become available in the meantime.
  return [service]
}

const feeBearerOf = (
  { feeBearer }: NewCheckout,
  page: PayingPage | undefined,
  sharing: Sharing,
  terms: PaymentTerms,
) => feeBearer ?? page?.fee_bearer ?? sharing.feeBearer ?? terms.fee_bearer

const orderOf = (
  row: CheckoutRow,
  request: NewCheckout,
  purchase: Purchase,
  discount: Reserved['discount'],
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

/** The subaccounts that share a payment, and what each of them gets before fees. */
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
 * Determines how the payment is shared: among the members of a split page, or between the business,
 * which keeps its percentage, and one subaccount. Throws 404, 409 if one of them is inactive, and
 * 400 if the shares exceed the amount.
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
  return {
    ...ALONE,
    subaccountId: payee.id,
    subaccountCode: payee.reference,
    shares: amount_minor > 0n ? [shareOfPayee(payee, amount_minor)] : [],
  }
}
