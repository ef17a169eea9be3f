import { type Damage, testDamages } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { stockChecks } from '../products/stock/audit.ts'
import { checkoutChecks } from './audit.ts'
import { openShop, refundsArrive } from './checkout.fixture.ts'

const server = await startServer({ jobs: false })
const { db, ids } = server

/** The ids of the rows to damage. */
interface Rows {
  business: number
  /** Paid on a page, with goods and a discount. */
  paid: number
  paidOrder: number
  paidBy: number
  item: number
  page: number
  open: number
  openOrder: number
  pending: number
  cancelled: number
  cancelledOrder: number
  cancelledBy: number
  refundedOrder: number
  /** A download grant of the refunded order. */
  grant: number
  free: number
  freeOrder: number
}

/** Creates the business that the tests damage. */
async function rowsOf(): Promise<Rows> {
  const shop = await openShop(server)
  const productId = await shop.product({ quantity: 20 })
  const products = [{ productId, quantity: 1 }]
  const page = await shop.page({ productIds: productId })
  await shop.discount()
  const paid = await shop.begun({ pageId: page, products, discountCode: 'TEN' })
  await shop.paid(paid.reference)
  const open = await shop.begun({ products, discountCode: 'TEN' })
  const cancelled = await shop.begun({ products })
  await shop.post(
    `/api/payment-service/external/v1/initialize-checkout/${cancelled.reference}/cancel`,
  )
  const refunded = await shop.begun({ products })
  await shop.paid(refunded.reference)
  await shop.refund((await shop.seen(refunded.reference)).transactionId)
  await refundsArrive(server)
  await shop.discount({ code: 'ALL', value: 100 })
  const free = await shop.begun({ products, discountCode: 'ALL' })
  return {
    business: shop.businessId,
    paid: paid.id,
    paidOrder: paid.orderId,
    paidBy: paid.transactionId,
    item: Number(productId),
    page,
    open: open.id,
    openOrder: open.orderId,
    pending: open.transactionId,
    cancelled: cancelled.id,
    cancelledOrder: cancelled.orderId,
    cancelledBy: cancelled.transactionId,
    refundedOrder: refunded.orderId,
    grant: await grantOf(shop.businessId, Number(productId), refunded.orderId),
    free: free.id,
    freeOrder: free.orderId,
  }
}

/** Adds a download grant as a refunded order has it: revoked. */
async function grantOf(business: number, productId: number, orderId: number): Promise<number> {
  const [fileId, grantId] = [await ids.next(), await ids.next()]
  const now = new Date()
  await db.run`
    insert into digital_files (business_id, live, id, reference, product_id, name, content_type,
      bytes, status, created_at, updated_at)
    values (${business}, false, ${fileId}, 'DDF_' || ${fileId}::text, ${productId}, 'a.pdf',
      'application/pdf', 1, 'Revoked', ${now}, ${now})`
  await db.run`
    insert into download_grants (business_id, live, id, file_id, cause_id, secret, revoked_at,
      created_at)
    values (${business}, false, ${grantId}, ${fileId}, ${orderId}, 'x', ${now}, ${now})`
  return grantId
}

