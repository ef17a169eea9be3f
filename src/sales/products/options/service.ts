import type { Db, Tx } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import type { Tenant } from '../../../lib/caller.ts'
import {
  insertOptions,
  insertVariants,
  type NewOptionRow,
  type NewVariantRow,
  selectValues,
  selectVariants,
  updateLevels,
  type VariantRow,
} from './queries.ts'
import { type Option, orTaken, VALUES_MAX } from './validate.ts'

export type { VariantRow } from './queries.ts'

/** What a product comes in. Without options there is nothing of either. */
export interface Family {
  options: Option[]
  /** In the order of their values. */
  variants: VariantRow[]
}

export const NO_FAMILY: Family = { options: [], variants: [] }

/** Options and variants of products, by the product's id; of one without options nothing. */
export async function familiesOf(
  db: Db,
  tenant: Tenant,
  productIds: readonly number[],
): Promise<Map<number, Family>> {
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

/** As a person would list them: all of the first value, then all of the second. */
function sorted(variants: VariantRow[], options: readonly Option[]): VariantRow[] {
  const places = new Map(
    options.flatMap(({ values }) => values.map(({ id }, place) => [id, place] as const)),
  )
  const placeOf = ({ value_ids }: VariantRow) =>
    value_ids.reduce((place, id) => place * VALUES_MAX + (places.get(id) ?? 0), 0)
  return variants.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** `{Size: 'M'}`, in the order of the options. */
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

/** Stores what a new product comes in. */
export async function insertFamily(
  tx: Tx,
  tenant: Tenant,
  productId: number,
  options: readonly NewOptionRow[],
  variants: readonly NewVariantRow[],
  now: Date,
): Promise<void> {
  await orTaken('options', insertOptions(tx, tenant, productId, options))
  await insertVariants(tx, tenant, productId, variants, now)
}

/** Options with ids, numbered from `first` on. */
export async function numbered(
  db: Db,
  ids: Deps['ids'],
  options: readonly { name: string; values: readonly string[] }[],
  first = 1,
): Promise<NewOptionRow[]> {
  const rows: NewOptionRow[] = []
  for (const [i, { name, values }] of options.entries()) {
    const row: NewOptionRow = { id: await ids.next(db), name, position: first + i, values: [] }
    for (const [j, value] of values.entries()) {
      row.values.push({ id: await ids.next(db), value, position: j + 1 })
    }
    rows.push(row)
  }
  return rows
}

/** What there is of some variants, anew; the transaction holds them. */
export const setLevels = (
  tx: Tx,
  tenant: Tenant,
  levels: readonly Pick<VariantRow, 'id' | 'tracked' | 'on_hand'>[],
) => updateLevels(tx, tenant, levels)
