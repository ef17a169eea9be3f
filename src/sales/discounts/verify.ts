import type { Db } from '../../db/database.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { amountsOf, isCurrency, type Minor, parseAmount } from '../../lib/money.ts'
import { invalid, notFound } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import { type PayingPage, pageForPaying } from '../payment-pages/service.ts'
import { requireProduct } from '../products/core/service.ts'
import { selectCustomerUses, selectDiscount } from './queries.ts'
import { discountRecord } from './record.ts'
import {
  discountOn,
  discountRefused,
  type Purchase,
  refusalByCount,
  refusalByTerms,
} from './redemptions.ts'
import type { VerifyDiscount } from './schemas.ts'
import { normaliseCode, normaliseCustomer } from './service.ts'

/**
 * Returns how much a code would deduct from an amount, without using the code. Throws 404 for an
 * unknown product or page, and 400 with the reason if the code would be refused.
 */
export async function verifyDiscount(db: Db, caller: Caller, request: VerifyDiscount) {
  const { productId, pageId, email } = request
  const product = productId === undefined ? undefined : await requireProduct(db, caller, productId)
  const page = pageId === undefined ? undefined : await requirePage(db, caller, toId(pageId))
  const row = await selectDiscount(db, caller, { code: normaliseCode(request.code) })

  const currency = request.currency ?? product?.currency ?? row?.currency ?? 'NGN'
  if (!isCurrency(currency)) throw invalid({ currency: ['must be an ISO 4217 currency code'] })
  const amount_minor = parseAmount(request.amount, currency)
  if (!row) throw discountRefused('not_found')

  const bought = product?.id ?? page?.product_ids.find((id) => row.product_ids.includes(id)) ?? null
  const lines = page?.allow_discount_codes === false ? [] : [{ productId: bought, amount_minor }]
  const purchase: Purchase = { lines, currency, now: caller.now }
  const byTerms = refusalByTerms(row, purchase)
  if (byTerms) throw discountRefused(byTerms)
  const uses = email ? await selectCustomerUses(db, caller, row.id, normaliseCustomer(email)) : 0
  const byCount = refusalByCount(row, uses)
  if (byCount) throw discountRefused(byCount)

  const discount_minor = discountOn(row, purchase)
  const final_minor = amount_minor - discount_minor
  const { code, type, value } = discountRecord(row)
  return {
    valid: true as const,
    code,
    type,
    value,
    ...amountsOf(currency, {
      amount: amount_minor,
      discountAmount: discount_minor,
      finalAmount: final_minor,
    }),
    currency,
  }
}

async function requirePage(db: Db, tenant: Tenant, id: number): Promise<PayingPage> {
  const page = await pageForPaying(db, tenant, id)
  if (!page || page.deleted_at) throw notFound('payment_page')
  return page
}

/**
 * The discount that a code gives on a purchase, with the terms that a page needs to recompute it.
 */
export interface Quote {
  code: string
  discount_minor: Minor
  /** Basis points for a percentage, otherwise minor units. */
  type: 'percentage' | 'fixed'
  value_minor: Minor
  max_minor: Minor | null
  min_spend_minor: Minor | null
  /** The products that the discount applies to; empty means all. */
  product_ids: readonly number[]
}

/**
 * Quotes a discount without using it. Throws 400 with the reason if the code would be refused now.
 */
export async function quoteDiscount(
  db: Db,
  tenant: Tenant,
  code: string,
  purchase: Purchase,
): Promise<Quote> {
  const row = await selectDiscount(db, tenant, { code: normaliseCode(code) })
  if (!row) throw discountRefused('not_found', 'discountCode')
  const reason = refusalByTerms(row, purchase) ?? refusalByCount(row, 0)
  if (reason) throw discountRefused(reason, 'discountCode')
  const { type, value_minor, max_discount_minor, min_spend_minor, product_ids } = row
  return {
    code: row.code,
    discount_minor: discountOn(row, purchase),
    type: type === 'percentage' ? 'percentage' : 'fixed',
    value_minor,
    max_minor: max_discount_minor,
    min_spend_minor,
    product_ids,
  }
}
