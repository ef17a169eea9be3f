import type { Db } from '../../db/database.ts'
import { invalid, Problem } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { type ProductRow, productsWith } from '../products/catalogue/service.ts'
import { PRODUCTS_MAX } from './schemas.ts'

const ID = /^(?:0|[1-9]\d{0,15})$/

/** Each id once, in the order given. Throws 400 naming `productIds` for what is none. */
export function readProductIds(given: string | readonly (number | string)[]): number[] {
  const texts = typeof given === 'string' ? given.split(',') : given
  const trimmed = texts.map((text) => String(text).trim())
  const wrong = trimmed.find((text) => !ID.test(text) || Number(text) > Number.MAX_SAFE_INTEGER)
  if (wrong !== undefined) {
    throw invalid({
      productIds: [`must be product ids separated by commas; ${spelt(wrong)} is not an id`],
    })
  }
  const ids = [...new Set(trimmed.map(Number))]
  if (ids.length > PRODUCTS_MAX) throw tooMany()
  return ids
}

const spelt = (text: string): string => JSON.stringify(text.slice(0, 40))

export const tooMany = () =>
  invalid({ productIds: [`must be at most ${PRODUCTS_MAX} for one page`] })

interface Named {
  ids: readonly number[]
  currency: string
  /** What an id is that names no product; the contract has it 400 where products are added. */
  missing: 'not_found' | 'invalid'
}

/** The products. Throws as `missing` says, naming the bad ids, and 400 for another currency. */
export async function namedProducts(
  db: Db,
  tenant: Tenant,
  { ids, currency, missing }: Named,
): Promise<ProductRow[]> {
  const rows = await productsWith(db, tenant, ids)
  const found = new Set(rows.map(({ id }) => id))
  const unknown = ids.filter((id) => !found.has(id))
  if (unknown.length > 0) throw noProduct(unknown, missing)
  const foreign = rows.find((row) => row.currency !== currency)
  if (foreign) {
    const says = `must be in ${currency}, as the page is; ${foreign.id} is in ${foreign.currency}`
    throw invalid({ productIds: [says] })
  }
  return rows
}

/** 404 where they are what was asked for, 400 where they were named for something else. */
export function noProduct(ids: readonly number[], missing: Named['missing']): Problem {
  const noun = ids.length === 1 ? 'product' : 'products'
  const says = `No such ${noun}: ${ids.join(', ')} (productIds).`
  return missing === 'invalid'
    ? invalid({ productIds: [`must be products of this business; not found: ${ids.join(', ')}`] })
    : new Problem('not_found', 'product_not_found', says, {
        fields: { productIds: [`not found: ${ids.join(', ')}`] },
      })
}
