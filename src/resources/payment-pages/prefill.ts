import type { Db } from '../../db/database.ts'
import { printMinor } from '../../lib/money.ts'
import { Problem } from '../../lib/problem.ts'
import { type CheckoutRow, checkoutOfCode } from '../checkout/service.ts'
import { type OrderShown, orderShown } from '../orders/service.ts'
import type { ProductRecord } from '../products/catalogue/service.ts'
import { activeVariants, countField, isSoldOut, optionField, proposedOf } from './page-goods.ts'
import type { OpenedPage } from './page-service.ts'

/** The checkout of this page that a payer comes back from; undefined for any other. */
export async function cameFrom(
  db: Db,
  { page }: OpenedPage,
  code: unknown,
): Promise<CheckoutRow | undefined> {
  if (!page || typeof code !== 'string') return undefined
  try {
    const row = await checkoutOfCode(db, code)
    const isHere = row.business_id === page.business_id && row.live === page.live
    return isHere && row.page_id === page.id ? row : undefined
  } catch (error) {
    if (error instanceof Problem && error.kind === 'not_found') return undefined
    throw error
  }
}

/** The form as it was filled in for a checkout, so that its payer can change it or start again. */
export async function filledFor(
  db: Db,
  opened: OpenedPage,
  row: CheckoutRow,
): Promise<Record<string, string>> {
  const { tenant, page } = opened
  const shown = row.order_id === null ? undefined : await orderShown(db, tenant, row.order_id)
  const answers: { name: string; value: string }[] = JSON.parse(row.answers)
  return {
    ...Object.fromEntries(answers.map(({ name, value }) => [`f-${name}`, value])),
    email: row.customer_email,
    name: row.customer_name ?? '',
    phone: row.customer_phone ?? '',
    ...(shown && orderedIn(opened, shown)),
    ...(page?.amount_type !== 'fixed' &&
      opened.products.length === 0 && {
        amount: printMinor(shown?.order.subtotal_minor ?? row.amount_minor, row.currency),
      }),
  }
}

function orderedIn({ products }: OpenedPage, { order, lines }: OrderShown): Record<string, string> {
  return {
    ...Object.assign({}, ...products.map((product) => linesIn(product, lines))),
    deliveryLocation: order.delivery_location ?? '',
    address: order.delivery_address ?? '',
    discountCode: order.discount_code ?? '',
  }
}

/** The first kind of a product as the one that is chosen, others as added before. */
function linesIn(product: ProductRecord, lines: OrderShown['lines']): Record<string, string> {
  const { productId, options } = product
  const own = lines.filter((line) => String(line.product_id) === productId)
  const kinds = activeVariants(product)
  const [first, ...others] = own.filter(
    ({ variant_id }) => variant_id === null || kinds.some((one) => one.variantId === variant_id),
  )
  if (!first) return proposedOf(product, 0)
  const kind = kinds.find(({ variantId }) => variantId === first.variant_id)
  const chosen = options.map(({ name }, i) => [
    optionField(productId, i),
    kind?.optionValues[name] ?? '',
  ])
  const added = others.map((line) => [
    countField(productId, line.variant_id ?? undefined),
    String(line.quantity),
  ])
  return {
    ...Object.fromEntries([...chosen, ...added]),
    [countField(productId)]: String(first.quantity),
  }
}

/** The page as it is for the payer of an open checkout, whose own goods are to be had again. */
export async function withOwnGoods(
  db: Db,
  opened: OpenedPage,
  row: CheckoutRow,
): Promise<OpenedPage> {
  if (row.status !== 'Open' || row.order_id === null) return opened
  const { lines } = await orderShown(db, opened.tenant, row.order_id)
  const more = (productId: string, variantId: number | null) =>
    lines
      .filter((one) => String(one.product_id) === productId && one.variant_id === variantId)
      .reduce((sum, { quantity }) => sum + quantity, 0)
  const products = opened.products.map((product) => ({
    ...product,
    available: product.available + more(product.productId, null),
    variants: product.variants.map((one) => ({
      ...one,
      available: one.available + more(product.productId, one.variantId),
    })),
  }))
  const { closed, ...open } = opened
  const isOpen = closed === 'soldOut' && !products.every(isSoldOut)
  return { ...open, products, ...(closed && !isOpen && { closed }) }
}
