import type { Db } from '../../../db/database.ts'
import { wholeOrPage } from '../../../lib/paging.ts'
import { type Fields, invalid } from '../../../lib/problem.ts'
import type { Tenant } from '../../../lib/tenant.ts'
import { shownOf } from '../catalogue/parts.ts'
import { type RecordDeps, requireProduct } from '../catalogue/service.ts'
import { alike, type Option } from '../options/plan.ts'
import type { VariantRow } from '../options/service.ts'
import { variantRecord } from './record.ts'
import { VariantFilter } from './schemas.ts'

/**
 * The variants of a product that have these values, names and values in any case; a value that the
 * option has not is had by none. Throws 404, or 400 naming what is no option of the product.
 */
export async function filterVariants(
  db: Db,
  deps: RecordDeps,
  tenant: Tenant,
  query: VariantFilter,
) {
  const product = await requireProduct(db, tenant, query.productId)
  const shown = (await shownOf(db, deps, tenant, [product.id])).get(product.id)!
  const { options, variants, media } = shown
  const wanted = wantedOf(query, options)
  const matching = variants.filter(
    (variant) =>
      wanted.every(({ place, ids }) => ids.includes(variant.value_ids[place]!)) &&
      (query.inStock === undefined || query.inStock === isInStock(variant)),
  )
  const { rows, meta } = wholeOrPage(matching, query)
  return { records: rows.map((variant) => variantRecord(product, variant, options, media)), meta }
}

const isInStock = ({ active, tracked, on_hand, reserved }: VariantRow): boolean =>
  active && (!tracked || on_hand > reserved)

/** The values that are asked for, by the place of their option. */
function wantedOf(query: VariantFilter, options: readonly Option[]) {
  const unknown: Fields = {}
  const wanted: { place: number; ids: number[] }[] = []
  for (const [name, text] of Object.entries(query as Record<string, unknown>)) {
    if (Object.hasOwn(VariantFilter.properties, name)) continue
    const place = options.findIndex((option) => alike(option.name) === alike(name))
    if (place < 0) {
      unknown[name] = [
        options.length === 0
          ? 'is no option: the product has none'
          : `is not an option of the product, which has ${options.map((one) => one.name).join(', ')}`,
      ]
      continue
    }
    const values = options[place]!.values.filter(
      ({ value }) => alike(value) === alike(String(text)),
    )
    wanted.push({ place, ids: values.map(({ id }) => id) })
  }
  if (Object.keys(unknown).length > 0) throw invalid(unknown)
  return wanted
}
