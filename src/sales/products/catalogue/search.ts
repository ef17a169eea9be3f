import type { Tx } from '../../../db/database.ts'
import { keepTexts } from '../../../db/text-search.ts'
import type { Tenant } from '../../../lib/caller.ts'
import { KIND } from '../core/record.ts'
import type { ProductRow } from '../core/service.ts'

/** What a product is found by. */
export const textsOf = ({ name, sku }: Pick<ProductRow, 'name' | 'sku'>): string[] =>
  sku === null ? [name] : [name, sku]

/** What a search for products can be narrowed to. */
export const marksOf = ({ status, type }: Marked): string[] =>
  [status, type].filter((mark) => mark !== undefined)

interface Marked {
  status: ProductRow['status'] | undefined
  type: ProductRow['type'] | undefined
}

/** Has a product found by what it is called now, and as what it is now. */
export const keepSearchable = (
  tx: Tx,
  tenant: Tenant,
  row: Pick<ProductRow, 'id' | 'status' | 'type' | 'name' | 'sku'>,
) => keepTexts(tx, tenant, KIND, row.id, textsOf(row), marksOf(row))
