import type { Tx } from '../../../db/database.ts'
import { plainArray, textArray } from '../../../db/pg-arrays.ts'
import type { Tenant } from '../../../lib/caller.ts'
import type { Minor } from '../../../lib/money.ts'
import type { VariantRow } from '../record/parts.ts'

export interface NewOptionRow {
  id: number
  name: string
  position: number
  values: { id: number; value: string; position: number }[]
}

export async function insertOptions(
  tx: Tx,
  { businessId, live }: Tenant,
  productId: number,
  options: readonly NewOptionRow[],
): Promise<void> {
  const values = options.flatMap(({ id, values }) => values.map((one) => ({ ...one, option: id })))
  await tx.run`
    with options as (
      insert into product_options (business_id, live, id, product_id, name, position)
      select ${businessId}::bigint, ${live}::boolean, id, ${productId}::bigint, name, position
      from unnest(${plainArray(options.map(({ id }) => id))}::bigint[],
        ${textArray(options.map(({ name }) => name))}::text[],
        ${plainArray(options.map(({ position }) => position))}::integer[]
      ) as t (id, name, position)
    )
    insert into product_option_values (business_id, live, id, option_id, value, position)
    select ${businessId}::bigint, ${live}::boolean, id, option_id, value, position
    from unnest(${plainArray(values.map(({ id }) => id))}::bigint[],
      ${plainArray(values.map(({ option }) => option))}::bigint[],
      ${textArray(values.map(({ value }) => value))}::text[],
      ${plainArray(values.map(({ position }) => position))}::integer[]
    ) as t (id, option_id, value, position)`
}

export type NewVariantRow = Omit<VariantRow, 'product_id' | 'reserved' | 'sold'>

/** Stock is stored separately. */
export async function insertVariantRows(
  tx: Tx,
  { businessId, live }: Tenant,
  productId: number,
  variants: readonly NewVariantRow[],
  now: Date,
): Promise<void> {
  const plain = (pick: (row: NewVariantRow) => number | bigint | boolean | null) =>
    plainArray(variants.map(pick))
  await tx.run`
    with incoming as materialized (
      select * from unnest(
        ${plain(({ id }) => id)}::bigint[],
        ${textArray(variants.map(({ value_ids }) => plainArray(value_ids)))}::text[],
        ${textArray(variants.map(({ sku }) => sku))}::text[],
        ${plain(({ price_minor }) => price_minor)}::bigint[],
        ${plain(({ active }) => active)}::boolean[]
      ) with ordinality as t (id, value_ids, sku, price, active, position)
    )
    insert into product_variants
      (business_id, live, id, product_id, value_ids, sku, price_minor, active, position,
       created_at, updated_at)
    select ${businessId}::bigint, ${live}::boolean, id, ${productId}::bigint, value_ids::bigint[],
      sku, price, active, position, ${now}::timestamptz, ${now}::timestamptz
    from incoming`
}

export function appendValue(
  tx: Tx,
  { businessId, live }: Tenant,
  productId: number,
  valueId: number,
  now: Date,
) {
  return tx.run`
    update product_variants
    set value_ids = value_ids || ${valueId}::bigint, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and product_id = ${productId}
      and deleted_at is null`
}

/** Removes the value of the option at `place`, counted from 1, from each variant. */
export function removeVariantValue(
  tx: Tx,
  { businessId, live }: Tenant,
  productId: number,
  place: number,
  now: Date,
) {
  return tx.run`
    update product_variants
    set value_ids = value_ids[:${place}::integer - 1] || value_ids[${place}::integer + 1:],
      updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and product_id = ${productId}
      and deleted_at is null`
}

/** Removes variants from the product. Their sales remain stored. */
export function updateRetired(
  tx: Tx,
  { businessId, live }: Tenant,
  ids: readonly number[],
  now: Date,
) {
  return tx.run`
    update product_variants set deleted_at = ${now}, updated_at = ${now}
    where business_id = ${businessId} and live = ${live}
      and id = any(${plainArray(ids)}::bigint[])`
}

export function deleteOption(tx: Tx, { businessId, live }: Tenant, id: number) {
  return tx.run`
    delete from product_options
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

export function deleteValue(tx: Tx, { businessId, live }: Tenant, id: number) {
  return tx.run`
    delete from product_option_values
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

export function insertValue(
  tx: Tx,
  { businessId, live }: Tenant,
  optionId: number,
  { id, value }: { id: number; value: string },
) {
  return tx.run`
    insert into product_option_values (business_id, live, id, option_id, value, position)
    select ${businessId}::bigint, ${live}::boolean, ${id}::bigint, ${optionId}::bigint,
      ${value}::text, coalesce(max(position), 0) + 1
    from product_option_values
    where business_id = ${businessId} and live = ${live} and option_id = ${optionId}`
}

export function renameOption(tx: Tx, { businessId, live }: Tenant, id: number, name: string) {
  return tx.run`
    update product_options set name = ${name}
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

export function renameValue(tx: Tx, { businessId, live }: Tenant, id: number, value: string) {
  return tx.run`
    update product_option_values set value = ${value}
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/** Returns the position that follows the last option's. */
export async function nextPosition(
  tx: Tx,
  { businessId, live }: Tenant,
  productId: number,
): Promise<number> {
  const { position } = await tx.one<{ position: number }>`
    select coalesce(max(position), 0) + 1 as position from product_options
    where business_id = ${businessId} and live = ${live} and product_id = ${productId}`
  return position
}

interface VariantContent {
  sku: string | null
  price_minor: Minor | null
  active: boolean
}

/** The caller must have locked the variant’s product. */
export function updateVariantRow(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { sku, price_minor, active }: VariantContent,
  now: Date,
) {
  return tx.run`
    update product_variants
    set sku = ${sku}, price_minor = ${price_minor}, active = ${active}, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}
