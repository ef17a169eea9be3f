import type { Db } from '../../db/database.ts'
import { paginate } from '../../db/paginate.ts'
import { idsWhere, isOfCustomer, type PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { toAmount } from '../../lib/money.ts'
import { isDescending, oneOf, rangeOf } from '../../lib/paging.ts'
import { notFound } from '../../lib/problem.ts'
import { isSameSecret, parseToken, printToken } from '../../lib/tokens.ts'
import type { CheckoutView, DownloadView } from '../../pages/views.ts'
import { downloadPath } from '../orders/record.ts'
import type { OrderDetails } from '../orders/service.ts'
import type { FieldAnswer } from './cart.ts'
import {
  type CheckoutRow,
  checkoutList,
  type RelatedFields,
  selectCheckout,
  selectCheckoutById,
  selectRelated,
  selectRelatedOf,
} from './queries.ts'
import { CHECKOUT_STATES, type CheckoutQuery, stateAt } from './schemas.ts'

export const accessCodeOf = ({ business_id: businessId, live, id, secret }: CheckoutRow): string =>
  printToken({ businessId, live, id, secret })

export const urlOf = (publicUrl: string, row: CheckoutRow): string =>
  `${publicUrl}/checkout/${accessCodeOf(row)}`

export const receiptUrlOf = (publicUrl: string, row: CheckoutRow): string =>
  `${publicUrl}/receipt/${accessCodeOf(row)}`

/**
 * Returns the status of the checkout’s transaction. If nothing was due, there is no transaction and
 * no status.
 */
export const statusOf = (
  { status }: CheckoutRow,
  shown: Pick<RelatedFields, 'transaction_status'>,
) => shown.transaction_status ?? (status === 'Paid' ? 'Successful' : 'Pending')

/** Returns a checkout as the API shows it at `now` (docs/CONTRACT.md, section 6). */
export function checkoutRecord(
  row: CheckoutRow,
  { publicUrl, now, ...shown }: RelatedFields & { publicUrl: string; now: Date },
) {
  return {
    id: row.id,
    reference: row.reference,
    status: statusOf(row, shown),
    state: stateAt(row, now),
    accessCode: accessCodeOf(row),
    authorizationUrl: urlOf(publicUrl, row),
    amount: toAmount(row.amount_minor, row.currency),
    amountMinor: Number(row.amount_minor),
    currency: row.currency,
    feeBearer: row.fee_bearer,
    channels: row.channels,
    customer: {
      email: row.customer_email,
      name: row.customer_name,
      phone: row.customer_phone,
    },
    customFields: JSON.parse(row.answers),
    pageId: row.page_id,
    orderId: row.order_id,
    orderReference: shown.order_reference,
    shippingAddress: shown.shipping_address,
    splitPageId: row.split_page_id,
    subaccountCode: shown.subaccount_code,
    callbackUrl: row.callback_url,
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
    transactionId: row.transaction_id,
    transactionReference: shown.transaction_reference,
    expiresAt: row.expires_at,
    paidAt: row.paid_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

type Summary = Pick<
  CheckoutView,
  | 'customer'
  | 'lines'
  | 'subtotalMinor'
  | 'discount'
  | 'delivery'
  | 'amountMinor'
  | 'currency'
  | 'answers'
  | 'downloads'
  | 'orderReference'
>

/** Summarises the purchase for pages and emails. */
export function summaryOf(row: CheckoutRow, shown: OrderDetails | undefined, now: Date): Summary {
  const answers: FieldAnswer[] = JSON.parse(row.answers)
  return {
    customer: {
      email: row.customer_email,
      ...(row.customer_name && { name: row.customer_name }),
      ...(row.customer_phone && { phone: row.customer_phone }),
    },
    amountMinor: row.amount_minor,
    currency: row.currency,
    answers: answers.map(({ label, value }) => ({ label, value })),
    ...(shown ? orderSummary(shown, now) : withoutOrder(row)),
  }
}

const withoutOrder = ({ amount_minor }: CheckoutRow) => ({
  lines: [],
  subtotalMinor: amount_minor,
  downloads: [],
})

function orderSummary({ order, lines, downloads }: OrderDetails, now: Date) {
  const { delivery_location, delivery_address, delivery_fee_minor } = order
  const isDelivered = delivery_location || delivery_address || delivery_fee_minor > 0n
  return {
    orderReference: order.reference,
    lines: lines.map((line) => ({
      name: line.name,
      quantity: line.quantity,
      unitAmountMinor: line.unit_price_minor,
      amountMinor: line.amount_minor,
    })),
    subtotalMinor: order.subtotal_minor,
    ...(order.discount_code && {
      discount: { code: order.discount_code, amountMinor: order.discount_minor },
    }),
    ...(isDelivered && {
      delivery: {
        ...(delivery_location && { location: delivery_location }),
        ...(delivery_address && { address: delivery_address }),
        feeMinor: delivery_fee_minor,
      },
    }),
    downloads: downloadsOf({ order, downloads }, now),
  }
}

function downloadsOf(
  { order, downloads }: Pick<OrderDetails, 'order' | 'downloads'>,
  now: Date,
): DownloadView[] {
  return downloads
    .filter(({ revoked_at, expires_at }) => !revoked_at && (!expires_at || expires_at > now))
    .map((one) => ({
      name: one.name,
      bytes: one.bytes,
      path: downloadPath(order, one),
      ...(one.expires_at && { expiresAt: one.expires_at }),
      ...(one.max_downloads !== null && { left: one.max_downloads - one.downloads }),
    }))
}

export type { CheckoutRow } from './queries.ts'

/** Returns one checkout by its reference. Throws 404. */
export async function findCheckout(
  db: Db,
  tenant: Tenant,
  reference: string,
): Promise<CheckoutRow> {
  const row = await selectCheckout(db, tenant, reference)
  if (!row) throw notFound('checkout')
  return row
}

/** Returns one checkout by its reference or its access code. Throws 404. */
export async function checkoutNamed(db: Db, tenant: Tenant, name: string): Promise<CheckoutRow> {
  return (await selectCheckout(db, tenant, name)) ?? (await ownCheckoutOfCode(db, tenant, name))
}

/** Returns the business's checkout with this access code. Throws 404. */
export async function ownCheckoutOfCode(db: Db, { businessId, live }: Tenant, code: string) {
  const row = await checkoutOfCode(db, code)
  if (row.business_id !== businessId || row.live !== live) throw notFound('checkout')
  return row
}

/** Finds the checkout with this access code in any business. Throws 404. */
export async function checkoutOfCode(db: Db, code: string): Promise<CheckoutRow> {
  const parsed = parseToken(code)
  const row = parsed && (await selectCheckoutById(db, parsed, parsed.id))
  if (!row || !isSameSecret(row.secret, parsed.secret)) throw notFound('checkout')
  return row
}

export async function recordOf(
  db: Db,
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  row: CheckoutRow,
  now: Date,
) {
  const tenant = { businessId: row.business_id, live: row.live }
  return checkoutRecord(row, { publicUrl, now, ...(await selectRelated(db, tenant, row.id)) })
}

/** Returns one page of checkouts with its meta. Throws 400 naming an invalid filter. */
export async function listCheckouts(
  db: Db,
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  caller: Caller,
  query: CheckoutQuery,
) {
  const { now } = caller
  const filter = {
    state: oneOf('state', CHECKOUT_STATES, query.state),
    range: rangeOf(query, caller.timeZone),
    isDescending: isDescending(query.sort),
    text: query.search?.trim() || undefined,
  }
  const { rows, meta } = await paginate<CheckoutRow>(db, checkoutList(caller, filter, now), query)
  const ids = rows.map(({ id }) => id)
  const related = await selectRelatedOf(db, caller, ids)
  const records = rows.map((row) =>
    checkoutRecord(row, { publicUrl, now, ...related.get(row.id)! }),
  )
  return { records, meta }
}

export const checkoutPersonalData: PersonalData = {
  name: 'checkouts',
  find: (db, customer) =>
    idsWhere(db, customer, { table: sql`checkouts`, match: isOfCustomer(customer) }),
  open: {
    table: sql`checkouts`,
    condition: sql`status = 'Open'`,
    words: 'open checkouts: they expire by themselves',
  },
  erase: (tx, { businessId, live }, ids, pseudonym) =>
    tx.run`
      update checkouts set customer_email = ${pseudonym}, customer_name = null,
        customer_phone = null, answers = '[]', metadata = null, payer_network = null
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`,
}
