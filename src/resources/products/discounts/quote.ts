import type { Db } from '../../../db/database.ts'
import type { Minor } from '../../../lib/money.ts'
import type { Tenant } from '../../../lib/tenant.ts'
import { selectDiscount } from './queries.ts'
import { asCode } from './service.ts'
import { discountOn, type Purchase, refusalByCount, refusalByTerms, refused } from './terms.ts'

/** What a code takes off a purchase, and by which terms, so that a page can work it out again. */
export interface Quote {
  code: string
  discount_minor: Minor
  /** Basis points, or an amount. */
  type: 'percentage' | 'fixed'
  value_minor: Minor
  max_minor: Minor | null
  min_spend_minor: Minor | null
  /** Of these products only; empty is all. */
  product_ids: readonly number[]
}

/** Uses nothing up. Throws 400 with the reason when the code would be refused now. */
export async function quoteDiscount(
  db: Db,
  tenant: Tenant,
  code: string,
  purchase: Purchase,
): Promise<Quote> {
  const row = await selectDiscount(db, tenant, { code: asCode(code) })
  if (!row) throw refused('not_found', 'discountCode')
  const reason = refusalByTerms(row, purchase) ?? refusalByCount(row, 0)
  if (reason) throw refused(reason, 'discountCode')
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
