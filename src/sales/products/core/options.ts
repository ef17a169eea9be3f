import type { Db } from '../../../db/database.ts'
import type { Tenant } from '../../../lib/caller.ts'
import type { Minor } from '../../../lib/money.ts'

/** The maximum number of values of an option. */
export const VALUES_MAX = 50

export interface Value {
  id: number
  value: string
}

export interface Option {
  id: number
  name: string
  values: Value[]
}

export interface VariantRow {
  id: number
  product_id: number
  /** In the same order as the options. */
  value_ids: number[]
  sku: string | null
  /** Null means that the product’s price applies. */
  price_minor: Minor | null
  active: boolean
  tracked: boolean
  on_hand: number
  reserved: number
  sold: number
  low_stock_threshold: number | null
}

interface ValueRow {
  product_id: number
  option_id: number
  name: string
  value_id: number
  value: string
}

/** A product’s options and variants. Both are empty for a product without options. */
export interface VariantSet {
  options: Option[]
  /** In the order of their values. */
  variants: VariantRow[]
}

export const NO_VARIANTS: VariantSet = { options: [], variants: [] }

/** Returns the options and variants of products, by product id. Omits products without options. */
export async function variantSetsOf(
  db: Db,
  tenant: Tenant,
  productIds: readonly number[],
): Promise<Map<number, VariantSet>> {
  if (productIds.length === 0) return new Map()
  const values = Map.groupBy(
    await selectValues(db, tenant, productIds),
    ({ product_id }) => product_id,
  )
  const variants = Map.groupBy(
    await selectVariants(db, tenant, productIds),
    ({ product_id }) => product_id,
  )
  return new Map(
    [...values].map(([id, rows]) => {
      const options = optionsOf(rows)
      return [id, { options, variants: sorted(variants.get(id) ?? [], options) }]
    }),
  )
}

function optionsOf(rows: Awaited<ReturnType<typeof selectValues>>): Option[] {
  const byOption = Map.groupBy(rows, ({ option_id }) => option_id)
  return [...byOption].map(([id, values]) => ({
    id,
    name: values[0]!.name,
    values: values.map(({ value_id, value }) => ({ id: value_id, value })),
  }))
}

/** Sorts variants as a person would: all with the first value, then all with the second. */
function sorted(variants: VariantRow[], options: readonly Option[]): VariantRow[] {
  const places = new Map(
    options.flatMap(({ values }) => values.map(({ id }, place) => [id, place] as const)),
  )
  const placeOf = ({ value_ids }: VariantRow) =>
    value_ids.reduce((place, id) => place * VALUES_MAX + (places.get(id) ?? 0), 0)
  return variants.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** Returns `{Size: 'M'}`, in the same order as the options. */
export function optionValuesOf(
  { value_ids }: Pick<VariantRow, 'value_ids'>,
  options: readonly Option[],
): Record<string, string> {
  return Object.fromEntries(
    options.map(({ name, values }, i) => [
      name,
      values.find(({ id }) => id === value_ids[i])?.value ?? '',
    ]),
  )
}

function selectValues(db: Db, { businessId, live }: Tenant, productIds: readonly number[]) {
  return db.many<ValueRow>`
    select o.product_id, o.id as option_id, o.name, v.id as value_id, v.value
    from product_options o
      join product_option_values v
        on v.business_id = o.business_id and v.live = o.live and v.option_id = o.id
    where o.business_id = ${businessId} and o.live = ${live}
      and o.product_id = any(${productIds}::bigint[])
    order by o.product_id, o.position, o.id, v.position, v.id`
}

function selectVariants(db: Db, { businessId, live }: Tenant, productIds: readonly number[]) {
  return db.many<VariantRow>`
    select v.id, v.product_id, v.value_ids::float8[] as value_ids, v.sku, v.price_minor, v.active,
      s.tracked, s.on_hand, s.reserved, s.sold, s.low_stock_threshold
    from product_variants v
      join stock_items s on s.business_id = v.business_id and s.live = v.live and s.id = v.id
    where v.business_id = ${businessId} and v.live = ${live}
      and v.product_id = any(${productIds}::bigint[]) and v.deleted_at is null`
}