const damages: Damage<Rows>[] = [
  [
    'a Paid checkout without a payment',
    ({ open }) => `update checkouts set status = 'Paid', paid_at = created_at where id = ${open}`,
    ({ open, openOrder }) => [
      `checkout-orders: orders ${openOrder}`,
      `checkout-payments: checkouts ${open}`,
      `checkout-transactions: checkouts ${open}`,
    ],
  ],
  [
    'a paid checkout set back to Open',
    ({ paid }) => `update checkouts set status = 'Open', paid_at = null where id = ${paid}`,
    ({ paid, paidOrder, page }) => [
      `checkout-orders: orders ${paidOrder}`,
      `checkout-payments: checkouts ${paid}`,
      `page-counts: payment_page_counts ${page}`,
    ],
  ],
  [
    'a checkout that was paid for less',
    ({ paid }) => `update checkouts set amount_minor = amount_minor + 1 where id = ${paid}`,
    ({ paid, paidOrder, page }) => [
      `checkout-orders: orders ${paidOrder}`,
      `checkout-payments: checkouts ${paid}`,
      `page-counts: payment_page_counts ${page}`,
    ],
  ],
  [
    'a checkout with another’s payment',
    ({ open, paidBy }) => `update checkouts set transaction_id = ${paidBy} where id = ${open}`,
    ({ open, openOrder }) => [
      `checkout-orders: orders ${openOrder}`,
      `checkout-transactions: checkouts ${open}`,
    ],
  ],
  [
    'a free checkout with a payment',
    ({ free, paidBy }) => `update checkouts set transaction_id = ${paidBy} where id = ${free}`,
    ({ free, freeOrder }) => [
      `checkout-orders: orders ${freeOrder}`,
      `checkout-transactions: checkouts ${free}`,
    ],
  ],
  [
    'a payment attempt that is open after its checkout ended',
    ({ cancelled }) => `update transactions set status = 'Pending' where purpose_id = ${cancelled}`,
    ({ cancelledBy }) => [`checkout-ways: transactions ${cancelledBy}`],
  ],
  [
    'a Paid order whose checkout is Open',
    ({ openOrder }) =>
      `update orders set status = 'Paid', paid_at = created_at where id = ${openOrder}`,
    ({ openOrder }) => [
      `checkout-orders: orders ${openOrder}`,
      `order-discounts: orders ${openOrder}`,
      `order-stock: orders ${openOrder}`,
    ],
  ],
  [
    'a Pending order whose checkout was cancelled',
    ({ cancelledOrder }) => `update orders set status = 'Pending' where id = ${cancelledOrder}`,
    ({ cancelledOrder }) => [`checkout-orders: orders ${cancelledOrder}`],
  ],
  [
    'a checkout with another order',
    ({ open, paidOrder }) =>
      `update checkouts set order_id = ${paidOrder + 1_000_000} where id = ${open}`,
    ({ open, openOrder }) => [`checkout-orders: orders ${openOrder}`, `ordered: checkouts ${open}`],
  ],
  [
    'a line that costs less',
    ({ paidOrder }) =>
      `update order_lines set amount_minor = amount_minor - 1 where order_id = ${paidOrder}`,
    ({ paidOrder }) => [`order-lines: orders ${paidOrder}`],
  ],
  [
    'a line with more than was sold',
    ({ paidOrder }) => `update order_lines set quantity = quantity + 1,
      unit_price_minor = amount_minor / 2 where order_id = ${paidOrder}`,
    ({ paidOrder }) => [`order-stock: orders ${paidOrder}`],
  ],
  [
    'a refunded order set back to Paid',
    ({ refundedOrder }) => `update orders set status = 'Paid' where id = ${refundedOrder}`,
    ({ refundedOrder }) => [
      `order-refunds: orders ${refundedOrder}`,
      `order-stock: orders ${refundedOrder}`,
    ],
  ],
  [
    'released goods of a paid order',
    ({ paid }) => `update stock_reservations set status = 'Released' where cause_id = ${paid}`,
    ({ paidOrder, item }) => [
      `order-stock: orders ${paidOrder}`,
      `stock-reservations: stock_items ${item}`,
    ],
  ],
  [
    'a discount use without its order',
    ({ openOrder }) => `update orders set discount_id = null where id = ${openOrder}`,
    ({ openOrder }) => [`order-discounts: orders ${openOrder}`],
  ],
  [
    'a file of a refunded order that was not revoked',
    ({ grant }) => `update download_grants set revoked_at = null where id = ${grant}`,
    ({ refundedOrder }) => [`order-downloads: orders ${refundedOrder}`],
  ],
  [
    'a page that counts one payment too many',
    ({ page }) =>
      `update payment_page_counts set checkouts = 2, payments = 2 where page_id = ${page}`,
    ({ page }) => [`page-counts: payment_page_counts ${page}`],
  ],
]

testDamages('the audit of checkouts', {
  server,
  shop: rowsOf,
  damages,
  checks: checkoutChecks,
  looking: [...checkoutChecks, ...stockChecks],
})
