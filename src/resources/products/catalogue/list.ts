import type { Db } from '../../../db/database.ts'
import { isDescending, pageOf } from '../../../lib/paging.ts'
import { invalid } from '../../../lib/problem.ts'
import type { Tenant } from '../../../lib/tenant.ts'
import type { Deps } from '../../deps.ts'
import { PRODUCT_STATUSES, PRODUCT_TYPES } from './queries.ts'
import { findProducts } from './queries-list.ts'
import type { ProductQuery } from './schemas.ts'
import { KIND } from './search.ts'
import { recordsOf } from './service.ts'

/** One page of products with its meta; throws 400 naming what cannot be asked. */
export async function listProducts(
  db: Db,
  deps: Pick<Deps, 'publicUrl'>,
  tenant: Tenant,
  query: ProductQuery,
) {
  const sought = query.search?.trim() || undefined
  const isReference = sought !== undefined && /^PRD_[0-9A-Za-z]{20}$/.test(sought)
  const filter = {
    kind: KIND,
    status: oneOf(PRODUCT_STATUSES, query.status, 'status'),
    type: oneOf(PRODUCT_TYPES, query.type, 'type'),
    reference: isReference ? sought : undefined,
    text: isReference ? undefined : sought,
    descending: isDescending(query.sort),
  }
  const found = await findProducts(db, tenant, filter, query)
  const { rows, meta } = pageOf(found.rows, query, found.total)
  return { records: await recordsOf(db, deps, tenant, rows), meta }
}

function oneOf<Name extends string>(
  known: readonly Name[],
  wanted: string | undefined,
  field: string,
): Name | undefined {
  if (wanted === undefined) return undefined
  const found = known.find((name) => name.toLowerCase() === wanted.toLowerCase())
  if (!found) throw invalid({ [field]: [`must be one of ${known.join(', ')}`] })
  return found
}
