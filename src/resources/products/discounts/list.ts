import type { Db } from '../../../db/database.ts'
import { isDescending, pageOf } from '../../../lib/paging.ts'
import { toId } from '../../../lib/schemas.ts'
import type { Tenant } from '../../../lib/tenant.ts'
import { findDiscounts } from './queries-list.ts'
import { discountRecord } from './record.ts'
import type { DiscountQuery } from './schemas.ts'
import { asCode } from './service.ts'

/** One page of discounts with its meta. */
export async function listDiscounts(db: Db, tenant: Tenant, query: DiscountQuery) {
  const { code, productId } = query
  const filter = {
    code: code === undefined ? undefined : asCode(code),
    productId: productId === undefined ? undefined : toId(productId),
    descending: isDescending(query.sort),
  }
  const found = await findDiscounts(db, tenant, filter, query)
  const { rows, meta } = pageOf(found.rows, query, found.total)
  return { records: rows.map(discountRecord), meta }
}
